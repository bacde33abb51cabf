package main

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// faresHouse is a world with a screening and a trip whose list knows its route.
func faresHouse(t *testing.T) (w *world, hall, trip dbtest.Event) {
	t.Helper()
	w = newWorld(t, func(d *db.DB) {
		hall, trip = dbtest.Screening(t, d, 3, 4), dbtest.Trip(t, d, 4, 5)
		hire(t, d)
	}, nil)
	w.exec(`UPDATE tariffs SET last_stop = 5, route_id = e.route_id FROM events e WHERE e.tariff_id = tariffs.id AND e.id = $1`, trip.ID)
	w.exec(`INSERT INTO tariff_bands (tariff_id, position, name, days, to_minute, rule, value, step)
		SELECT tariff_id, 1, 'Matinee', 15, 1020, 'percent', 8000, 50 FROM events WHERE id = $1`, hall.ID)
	return w, hall, trip
}

// signsIn goes through the staff's door.
func (b *tab) signsIn() {
	b.t.Helper()
	b.open("/staff/login", 200)
	b.fill("#email", "manager@house.example")
	b.fill("#password", staffPassword)
	b.press("main .btn", 200)
}

// All pages of prices: axe finds nothing in light and dark, nothing scrolls sideways at
// 320 px, buttons are big enough; also with everything wrong that can be.
func TestBrowserFaresLook(t *testing.T) {
	t.Parallel()
	w, hall, trip := faresHouse(t)
	checker := axe(t)
	b := newTab(t, chromium(t), w)
	b.signsIn()
	list := w.fareList(hall.ID)[len(w.URL):]
	looks := func(name string) {
		t.Helper()
		b.sound(name, checker)
		b.big(name)
	}
	for name, path := range map[string]string{
		"price lists": "/staff/fares", "ticket types": "/staff/fares/types", "a screening's list": list, "a trip's list": w.fareList(trip.ID)[len(w.URL):],
		"new times": list + "/bands/new", "times": list + "/bands/" + itoa(one[int64](w, `SELECT id FROM tariff_bands`)),
	} {
		b.open(path, 200)
		eval[any](b, `document.querySelectorAll('details').forEach(d => d.open = true), 0`)
		looks(name)
	}
	b.open(list, 200)
	b.fill(`[name="p.1.adult.0.1"]`, "1.250,00")
	b.fill(`[name="p.2.adult.0.1"]`, "16")
	b.press(`button[value=save]`, 422)
	b.says("could mean different amounts", "now 15.00")
	looks("refused prices")
	b.fill(`[name="p.1.adult.0.1"]`, "0")
	b.press(`button[value=save]`, 422)
	looks("free, are you sure")
	b.tap(`[name=free]`)
	b.press(`button[value=save]`, 200)
	looks("saved")
	w.wantCount(t, 1, "fares WHERE price = 0")
}

// By keyboard alone: Enter goes down a column, the last one saves.
func TestBrowserFaresByKeyboard(t *testing.T) {
	t.Parallel()
	w, hall, _ := faresHouse(t)
	b := newTab(t, chromium(t), w)
	b.signsIn()
	b.size(1280, 900)
	b.open(w.fareList(hall.ID)[len(w.URL):], 200)
	b.tabTo("p.1.adult.0.1")
	b.keys("a", chromedp.ModifierCtrl)
	b.keys("11")
	b.enter()
	if got := b.focus(); got != "p.2.adult.0.1" {
		t.Errorf("Enter goes to %q", got)
	}
	b.keys("16,50")
	b.goes(200, "Enter in the last row", chromedp.KeyEvent(kb.Enter))
	b.says("Prices saved")
	w.wantCount(t, 1, "fares WHERE price = 1650 AND zone_no = 2")
	b.tabEverywhere(t)
}

// On a phone without JavaScript: a trip's prices are worked out, looked at and saved.
func TestBrowserFaresWithoutScripts(t *testing.T) {
	t.Parallel()
	w, _, trip := faresHouse(t)
	b := newTab(t, chromium(t), w)
	b.scripts(false)
	b.signsIn()
	b.open(w.fareList(trip.ID)[len(w.URL):], 200)
	b.tap("#fill > summary")
	b.tap("[name=method][value=distance]")
	b.fill("#first", "5")
	b.fill("#further", "3")
	b.fill("#minutes", "60")
	b.press("button[value=fill]", 200)
	b.says("Not stored yet: 30 prices")
	if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 360 {
		t.Errorf("the page is %d px wide", wide)
	}
	w.wantCount(t, 0, "fares WHERE price = 800")
	b.press("button[value=save]", 200)
	b.says("Prices saved")
	w.wantCount(t, 10, "fares WHERE price = 800 AND to_stop = from_stop + 1 AND tariff_id = (SELECT tariff_id FROM events WHERE kind = 'trip')") // two hours are two pieces
	w.wantCount(t, 2, "fares WHERE price = 3200 AND from_stop = 0 AND to_stop = 5")
}
