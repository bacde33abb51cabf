#!/bin/sh
# Puts the front-end files from npm into static/vendor, where the build embeds
# them. Quick, and without network, when they are there already.
set -eu
cd "$(dirname "$0")/.."

if [ ! -f node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
	npm ci --ignore-scripts --no-audit --no-fund >&2
	touch node_modules/.package-lock.json # newer than the lock file from now on
fi

copy() {
	cmp -s "$1" "$2" || cp "$1" "$2"
}
mkdir -p static/vendor
copy node_modules/htmx.org/dist/htmx.min.js static/vendor/htmx.min.js
copy node_modules/barcode-detector/dist/iife/ponyfill.js static/vendor/barcode-detector.js
copy node_modules/zxing-wasm/dist/reader/zxing_reader.wasm static/vendor/zxing_reader.wasm
