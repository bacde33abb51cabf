package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// signIn signs the tab in through the door.
func (b *tab) signIn(role string) {
	b.t.Helper()
	b.open("/staff/login", 200)
	b.fill("#email", role+"@house.example")
	b.fill("#password", staffPassword)
	b.press("main .btn", 200)
}

// The pages about films, places, routes, halls and coaches are sound in light and dark,
// on a phone and a desk, as they are and with something to mend.
func TestBrowserHousePages(t *testing.T) {
	t.Parallel()
	w, hall, trip := depot(t)
	route := one[int64](w, `SELECT route_id FROM events WHERE id = $1`, trip.ID)
	w.exec(`INSERT INTO resources (kind, name, note, layout_version_id) VALUES ('hall', 'Hall 1', 'Induction loop', $1)`, hall.Layout.VersionID)
	film := one[int64](w, `SELECT id FROM films`)
	b := newTab(t, chromium(t), w)
	axe := axe(t)
	b.signIn("manager")
	for _, path := range []string{
		"/staff/films", "/staff/films?q=nothing", "/staff/films?away=1", "/staff/films/new", fmt.Sprintf("/staff/films/%d", film),
		"/staff/places", "/staff/places/new", fmt.Sprintf("/staff/places/%d", trip.Places[0]),
		"/staff/routes", "/staff/routes/new", fmt.Sprintf("/staff/routes/%d", route),
		"/staff/resources", "/staff/resources/new", "/staff/resources/1",
	} {
		b.open(path, 200)
		b.sound(path, axe)
		b.open(path, 200) // colours are still on their way back
		b.size(1280, 900)
		b.sound(path+", desk", axe)
		if small := b.small("main .btn", 48, 48); len(small) > 0 {
			t.Errorf("%s: small buttons %v", path, small)
		}
	}
	for _, c := range []struct{ path, field, text, button string }{
		{fmt.Sprintf("/staff/films/%d", film), "#runtime", "soon", ".house-save .btn"},
		{fmt.Sprintf("/staff/places/%d", trip.Places[0]), "#zone", "Europe/Athens", ".house-save .btn"},
		{fmt.Sprintf("/staff/routes/%d", route), `[id="arrive.1"]`, "9:99", ".house-save .btn"},
		{"/staff/resources/1", "#turnaround", "5000", ".house-save .btn"},
	} {
		b.open(c.path, 200)
		b.fill(c.field, c.text)
		b.press(c.button, 422)
		if got := eval[string](b, `document.activeElement.getAttribute('role')`); got != "alert" {
			t.Errorf("%s refused: the focus is on %q, not on the refusal", c.path, got)
		}
		b.sound(c.path+", refused", axe)
	}
	b.blameless()
}

// A film and a route by the keyboard alone.
func TestBrowserHouseKeyboard(t *testing.T) {
	t.Parallel()
	w, _, trip := depot(t)
	b := newTab(t, chromium(t), w)
	b.signIn("manager")
	b.size(1280, 900)
	b.open("/staff/films/new", 200)
	for _, f := range []struct{ field, text string }{{"title", "Night Freight"}, {"runtime", "104"}, {"version", "3D"}, {"distributor", "Marigold Films"}} {
		b.tabTo(f.field)
		b.keys(f.text)
	}
	b.tabTo("button Add the film")
	b.goes(200, "Enter on Add", chromedp.KeyEvent(kb.Enter))
	b.says("Added", "Night Freight")
	w.wantCount(t, 1, "films WHERE title = 'Night Freight' AND version = '3D' AND distributor = 'Marigold Films' AND poster IS NULL")

	id := one[int64](w, `SELECT route_id FROM events WHERE id = $1`, trip.ID)
	b.open(fmt.Sprintf("/staff/routes/%d", id), 200)
	b.tabTo("button Down, Stop 2")
	b.goes(200, "Enter on Down", chromedp.KeyEvent(kb.Enter))
	if got := b.focus(); got != "button Up, Stop 3, last" {
		t.Errorf("the focus is on %q, not on the stop that was moved", got)
	}
	b.seen()
	b.tabTo("name")
	b.goes(200, "Enter in the name saves", chromedp.KeyEvent(kb.Enter)) // and moves no stop
	b.says("Saved")
	if got := one[[]int64](w, `SELECT array_agg(place_id ORDER BY stop_no) FROM route_stops WHERE route_id = $1`, id); got[1] != trip.Places[2] {
		t.Errorf("stops %v, want the last two exchanged", got)
	}
	b.blameless()
}

// All of it without a script: a poster, the question over a zone, stops that move.
func TestBrowserHouseWithoutJavaScript(t *testing.T) {
	t.Parallel()
	w, _, trip := depot(t)
	b := newTab(t, chromium(t), w)
	b.scripts(false)
	b.signIn("manager")
	file := filepath.Join(t.TempDir(), "poster.png")
	if err := os.WriteFile(file, pngOf(t, picture(t, 800, 1200)), 0o600); err != nil {
		t.Fatal(err)
	}
	b.open(fmt.Sprintf("/staff/films/%d", one[int64](w, `SELECT id FROM films`)), 200)
	input := tell(b, runtime.Evaluate, runtime.EvaluateParams{Expression: `document.querySelector('#poster')`})
	tell(b, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: []string{file}, ObjectID: input.Result.ObjectID})
	b.press(".house-save .btn", 200)
	b.says("Saved")
	w.wantCount(t, 1, "films WHERE poster_type = 'image/jpeg' AND octet_length(poster) BETWEEN 1000 AND 204800")
	if got := eval[float64](b, `document.querySelector('.poster-field img').naturalWidth`); got != 600 {
		t.Errorf("the poster is %v wide", got)
	}

	b.open(fmt.Sprintf("/staff/places/%d", trip.Places[0]), 200)
	b.fill("#zone", "Europe/London")
	b.press(".house-save .btn", 422)
	b.says("the clock or the moment")
	b.tap(`[name=keep][value=instant]`)
	b.press(".house-save .btn", 200)
	b.says("Saved")
	w.wantCount(t, 1, "places WHERE time_zone = 'Europe/London'")

	id := one[int64](w, `SELECT route_id FROM events WHERE id = $1`, trip.ID)
	b.open(fmt.Sprintf("/staff/routes/%d", id), 200)
	b.press(`[value="remove.1"]`, 200)
	b.press(".house-save .btn", 200)
	w.wantCount(t, 2, "route_stops WHERE route_id = $1", id)
	b.press(`form[action$="/return"] .btn`, 200)
	b.says("This is the way back")
	b.blameless()
}
