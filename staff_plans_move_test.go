package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
)

// planOf is the address of the plan that an event uses.
func (w *world) planOf(ev dbtest.Event) string {
	w.t.Helper()
	return "/staff/layouts/" + itoa(one[int64](w, `SELECT v.layout_id FROM events e JOIN layout_versions v ON v.id = e.layout_version_id WHERE e.id = $1`, ev.ID))
}

func (w *world) versionOf(ev dbtest.Event) int {
	w.t.Helper()
	return one[int](w, `SELECT v.version FROM events e JOIN layout_versions v ON v.id = e.layout_version_id WHERE e.id = $1`, ev.ID)
}

// change begins a draft from a version and presses one button.
func (p planner) change(t *testing.T, plan string, version int, button string, cells ...string) {
	t.Helper()
	p.post(p.w.URL+plan+"/drafts", url.Values{"version": {fmt.Sprint(version)}}).want(303)
	p.do(t, plan, button, cells, nil).want(303)
}

// A new version moves the events to come, but none where somebody would lose a seat or
// find it changed: those are named, with who sits there.
func TestPlanPublishingMovesEvents(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	hall := one[int64](w, `INSERT INTO resources (kind, name, layout_version_id) VALUES ('hall', 'Hall 1', $1) RETURNING id`, ev.Layout.VersionID)
	b := w.planner(t)
	plan := w.planOf(ev)
	buyer, holder := w.on(t), w.on(t)
	buyer.buys(eventPath(ev.ID), "A1")
	holder.choose(eventPath(ev.ID), "A2").want(303)
	reference := domain.ShowReference(one[string](w, `SELECT reference FROM bookings`))

	// The sold seat gone, the held one changed: the event stays, both are named.
	b.change(t, plan, 1, "make:gap", "0-0-0")
	b.do(t, plan, "make:wheelchair", []string{"0-0-1"}, nil).want(303)
	p := b.get(w.URL+plan+"/publish").want(200).says("Keeps its version", "2 seats that somebody has", "Row A, seat 1 is gone", reference, "Row A, seat 2 is changed", "held right now", "32 now")
	if len(p.all("a", "href", "/staff/events/"+itoa(ev.ID)+"/swap")) != 1 {
		t.Error("the event that stays does not lead to other seats for its people")
	}
	if len(p.all("", "data-kept", itoa(ev.ID))) != 1 {
		t.Error("the event is not marked as kept")
	}
	b.submit(p, p.form("/publish"), nil, "").want(303)
	b.get(w.URL+plan).want(200).says("Version 2 is in use", "1 event kept the old version", "Events with an older version", reference)
	if got := w.versionOf(ev); got != 1 {
		t.Errorf("the event is on version %d", got)
	}
	w.wantCount(t, 32, "event_seats WHERE event_id = $1", ev.ID)
	w.wantCount(t, 1, "resources r JOIN layout_versions v ON v.id = r.layout_version_id WHERE r.id = $1 AND v.version = 2 AND r.revision = 2", hall)
	w.wantTickets(t, buyer.id(), "A1")
	holder.state("held")

	// From the first version: a free seat gone, a new row. Nobody loses anything.
	b.change(t, plan, 1, "make:gap", "0-3-7")
	b.do(t, plan, "row-after", []string{"0-3-0"}, nil).want(303)
	b.do(t, plan, "make:seat", []string{"0-4-0", "0-4-1"}, nil).want(303)
	b.publish(t, plan, nil).want(303)
	b.get(w.URL+plan).want(200).says("Version 3 is in use", "1 event went over to it")
	if got := w.versionOf(ev); got != 3 {
		t.Errorf("the event is on version %d", got)
	}
	w.wantCount(t, 33, "event_seats WHERE event_id = $1", ev.ID)
	w.wantCount(t, 0, "event_seats WHERE event_id = $1 AND seat_no = 'D8'", ev.ID)
	w.wantCount(t, 2, "event_seats WHERE event_id = $1 AND seat_no IN ('E1', 'E2') AND state = 'available'", ev.ID)
	holder.state("held")
	late := w.on(t)
	late.buys(eventPath(ev.ID), "E1")
	w.wantTickets(t, late.id(), "E1")

	// None: it keeps its version until it is moved by hand.
	b.change(t, plan, 3, "view:on", "0-2-0")
	b.publish(t, plan, url.Values{"which": {"none"}}).want(303)
	if got := w.versionOf(ev); got != 3 {
		t.Errorf("the event is on version %d though none was to move", got)
	}
	p = b.get(w.URL + plan).want(200)
	b.post(w.URL+plan+"/move", nil).want(422).says("Tick the events")
	b.submit(p, p.form("/move"), nil, "").want(303)
	if got := w.versionOf(ev); got != 4 {
		t.Errorf("the event is on version %d after it was moved", got)
	}
	// Those ticked, and none is.
	b.change(t, plan, 4, "view:off", "0-2-0")
	b.publish(t, plan, url.Values{"which": {"some"}, "event": {}}).want(303)
	if got := w.versionOf(ev); got != 4 {
		t.Errorf("the event is on version %d though it was not ticked", got)
	}
	w.wantCount(t, 4, "audit_log WHERE action = 'plan_published' AND actor LIKE 'staff:%' AND address = '127.0.0.1'")
	w.wantCount(t, 5, "layout_versions v WHERE v.layout_id = $1", strings.TrimPrefix(plan, "/staff/layouts/"))
	b.get(w.URL + plan + "/versions/2").want(200).says("31 places")
	w.clean()
}

// On a trip every leg of a new seat is for sale; a seat that is sold on one leg only
// keeps its trip all the same. A hold that has run out keeps nothing.
func TestPlanPublishingTrips(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) { ev = dbtest.Trip(t, d, 3, 2); hire(t, d) }, nil)
	b, plan := w.planner(t), w.planOf(ev)
	buyer, holder := w.on(t), w.on(t)
	buyer.buys(eventPath(ev.ID)+"?from=1&to=2", "1A")
	holder.choose(eventPath(ev.ID), "1B").want(303)
	b.change(t, plan, 1, "make:stairs", "0-0-0")
	b.publish(t, plan, nil).want(303)
	if w.versionOf(ev) != 1 {
		t.Error("the trip lost a seat that is sold on one leg")
	}
	b.change(t, plan, 1, "make:gap", "0-0-1")
	b.get(w.URL+plan+"/publish").want(200).says("Row 1, seat B is gone", "held right now")
	w.over(holder.id())
	w.exec(`UPDATE event_seats SET held_until = now() - interval '1 second' WHERE seat_no = '1B'`)
	b.do(t, plan, "make:seat", []string{"0-0-2"}, nil).want(303)
	b.publish(t, plan, nil).want(303)
	w.wantCount(t, 0, "event_seats WHERE seat_no = '1B'")
	w.wantCount(t, 2, "event_seats WHERE seat_no = '1E' AND state = 'available'")
	if w.versionOf(ev) != 3 {
		t.Errorf("the trip is on version %d", w.versionOf(ev))
	}
	w.clean()
}

// A customer whose page shows the plan of before is asked to look again: what they would
// get may have become another seat.
func TestPlanChangedUnderChoice(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	shop := booking.New(w.DB, booking.Config{Log: slog.New(slog.DiscardHandler)})
	seen, err := shop.Offer(t.Context(), ev.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, plan := w.planner(t), w.planOf(ev)
	b.change(t, plan, 1, "make:wheelchair", "0-1-0")
	b.publish(t, plan, nil).want(303)
	who := booking.Visitor{Holder: "web:late", New: true}
	if _, err := shop.Choose(t.Context(), seen, who, []string{"B1"}); !errors.Is(err, domain.ErrBusy) {
		t.Errorf("chosen on the old plan: %v", err)
	}
	w.wantCount(t, 0, "event_seats WHERE state <> 'available'")
	if seen, err = shop.Offer(t.Context(), ev.ID, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := shop.Choose(t.Context(), seen, who, []string{"B1"}); err != nil {
		t.Errorf("chosen on the plan of now: %v", err)
	}
}

// Five seats are called A1 in a house of five classes: each is sold once, and page and
// ticket say which it is.
func TestPlanSectionsAreSold(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	b := w.planner(t)
	plan := b.create(t, realPlans()[0].form)
	b.publish(t, plan, nil).want(303)
	w.exec(`DELETE FROM event_seats`)
	w.exec(`UPDATE events SET layout_version_id = $1`, w.layout(t, plan).VersionID)
	w.exec(`INSERT INTO event_seats (event_id, seat_no, leg) SELECT e.id, c.seat_no, 1 FROM events e JOIN layout_cells c ON c.layout_version_id = e.layout_version_id AND c.seat_no IS NOT NULL`)
	w.exec(`INSERT INTO fares (tariff_id, zone_no, ticket_type, from_stop, to_stop, price) SELECT tariff_id, z, 'adult', 0, 1, 1000 * z FROM events, generate_series(3, 5) z`)
	seats := w.on(t).get(w.URL+eventPath(ev.ID)).want(200).says("Balcony, row A", "Box, row C, seat 8", "590 of 590 free")
	if got := len(seats.all("span", "class", "gap half")); got == 0 || got%2 != 0 {
		t.Errorf("%d half steps, want one on each side of a row that is set in", got)
	}
	buyer := w.on(t)
	p := buyer.buys(eventPath(ev.ID), "BALC-A1", "BOX-A1")
	p.says("Balcony", "Box")
	w.wantTickets(t, buyer.id(), "BALC-A1", "BOX-A1")
	w.on(t).seats(ev.ID, seatFields("BALC-A1", "STAR-A1")).refusal([]string{"BALC-A1"}, "STAR-A1").says("Balcony A1")
	w.clean()
}
