package torture

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"holdfast/internal/stripesim"
)

// A verdict that cannot fail is worth nothing. Each case breaks one thing, by hand or in
// the program's own rules, and must be found by the check that is there for it; with
// nothing broken the verdict is good.
func TestTortureVerdictCanFail(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, 2)
	r.shop.gentle = true
	go r.shop.keep()
	t.Cleanup(r.shop.stop)
	if err := r.shop.ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.buy(t, r.events[0])
	address := r.paying(t, r.doomed)
	r.exec(`UPDATE events SET status = 'cancelled' WHERE id = $1`, r.doomed.ID)
	r.pays(t, address)
	if rest, _ := r.calm(t.Context(), 20*time.Second); len(rest) > 0 {
		t.Fatalf("it does not come to rest: %q", rest)
	}
	if found := r.judge(); len(found) > 0 {
		t.Fatalf("nothing is broken, and the verdict finds %q", found)
	}
	for _, c := range []struct{ check, do, undo string }{
		{"audit", `UPDATE event_seats SET state = 'blocked', booking_id = NULL WHERE state = 'booked'`,
			`UPDATE event_seats s SET state = 'booked', booking_id = t.booking_id FROM tickets t WHERE t.event_id = s.event_id AND t.seat_no = s.seat_no`},
		{"nothing unfinished", `UPDATE refunds SET state = 'requested'`, `UPDATE refunds SET state = 'succeeded'`},
		{"Stripe's ledger is ours", `UPDATE payments SET received = received + 1`, `UPDATE payments SET received = received - 1`},
		{"nobody paid for nothing", `UPDATE tickets SET price = price - 1`, `UPDATE tickets SET price = price + 1`},
		{"no seat twice", `INSERT INTO tickets (booking_id, event_id, seat_no, from_stop, to_stop, ticket_type, price, passenger)
			SELECT booking_id, event_id, seat_no, from_stop, to_stop, ticket_type, 0, 'twice' FROM tickets LIMIT 1`,
			`DELETE FROM tickets WHERE passenger = 'twice'`},
		{"every mail left", `INSERT INTO mails (kind, to_address, state) VALUES ('booking_link', 'never@example.com', 'sent')`,
			`DELETE FROM mails WHERE to_address = 'never@example.com'`},
		{"the cancelled event", `UPDATE payments SET outcome = 'seat_lost' WHERE outcome = 'event_cancelled'`,
			`UPDATE payments SET outcome = 'event_cancelled' WHERE outcome = 'seat_lost'`},
		{"what customers were shown", `UPDATE bookings SET link_version = link_version + 1`, `UPDATE bookings SET link_version = link_version - 1`},
	} {
		r.exec(c.do)
		r.mustFind(t, c.check)
		r.exec(c.undo)
	}
	if found := r.judge(); len(found) > 0 {
		t.Fatalf("all is mended again, and the verdict finds %q", found)
	}
	t.Run("an answer that shows our inside", func(t *testing.T) { r.badAnswer(t) })
	t.Run("a program without refunds", func(t *testing.T) { r.withoutRefunds(t) })
	t.Run("a payment that nobody settles", func(t *testing.T) { r.unsettled(t) })
}

func (r *rig) mustFind(t *testing.T, check string) {
	t.Helper()
	for _, c := range checks {
		if c.name != check {
			continue
		}
		if words := c.look(r); len(words) == 0 {
			t.Errorf("%q finds nothing", check)
		}
		return
	}
	t.Errorf("there is no check %q", check)
}

func (r *rig) badAnswer(t *testing.T) {
	r.look(&page{Status: 500, URL: &url.URL{Path: "/x"}, Body: []byte("<p>ERROR: deadlock detected (SQLSTATE 40P01)</p>")})
	if found := r.tally.found(); len(found) != 2 || found[0].check != "answers" { // the status, and the words
		t.Errorf("one bad answer: %q", found)
	}
	r.tally.findings = nil
}

// withoutRefunds is the program with its safety net cut: money that bought nothing is not
// sent back, because the row is dropped on its way into the table.
func (r *rig) withoutRefunds(t *testing.T) {
	r.exec(`CREATE FUNCTION no_refund() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`)
	r.exec(`CREATE TRIGGER no_refund BEFORE INSERT ON refunds FOR EACH ROW EXECUTE FUNCTION no_refund()`)
	r.exec(`UPDATE events SET status = 'published' WHERE id = $1`, r.doomed.ID)
	address := r.paying(t, r.doomed)
	r.exec(`UPDATE events SET status = 'cancelled' WHERE id = $1`, r.doomed.ID)
	r.pays(t, address)
	if rest, _ := r.calm(t.Context(), 2*time.Second); len(rest) == 0 {
		t.Error("it came to rest")
	}
	r.mustFind(t, "nobody paid for nothing")
	r.mustFind(t, "nothing unfinished")
	r.exec(`DROP TRIGGER no_refund ON refunds`)
	if rest, _ := r.calm(t.Context(), 20*time.Second); len(rest) > 0 {
		t.Errorf("mended, it does not come to rest: %q", rest)
	}
	if found := r.judge(); len(found) > 0 {
		t.Errorf("mended, the verdict finds %q", found)
	}
}

// unsettled: Stripe has the money, the program is dead and never hears of it.
func (r *rig) unsettled(t *testing.T) {
	address := r.paying(t, r.events[1])
	r.shop.stop()
	r.sim.SetFaults(stripesim.Faults{{Kind: stripesim.WebhookLost}})
	r.pays(t, address)
	for _, check := range []string{"audit", "nothing unfinished", "Stripe's ledger is ours", "nobody paid for nothing"} {
		r.mustFind(t, check)
	}
}

// paying brings a customer to Stripe's page.
func (r *rig) paying(t *testing.T, at sale) string {
	t.Helper()
	b, d := &customer{r: r, c: r.client(), at: at}, r.dice(1)
	for range 5 {
		if address := b.waiting(d); address != "" {
			return address
		}
	}
	t.Fatal("no way to Stripe's page")
	return ""
}

func (r *rig) pays(t *testing.T, address string) *page {
	t.Helper()
	p, err := r.client().post(address, url.Values{"action": {"pay"}})
	if err != nil || p.Status != 303 {
		t.Fatalf("paying: %v", err)
	}
	return p
}

// buy is the whole way of one customer who looks at the tickets.
func (r *rig) buy(t *testing.T, at sale) {
	t.Helper()
	b, d := &customer{r: r, c: r.client(), at: at}, r.dice(1)
	b.choose(d)
	address := b.waiting(d)
	p, err := b.c.follow(b.c.post(address, url.Values{"action": {"pay"}}))
	if err != nil || len(p.Values("data-ticket")) == 0 {
		t.Fatal(fmt.Errorf("no tickets: %w", err))
	}
}
