// Comfort for every page for staff; all work without it.
// A second press of the same button, or Enter twice, sends a form once.
(() => {
  const wait = 8000; // an answer that takes longer may be asked for again
  addEventListener('submit', e => {
    const form = e.target;
    if (e.defaultPrevented || form.method !== 'post') return;
    if (form.dataset.sent) { e.preventDefault(); return; }
    form.dataset.sent = '1';
    setTimeout(() => { delete form.dataset.sent; }, wait);
  });
  addEventListener('pageshow', () => {
    for (const form of document.forms) delete form.dataset.sent;
  });
})();
