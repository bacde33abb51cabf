// Comfort for price lists; the pages work without it.
// Leaving with unsaved prices asks first, and Enter in a price goes to the field below.
(() => {
  const grid = document.getElementById('grid');
  if (!grid) return;
  let dirty = grid.querySelector('[data-changed]') !== null;
  grid.addEventListener('input', e => { if (e.target.name?.startsWith('p.')) dirty = true; });
  grid.addEventListener('submit', () => { dirty = false; });
  addEventListener('beforeunload', e => { if (dirty) e.preventDefault(); });

  grid.addEventListener('keydown', e => {
    if (e.key !== 'Enter' || !e.target.name?.startsWith('p.')) return;
    const cell = e.target.closest('td');
    let row = cell.parentElement;
    while ((row = row.nextElementSibling)) {
      const below = row.cells[cell.cellIndex]?.querySelector('input');
      if (below) { e.preventDefault(); below.focus(); below.select(); return; }
    }
  });
})();
