// The camera of the device reads codes at the door. Browsers without a reader of their own
// get ours, from this house, when somebody presses the button and not before.
(() => {
  'use strict';
  const door = document.querySelector('#door'), button = document.querySelector('#camera'), look = document.querySelector('#look'), video = document.querySelector('#video');
  if (!door || !navigator.mediaDevices?.getUserMedia || !globalThis.BarcodeDetector && !door.dataset.reader) return;
  button.hidden = false;
  const pause = 150, again = 3000;
  let stream = null, seen = {};
  const own = async () => 'BarcodeDetector' in globalThis && (await BarcodeDetector.getSupportedFormats()).includes('qr_code');
  const load = src => new Promise((done, failed) => {
    document.head.append(Object.assign(document.createElement('script'), { src, onload: done, onerror: failed }));
  });
  const reader = async () => {
    if (await own()) return new BarcodeDetector({ formats: ['qr_code'] });
    if (!globalThis.BarcodeDetectionAPI) await load(door.dataset.reader);
    BarcodeDetectionAPI.prepareZXingModule({ overrides: { locateFile: () => door.dataset.wasm } });
    return new BarcodeDetectionAPI.BarcodeDetector({ formats: ['qr_code'] });
  };
  const stop = () => {
    stream?.getTracks().forEach(t => t.stop());
    stream = video.srcObject = null;
    look.hidden = true;
    button.textContent = 'Use the camera';
  };
  const run = async () => {
    const mine = stream, read = await reader();
    while (stream === mine && mine) {
      const now = Date.now();
      for (const found of video.readyState >= 2 ? await read.detect(video) : []) {
        if (now - (seen[found.rawValue] || 0) > again) door.dispatchEvent(new CustomEvent('door-code', { detail: found.rawValue }));
        seen = { [found.rawValue]: now }; // as long as it stays in the picture it is one scan
      }
      await new Promise(done => setTimeout(done, pause));
    }
  };
  button.addEventListener('click', async () => {
    if (stream) return stop();
    try {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
      video.srcObject = stream;
      look.hidden = false;
      button.textContent = 'Stop the camera';
      await video.play();
      await run();
    } catch (e) {
      stop();
      button.textContent = e.name === 'NotAllowedError' ? 'The camera is not allowed here; try again' : 'The camera cannot be used; try again';
    }
  });
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && stop());
})();
