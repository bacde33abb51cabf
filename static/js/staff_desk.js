// Comfort for an exchange: the change while cash is typed, and one press is one press. The
// page is complete without this file.
(() => {
  'use strict';
  const form = document.querySelector('form[data-exchange]');
  if (!form) return;
  form.addEventListener('submit', () => form.querySelectorAll('.btn').forEach(b => { b.disabled = true; }));
  addEventListener('pageshow', () => form.querySelectorAll('.btn').forEach(b => { b.disabled = false; }));
  const given = form.querySelector('[data-due]'), row = form.querySelector('[data-change]');
  if (!given) return;
  const digits = Number(given.dataset.exponent), unit = 10 ** digits;
  const show = () => {
    const text = given.value.trim().replace(',', '.'), cash = form.querySelector('[name=tender][value=cash]').checked;
    const change = /^\d+(\.\d*)?$/.test(text) ? Math.round(Number(text) * unit) - Number(given.dataset.due) : -1;
    row.hidden = !cash || change < 0;
    row.querySelector('output').textContent = (change / unit).toFixed(digits);
  };
  form.addEventListener('input', show);
  show();
})();
