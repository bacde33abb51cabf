// Comfort at the door: the button that takes a check-in back goes away after its time.
(() => {
  'use strict';
  const form = document.querySelector('form[data-undo]');
  if (!form) return;
  const button = form.querySelector('button'), words = button.textContent, end = Date.now() + form.dataset.undo * 1000;
  const tick = () => {
    const left = Math.ceil((end - Date.now()) / 1000);
    if (left <= 0) {
      form.remove();
      return;
    }
    button.textContent = words + ' (' + left + ')';
    setTimeout(tick, 250);
  };
  tick();
})();
