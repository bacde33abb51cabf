// The counter by keyboard: `2 F1 Enter Enter` sells two for the next event. The page is
// complete without this file; the server prices and checks everything again.
(() => {
  'use strict';
  const $ = (q, el = document) => el.querySelector(q);
  const $$ = (q, el = document) => [...el.querySelectorAll(q)];

  const form = $('form.sale');
  arrowsOnEvents();
  const alert = $('[role=alert]');
  alert?.focus();
  const here = $('.shows [aria-current]');
  if (here) here.parentElement.parentElement.scrollTop = here.offsetTop - here.parentElement.parentElement.offsetTop - 80;
  if (form) counter();
  // --- Up and down walk through the events --------------------------------------------------
  function arrowsOnEvents() {
    document.addEventListener('keydown', e => {
      if (e.altKey || e.ctrlKey || e.metaKey || typing(e.target) || e.target.name === 'seat') return;
      const step = { ArrowDown: 1, ArrowUp: -1 }[e.key], links = $$('.shows a');
      if (!step || !links.length || e.target.closest('summary, [type=radio]') || overlayOpen()) return;
      const at = links.indexOf(document.activeElement);
      const from = at < 0 ? links.findIndex(a => a.ariaCurrent) : at;
      e.preventDefault();
      links[Math.min(Math.max(from + step, 0), links.length - 1)].focus();
    });
  }
  function typing(el) {
    return el.matches && el.matches('textarea, select, input:not([type=checkbox], [type=radio], [type=button], [type=submit])');
  }
  function overlayOpen() {
    const keys = $('#keys');
    return keys && keys.matches(':popover-open');
  }

  function counter() {
    const data = JSON.parse(form.dataset.sell);
    const { currency, noun } = form.dataset;
    const given = $('#given'), split = $('#split'), status = $('[data-status]', form), problem = $('[data-problem]', form);
    const cash = $('[data-cash]', form), quoted = $('[name=quoted]', form), zone = $('#zone'), box = $('.scroll', form);
    let auto = data.auto, stage = 'seats', digits = '', current, given2seat = {}, due = 0;
    const gone = []; // ticket types that were taken off with their seat, the last one last

    $$('[data-plain]', form).forEach(el => { el.hidden = true; });
    $$('[data-add]', form).forEach(el => { el.hidden = false; });

    const { money, amount } = counterMoney(form.dataset), { list, many } = counterMoney;
    const put = (el, minor) => {
      el.replaceChildren(Object.assign(document.createElement('span'), { className: 'cur', textContent: currency }), ' ' + money(minor));
      return el;
    };
    let timer;
    const say = words => { clearTimeout(timer); timer = setTimeout(() => { status.textContent = words; }, 150); };
    const tell = words => { problem.textContent = words; problem.classList.toggle('err', words !== ''); if (words) say(words); };

    // --- The order: so many of each type, on these seats -----------------------------------
    const field = code => $(`[name="n.${CSS.escape(code)}"]`, form);
    const count = code => Math.max(0, Math.min(999, parseInt(field(code).value, 10) || 0));
    const tickets = () => data.types.reduce((n, t) => n + count(t.code), 0);
    const set = (code, n) => { field(code).value = Math.max(0, Math.min(999, n)); };
    const seats = () => $$('input[name=seat]', form);
    const chosen = () => seats().filter(s => s.checked);
    const name = no => data.names[no] || no;

    // As the server spreads types over seats: what a seat had before, then in order.
    const give = () => {
      const left = {}, out = {}, on = chosen().map(s => s.value);
      data.types.forEach(t => { left[t.code] = count(t.code); });
      const take = (no, code) => {
        if (!left[code] || (data.fares[data.zones[no]] || {})[code] === undefined) return false;
        left[code]--;
        out[no] = code;
        return true;
      };
      on.forEach(no => take(no, (data.before || {})[no]));
      on.filter(no => !out[no]).forEach(no => data.types.some(t => take(no, t.code)));
      return out;
    };

    const propose = () => {
      const n = tickets(), found = ((data.best[zone ? zone.value : '0'] || {})[n] || []), wanted = new Set(found);
      seats().forEach(s => { s.checked = wanted.has(s.value); });
      hidden('proposed').value = found.filter(no => no !== 'apart').join(' ');
      only();
      const first = chosen()[0];
      if (first && document.activeElement.name !== 'seat') into(first);
    };
    const hidden = what => {
      let el = $(`[name="${what}"]`, form);
      if (!el) form.prepend(el = Object.assign(document.createElement('input'), { type: 'hidden', name: what }));
      return el;
    };

    const misfit = (n, m) => {
      if (m > n) return `Choose ${m - n} more on the map: ${many(n, noun)} for ${many(m, 'ticket')}.`;
      return n > m ? `${many(n, noun)} for ${many(m, 'ticket')}: leave ${n - m} out, or add tickets.` : '';
    };
    const draw = spoken => {
      const on = chosen(), wants = tickets(), lines = $('[data-lines]', form), total = $('.total', lines);
      given2seat = give();
      let sum = 0, words = misfit(on.length, wants);
      const free = seats().filter(s => !s.closest('.blocked')).length;
      if (wants > free) words = `There are not ${many(wants, noun)} free.`;
      else if (!words && on.some(s => given2seat[s.value] === undefined)) words = `Some of these tickets are not sold for these ${noun}s.`;
      $$(':scope > div:not(.total)', lines).forEach(el => el.remove());
      for (const t of data.types) {
        const mine = on.filter(s => given2seat[s.value] === t.code).map(s => s.value);
        if (!mine.length) continue;
        const price = mine.reduce((n, no) => n + data.fares[data.zones[no]][t.code], 0), row = document.createElement('div'), dt = document.createElement('dt'), dd = document.createElement('dd');
        dt.append(`${mine.length} × ${t.name}`, Object.assign(document.createElement('small'), { textContent: list(mine.map(name)) }));
        dd.append(put(Object.assign(document.createElement('span'), { className: 'money' }), price));
        row.append(dt, dd);
        total.before(row);
        sum += price;
      }
      due = words ? 0 : sum;
      const apart = auto && on.length > 1 && ((data.best[zone ? zone.value : '0'] || {})[on.length] || [])[0] === 'apart';
      if (!words && apart) words = `No ${many(on.length, noun)} side by side are free: these are the nearest.`;
      put($('.money', total), sum).dataset.amount = sum;
      quoted.value = on.length && due === sum && !misfit(on.length, wants) ? sum : '';
      cash.dataset.amount = sum;
      $('[data-words]', cash).textContent = on.length ? `Cash, ${many(on.length, 'ticket')}` : 'Cash';
      problem.textContent = words;
      problem.classList.toggle('err', words !== '');
      notes();
      change();
      passengers(on);
      if (spoken) say(on.length ? `${list(on.map(s => name(s.value)))}. To pay ${currency} ${money(sum)}. ${words}` : words || 'Nothing chosen.');
    };

    // --- Cash: the notes that people hand over, and the change -------------------------------
    const cashPart = () => (split.value.trim() ? amount(split.value) ?? due : due);
    const notes = () => {
      const bar = $('[data-notes]', form), part = cashPart(), largest = (data.notes || []).at(-1);
      bar.hidden = !part || !largest;
      if (bar.hidden) return;
      // Few notes first, and nobody lays down more than three times the price.
      const pieces = sum => data.notes.reduceRight(([n, left], note) => [n + Math.floor(left / note), left % note], [0, sum])[0];
      const sums = [...new Set(data.notes.map(n => Math.ceil(part / n) * n).filter(n => n > part))];
      for (let n = largest; sums.length < 3; n += largest) if (n > part && !sums.includes(n)) sums.push(n);
      const rank = sum => (sum > 3 * part ? 1e6 : 0) + pieces(sum) * 1e3;
      const offers = sums.sort((a, b) => rank(a) - rank(b) || a - b).slice(0, 3).sort((a, b) => a - b).map(n => [n, money(n)]);
      const buttons = [...offers, [part, 'Exact']].map(([n, words]) => {
        const b = Object.assign(document.createElement('button'), { type: 'button', className: 'btn quiet', textContent: words, tabIndex: -1 });
        b.dataset.note = n;
        return b;
      });
      bar.replaceChildren(...buttons);
    };
    const change = () => {
      const strip = $('[data-due]', form), got = given.value.trim() ? amount(given.value) : cashPart(), back = got === null ? null : got - cashPart();
      strip.hidden = !due || (stage !== 'pay' && !given.value.trim());
      strip.classList.toggle('short', back === null || back < 0);
      $('[data-change]', strip).textContent = back === null ? 'Amount?' : back < 0 ? 'Still missing' : 'Change';
      $('output', strip).textContent = back === null ? '–' : money(Math.abs(back));
      const rest = $('[data-rest]', form), part = amount(split.value || '');
      if (rest) rest.textContent = part && part < due ? `${currency} ${money(due - part)} are paid by card.` : 'The rest is paid by card.';
    };
    form.addEventListener('click', e => {
      const note = e.target.closest('[data-note]'), step = e.target.closest('[data-add]');
      if (note) { given.value = plain(+note.dataset.note); stage = 'pay'; change(); given.focus(); }
      if (step) add(step.closest('[data-type]').dataset.type, +step.dataset.add);
    });
    const plain = minor => money(minor).replaceAll(',', '');

    const passengers = on => {
      const part = $('[data-passengers]', form);
      if (!part) return;
      const typed = Object.fromEntries($$('input', part).map(i => [i.name, i.value]));
      if (Object.keys(typed).join() === on.map(s => 'passenger.' + s.value).join()) return;
      part.replaceChildren(...on.map(s => {
        const div = Object.assign(document.createElement('div'), { className: 'field' }), id = 'p-' + s.value, n = 'passenger.' + s.value;
        div.append(Object.assign(document.createElement('label'), { htmlFor: id, textContent: 'Passenger on ' + name(s.value) }),
          Object.assign(document.createElement('input'), { id, name: n, className: 'input', value: typed[n] || '' }));
        return div;
      }));
    };

    const add = (code, n) => {
      if (n > 0 && !auto && chosen().length === 0) auto = true;
      set(code, count(code) + n);
      stage = 'seats';
      counted();
    };
    const counted = () => {
      if (tickets() === 0) auto = true;
      if (auto) propose();
      draw(true);
    };

    // A seat ticked by hand brings a ticket along; left, it takes its ticket with it.
    const ticked = seat => {
      const on = chosen().length;
      auto = false;
      stage = 'seats';
      seat.closest('.seat').classList.remove('lost');
      if (seat.checked && on > tickets()) {
        const code = gone.pop() || (data.types[0] || {}).code;
        if (code) set(code, count(code) + 1);
      } else if (!seat.checked && on < tickets()) {
        const code = given2seat[seat.value] || data.types.findLast(t => count(t.code) > 0).code;
        set(code, count(code) - 1);
        gone.push(code);
      }
      if (!on) auto = true;
      hidden('proposed').value = '';
      draw(true);
    };
    form.addEventListener('change', e => {
      if (e.target.name === 'seat') ticked(e.target);
      else if (e.target === zone) { auto = true; propose(); draw(true); }
    });
    form.addEventListener('input', e => {
      if (e.target.name.startsWith('n.')) { stage = 'seats'; counted(); }
      if (e.target === given) change();
      if (e.target === split) { notes(); change(); }
    });
    form.addEventListener('focusin', e => { if (e.target === given && due) { stage = 'pay'; change(); } });

    // --- The map: one tab stop, arrows to the nearest seat ------------------------------------
    const only = () => {
      const all = seats();
      all.forEach(s => { s.tabIndex = -1; });
      if (!current || !current.isConnected) current = all.find(s => s.checked) || all[0];
      if (current) current.tabIndex = 0;
    };
    const into = seat => {
      if (current) current.tabIndex = -1;
      current = seat;
      seat.tabIndex = 0;
      const r = seat.getBoundingClientRect(), b = box.getBoundingClientRect();
      if (r.left < b.left || r.right > b.right) box.scrollLeft += r.left - b.left - b.width / 2;
    };
    const centre = s => { const r = s.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; };
    const nearest = (dx, dy) => {
      const [x, y] = centre(current);
      let best, least = Infinity;
      for (const s of seats()) {
        const [a, b] = centre(s), ahead = (a - x) * dx + (b - y) * dy, aside = Math.abs((a - x) * dy) + Math.abs((b - y) * dx);
        const cost = ahead + aside * (dx ? 8 : 2);
        if (ahead > 2 && cost < least) { least = cost; best = s; }
      }
      return best;
    };
    form.addEventListener('focusin', e => { if (e.target.name === 'seat') { if (current) current.tabIndex = -1; current = e.target; current.tabIndex = 0; } });

    // --- Keys --------------------------------------------------------------------------------
    const open = (id, focus) => { $(id).open = true; const el = $(focus); el.focus(); el.scrollIntoView({ block: 'nearest' }); if (el.select) el.select(); };
    const press = act => { const b = $(`.order button[name=act][value=${act}]`, form); if (b) form.requestSubmit(b); };
    const ready = () => {
      if (!tickets() && !chosen().length) { tell('How many? Type a number, then the ticket’s key.'); return false; }
      const words = misfit(chosen().length, tickets());
      if (words || quoted.value === '') { tell(words || problem.textContent || 'Choose seats on the map.'); return false; }
      return true;
    };
    const enter = () => {
      if (!ready()) return;
      if (stage === 'pay') { press('cash'); return; }
      stage = 'pay';
      given.focus();
      given.select();
      change();
      say(`To pay ${currency} ${money(due)}. Cash given? Enter for the exact amount.`);
    };
    const back = () => {
      const menu = document.activeElement.closest('details.choice');
      if (menu && menu.open) { menu.open = false; document.activeElement.blur(); return; }
      if (digits) { digits = ''; tell(''); return; }
      if (stage === 'pay') { stage = 'seats'; given.value = ''; document.activeElement.blur(); change(); return; }
      if (tickets() || chosen().length) {
        data.types.forEach(t => set(t.code, 0));
        auto = true;
        seats().forEach(s => { s.checked = false; });
        draw(true);
        return;
      }
      const today = $('[data-today]');
      if (today) location.assign(today.href);
      else document.activeElement.blur();
    };
    const typeKey = e => {
      const key = e.key.length === 1 ? e.key.toUpperCase() : e.key, el = $(`.type kbd[data-key="${CSS.escape(key)}"]`, form);
      return el && el.closest('[data-type]').dataset.type;
    };

    document.addEventListener('keydown', e => {
      if (e.isComposing || e.ctrlKey || e.metaKey || overlayOpen() && e.key !== '?') return;
      const t = e.target, text = typing(t);
      const done = () => { e.preventDefault(); };
      if (e.altKey) { if (e.code === 'KeyS') { done(); open('#pay-menu', '#split'); } return; }
      if (/^F\d+$/.test(e.key) || !text && /^[a-z]$/i.test(e.key)) {
        const code = typeKey(e);
        if (code) {
          done();
          if (e.repeat) return;
          add(code, (e.shiftKey ? -1 : 1) * (parseInt(digits, 10) || 1));
          digits = '';
          return;
        }
      }
      switch (e.key) {
        case 'F8': done(); $('#find').focus(); return;
        case 'F9': done(); open('#hold-menu', '#label'); return;
        case 'F10': done(); open('#pay-menu', '#pay-card'); return;
        case 'Escape': done(); back(); return;
        case '?': if (!text) { done(); $('#keys').togglePopover(); } return;
        case 'Enter': {
          if (t.closest && t.closest('a, button, summary') || t.form && t.form !== form || t.tagName === 'SELECT') return;
          done();
          if (e.repeat) return;
          if (t === split) press('split');
          else if (t.id === 'reason' && $('#supervisor')) $('#supervisor').focus();
          else if (t.id === 'reason' || t.id === 'supervisor_secret') press('comp');
          else if (t.closest && t.closest('#hold-menu')) press('hold');
          else enter();
          return;
        }
      }
      if (!text && /^[0-9]$/.test(e.key)) {
        done();
        digits = (digits + e.key).replace(/^0+/, '').slice(-2);
        if (digits) { problem.classList.remove('err'); problem.textContent = `${digits} × … and the ticket’s key`; }
        return;
      }
      const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
      if (t.name === 'seat' && arrow) { done(); const to = nearest(...arrow); if (to) to.focus(); }
      else if (t.name === 'seat' && (e.key === 'Home' || e.key === 'End')) { done(); $$('input', t.closest('.row')).at(e.key === 'Home' ? 0 : -1).focus(); }
      else if (arrow && !arrow[1] && !text && !t.closest('summary, [type=radio], .notes') && current) { done(); (chosen()[0] || current).focus(); }
    });

    // Enter is worked above; the browser's own "send the form" would press the first button.
    form.addEventListener('keypress', e => { if (e.key === 'Enter' && !e.target.closest('a, button, summary, select')) e.preventDefault(); });

    // A form that is on its way is not sent again: staff.js sees to that.
    form.addEventListener('submit', () => { form.setAttribute('aria-busy', 'true'); });
    addEventListener('pageshow', e => {
      form.removeAttribute('aria-busy');
      if (e.persisted) location.reload(); // Back to a sold form: the next customer gets a fresh one
    });

    // --- What others take: every 3 s; a ticked or focused seat is never swapped ---------------
    const late = new Map();
    const busy = label => { const i = $('input', label); return i && (i.checked || i === document.activeElement); };
    const catchUp = () => {
      for (const [id, fresh] of late) {
        const old = document.getElementById(id);
        if (old && busy(old)) continue;
        if (old) old.replaceWith(fresh);
        late.delete(id);
      }
      only();
    };
    const update = html => {
      const doc = new DOMParser().parseFromString(html, 'text/html'), head = $('[data-best]', doc);
      if (!head) return false;
      data.best = JSON.parse(head.dataset.best);
      form.dataset.poll = head.dataset.poll;
      $('#map').dataset.v = head.dataset.v;
      const lost = [];
      for (const fresh of $$('.seat', doc)) {
        const old = document.getElementById(fresh.id);
        if (!old) continue;
        late.delete(fresh.id);
        const was = $('input', old), now = $('input', fresh);
        if (was && was.checked && (!now || fresh.classList.contains('blocked') && !old.classList.contains('blocked'))) lost.push(was.value);
        if (busy(old)) late.set(fresh.id, document.adoptNode(fresh));
        else old.replaceWith(document.adoptNode(fresh));
      }
      for (const row of $$('[id^=r]', doc)) { const h = document.getElementById(row.id); if (h) h.replaceChildren(...row.childNodes); }
      if (lost.length && auto && stage === 'seats' && !chosen().some(s => s === document.activeElement)) {
        seats().forEach(s => { s.checked = false; });
        catchUp();
        propose();
        draw(false);
        say(`${list(lost.map(name))} just went. Now ${list(chosen().map(s => name(s.value)))}.`);
      } else if (lost.length) {
        stage = 'seats';
        lost.forEach(no => { const l = document.getElementById('s-' + no); if (l) l.classList.add('lost'); });
        tell(`${list(lost.map(name))} ${lost.length > 1 ? 'were' : 'was'} just taken by somebody else. Choose again.`);
      } else only();
      return true;
    };
    form.addEventListener('focusout', () => setTimeout(catchUp));
    form.addEventListener('change', () => setTimeout(catchUp));
    let going = true, asking = false;
    const look = async () => {
      if (!going || asking || document.hidden || form.dataset.sent) return;
      asking = true;
      try {
        const res = await fetch(form.dataset.poll, { cache: 'no-store' });
        if (res.status === 200) going = update(await res.text());
      } catch { /* no line for a moment: the next look asks again */ }
      asking = false;
    };
    setInterval(look, 3000);
    document.addEventListener('visibilitychange', look);

    only();
    draw(false);
  }
})();
