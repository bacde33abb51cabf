// Adds a till up while somebody counts. The server adds up again; without this file the
// sum is shown when the form is sent.
(() => {
  'use strict';
  for (const box of document.querySelectorAll('[data-count]')) {
    const exponent = Number(box.dataset.exponent), unit = 10 ** exponent;
    const words = minor => {
      const digits = 'whole' in box.dataset && minor % unit === 0 ? 0 : exponent;
      return (minor / unit).toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
    };
    const fields = [...box.querySelectorAll('[data-value]')];
    const sum = box.querySelector('output'), sent = box.closest('form').querySelector('[name=sum]');
    const add = () => {
      let all = 0, clear = true;
      for (const f of fields) {
        const text = f.value.trim(), n = /^\d{1,7}$/.test(text) ? Number(text) : 0;
        clear &&= text === '' || /^\d{1,7}$/.test(text);
        all += n * Number(f.dataset.value);
        f.closest('.piece').querySelector('[data-worth]').textContent = n ? words(n * Number(f.dataset.value)) : '';
      }
      sum.textContent = words(all);
      if (sent) sent.value = clear ? String(all) : '';
    };
    if (!fields.length) continue; // one free sum: nothing to add
    box.addEventListener('input', add);
    // Enter goes on to the next piece, as on a counting machine; the last one has the button.
    box.addEventListener('keydown', e => {
      const at = fields.indexOf(e.target);
      if (e.key !== 'Enter' || at < 0 || at === fields.length - 1) return;
      e.preventDefault();
      fields[at + 1].focus();
      fields[at + 1].select();
    });
    add();
  }
})();
