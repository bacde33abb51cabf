// A waiting room's figures, asked for again every four seconds while somebody looks.
// Without this file a link loads the page again.
(() => {
  'use strict';
  const box = document.querySelector('[data-counts][data-live]');
  if (!box) return;
  const byHand = () => { const a = box.querySelector('[data-by-hand]'); if (a) a.hidden = true; };
  const look = async () => {
    if (!document.hidden) {
      try {
        const res = await fetch(box.dataset.counts, { cache: 'no-store', redirect: 'error', signal: AbortSignal.timeout(8000) });
        const next = res.ok && new DOMParser().parseFromString(await res.text(), 'text/html').body.firstElementChild;
        if (next) { box.replaceChildren(next); byHand(); }
      } catch { /* the last figures stay, with their time */ }
    }
    setTimeout(look, 4000);
  };
  byHand();
  setTimeout(look, 4000);
})();
