// Print buttons, and pages that are made to be printed: those open the printer's window
// by themselves once.
(() => {
  'use strict';
  for (const b of document.querySelectorAll('[data-print]')) {
    b.hidden = false;
    b.addEventListener('click', () => print());
  }
  if (document.querySelector('[data-print-now]')) addEventListener('load', () => print(), { once: true });
  // Whoever prints an original a second time has a copy.
  addEventListener('afterprint', () => { for (const m of document.querySelectorAll('[data-after-print]')) m.hidden = false; });
  const alert = document.querySelector('[role=alert]');
  if (alert) alert.focus({ preventScroll: true });
})();
