// Comfort for the pages about films, places, routes, halls and coaches: each is complete
// without this file.
(() => {
  'use strict';

  // What was just done, or what is to be mended, is read first.
  const alert = document.querySelector('[role=alert]');
  if (alert && !document.querySelector('[autofocus]')) alert.focus({ preventScroll: true });

  // A picture that is too large is said before it is sent: on a slow line that is minutes.
  const form = document.querySelector('form[data-picture]');
  const file = form?.querySelector('input[type=file]');
  const most = Number(form?.dataset.picture) - 65536; // the form's words need room too
  file?.addEventListener('change', () => {
    const large = file.files[0] && file.files[0].size > most;
    file.setCustomValidity(large ? 'This picture is larger than 12 MB. Please make it smaller; 600 × 900 dots are all that is shown.' : '');
    if (large) file.reportValidity();
  });
})();
