// Comfort for the customer pages: every page is complete without this file.
(() => {
  'use strict';
  const $ = (q, el = document) => el.querySelector(q);
  const $$ = (q, el = document) => [...el.querySelectorAll(q)];

  // Money as the server writes it. The form says how many digits the currency has
  // after the point and whether they are left out when zero.
  const money = (minor, { currency, exponent, whole }) => {
    const unit = 10 ** exponent, rest = minor % unit;
    const number = String((minor - rest) / unit).replace(/\B(?=(\d{3})+$)/g, ',');
    const digits = +exponent && (whole !== '1' || rest) ? '.' + String(rest).padStart(+exponent, '0') : '';
    return [currency, number + digits];
  };

  seatPage($('form[data-seats]'));
  detailsPage($('form[data-details]'));
  countdown($('[data-deadline]'));
  lookAgain($('form[data-look]'));
  sentOnce();
  $$('[data-printing]').forEach(el => { el.hidden = false; });
  $$('[data-print]').forEach(b => b.addEventListener('click', () => print()));
  const alert = $('[role=alert]');
  if (alert) alert.focus({ preventScroll: true });

  // --- Seats: one tab stop, arrows to the nearest seat also across aisles and decks, live total ---
  function seatPage(form) {
    if (!form) return;
    const seats = () => $$('input[name=seat]', form);
    let current;
    const only = seat => {
      seats().forEach(s => { s.tabIndex = -1; });
      current = seat && seat.isConnected ? seat : $('input[name=seat]:checked', form) || $('input[name=seat]', form);
      if (current) current.tabIndex = 0;
    };
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
      for (const s of seats()) {
        const [a, b] = centre(s), ahead = (a - x) * dx + (b - y) * dy, aside = Math.abs((a - x) * dy) + Math.abs((b - y) * dx);
        const cost = ahead + aside * (dx ? 8 : 2);
        if (ahead > 2 && cost < least) { least = cost; best = s; }
      }
      return best;
    };
    form.addEventListener('keydown', e => {
      if (e.target.name !== 'seat' || e.altKey || e.ctrlKey || e.metaKey) return;
      const line = $$('input', current.closest('.row'));
      const go = {
        ArrowLeft: () => nearest(-1, 0), ArrowRight: () => nearest(1, 0), ArrowUp: () => nearest(0, -1),
        ArrowDown: () => nearest(0, 1), Home: () => line[0], End: () => line.at(-1), Enter: () => null,
      }[e.key];
      if (go) { e.preventDefault(); move(go()); }
    });
    form.addEventListener('keypress', e => { if (e.target.name === 'seat' && e.key === 'Enter') e.preventDefault(); });
    form.addEventListener('focusin', e => {
      if (e.target.name === 'seat') { if (current) current.tabIndex = -1; current = e.target; current.tabIndex = 0; }
    });

    // The total is shown at once and said once, in full, after a short pause.
    const sum = $('.sum', form), status = $('[role=status]', form), noun = form.dataset.noun || 'seat';
    let timer;
    const say = words => { clearTimeout(timer); timer = setTimeout(() => { status.textContent = words; }, 400); };
    const total = spoken => {
      const on = seats().filter(s => s.checked);
      const names = on.map(s => s.value).join(', '), minor = on.reduce((n, s) => n + +s.dataset.price, 0);
      const text = money(minor, form.dataset).join(' '), many = on.length === 1 ? noun : noun + 's';
      $('.picked', sum).textContent = on.length ? `${on.length} ${many}: ${names}` : `No ${noun} chosen yet`;
      const price = $('.price', sum);
      price.textContent = on.length ? text : '';
      price.dataset.amount = minor;
      price.dataset.currency = form.dataset.currency;
      if (spoken) say(on.length ? `${on.length} ${many} chosen: ${names}. Total ${text}.` : `No ${noun} chosen.`);
    };
    form.addEventListener('change', e => { if (e.target.name === 'seat') total(true); });
    addEventListener('pageshow', () => { only(current); total(false); }); // Back restores ticks after scripts ran

    const box = $('.scroll', form);
    const centreOn = () => {
      if (box.scrollWidth <= box.clientWidth) return;
      const c = $('input:checked', box), r = c && c.getBoundingClientRect();
      const x = c ? r.x - box.getBoundingClientRect().x - box.clientWidth / 2 : (box.scrollWidth - box.clientWidth) / 2;
      const [, one, two] = ($('.row[data-row]', box) || box).children, step = two ? two.offsetLeft - one.offsetLeft : 0;
      box.scrollLeft = step ? (Math.floor(x / step) + .5) * step : x; // a seat cut in half: there is more
    };
    // Where sides of the hall are out of view the page says so.
    const swipe = $('.swipe', box);
    const cut = () => {
      const over = box.scrollWidth > box.clientWidth + 1;
      box.classList.toggle('over', over);
      if (swipe) swipe.hidden = !over;
    };
    cut();
    new ResizeObserver(cut).observe($('.map', box));
    addEventListener('resize', cut);
    only();
    total(false);
    centreOn();
    if (matchMedia('(min-width: 64em)').matches) $$('details.best').forEach(d => { d.open = true; });
    livePoll(form, { only, say, total, focused: () => current });
  }

  // --- What others buy: every 12 ± 3 s while in view; a ticked or focused seat is never swapped -------
  function livePoll(form, page) {
    if (!window.htmx) return;
    const late = new Map(); // seat id -> the newer look it waits for
    const busy = seat => { const i = seat.querySelector('input'); return i && (i.checked || i === document.activeElement); };
    document.body.addEventListener('htmx:oobBeforeSwap', e => {
      const now = e.detail.target, id = now && now.id;
      if (!id || !id.startsWith('s-')) return;
      late.delete(id);
      if (!busy(now)) return;
      e.detail.shouldSwap = false;
      const fresh = e.detail.fragment.querySelector('#' + CSS.escape(id));
      if (!fresh) return;
      late.set(id, fresh.cloneNode(true));
      const input = now.querySelector('input');
      if (input.checked && !fresh.querySelector('input')) {
        now.classList.add('lost');
        page.say(`${input.value} was just taken by somebody else. Choose another one.`);
      } else now.classList.remove('lost');
    });
    const catchUp = () => {
      for (const [id, fresh] of late) {
        const now = document.getElementById(id);
        if (now && busy(now)) continue;
        if (now) now.replaceWith(fresh);
        late.delete(id);
      }
      page.only(page.focused());
    };
    form.addEventListener('focusout', () => setTimeout(catchUp));
    form.addEventListener('change', () => setTimeout(catchUp));
    document.body.addEventListener('htmx:afterRequest', e => {
      const poll = $('#poll');
      if (poll && poll.dataset.v) $('#map').dataset.v = poll.dataset.v;
      if (e.detail.successful) page.only(page.focused());
    });
    const look = () => { if (!document.hidden && $('#poll')) htmx.trigger('#poll', 'look'); };
    const next = () => setTimeout(() => { look(); next(); }, 9000 + Math.random() * 6000);
    next();
    document.addEventListener('visibilitychange', look);
    addEventListener('pageshow', e => { if (e.persisted) look(); });
  }

  // --- Details: the total follows the ticket types -------------------------------------------------------
  function detailsPage(form) {
    if (!form) return;
    const types = $$('select[data-for]', form);
    const put = (el, minor) => {
      const [cur, number] = money(minor, form.dataset), m = $('.money', el);
      m.replaceChildren(Object.assign(document.createElement('span'), { className: 'cur', textContent: cur }), ' ' + number);
      if (m.dataset.amount) m.dataset.amount = minor;
    };
    const draw = () => {
      let sum = 0;
      for (const t of types) {
        const o = t.selectedOptions[0], no = CSS.escape(t.dataset.for);
        sum += +o.dataset.price;
        const line = $(`[data-line="${no}"]`), name = $(`[data-type="${no}"]`);
        if (line) put(line, o.dataset.price);
        if (name) name.textContent = o.dataset.name.toLowerCase();
      }
      $$('[data-sum]').forEach(el => put(el, sum));
      // the tax in it, halves up as the server does it
      $$('[data-tax]').forEach(el => put(el, Math.floor((sum * el.dataset.tax + (10000 + +el.dataset.tax) / 2) / (10000 + +el.dataset.tax))));
    };
    form.addEventListener('change', e => { if (e.target.dataset.for) draw(); });
    addEventListener('pageshow', e => { if (e.persisted) draw(); });
  }

  // --- Time left: from the deadline and the server's clock, never by counting down --------------------------
  function countdown(strip) {
    if (!strip) return;
    const left = $('.left', strip), status = $('[role=status]', strip), again = $('[data-again]', strip), extend = $('[data-extend]', strip);
    const until = $('time', strip), warn = +strip.dataset.warn || 120;
    let end = Date.now() + Date.parse(strip.dataset.deadline) - Date.parse(strip.dataset.now), state = 'held', warned, over, seen = Date.now();

    const draw = () => {
      const s = Math.max(0, Math.ceil((end - Date.now()) / 1000));
      const gone = state !== 'paying' && (!s || state === 'ended' || state === 'released');
      left.textContent = gone ? 'Time is up' : `${s / 60 | 0}:${String(s % 60).padStart(2, '0')} left`;
      strip.classList.toggle('soon', gone || s <= warn);
      if (again) again.hidden = !gone;
      if (extend) extend.hidden = gone;
      if (gone && !over) status.textContent = 'Time is up. What you typed is still here: hold the same seats again.';
      else if (!gone && s <= warn && !warned) {
        status.textContent = `Less than ${Math.ceil(s / 60) === 1 ? 'one minute' : Math.ceil(s / 60) + ' minutes'} left.` + (extend ? ' You can take more time.' : '');
        warned = true;
      }
      if (s > warn) warned = false;
      over = gone;
    };
    const ask = async () => {
      seen = Date.now();
      try {
        const res = await fetch(strip.dataset.clock, { headers: { Accept: 'application/json' }, cache: 'no-store' });
        if (!res.ok) return;
        const c = await res.json();
        end = Date.now() + c.seconds_left * 1000;
        if (until.dateTime !== c.expires_at && Date.parse(until.dateTime) !== Date.parse(c.expires_at)) moved(c.expires_at);
        if ((c.state === 'booked' || c.state === 'lost') && c.state !== state) status.textContent = 'Your payment has arrived.';
        state = c.state;
      } catch { /* no line: the deadline of the page still holds */ }
      draw();
    };
    // Another tab moved the end: the words follow, in the place's own time.
    const moved = at => {
      const shift = Date.parse(at) - Date.parse(until.dateTime), [h, m] = until.textContent.split(':').map(Number);
      const clock = ((h * 60 + m) * 60000 + Date.parse(until.dateTime) % 60000 + shift + 86400000) / 60000 | 0;
      if (!Number.isNaN(clock)) until.textContent = `${String((clock / 60 | 0) % 24).padStart(2, '0')}:${String(clock % 60).padStart(2, '0')}`;
      until.dateTime = at;
    };
    draw();
    setInterval(() => {
      if (Date.now() - seen > 60000) ask(); // each minute, and at once after a sleep
      draw();
    }, 1000);
    document.addEventListener('visibilitychange', () => { if (!document.hidden) ask(); });
    addEventListener('pageshow', ask);
    addEventListener('online', ask);

    // Taking the same seats again carries along what was typed.
    if (again && again.tagName === 'FORM') again.addEventListener('submit', () => {
      const typed = $('form[data-details]');
      $$('[data-typed]', again).forEach(i => i.remove());
      if (typed) for (const [name, value] of new FormData(typed)) {
        const i = Object.assign(document.createElement('input'), { type: 'hidden', name, value });
        i.dataset.typed = '';
        again.append(i);
      }
    });
  }

  // --- A payment being checked: the same as pressing the button -----------------------------------------
  function lookAgain(form) {
    if (!form) return;
    $$('[data-looks]', form).forEach(el => { el.hidden = false; });
    const look = () => document.hidden ? setTimeout(look, 1000) : location.replace(form.action);
    setTimeout(look, (+form.dataset.look || 5) * 1000);
  }

  // --- A second press of the same button is the same press; Back is never in the way ------------------------
  function sentOnce() {
    const sent = new Map();
    document.addEventListener('submit', e => {
      if (e.target.method !== 'post') return;
      if (Date.now() - (sent.get(e.target) || 0) < 10000) e.preventDefault();
      else if (!e.defaultPrevented) sent.set(e.target, Date.now());
    });
    addEventListener('pageshow', () => sent.clear());
    addEventListener('pagehide', () => sent.clear());
  }
})();
