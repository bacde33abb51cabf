// Comfort on the pages about accounts: a password can be looked at while it is typed, and
// the set-up page guesses the time zone. Without it both pages work.
(() => {
  'use strict';
  for (const input of document.querySelectorAll('input[data-show]')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'more show-password';
    const label = document.querySelector(`label[for="${input.id}"]`).textContent;
    const paint = () => {
      const shown = input.type === 'text';
      button.textContent = shown ? 'Hide' : 'Show';
      button.setAttribute('aria-label', `${shown ? 'Hide' : 'Show'}: ${label}`);
    };
    button.addEventListener('click', () => {
      input.type = input.type === 'text' ? 'password' : 'text';
      paint();
    });
    input.form.addEventListener('submit', () => { input.type = 'password'; });
    paint();
    input.after(button);
  }
  const zone = document.querySelector('input[data-zone]');
  if (zone && zone.value === 'UTC') {
    zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || zone.value;
  }
})();
