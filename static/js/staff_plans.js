// Comfort for the seat plan pages: every page is complete without this file.
(() => {
  'use strict';
  const $ = (q, el = document) => el.querySelector(q);
  const $$ = (q, el = document) => [...el.querySelectorAll(q)];

  // The server draws; this puts its parts in place of the old ones.
  const swap = (text, also = '') => {
    const fresh = new DOMParser().parseFromString(text, 'text/html');
    for (const part of $$('[data-live]' + also)) {
      const now = fresh.getElementById(part.id);
      if (now) part.replaceWith(document.adoptNode(now));
    }
    return fresh;
  };
  const send = async (form, data) => {
    const res = await fetch(form.action, { method: 'POST', body: new URLSearchParams(data), headers: { Accept: 'text/html' } });
    if (res.redirected && new URL(res.url).pathname === '/staff/login') { location.assign(res.url); return ''; }
    return res.ok || res.status === 409 || res.status === 422 ? res.text() : '';
  };

  formPage($('[data-plan-form]'));
  draftPage($('[data-editor]'));

  // --- The form: the plan follows what is typed -------------------------------------------------
  function formPage(form) {
    if (!form) return;
    let timer, asked = 0;
    const look = async () => {
      const data = new FormData(form), mine = ++asked;
      data.set('do', 'look');
      try {
        const text = await send(form, data);
        if (text && mine === asked) swap(text);
      } catch { /* no line: the button does the same */ }
    };
    form.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(look, 350); });
    $$('[data-look]', form).forEach(b => { b.hidden = true; });
  }

  // --- The draft: ticks by mouse, touch and keyboard; changes without a new page ---------------------
  function draftPage(form) {
    if (!form) return;
    const cells = () => $$('input[name=cell]', form);
    const spot = c => c.value.split('-').map(Number);
    let current, brush = '', busy = false;
    $('#keys').hidden = false;

    const told = () => {
      const on = cells().filter(c => c.checked);
      $('#ticked').textContent = on.length ? `${on.length} ${on.length === 1 ? 'cell' : 'cells'} ticked` : '';
    };
    const only = cell => {
      cells().forEach(c => { c.tabIndex = -1; });
      current = cell && cell.isConnected ? cell : $('input[name=cell]:checked', form) || $('.place input', form) || $('input[name=cell]', form);
      if (current) current.tabIndex = 0;
    };
    const go = cell => { if (!cell) return; current.tabIndex = -1; current = cell; cell.tabIndex = 0; cell.focus(); };
    const at = (d, r, c) => form.querySelector(`input[value="${d}-${r}-${c}"]`);
    const step = (dr, dc) => {
      let [d, r, c] = spot(current);
      const next = at(d, r + dr, c + dc);
      if (next || !dr) return next;
      const row = cells().filter(x => spot(x)[0] === d + dr); // the next deck begins where this one ends
      return row.length ? (dr > 0 ? row[0] : row.at(-1)) : null;
    };

    const apply = async (button, data) => {
      if (busy) return;
      busy = true;
      form.setAttribute('aria-busy', 'true');
      const focus = document.activeElement, inGrid = focus && focus.name === 'cell', back = focus && focus.id;
      const where = current && current.value, box = $('#grid .scroll'), left = box.scrollLeft;
      try {
        const text = await send(button.form, data);
        if (!text) { button.form.submit(); return; }
        const fresh = swap(text);
        const revision = $('[data-revision]', fresh);
        if (revision) $$('[data-revision]').forEach(i => { i.value = revision.value; });
        $('#grid .scroll').scrollLeft = left;
        only(where && $(`input[value="${where}"]`, form));
        if (inGrid && current) current.focus({ preventScroll: true });
        else if (button.isConnected) button.focus({ preventScroll: true });
        else {
          const same = $(`button[value="${button.value}"]`, form) || (back && document.getElementById(back));
          if (same) same.focus({ preventScroll: true });
        }
        if (brush) press();
        told();
        const alert = $('#said [role=alert]');
        if (alert && alert.classList.contains('bad')) alert.scrollIntoView({ block: 'nearest' });
      } catch {
        const said = $('#said');
        said.textContent = 'No answer from the server. Nothing was changed; try again.';
      } finally {
        busy = false;
        form.removeAttribute('aria-busy');
      }
    };
    const press = () => { $$('#tools [value]', form).forEach(b => { if (b.value === brush) b.setAttribute('aria-pressed', 'true'); else b.removeAttribute('aria-pressed'); }); form.classList.toggle('brushing', !!brush); };

    document.addEventListener('submit', e => {
      const b = e.submitter;
      if (!b || !b.name || !/\/draft$/.test(b.form.action)) return;
      e.preventDefault();
      if (b.closest('#tools') && !cells().some(c => c.checked)) { // nothing ticked: the button becomes the brush
        brush = brush === b.value ? '' : b.value;
        press();
        $('#ticked').textContent = brush ? `Brush: ${b.innerText.trim().split('\n')[0]}. Drag over cells; press the button again to stop.` : '';
        return;
      }
      const data = new FormData(b.form);
      data.set('do', b.value);
      apply(b, data);
    });

    form.addEventListener('keydown', e => {
      if (e.key === 'Escape') { cells().forEach(c => { c.checked = false; }); brush = ''; press(); told(); }
      if (e.target.name !== 'cell' || e.altKey || e.ctrlKey || e.metaKey) return;
      const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[e.key];
      const row = $$('input', e.target.closest('.row'));
      if (moves) {
        e.preventDefault();
        if (e.shiftKey) current.checked = true;
        go(step(...moves));
        if (e.shiftKey) { current.checked = true; told(); }
      } else if (e.key === 'Home' || e.key === 'End') { e.preventDefault(); go(e.key === 'Home' ? row[0] : row.at(-1)); }
      else if (e.key === 'Enter') e.preventDefault();
      else if (/^[a-z0-9]$/i.test(e.key)) {
        const b = $(`[data-key="${e.key.toUpperCase()}"]`, form);
        if (!b) return;
        e.preventDefault();
        if (!cells().some(c => c.checked)) current.checked = true;
        const data = new FormData(form);
        data.set('do', b.value);
        apply(b, data);
      }
    });
    form.addEventListener('keypress', e => { if (e.target.name === 'cell' && e.key === 'Enter') e.preventDefault(); });
    form.addEventListener('focusin', e => { if (e.target.name === 'cell') { if (current) current.tabIndex = -1; current = e.target; current.tabIndex = 0; } });
    form.addEventListener('change', e => { if (e.target.name === 'cell') told(); });

    // Drag: the first cell says whether the way ticks or unticks. With a finger only while
    // a brush is chosen, else the finger scrolls.
    let drag = null;
    const over = e => { const el = document.elementFromPoint(e.clientX, e.clientY), l = el && el.closest('#grid label'); return l && $('input', l); };
    form.addEventListener('pointerdown', e => {
      if (!e.target.closest('#grid label') || e.button || (e.pointerType === 'touch' && !brush)) return;
      const c = over(e);
      if (!c) return;
      if (brush) cells().forEach(x => { x.checked = false; });
      drag = { on: brush ? true : !c.checked, first: c, moved: !!brush };
      if (brush) { c.checked = true; e.preventDefault(); }
    });
    addEventListener('pointermove', e => {
      if (!drag) return;
      const c = over(e);
      if (!c || (c === drag.first && !drag.moved)) return;
      drag.moved = true;
      drag.first.checked = c.checked = drag.on;
      told();
    });
    addEventListener('pointercancel', () => { drag = null; });
    addEventListener('pointerup', () => {
      if (!drag) return;
      const d = drag;
      drag = null;
      if (!d.moved) return; // a click: the browser ticks
      addEventListener('click', stop, { capture: true, once: true });
      setTimeout(() => removeEventListener('click', stop, { capture: true }));
      only(d.first);
      const b = brush && $(`#tools [value="${brush}"]`, form);
      if (!b) { told(); return; }
      const data = new FormData(form);
      data.set('do', brush);
      cells().forEach(c => { c.checked = false; });
      apply(b, data).then(() => { cells().forEach(c => { c.checked = false; }); told(); });
    });
    const stop = e => { if (e.target.closest('#grid')) { e.preventDefault(); e.stopPropagation(); } };

    only();
    told();
  }
})();
