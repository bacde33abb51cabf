// The line: looks again by itself, every five to seven seconds and never faster.
// Without this file the page says when to load it again.
(() => {
  'use strict';
  const box = document.querySelector('#place'), status = document.querySelector('.wait [role=status]');
  if (!box) return;
  const part = () => box.firstElementChild;
  const words = () => box.querySelectorAll('[data-looks]').forEach(e => { e.hidden = false; e.parentElement.querySelector('[data-by-hand]').hidden = true; });
  let timer, failed = 0, last = 0;

  const show = html => {
    const next = new DOMParser().parseFromString(html, 'text/html').querySelector('[data-state]');
    if (!next) return;
    const was = part().dataset.state, focused = box.contains(document.activeElement) && document.activeElement.textContent;
    box.replaceChildren(next);
    words();
    if (next.dataset.state !== was) status.textContent = box.querySelector('h1').textContent + '. ' + (box.querySelector('.lede')?.textContent || '');
    if (next.dataset.title) document.title = document.title.replace(/^[^·]*/, next.dataset.title + ' ');
    if (focused) [...box.querySelectorAll('a, button')].find(e => e.textContent === focused)?.focus();
  };

  const look = async () => {
    const url = part().dataset.part;
    if (!url) return;
    last = Date.now();
    try {
      const res = await fetch(url, { headers: { Accept: 'text/html' }, cache: 'no-store', signal: AbortSignal.timeout(10000) });
      failed = res.ok ? 0 : failed + 1;
      // One refusal changes nothing on the page: the place is kept.
      if (res.ok || res.status === 503 && failed > 1 && part().dataset.state !== 'turn') show(await res.text());
    } catch { failed++; }
    wait();
  };
  const wait = () => {
    clearTimeout(timer);
    const seconds = Math.max(5, +part().dataset.seconds || 5) * Math.min(1 + failed, 6);
    if (part().dataset.part) timer = setTimeout(look, (seconds + 2 * Math.random()) * 1000);
  };

  words();
  wait();
  // Back from sleep or from another tab: look at once, but not more often than that.
  const back = () => { if (!document.hidden && Date.now() - last > 5000 && last) look(); };
  document.addEventListener('visibilitychange', back);
  addEventListener('pageshow', e => { if (e.persisted) look(); });
})();
