// After a sale: print and the next customer by one key. While a customer pays by phone:
// the page goes on by itself. Both pages are complete without this file.
(() => {
  'use strict';
  const $ = q => document.querySelector(q);
  const sold = $('[data-sold]'), link = $('[data-link]');

  if (sold) document.addEventListener('keydown', e => {
    if (e.repeat || e.altKey || e.ctrlKey || e.metaKey || e.target.closest('a, button, input')) return;
    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    // The second half of a double Enter belongs to the sale, not to the next customer.
    if (key === 'Enter' && e.timeStamp < 800) return;
    const to = { Enter: '#next', n: '#next', p: '#print-tickets', r: '.acts a:nth-child(2)' }[key];
    if (!to) return;
    e.preventDefault();
    $(to).click();
  });

  if (link) {
    document.querySelectorAll('[data-plain]').forEach(el => { el.hidden = true; });
    const status = $('[data-status]');
    const ask = async () => {
      if (document.hidden) return;
      try {
        const res = await fetch(link.dataset.link, { headers: { Accept: 'application/json' }, cache: 'no-store' });
        if (!res.ok) return;
        const now = await res.json();
        if (!now.next) return;
        status.textContent = now.state === 'booked' ? 'Paid.' : 'The link is closed.';
        location.replace(now.next);
      } catch { /* no line for a moment: asked again */ }
    };
    setInterval(ask, 2000);
    document.addEventListener('visibilitychange', ask);
  }
})();
