// Print buttons, and pages that are made to be printed: those open the printer's window
// by themselves once.
(() => {
  'use strict';
  for (const b of document.querySelectorAll('[data-print]')) {
    b.hidden = false;
    b.addEventListener('click', () => print());
  }
  if (document.querySelector('[data-print-now]')) addEventListener('load', () => print(), { once: true });
  const alert = document.querySelector('[role=alert]');
  if (alert) alert.focus({ preventScroll: true });
})();
