package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"mime/multipart"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/poster"
)

// depot is a world with a screening, a trip of two legs and staff.
func depot(t *testing.T) (w *world, hall, trip dbtest.Event) {
	t.Helper()
	w = newWorld(t, func(d *db.DB) {
		hall, trip = dbtest.Screening(t, d, 3, 6), dbtest.Trip(t, d, 3, 2)
		hire(t, d)
	}, nil)
	w.exec(`INSERT INTO settings (key, value) VALUES ('kind', 'both'), ('time_zone', 'Europe/Rome')`)
	return w, hall, trip
}

// sends is a form as browsers send it with a file; nil for no choice.
func (b *browser) sends(p *page, f *form, change url.Values, name string, file []byte) *page {
	b.t.Helper()
	var body bytes.Buffer
	m := multipart.NewWriter(&body)
	values := url.Values{}
	for k, v := range f.values {
		values[k] = v
	}
	for k, v := range change {
		values[k] = v
	}
	for k, v := range values {
		for _, x := range v {
			if k != "poster" {
				_ = m.WriteField(k, x) // into memory
			}
		}
	}
	part, err := m.CreateFormFile("poster", name)
	if err != nil {
		b.t.Fatal(err)
	}
	_, _ = part.Write(file)
	m.Close()
	res, err := b.Post(p.resolve(f.action), m.FormDataContentType(), &body)
	return b.read(res, err)
}

func picture(t testing.TB, w, h int) image.Image {
	t.Helper()
	p := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(p, p.Rect, image.NewUniform(color.RGBA{200, 30, 30, 255}), image.Point{}, draw.Src)
	return p
}

func pngOf(t testing.TB, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// photoOf10MB is noise: nothing packs worse.
func photoOf10MB(t testing.TB) []byte {
	t.Helper()
	p := image.NewRGBA(image.Rect(0, 0, 3400, 4200))
	r := rand.New(rand.NewPCG(3, 4))
	for i := range p.Pix {
		p.Pix[i] = byte(r.Uint32())
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, p, &jpeg.Options{Quality: 82}); err != nil {
		t.Fatal(err)
	}
	if b.Len() < 10_000_000 {
		t.Fatalf("the photo has only %d bytes", b.Len())
	}
	return b.Bytes()
}

func TestStaffFilms(t *testing.T) {
	t.Parallel()
	w, hall, _ := depot(t)
	b := w.as(t, "manager")
	p := b.get(w.URL+"/staff/films").want(200).says("Salt Road", "Screenings to come", "1 next")
	p = b.get(p.resolve("/staff/films/new")).want(200)
	f := p.form("/staff/films")

	bad := b.submit(p, f, url.Values{"title": {" "}, "runtime": {"2:3"}, "opens": {"tomorrow"}, "blurb": {"Line one\nLine two"}, "genre": {strings.Repeat("g", 101)}}, "").want(422)
	bad.says("Please write the film’s title.", "Please write how long it runs", "Please write the day like", "longer than 100 letters", "Line one Line two")
	w.wantCount(t, 1, "films")

	added := b.sends(p, f, url.Values{"title": {"  Night   Freight "}, "runtime": {"1:44"}, "certificate": {"15"}, "genre": {"Thriller"}, "language": {"English"},
		"version": {"3D, dubbed"}, "distributor": {"Cinecittà Distribution"}, "opens": {"2026-12-04"}, "blurb": {"A signalman.\r\nA wagon."}}, "me.jpg", photoOf10MB(t)).want(303)
	shown := b.follow(added).want(200).says("Added", "Night Freight", "Nothing uses it yet")
	id := one[int64](w, `SELECT id FROM films WHERE title = 'Night Freight' AND runtime_min = 104 AND version = '3D, dubbed' AND opens_on = '2026-12-04' AND blurb = E'A signalman.\nA wagon.'`)
	if n := one[int](w, `SELECT octet_length(poster) FROM films WHERE id = $1 AND poster_type = 'image/jpeg'`, id); n > 200<<10 || n < 10_000 {
		t.Errorf("the poster has %d bytes", n)
	}
	pic := b.get(fmt.Sprintf("%s/films/%d/poster", w.URL, id)).want(200)
	if size, kind, err := image.DecodeConfig(strings.NewReader(pic.body)); err != nil || kind != "jpeg" || size.Width > poster.Width || size.Height > poster.Height || pic.header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("the poster is a %s of %d × %d, %v, sent as %s", kind, size.Width, size.Height, err, pic.header.Get("Content-Type"))
	}
	w.wantCount(t, 1, "audit_log WHERE action = 'film_added' AND actor LIKE 'staff:%' AND after->>'title' = 'Night Freight'")

	saved := b.submit(shown, shown.form(fmt.Sprintf("/staff/films/%d", id)), url.Values{"title": {"Night Freight II"}, "no_poster": {"1"}}, "").want(303)
	b.follow(saved).says("Saved", "Night Freight II")
	w.wantCount(t, 1, "films WHERE title = 'Night Freight II' AND poster IS NULL AND distributor = 'Cinecittà Distribution'")
	w.wantCount(t, 1, `audit_log WHERE action = 'film_changed' AND before = '{"title": "Night Freight"}' AND after = '{"title": "Night Freight II", "poster": "taken down"}'`)
	again := b.get(saved.resolve(saved.location)).want(200)
	b.submit(again, again.form(fmt.Sprintf("/staff/films/%d", id)), nil, "").want(303) // as it was
	w.wantCount(t, 1, "audit_log WHERE action = 'film_changed'")

	b.get(w.URL + "/staff/films?q=cinecittà").want(200).says("Night Freight II")
	b.get(w.URL + "/staff/films?q=nothing+like+it").want(200).says("Nothing fits")
	b.get(w.URL + "/staff/films/999999").want(404)
	b.get(w.URL + "/staff/films/x").want(404)
	cashier := w.as(t, "cashier")
	cashier.get(w.URL + "/staff/films").want(403)
	cashier.post(w.URL+"/staff/films", url.Values{"title": {"X"}, "runtime": {"1"}}).want(403)

	// What customers read: version beside the language, the distributor never.
	film := one[int64](w, `SELECT film_id FROM events WHERE id = $1`, hall.ID)
	w.exec(`UPDATE films SET language = 'Tamil', version = '3D', distributor = 'Secret Films', certificate = '15' WHERE id = $1`, film)
	day := one[string](w, `SELECT business_day::text FROM events WHERE id = $1`, hall.ID)
	for _, path := range []string{"/?date=" + day, eventPath(hall.ID)} {
		c := w.browser().get(w.URL+path).want(200).says("Tamil, 3D", "Certificate 15")
		if strings.Contains(c.body, "Secret Films") {
			t.Errorf("%s tells the distributor", path)
		}
	}
}

// Every refused file is named in words, the words typed stay, and nothing is stored.
func TestStaffPosterRefused(t *testing.T) {
	t.Parallel()
	w, _, _ := depot(t)
	b := w.as(t, "manager")
	p := b.get(w.URL + "/staff/films/new").want(200)
	f := p.form("/staff/films")
	whole := pngOf(t, picture(t, 300, 300))
	bomb := slices.Clone(whole)
	copy(bomb[16:], "\x00\x00\xea\x60\x00\x00\xea\x60\x08\x06\x00\x00\x00\x80\xd2\x75\x42") // 60000 × 60000, its checksum
	for name, c := range map[string]struct {
		file   []byte
		status int
		words  string
	}{
		"text.jpg":  {[]byte("not a picture"), 422, "not a picture that we can read"},
		"x.svg":     {[]byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`), 422, "not a picture that we can read"},
		"cut.png":   {whole[:len(whole)-40], 422, "This picture is damaged"},
		"empty.png": {[]byte{}, 422, "This file is empty"},
		"bomb.png":  {bomb, 422, "too many dots"},
		"large.jpg": {make([]byte, 13<<20), 413, "larger than 12 MB"},
	} {
		got := b.sends(p, f, url.Values{"title": {"Kept words"}, "runtime": {"1:30"}, "blurb": {"And these"}}, name, c.file).want(c.status)
		got.says(c.words, "And these")
		if v := got.form("/staff/films").values; v.Get("title") != "Kept words" || v.Get("runtime") != "1:30" {
			t.Errorf("%s: typed words are lost: %v", name, v)
		}
		if len(got.all("input", "aria-invalid", "true")) != 1 {
			t.Errorf("%s: no field is marked", name)
		}
	}
	got := b.sends(p, f, url.Values{"title": {""}, "runtime": {"90"}}, "fine.png", whole).want(422)
	got.says("Please choose the picture once more")
	w.wantCount(t, 1, "films")
}

// Two managers with the same form: the second is told, sees what is stored and what they
// typed, and nothing is overwritten before they say so.
func TestStaffHouseStale(t *testing.T) {
	t.Parallel()
	w, _, trip := depot(t)
	anna, ben := w.as(t, "manager"), w.as(t, "owner")
	route := one[int64](w, `SELECT route_id FROM events WHERE id = $1`, trip.ID)
	resource := one[int64](w, `INSERT INTO resources (kind, name, layout_version_id) SELECT 'hall', 'Hall 9', layout_version_id FROM events WHERE kind = 'screening' RETURNING id`)
	for path, c := range map[string]struct{ field, table string }{
		fmt.Sprintf("/staff/films/%d", one[int64](w, `SELECT id FROM films`)): {"title", "films"},
		fmt.Sprintf("/staff/places/%d", trip.Places[1]):                       {"name", "places"},
		fmt.Sprintf("/staff/routes/%d", route):                                {"name", "routes"},
		fmt.Sprintf("/staff/resources/%d", resource):                          {"name", "resources"},
	} {
		first, second := anna.get(w.URL+path).want(200), ben.get(w.URL+path).want(200)
		anna.submit(first, first.form(path), url.Values{c.field: {"Anna’s words"}}, "").want(303)
		late := ben.submit(second, second.form(path), url.Values{c.field: {"Ben’s words"}}, "").want(409)
		late.says("Somebody else changed this meanwhile", "Nothing was overwritten", "Stored now: Anna’s words")
		if got := late.form(path).values.Get(c.field); got != "Ben’s words" {
			t.Errorf("%s: typed was %q", path, got)
		}
		if n := one[int](w, `SELECT count(*) FROM `+c.table+` WHERE `+c.field+` = 'Anna’s words'`); n != 1 {
			t.Errorf("%s was overwritten", path)
		}
		ben.post(w.URL+path+"/shelf", url.Values{"act": {"archive"}, "revision": {"1"}}).want(409).says("Somebody else changed this meanwhile", "Nothing was changed", "Owner Person")
		ben.submit(late, late.form(path), nil, "").want(303) // knowing it, Ben stores his
		if n := one[int](w, `SELECT count(*) FROM `+c.table+` WHERE `+c.field+` = 'Ben’s words'`); n != 1 {
			t.Errorf("%s: the second press stored nothing", path)
		}
	}
}

// Used things are put away, unused ones can be deleted.
func TestStaffHouseShelf(t *testing.T) {
	t.Parallel()
	w, hall, trip := depot(t)
	b := w.as(t, "manager")
	route := one[int64](w, `SELECT route_id FROM events WHERE id = $1`, trip.ID)
	resource := one[int64](w, `INSERT INTO resources (kind, name, layout_version_id) SELECT 'hall', 'Hall 9', layout_version_id FROM events WHERE kind = 'screening' RETURNING id`)
	w.exec(`UPDATE events SET resource_id = $1 WHERE id = $2`, resource, hall.ID)
	for _, c := range []struct {
		list, table, away string
		used, unused      int64
	}{
		{"/staff/films", "films", "archived_at", one[int64](w, `SELECT id FROM films`), one[int64](w, `INSERT INTO films (title, runtime_min) VALUES ('Unused', 90) RETURNING id`)},
		{"/staff/places", "places", "archived_at", trip.Places[0], one[int64](w, `INSERT INTO places (name, time_zone) VALUES ('Unused', 'UTC') RETURNING id`)},
		{"/staff/routes", "routes", "archived_at", route, one[int64](w, `INSERT INTO routes (name) VALUES ('Unused') RETURNING id`)},
		{"/staff/resources", "resources", "retired_at", resource, one[int64](w, `INSERT INTO resources (kind, name, layout_version_id) SELECT 'hall', 'Unused', layout_version_id FROM events WHERE kind = 'screening' RETURNING id`)},
	} {
		path := fmt.Sprintf("%s/%d", c.list, c.used)
		p := b.get(w.URL + path).want(200).says("cannot be deleted")
		shelf := p.form(path + "/shelf")
		b.submit(p, shelf, nil, "act=delete").want(422).says("cannot be deleted", "Nothing was changed", "Manager Person")
		b.submit(p, shelf, nil, "act=burn").want(400)
		gone := b.submit(p, shelf, nil, "act=archive").want(303)
		p = b.follow(gone).want(200).says("offered for nothing new")
		if n := one[int](w, `SELECT count(*) FROM `+c.table+` WHERE `+c.away+` IS NOT NULL AND id = $1`, c.used); n != 1 {
			t.Errorf("%s is not put away", path)
		}
		if links := b.get(w.URL+c.list).want(200).all("a", "href", path); len(links) > 0 {
			t.Errorf("%s still stands in the list", path)
		}
		if links := b.get(w.URL+c.list+"?away=1").want(200).all("a", "href", path); len(links) != 1 {
			t.Errorf("%s is not among those put away", path)
		}
		w.browser().get(w.URL + eventPath(hall.ID)).want(200) // what uses it goes on
		w.browser().get(w.URL + eventPath(trip.ID)).want(200)
		b.submit(p, p.form(path+"/shelf"), nil, "act=restore").want(303)

		path = fmt.Sprintf("%s/%d", c.list, c.unused)
		p = b.get(w.URL + path).want(200).says("can be deleted as well")
		b.follow(b.submit(p, p.form(path+"/shelf"), nil, "act=delete").want(303)).want(200).says("Deleted")
		b.get(w.URL + path).want(404)
		b.submit(p, p.form(path+"/shelf"), nil, "act=delete").want(404)
	}
	w.wantCount(t, 4, "audit_log WHERE action LIKE '%_deleted' AND before->>'name' = 'Unused'")
	w.wantCount(t, 4, "audit_log WHERE action LIKE '%_archived'")
	w.wantCount(t, 4, "audit_log WHERE action LIKE '%_restored'")
}

func TestStaffResources(t *testing.T) {
	t.Parallel()
	w, hall, trip := depot(t)
	b := w.as(t, "manager")
	p := b.get(w.URL + "/staff/resources/new").want(200)
	f := p.form("/staff/resources")
	plan, coach := itoa(hall.Layout.VersionID), itoa(trip.Layout.VersionID)
	for words, change := range map[string]url.Values{
		"choose whether it is a hall": {"name": {"Hall 1"}, "plan": {plan}},
		"write its name":              {"kind": {"hall"}, "plan": {plan}},
		"choose a seat plan":          {"kind": {"hall"}, "name": {"Hall 1"}},
		"for the other kind":          {"kind": {"hall"}, "name": {"Hall 1"}, "plan": {coach}},
		"whole number from 0 to 1440": {"kind": {"hall"}, "name": {"Hall 1"}, "plan": {plan}, "turnaround": {"1441"}},
	} {
		b.submit(p, f, change, "").want(422).says(words)
	}
	w.wantCount(t, 0, "resources")
	good := url.Values{"kind": {"hall"}, "name": {"Hall 1"}, "note": {"Induction loop"}, "plan": {plan}, "turnaround": {"20"}}
	b.follow(b.submit(p, f, good, "").want(303)).want(200).says("Added", "Hall 1")
	b.submit(p, f, good, "").want(422).says("Another one has this name")
	id := one[int64](w, `SELECT id FROM resources WHERE turnaround_minutes = 20 AND note = 'Induction loop'`)

	// A newer plan is for events made from now on.
	w.exec(`UPDATE events SET resource_id = $1 WHERE id = $2`, id, hall.ID)
	next := one[int64](w, `INSERT INTO layout_versions (layout_id, version, decks) SELECT layout_id, version + 1, decks FROM layout_versions WHERE id = $1 RETURNING id`, hall.Layout.VersionID)
	path := fmt.Sprintf("/staff/resources/%d", id)
	shown := b.get(w.URL+path).want(200).says("1 event to come keeps its seat plan", "as it is", "version 2")
	b.submit(shown, shown.form(path), url.Values{"plan": {itoa(next)}, "turnaround": {"35"}}, "").want(303)
	w.wantCount(t, 1, "resources WHERE turnaround_minutes = 35 AND layout_version_id = "+itoa(next))
	if got := one[int64](w, `SELECT layout_version_id FROM events WHERE id = $1`, hall.ID); got != hall.Layout.VersionID {
		t.Errorf("the event's plan became %d", got)
	}
	shown = b.get(w.URL + path).want(200)
	b.submit(shown, shown.form(path), url.Values{"plan": {plan}}, "").want(422).says("choose a seat plan") // the old version is not offered any more
}

// Whatever a form sends, the answer has words: no 500, nothing stored.
func TestStaffHouseGarbage(t *testing.T) {
	t.Parallel()
	w, _, trip := depot(t)
	b := w.as(t, "manager")
	began := time.Now()
	for _, path := range []string{"/staff/films", "/staff/places", "/staff/routes", "/staff/resources", fmt.Sprintf("/staff/places/%d", trip.Places[0])} {
		for _, v := range []string{"", " ", "\x1b[31m", "999999999999999999999", "-1", "<script>", strings.Repeat("x", 1200), "’;--", "\u202eabc", "0x10"} {
			form := url.Values{"revision": {v}}
			for _, name := range []string{"title", "name", "runtime", "opens", "zone", "position", "kind", "plan", "turnaround", "keep", "place", "arrive", "depart", "use", "note"} {
				form[name] = []string{v, v, v}
			}
			form["zone"] = []string{v, v, v}
			if p := b.post(w.URL+path, form); p.status != 422 && p.status != 409 {
				t.Errorf("%s with %.20q: %d", path, v, p.status)
			}
		}
		b.post(w.URL+path, url.Values{"name": {"a\x00b"}, "title": {"a\x00b"}}).want(400)
	}
	b.post(w.URL+"/staff/routes", url.Values{"name": {"A"}, "place": {"1", "2"}, "arrive": {""}}).want(400)
	b.post(w.URL+"/staff/routes", url.Values{"name": {"A"}, "do": {"up.x"}}).want(400)
	w.wantCount(t, 1, "films")
	w.wantCount(t, 3, "places")
	if d := time.Since(began); d > time.Minute {
		t.Errorf("that took %v", d)
	}
}

// Two people press Save at the same moment: one is stored, the other is told.
func TestStaffHouseRace(t *testing.T) {
	t.Parallel()
	w, _, trip := depot(t)
	path := fmt.Sprintf("/staff/places/%d", trip.Places[0])
	const people = 6
	crowd := make([]*browser, people)
	for i := range crowd {
		crowd[i] = w.as(t, "manager")
	}
	for round := range 5 {
		p := crowd[0].get(w.URL + path).want(200)
		f := p.form(path)
		ready, answers := make(chan struct{}), make(chan int, people)
		for i, b := range crowd {
			go func() {
				<-ready
				res, err := b.PostForm(w.URL+path, url.Values{"name": {fmt.Sprintf("Round %d by %d", round, i)}, "zone": {"Europe/Rome"}, "revision": f.values["revision"]})
				if err != nil {
					answers <- 0
					return
				}
				res.Body.Close()
				answers <- res.StatusCode
			}()
		}
		close(ready)
		count := map[int]int{}
		for range people {
			count[<-answers]++
		}
		if count[303] != 1 || count[409] != people-1 {
			t.Fatalf("round %d: answers %v, want one 303 and the others 409", round, count)
		}
	}
	w.wantCount(t, 5, "audit_log WHERE action = 'place_changed'")
}
