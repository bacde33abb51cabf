package main

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/stripesim"
)

// shopping is what one purchase in a real browser is about.
type shopping struct {
	w        *world
	list     string // the page with what is on
	event    string // its link there
	id       int64
	lost     string   // a seat that somebody else takes meanwhile
	seats    []string // what is bought
	names    bool     // a passenger's name for each seat
	total    string   // in cents
	examines func(b *tab, name string)
}

// house is a world with a hall and a coach that stops five times.
func house(t *testing.T) (w *world, hall, trip dbtest.Event) {
	t.Helper()
	w = newWorld(t, func(d *db.DB) { hall, trip = dbtest.Screening(t, d, 4, 9), dbtest.Trip(t, d, 6, 4) }, nil)
	w.exec(`INSERT INTO settings (key, value) VALUES ('kind', 'both')`)
	return w, hall, trip
}

func (w *world) cinemaTrip(ev dbtest.Event) shopping {
	day := one[string](w, `SELECT to_char(starts_at AT TIME ZONE time_zone, 'YYYY-MM-DD') FROM events WHERE id = $1`, ev.ID)
	return shopping{w: w, list: "/?date=" + day, event: eventPath(ev.ID), id: ev.ID, lost: "A3", seats: []string{"B4", "D5"}, total: "2500"}
}

func (w *world) busTrip(ev dbtest.Event) shopping {
	day := one[string](w, `SELECT to_char(departs_at AT TIME ZONE 'Europe/Rome', 'YYYY-MM-DD') FROM event_stops WHERE event_id = $1 AND stop_no = 1`, ev.ID)
	return shopping{w: w, list: fmt.Sprintf("/?date=%s&origin=%d&destination=%d", day, ev.Places[1], ev.Places[3]), event: eventPath(ev.ID) + "?from=1&to=3",
		id: ev.ID, lost: "1A", seats: []string{"2B", "3C"}, names: true, total: "4000"}
}

// chooses goes from what is on to a hold: with nothing ticked, with a seat that was just
// taken, and at last with the wanted ones.
func (s shopping) chooses(b *tab) (hold string) {
	b.t.Helper()
	b.open(s.list, 200)
	s.examines(b, "home")
	b.press(`a[href="`+s.event+`"]`, 200)
	s.examines(b, "seats")
	b.press(".bar .btn", 422)
	b.says("Choose at least one seat")
	s.examines(b, "seats, nothing chosen")
	b.tap(seatBox(s.lost))
	for _, no := range s.seats {
		b.tap(seatBox(no))
	}
	s.w.on(b.t).choose(s.event, s.lost).want(303)
	b.press(".bar .btn", 409)
	b.says("Seat "+s.lost+" was just taken", "still ticked")
	if got := b.attributes("data-lost"); !slices.Equal(got, []string{s.lost}) {
		b.t.Errorf("lost seats %v", got)
	}
	if got := b.ticked(); !slices.Equal(got, s.seats) {
		b.t.Errorf("ticked after the conflict: %v, want %v", got, s.seats)
	}
	s.examines(b, "seats, one was taken")
	if got := b.list(`[document.querySelector('.bar .price').dataset.amount]`); got[0] != s.total {
		b.t.Errorf("the first total is %s, want %s", got[0], s.total)
	}
	b.press(".bar .btn", 200)
	s.examines(b, "hold")
	return b.path()
}

// details leaves the form empty once, then fills it in.
func (s shopping) details(b *tab) {
	b.t.Helper()
	b.press("form[data-details] .btn.big", 422)
	b.says("Your seats are still held")
	s.examines(b, "hold with errors")
	if s.names {
		for _, no := range s.seats {
			b.fill(`[name="passenger.`+no+`"]`, "Passenger "+no)
		}
	}
	b.fill("#name", "Nimali Fernando")
	b.fill("#phone", "077 555 0119")
	b.fill("#email", "nimali@example.com")
	b.press("form[data-details] .btn.big", 200)
	s.examines(b, "review")
}

// pays goes through the payment page to the booking.
func (s shopping) pays(b *tab) {
	b.t.Helper()
	if got := b.list(`[document.querySelector('form[action$="/pay"] button').dataset.amount]`); got[0] != s.total {
		b.t.Errorf("the review asks for %s, want %s", got[0], s.total)
	}
	b.press(`form[action$="/pay"] button`, 200)
	if !strings.HasPrefix(b.url(), s.w.simURL) {
		b.t.Fatalf("the payment page is %s", b.url())
	}
	if got := b.attributes("data-amount"); !slices.Contains(got, s.total) {
		b.t.Errorf("the payment page asks for %v, want %s", got, s.total)
	}
	b.press(`button[value=pay]`, 200)
	if !strings.HasPrefix(b.path(), "/bookings/") {
		b.t.Fatalf("after paying at %s", b.url())
	}
	if got := b.list(`[...document.querySelectorAll('article[data-ticket]')].map(e => e.dataset.seat)`); !slices.Equal(got, s.seats) {
		b.t.Errorf("tickets for %v, want %v", got, s.seats)
	}
	s.examines(b, "booking")
	b.press(`a[href^="/t/"]`, 200)
	s.examines(b, "ticket")
}

// The whole purchase by touch and typing on a phone, every page of it sound.
func TestBrowserPurchase(t *testing.T) {
	w, hall, trip := house(t)
	browser, checker := chromium(t), axe(t)
	for name, s := range map[string]shopping{"cinema": w.cinemaTrip(hall), "bus": w.busTrip(trip)} {
		t.Run(name, func(t *testing.T) {
			s.examines = func(b *tab, name string) { b.sound(name, checker) }
			b := newTab(t, browser, w)
			s.chooses(b)
			s.details(b)
			s.pays(b)
		})
	}
	w.clean()
}

// The same without JavaScript.
func TestBrowserPurchaseWithoutJavaScript(t *testing.T) {
	w, hall, trip := house(t)
	browser := chromium(t)
	for name, s := range map[string]shopping{"cinema": w.cinemaTrip(hall), "bus": w.busTrip(trip)} {
		t.Run(name, func(t *testing.T) {
			s.examines = func(b *tab, name string) { b.upright(name) }
			b := newTab(t, browser, w)
			b.scripts(false)
			s.chooses(b)
			if got := b.text(".hold"); !strings.Contains(got, "Held until") || strings.Contains(got, "left") {
				t.Errorf("the strip says %q", got)
			}
			s.details(b)
			s.pays(b)
		})
	}
	w.clean()
}

// The pages beside the straight way: ended, released, being checked, lost, no way to pay,
// look-up, not there.
func TestBrowserOtherPages(t *testing.T) {
	w, hall, trip := house(t)
	browser, checker := chromium(t), axe(t)
	b := newTab(t, browser, w)

	b.open("/find", 200)
	b.sound("find", checker)
	b.fill("[name=reference]", "K7PXM3")
	b.fill("[name=email]", "nobody@example.com")
	b.press("main form .btn", 200)
	b.sound("find, answered", checker)
	b.open("/no-such-page", 404)
	b.sound("not there", checker)

	s := w.cinemaTrip(hall)
	s.holdOn(b)
	hold := b.path()
	w.expire(hold)
	b.open(hold, 410)
	b.says("Nothing was charged")
	b.sound("ended", checker)
	b.press("main .btn.big", 200)
	b.press(".release button", 200)
	if !strings.HasPrefix(b.path(), s.event) {
		t.Errorf("after letting go at %s", b.path())
	}

	s = w.busTrip(trip)
	s.examines = func(*tab, string) {}
	s.holdOn(b)
	hold = b.path()
	s.details(b)
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.FailBefore, Op: stripesim.OpCreateSession}})
	b.press(`form[action$="/pay"] button`, 503)
	b.says("still held")
	b.sound("no way to pay", checker)
	w.Sim.SetFaults(nil)
	b.press(`form[action$="/pay"] .btn`, 200)
	session := b.url()[strings.LastIndexByte(b.url(), '/')+1:]
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.FailBefore, Op: stripesim.OpGetSession}, {Kind: stripesim.FailBefore, Op: stripesim.OpExpireSession}})
	b.open(hold+"/return", 202)
	b.says("Please do not pay again")
	b.sound("being checked", checker)

	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.FailBefore, Op: stripesim.OpExpireSession}})
	w.expire(hold)
	other := w.on(t)
	other.choose(s.event, s.seats...).want(303)
	if err := w.Sim.Pay(session); err != nil {
		t.Fatal(err)
	}
	w.eventually("the money went back", `SELECT EXISTS (SELECT 1 FROM refunds WHERE state = 'succeeded')`)
	b.open(hold, 200)
	b.says("All of your money")
	b.sound("lost", checker)

	w.exec(`UPDATE events SET starts_at = now() - interval '1 hour' WHERE id = $1`, hall.ID)
	b.open(eventPath(hall.ID), 200)
	b.sound("closed", checker)
}

// holdOn holds the wanted seats.
func (s shopping) holdOn(b *tab) {
	b.t.Helper()
	b.open(s.event, 200)
	for _, no := range s.seats {
		b.tap(seatBox(no))
	}
	b.press(".bar .btn", 200)
	if !strings.HasPrefix(b.path(), "/holds/") {
		b.t.Fatalf("no hold but %s", b.url())
	}
}

// expire lets a hold's time be over a moment ago.
func (w *world) expire(hold string) {
	w.t.Helper()
	w.endsIn(hold, -time.Second)
}

// endsIn moves the end of a hold.
func (w *world) endsIn(hold string, d time.Duration) {
	w.t.Helper()
	id := strings.TrimPrefix(hold, "/holds/")
	if u, err := url.Parse(id); err == nil {
		id = u.Path
	}
	w.exec(`UPDATE holds SET expires_at = now() + $2 WHERE id = $1`, id, d)
	w.exec(`UPDATE event_seats SET held_until = now() + $2 WHERE hold_id = $1`, id, d)
}
