package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	devpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/ticket"
)

// The door's pages and the manifest's are sound in light and dark, on a phone and a desk,
// with an answer, with a conflict and with nobody.
func TestBrowserDoorPages(t *testing.T) {
	t.Parallel()
	w, ev := busHouse(t)
	w.exec(`UPDATE events SET business_day = business_day_of(now())`)
	w.exec(`UPDATE bookings SET phone = '+39 040 123456', staff_note = 'Two cases'`)
	w.exec(`INSERT INTO door_conflicts (event_id, ticket_id, key, verdict, staff_id, place, at) SELECT event_id, id, 'k', 'again', 1, 'Left', now() FROM tickets WHERE seat_no = '1B'`)
	b := newTab(t, chromium(t), w)
	checker := axe(t)
	b.signIn("steward")
	for _, path := range []string{"/staff/door", doorPath(ev.ID), doorPath(ev.ID) + "?stop=2", doorPath(ev.ID) + "?stop=all&q=nobody", "/staff/manifest", manifestPath(ev.ID)} {
		for _, width := range []int64{360, 1280} {
			b.size(width, 800)
			b.open(path, 200)
			b.sound(path, checker)
		}
		b.size(360, 740)
		if small := b.small("main .btn:not([hidden])", 48, 44); len(small) > 0 {
			t.Errorf("%s: small buttons %v", path, small)
		}
	}
	b.open(doorPath(ev.ID), 200)
	b.tap(`tr[data-seat="1A"] button`)
	b.doorSays("On board")
	b.sound("the door with an answer", checker)

	// Without JavaScript the same page works by plain forms.
	b.scripts(false)
	b.open(doorPath(ev.ID), 200)
	b.press(`tr[data-seat="1B"] button`, 200)
	b.says("On board", "1B", "2 on, 0 off")
	b.press("#answer .btn", 200)
	w.wantCount(t, 1, "tickets WHERE checked_in_at IS NOT NULL")
	b.fill("#code", "nonsense")
	b.press("#scan .btn", 404)
	b.says("Unknown")
}

// What is printed is what the page lists, on as many numbered pages as it needs.
func TestBrowserManifestPrints(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) {
		ev = dbtest.Screening(t, d, 8, 10)
		hire(t, d)
	}, nil)
	w.exec(`INSERT INTO settings (key, value) VALUES ('seats_per_booking', '80') ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value`)
	w.on(t).buys(eventPath(ev.ID), ev.Seats...)
	b := newTab(t, chromium(t), w)
	b.signIn("steward")
	b.open(manifestPath(ev.ID), 200)
	if rows := b.list(`[...document.querySelectorAll('.manifest tr[data-seat]')].map(r => r.dataset.seat)`); !slices.Equal(rows, ev.Seats) {
		t.Errorf("the page lists %v", rows)
	}
	out := tell(b, devpage.PrintToPDF, devpage.PrintToPDFParams{PreferCSSPageSize: new(true)})
	if !bytes.HasPrefix(out.Data, []byte("%PDF")) {
		t.Fatal("no PDF")
	}
	if pages := bytes.Count(out.Data, []byte("/Type /Page\n")) + bytes.Count(out.Data, []byte("/Type /Page/")); pages < 2 {
		t.Errorf("80 tickets on %d pages", pages)
	}
	tell(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	if got := eval[string](b, `getComputedStyle(document.querySelector('.manifest')).page`); got != "manifest" {
		t.Errorf("it prints on the paper of %q", got)
	}
	if !eval[bool](b, `(function has(rules) { return [...rules].some(r => r.cssRules ? has(r.cssRules) || /^@page manifest/.test(r.cssText) && /counter\(page\).*counter\(pages\)/.test(r.cssText) : false) })([...document.styleSheets].flatMap(s => [...s.cssRules]))`) {
		t.Error("its pages have no numbers")
	}
	if seen := b.list(`[...document.querySelectorAll('.rail, .no-print, .btn')].filter(e => e.getClientRects().length).map(e => e.className)`); len(seen) > 0 {
		t.Errorf("printed too: %v", seen)
	}
	if !eval[bool](b, `document.querySelector('.manifest').innerText.includes('As of ')`) {
		t.Error("it does not say when it was printed")
	}
}

// The camera in the page reads a ticket held before it: a still picture of our own code.
func TestBrowserDoorCamera(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("static/vendor/zxing_reader.wasm"); err != nil {
		t.Fatalf("the camera's test needs the files of npm (make assets, or make test): %v", err)
	}
	w, ev := office(t)
	codes := w.on(t).buys(eventPath(ev.ID), "A1", "A2").codes()
	film := filepath.Join(t.TempDir(), "ticket.y4m")
	if err := os.WriteFile(film, filmOf(t, w.URL+codes[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newTab(t, chromium(t, chromedp.Flag("use-fake-device-for-media-stream", true), chromedp.Flag("use-fake-ui-for-media-stream", true), chromedp.Flag("use-file-for-fake-video-capture", film)), w)
	b.signIn("steward")
	b.open(doorPath(ev.ID), 200)
	before := len(b.list(`performance.getEntriesByType('resource').map(e => e.name).filter(n => /zxing|barcode/.test(n))`))
	if before != 0 {
		t.Error("the reader is loaded before anybody asks for it")
	}
	b.tap("#camera")
	b.doorSays("Checked in")
	b.counted(1, 1, 2)
	b.tap("#camera")
	b.until("the camera is off", `document.querySelector('#look').hidden`)
	w.wantCount(t, 1, "checkins")
	w.clean()
}

// filmOf is a film of one picture: a ticket's code in the middle.
func filmOf(t *testing.T, text string) []byte {
	t.Helper()
	code, err := ticket.PNG(text)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(code))
	if err != nil {
		t.Fatal(err)
	}
	const width, height = 640, 480
	size := img.Bounds().Size()
	at := image.Pt((width-size.X)/2, (height-size.Y)/2)
	picture := bytes.Repeat([]byte{128}, width*height*3/2) // grey, no colour
	for y := range size.Y {
		for x := range size.X {
			picture[(at.Y+y)*width+at.X+x] = color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y/2 + 64
		}
	}
	out := []byte("YUV4MPEG2 W640 H480 F10:1 Ip A1:1 C420jpeg\n")
	for range 10 {
		out = append(append(out, "FRAME\n"...), picture...)
	}
	return out
}
