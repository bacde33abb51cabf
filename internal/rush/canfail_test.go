package rush

import (
	"net/http"
	"net/url"
	"testing"
	"time"
)

// canFail: a verdict that cannot fail is worth nothing. Each case breaks one thing after a
// good evening, and must be found by the check that is there for it.
func (w *world) canFail(t *testing.T) {
	t.Run("the verdict can fail", func(t *testing.T) {
		w.p.converge = 200 * time.Millisecond // what never comes need not be waited for
		for _, c := range []struct{ check, do, undo string }{
			{"no seat twice", `INSERT INTO tickets (booking_id, event_id, seat_no, from_stop, to_stop, ticket_type, price, passenger)
				SELECT booking_id, event_id, seat_no, from_stop, to_stop, ticket_type, 0, 'twice' FROM tickets WHERE state = 'valid' LIMIT 1`,
				`DELETE FROM tickets WHERE passenger = 'twice'`},
			{"seats are the tickets'", `UPDATE event_seats SET state = 'blocked', booking_id = NULL WHERE state = 'booked'`,
				`UPDATE event_seats s SET state = 'booked', booking_id = t.booking_id FROM tickets t WHERE t.event_id = s.event_id AND t.seat_no = s.seat_no AND t.state = 'valid'`},
			{"audit", `UPDATE event_seats SET state = 'blocked', booking_id = NULL WHERE state = 'booked'`,
				`UPDATE event_seats s SET state = 'booked', booking_id = t.booking_id FROM tickets t WHERE t.event_id = s.event_id AND t.seat_no = s.seat_no AND t.state = 'valid'`},
			{"Stripe's ledger is ours", `UPDATE payments SET received = received + 1`, `UPDATE payments SET received = received - 1`},
			{"nobody paid for nothing", `UPDATE tickets SET price = price - 1`, `UPDATE tickets SET price = price + 1`},
			{"nothing unfinished", `UPDATE mails SET state = 'queued'`, `UPDATE mails SET state = 'sent'`},
			{"what people were shown", `UPDATE bookings SET link_version = link_version + 1`, `UPDATE bookings SET link_version = link_version - 1`},
			{"every mail left", `INSERT INTO mails (kind, to_address, state) VALUES ('booking_link', 'never@example.com', 'sent')`,
				`DELETE FROM mails WHERE to_address = 'never@example.com'`},
			{"no orphan seats", `UPDATE event_seats SET state = 'blocked', hold_id = NULL, held_until = NULL WHERE (event_id, seat_no) IN
				(SELECT event_id, seat_no FROM event_seats WHERE state <> 'booked' LIMIT 1)`,
				`UPDATE event_seats SET state = 'available' WHERE state = 'blocked'`},
			{"periodic jobs once", `UPDATE river_job SET kind = 'audit' WHERE kind = 'mail'`, `UPDATE river_job SET kind = 'mail' WHERE args ? 'mail_id'`},
		} {
			w.exec(c.do)
			w.mustFind(t, c.check)
			w.exec(c.undo)
		}
		w.badEnds(t)
		w.badTimes(t)
		w.badAnswers(t)
	})
}

func (w *world) mustFind(t *testing.T, check string) {
	t.Helper()
	for _, c := range checks {
		if c.name != check {
			continue
		}
		if words := c.look(w); len(words) == 0 {
			t.Errorf("%q finds nothing", check)
		}
		return
	}
	t.Errorf("there is no check %q", check)
}

// badEnds is somebody whose last page says nothing clear, and a customer of the event
// beside without tickets.
func (w *world) badEnds(t *testing.T) {
	for _, b := range []*browser{w.browsers[0], w.browsers[len(w.browsers)-1]} {
		was, left := b.last, b.left
		b.last, b.left = &page{Status: http.StatusOK, URL: &url.URL{Path: "/events/1"}, Body: []byte("<h1>Choose your seats</h1>")}, false
		w.mustFind(t, "seats or a clear no")
		if b.calm {
			w.mustFind(t, "nobody beside suffered")
		}
		b.last, b.left = was, left
	}
}

// badTimes are a limit that was not kept, and a request that never came back in time.
func (w *world) badTimes(t *testing.T) {
	was := w.p
	w.p.p95, w.p.memory, w.p.converge = 0, 1, 0
	w.mustFind(t, "paying customers' p95")
	w.mustFind(t, "nobody beside suffered")
	if w.processes[0].most() > 0 { // a machine with /proc
		w.mustFind(t, "memory")
	}
	w.mustFind(t, "what one sells all show")
	w.p = was

	began := time.Now()
	w.stripe.spans["x"] = []span{{began, began.Add(time.Second)}, {began.Add(time.Second / 2), began.Add(3 * time.Second / 2)}, {began, began.Add(time.Hour)}}
	if got := w.stripe.waited("x", began, began.Add(2*time.Second)); got != 3*time.Second/2 {
		t.Errorf("two calls that overlap and one that ended later count as %s of waiting", got)
	}
}

func (w *world) badAnswers(t *testing.T) {
	for name, p := range map[string]*page{
		"a fault":                  {Status: 500, Body: []byte("<p>Something went wrong on our side, and it was written down.</p>")},
		"our inside":               {Status: 200, Body: []byte("<p>ERROR: deadlock detected (SQLSTATE 40P01)</p>")},
		"a refusal without a time": {Status: 503, Header: http.Header{}, Body: []byte("<p>Very many people are here just now. Please come again soon.</p>")},
		"a refusal without words":  {Status: 503, Header: http.Header{"Retry-After": {"5"}}},
	} {
		x := &world{tally: newTally()}
		if x.look("seat page", p); len(x.findings) != 1 {
			t.Errorf("%s: %q", name, x.findings)
		}
	}
}
