// The door of one event. Each scan gets a key and goes into a queue that the browser
// keeps; the queue goes to the server in its order and each scan leaves it when it was
// answered. Without a line the list of the page judges, and the queue waits. The page
// itself is not kept: a reload needs the line, the waiting scans survive it.
(() => {
  'use strict';
  const $ = (q, el = document) => el.querySelector(q);
  const $$ = (q, el = document) => [...el.querySelectorAll(q)];
  const door = $('#door');
  if (!door) return;
  const { event, url, stop, place } = door.dataset, others = JSON.parse(door.dataset.others || '{}');
  const code = $('#code'), find = $('#find'), line = $('#line'), patience = 2500, again = 3000;
  let skew = Date.parse(door.dataset.now) - Date.now(), listed = new Date(), last = {}, shown = '', lost = !navigator.onLine, trouble = '', status = 0, busy = false;
  const entries = {}; // by the scan's key: what an undo takes back

  // --- The queue, in the browser's own store so that nothing is lost with the page ---
  const name = 'holdfast.door';
  let memory = null; // where the browser keeps nothing
  const queue = () => {
    try { return memory || JSON.parse(localStorage.getItem(name)) || []; } catch { return memory = []; }
  };
  const save = list => {
    try { localStorage.setItem(name, JSON.stringify(list)); } catch { memory = list; }
  };
  const change = (key, with_) => save(queue().map(s => s.key === key ? { ...s, ...with_ } : s));
  const drop = keys => save(queue().filter(s => !keys.includes(s.key)));

  // --- Codes ---
  const bare = text => text.trim().toLowerCase().replace(/^.*\/t\//s, '').replace(/[/?#\s].*$/s, '');
  const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map(b => b.toString(16).padStart(2, '0')).join('');
  // The event's number stands at the start of a code: base 32, seven bits to the byte.
  const eventOf = text => {
    if (!/^[a-z2-7]{30,80}$/.test(text)) return '';
    let bits = '', id = 0, unit = 1;
    for (const letter of text.slice(0, 16)) bits += 'abcdefghijklmnopqrstuvwxyz234567'.indexOf(letter).toString(2).padStart(5, '0');
    for (const byte of bits.match(/.{8}/g) || []) {
      const n = parseInt(byte, 2);
      id += (n % 128) * unit;
      if (n < 128) return String(id);
      unit *= 128;
    }
    return '';
  };

  // --- The list ---
  const rowOf = scan => $$('tr[data-code]').find(r => scan.ticket ? +r.dataset.ticket === scan.ticket : bare(scan.code).startsWith(r.dataset.code));
  const setRow = (row, state, said) => {
    if (!row) return;
    row.dataset.state = state;
    $('.said', row).textContent = said;
    if (state !== 'valid') $('button', row)?.remove();
  };
  const count = () => {
    const rows = $$('tbody[data-scope] tr[data-ticket]'), inside = rows.filter(r => r.dataset.state === 'in').length;
    for (const [what, n] of [['in', inside], ['expected', rows.length - inside], ['sold', rows.length]]) $(`[data-count=${what}]`).textContent = n;
  };
  const filter = () => {
    const text = find.value.trim().toLowerCase(), plain = text.replace(/[\s-]/g, '');
    let seen = 0;
    for (const group of $$('tbody[data-scope]')) {
      const rows = $$('tr[data-ticket]', group);
      for (const r of rows) {
        const all = r.textContent.toLowerCase();
        r.hidden = !!text && !all.includes(text) && r.dataset.seat.toLowerCase() !== text && !(plain.length === 6 && all.replace(/-/g, '').includes(plain));
        seen += !r.hidden;
      }
      group.hidden = rows.length > 0 && rows.every(r => r.hidden);
    }
    $('#none').hidden = !text || seen > 0;
  };
  const waits = 'In; waits for the line';
  const redraw = () => {
    for (const s of queue()) if (s.let_in && s.event === event) setRow(rowOf(s), 'in', waits);
    count();
    filter();
    tell();
  };

  // --- What the door hears ---
  const answer = a => {
    const icon = document.createElement('span'), box = document.createElement('div'), words = document.createElement('div');
    icon.className = 'i i-' + a.Icon;
    icon.setAttribute('aria-hidden', 'true');
    box.className = 'verdict ' + a.Tone;
    Object.assign(box.dataset, { verdict: a.Tone, ticket: a.Ticket || '' });
    const add = (tag, text, to = words) => { const el = document.createElement(tag); el.textContent = text; to.append(el); return el; };
    add('h2', a.Word);
    if (a.Seat) add('p', a.Seat).className = 'door-seat';
    if (a.Who) add('p', a.Who);
    for (const t of a.Text || []) add('p', t);
    if (a.Caution) add('b', a.Caution, add('p', ''));
    if (a.Entry || a.Waiting) undo(add('button', 'Undo'), a);
    if (a.CardURL) Object.assign(add('a', 'Decide on its card', add('p', '')), { href: a.CardURL, className: 'more' });
    box.append(icon, words);
    $('#answer').replaceChildren(box);
    door.dispatchEvent(new CustomEvent('door-answer', { detail: a.Tone }));
  };
  const undo = (button, a) => {
    const end = Date.now() + 10000;
    button.type = 'button';
    button.className = 'btn quiet';
    const tick = () => {
      const left = Math.ceil((end - Date.now()) / 1000);
      if (left <= 0 || !button.isConnected) return button.remove();
      button.textContent = `Undo (${left})`;
      setTimeout(tick, 250);
    };
    setTimeout(tick);
    button.addEventListener('click', async () => {
      last = {};
      const s = queue().find(s => s.key === a.Key);
      if (a.Waiting && s && !s.sent) {
        drop([a.Key]);
        setRow(rowOf(s), 'valid', '');
        return said(a, await refresh());
      }
      const entry = a.Entry || entries[a.Key];
      if (!entry) return; // it is on its way
      const body = new URLSearchParams({ ticket: a.Ticket, entry, stop });
      try {
        const res = await fetch(url + '/undo', { method: 'POST', body, redirect: 'manual' });
        if (res.type !== 'opaqueredirect') return answer({ Tone: 'warn', Icon: 'alert', Word: 'Not undone', Text: ['It stays in. A manager can take it back on the ticket’s card.'] });
        said(a, await refresh());
      } catch {
        lost = true;
        answer({ ...a, Tone: 'warn', Icon: 'alert', Word: 'Not undone', Text: ['There is no line, and the check-in had arrived. Try again when the line is back; a manager can always.'], Entry: '' });
      }
      tell();
    });
  };
  const said = a => answer({ Tone: 'warn', Icon: 'check', Word: 'Taken back', Seat: a.Seat, Text: ['It can come in again.'] });
  const tell = () => {
    const n = queue().length, some = n === 1 ? '1 scan waits' : n + ' scans wait';
    const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: door.dataset.zone }).format(listed);
    line.dataset.lost = lost || trouble ? 'yes' : '';
    line.dataset.waiting = n;
    line.textContent = trouble ? `${trouble} ${n ? some + ' here and goes out then.' : ''}`
      : lost ? `No line. The list of ${clock} counts. ${n ? some + ' and will be sent by ' + (n === 1 ? 'itself.' : 'themselves.') : 'Scans will wait here.'} Do not close this page.`
        : n ? `${some} to be sent.` : `Connected. List of ${clock}.`;
  };

  // --- A scan ---
  const take = (what, fromCamera) => {
    const id = what.ticket || bare(what.code), now = Date.now();
    if (!id || id === last.id && now - last.at < again && !what.ticket) return;
    last = { id, at: now };
    const scan = { event, key: newKey(), at: new Date(now + skew).toISOString(), place, ...stop && stop !== 'all' && { stop: +stop }, ...what };
    save([...queue(), scan]);
    shown = scan.key;
    if (lost) judge(scan.key);
    else setTimeout(() => judge(scan.key), patience);
    flush();
    if (!fromCamera && matchMedia('(pointer: fine)').matches) code.focus();
  };
  // judge answers from the list a scan that has no answer yet. Whoever is let in so is
  // sent with the word that the door did; the others are forgotten.
  const judge = key => {
    const scan = queue().find(s => s.key === key);
    if (!scan || scan.let_in) return;
    const row = rowOf(scan), of = scan.ticket ? event : eventOf(bare(scan.code));
    const about = row ? { Ticket: row.dataset.ticket, Seat: $('.time', row).textContent, Who: [...$('th', row).childNodes].map(n => n.textContent.trim()).filter(Boolean).join(', ') } : {};
    const say = (Tone, Icon, Word, ...Text) => answer({ Tone, Icon, Word, Text, Key: key, ...about });
    if (row?.dataset.state === 'valid') {
      change(key, { let_in: true });
      setRow(row, 'in', waits);
      const group = row.closest('tbody'), elsewhere = stop && stop !== 'all' && group.dataset.stop !== stop;
      answer({ Tone: 'done', Icon: 'check', Word: door.dataset.in === 'In' ? 'Checked in' : 'On board', Text: ['By the list: there is no line.'], Key: key, Waiting: true, ...about, ...elsewhere && { Caution: 'Boards at ' + group.dataset.name + ', not here.' } });
      redraw();
      return;
    }
    drop([key]);
    if (!row && of && of !== event) say('bad', 'cross', 'Wrong event', others[of] ? `Do not let in here: this ticket is for ${others[of]}.` : 'Do not let in here: this ticket is for another event.');
    else if (!row && !of) say('bad', 'cross', 'Unknown', 'This is no ticket of ours.');
    else if (!row) say('warn', 'alert', 'Not in the list', 'There is no line to ask. It may have been sold after the list was loaded.');
    else {
      const words = { in: ['warn', 'alert', 'Already in'], cancelled: ['bad', 'cross', 'Cancelled'], off: ['bad', 'cross', 'Not taking place'], unpaid: ['warn', 'alert', 'Not paid'], refunded: ['warn', 'alert', 'Refunded'], ask: ['warn', 'alert', 'Ask the office first'] };
      say(...words[row.dataset.state] || words.ask, $('.said', row).textContent + '.');
    }
    tell();
  };

  // --- The line ---
  const ask = async (address, options) => {
    const res = await fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(10000), ...options });
    trouble = res.type === 'opaqueredirect' ? 'You are signed out: sign in again in another tab.' : res.ok ? '' : `The server refused (${res.status}); it is asked again.`;
    lost = false;
    status = res.status;
    return res.ok ? res : null;
  };
  const flush = async () => {
    if (busy) return;
    busy = true;
    try {
      for (let q = queue(); q.length && navigator.onLine; q = queue()) {
        const end = q.findIndex(s => s.event !== q[0].event), batch = q.slice(0, Math.min(50, end < 0 ? q.length : end));
        batch.forEach(s => change(s.key, { sent: true }));
        const res = await ask(`/staff/door/${q[0].event}/scans`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ scans: batch }) });
        const answers = res ? (await res.json()).answers : [];
        if (status === 404) drop(batch.map(s => s.key)); // the event is not there any more: nobody can judge them
        else if (!answers.length) break;
        answers.sort((a, b) => a.Conflict - b.Conflict); // what is wrong has the last word
        answers.forEach(a => answered(a, batch.find(s => s.key === a.Key)));
      }
    } catch { lost = true; }
    busy = false;
    if (lost) queue().forEach(s => s.key === shown && judge(s.key));
    tell();
  };
  const answered = (a, sent) => {
    const now = queue().find(s => s.key === a.Key);
    if (now?.let_in && !sent.let_in && a.State !== 'in') return; // let in meanwhile: that is told with the next round
    drop([a.Key]);
    entries[a.Key] = a.Entry;
    if (sent.event !== event) return;
    if (a.Ticket) setRow(rowOf({ ticket: +a.Ticket }), a.State, a.Said);
    count();
    if (a.Conflict) answer({ ...a, Tone: 'bad', Icon: 'cross', Word: 'Let in twice?', Caution: `You let this in without a line, but: ${a.Word}. It is kept for the office.` });
    else if (a.Key === shown && !sent.let_in) answer(a); // else the list's answer stands
    if (a.Conflict) refresh();
  };
  const refresh = async () => {
    try {
      const res = await ask(url + (stop ? '?stop=' + stop : ''));
      if (!res) return tell();
      const page = new DOMParser().parseFromString(await res.text(), 'text/html'), live = $('#live', page);
      if (!live) return tell();
      const focus = document.activeElement.closest?.('#live tr')?.dataset.ticket, open = $('.door-gone')?.open;
      $('#live').replaceWith(document.adoptNode(live));
      skew = Date.parse(live.dataset.now) - Date.now();
      listed = new Date();
      if (open && $('.door-gone')) $('.door-gone').open = true;
      if (focus) $(`#live tr[data-ticket="${focus}"] button`)?.focus();
    } catch { lost = true; }
    redraw();
  };
  setInterval(() => document.visibilityState === 'visible' && refresh(), 10000);
  setInterval(() => queue().length && flush(), 3000);
  addEventListener('online', async () => { await flush(); await refresh(); });
  addEventListener('offline', () => { lost = true; tell(); if (shown) judge(shown); });
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && refresh());
  addEventListener('beforeunload', e => { if (queue().length) e.preventDefault(); });

  // --- Hands and scanners ---
  $('#scan').addEventListener('submit', e => {
    e.preventDefault();
    const text = code.value;
    code.value = '';
    take({ code: text });
  });
  door.addEventListener('submit', e => {
    if (e.target.id !== 'ticks' || !e.submitter) return;
    e.preventDefault();
    take({ ticket: +e.submitter.value });
  });
  door.addEventListener('door-code', e => take({ code: e.detail }, true));
  find.addEventListener('input', filter);
  find.form.addEventListener('submit', e => e.preventDefault());
  const typing = el => el.matches('input:not([type=checkbox]), select, textarea');
  document.addEventListener('keydown', e => { if (e.key.length === 1 && e.key !== ' ' && !e.ctrlKey && !e.metaKey && !e.altKey && !typing(e.target)) code.focus(); });
  if (matchMedia('(pointer: fine)').matches) {
    code.focus();
    code.addEventListener('blur', () => setTimeout(() => document.activeElement === document.body && document.hasFocus() && code.focus(), 50));
  }
  redraw();
  flush();
})();
