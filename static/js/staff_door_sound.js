// A short sound with each answer at the door, made here: up for good, low for bad.
(() => {
  'use strict';
  const door = document.querySelector('#door'), row = document.querySelector('#sound-row'), box = document.querySelector('#sound');
  if (!door || !globalThis.AudioContext) return;
  const name = 'holdfast.door.sound';
  try { box.checked = localStorage.getItem(name) !== 'off'; } catch { /* nothing is kept here */ }
  row.hidden = false;
  box.addEventListener('change', () => { try { localStorage.setItem(name, box.checked ? 'on' : 'off'); } catch { /* as above */ } });
  let audio;
  const tones = { done: [[880, 0], [1320, .09]], ok: [[880, 0]], warn: [[520, 0], [520, .16]], bad: [[190, 0], [150, .2]] };
  door.addEventListener('door-answer', e => {
    if (!box.checked) return;
    audio ??= new AudioContext();
    for (const [pitch, after] of tones[e.detail] || tones.warn) {
      const o = audio.createOscillator(), g = audio.createGain(), at = audio.currentTime + after, long = e.detail === 'bad' ? .22 : .09;
      o.frequency.value = pitch;
      o.type = e.detail === 'bad' ? 'square' : 'sine';
      g.gain.setValueAtTime(.18, at);
      g.gain.exponentialRampToValueAtTime(.001, at + long);
      o.connect(g).connect(audio.destination);
      o.start(at);
      o.stop(at + long);
    }
  });
})();
