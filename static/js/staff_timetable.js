// Comfort for the staff's seat plan: one tab stop, arrows to the nearest seat. The page is
// complete without this file.
(() => {
  'use strict';
  const alert = document.querySelector('[role=alert]');
  if (alert) alert.focus({ preventScroll: true });
  const form = document.querySelector('form[data-plan]');
  if (!form) return;
  const seats = [...form.querySelectorAll('input[name=seat]')];
  if (!seats.length) return;
  let current = seats.find(s => s.checked) || seats[0];
  seats.forEach(s => { s.tabIndex = s === current ? 0 : -1; });
  const move = to => {
    if (!to) return;
    current.tabIndex = -1;
    current = to;
    to.tabIndex = 0;
    to.focus();
  };
  const centre = s => { const r = s.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; };
  const nearest = (dx, dy) => {
    const [x, y] = centre(current);
    let best, least = Infinity;
    for (const s of seats) {
      const [a, b] = centre(s), ahead = (a - x) * dx + (b - y) * dy, aside = Math.abs((a - x) * dy) + Math.abs((b - y) * dx);
      const cost = ahead + aside * (dx ? 8 : 2);
      if (ahead > 2 && cost < least) { least = cost; best = s; }
    }
    return best;
  };
  form.addEventListener('keydown', e => {
    if (e.target.name !== 'seat' || e.altKey || e.ctrlKey || e.metaKey) return;
    const go = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
    if (go) { e.preventDefault(); move(nearest(...go)); }
    if (e.key === 'Enter') e.preventDefault();
  });
  form.addEventListener('keypress', e => { if (e.target.name === 'seat' && e.key === 'Enter') e.preventDefault(); });
  form.addEventListener('focusin', e => {
    if (e.target.name === 'seat' && e.target !== current) { current.tabIndex = -1; current = e.target; current.tabIndex = 0; }
  });
})();
