// Tries again by itself when the time on the page is over. The page's own link or button
// does the same without this file.
(() => {
  'use strict';
  const words = document.querySelector('[data-again]');
  const link = document.querySelector('[data-shed] a.btn'), form = document.querySelector('[data-shed] form');
  if (!words || !(link || form)) return;
  const end = Date.now() + words.dataset.again * 1000;
  let gone = false;
  const again = () => {
    if (gone) return;
    gone = true;
    if (form) form.submit();
    else location.replace(link.href);
  };
  if (form) form.addEventListener('submit', e => {
    if (gone) e.preventDefault(); // sent once
    gone = true;
  });
  const tick = () => {
    const left = Math.ceil((end - Date.now()) / 1000);
    words.textContent = left > 0 ? `This page tries again by itself in ${left} s.` : 'Trying again …';
    if (left > 0) setTimeout(tick, 500);
    else if (document.hidden) document.addEventListener('visibilitychange', again, { once: true });
    else again();
  };
  // Back: the page may come out of the browser's store as it was left.
  addEventListener('pageshow', e => { if (e.persisted) gone = false; });
  tick();
})();
