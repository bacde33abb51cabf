package booking_test

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/domain"
	"holdfast/internal/stripesim"
)

// TestModel_AnyOrder: customers, Stripe, webhooks, jobs, sweeps, staff, faults and time
// in any order. After each step nothing is broken; when everything has settled, each
// payment is a booking or is back. -rapid.checks and -rapid.steps make it longer.
func TestModel_AnyOrder(t *testing.T) {
	d := dbtest.New(t)
	if err := flag.Set("rapid.nofailfile", "true"); err != nil { // the seed is enough; files end up in commits
		t.Fatal(err)
	}
	seen := map[string]int{}
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		m := newModel(t, rt, d, run, seen)
		rt.Repeat(m.steps())
		m.settle(rt)
	})
	for _, k := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%6d %s", seen[k], k)
	}
	if t.Failed() || testing.Short() || run < 80 {
		return
	}
	for _, must := range []string{"choose", "choose: seats taken", "details", "pay", "at Stripe: pay", "fault", "webhook", "outcome booked"} {
		if seen[must] == 0 {
			t.Errorf("%q never happened in %d runs: they prove less than they say", must, run)
		}
	}
}

func newModel(t *testing.T, rt *rapid.T, d *db.DB, run int, seen map[string]int) *model {
	t.Helper()
	shop, shut := newShop(t, d)
	rt.Cleanup(shut)
	shop.t = rt
	m := &model{shop: shop, hold: map[domain.Holder]string{}, runs: map[string]time.Duration{}, promised: map[int64]bool{}, seen: seen}
	for _, name := range []string{"ada", "ben", "cy"} {
		m.who = append(m.who, domain.Holder(fmt.Sprintf("web:%s-%d", name, run)))
	}
	// What a failed run left behind would be found again in the next one.
	m.exec(`TRUNCATE river_job, stripe_events`)
	if one[bool](m.shop, `SELECT EXISTS (SELECT 1 FROM holds WHERE state = 'active') OR EXISTS (SELECT 1 FROM payments WHERE state IN ('creating', 'open', 'refunding'))
		OR EXISTS (SELECT 1 FROM refunds WHERE state <> 'succeeded')`) || run%20 == 0 {
		m.exec(`TRUNCATE holds, payments, bookings, tickets, refunds, ledger_entries, mails, staff_tasks CASCADE`)
		m.exec(`UPDATE event_seats SET state = 'available', hold_id = NULL, held_until = NULL, booking_id = NULL WHERE state <> 'available'`)
	}
	return m
}

// attempt is a payment beside its hold and the seats the hold has.
type attempt struct {
	ID       int64
	Hold     string
	State    string
	Outcome  string
	Amount   int64
	Received int64
	Back     int64 // refunds that did not fail
	Total    int64 // of the hold
	Young    bool  // its page cannot be over yet
	Rows     int   // seats of the hold
	Held     int   // of those, what the hold has and nobody may take
	Tickets  int   // valid or cancelled
	Price    int64 // of all of them
	Valid    int64 // of those that are
	Kept     int64 // fees of cancellations
}

const attemptsSQL = `
SELECT p.id, p.hold_id::text, p.state, coalesce(p.outcome, ''), p.amount, p.received,
       (SELECT coalesce(sum(amount), 0)::bigint FROM refunds r WHERE r.payment_id = p.id AND r.state <> 'failed'),
       h.total, p.created_at > now() - interval '35 minutes',
       (SELECT count(*) FROM hold_seats x WHERE x.hold_id = h.id),
       (SELECT count(*) FROM event_seats e JOIN hold_seats x ON x.event_id = e.event_id AND x.seat_no = e.seat_no AND x.hold_id = h.id
         WHERE e.event_id = h.event_id AND e.hold_id = h.id AND e.state = 'held' AND e.held_until > now()),
       t.n, t.price, t.valid, (SELECT coalesce(sum(amount), 0)::bigint FROM ledger_entries l WHERE l.payment_id = p.id AND l.kind = 'fee')
  FROM payments p JOIN holds h ON h.id = p.hold_id
 CROSS JOIN LATERAL (SELECT count(*) AS n, coalesce(sum(t.price), 0)::bigint AS price, coalesce(sum(t.price) FILTER (WHERE t.state = 'valid'), 0)::bigint AS valid
                       FROM tickets t JOIN bookings b ON b.id = t.booking_id WHERE b.hold_id = h.id) t
 WHERE p.event_id = $1 ORDER BY p.id`

func (m *model) attempts(t *rapid.T) map[int64]attempt {
	t.Helper()
	rows, err := m.db.Pool().Query(m.ctx, attemptsSQL, m.ev.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := map[int64]attempt{}
	for rows.Next() {
		var a attempt
		if err := rows.Scan(&a.ID, &a.Hold, &a.State, &a.Outcome, &a.Amount, &a.Received, &a.Back, &a.Total, &a.Young, &a.Rows, &a.Held, &a.Tickets, &a.Price, &a.Valid, &a.Kept); err != nil {
			t.Fatal(err)
		}
		out[a.ID] = a
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// check is what must hold after every step.
func (m *model) check(t *rapid.T) {
	if text := m.log.String(); text != "" && !m.faulty {
		t.Fatalf("logged as an error: %s", text)
	}
	for _, f := range m.audit(t) {
		if f.Invariant != "9" && f.Invariant != "11" && f.Invariant != "12" { // those hold when the jobs are done
			t.Fatalf("audit: %s", f)
		}
	}
	all := m.attempts(t)
	for _, x := range m.sim.Sessions() {
		m.checkPage(t, x, all[paymentID(x)])
	}
	for _, a := range all {
		if a.Outcome == "booked" && (a.Tickets != a.Rows || a.Price != a.Amount) {
			t.Fatalf("payment %d of %d booked %d tickets for %d, wanted %d", a.ID, a.Amount, a.Tickets, a.Price, a.Rows)
		}
	}
	if m.cancelled && one[int](m.shop, `SELECT count(*) FROM bookings WHERE event_id = $1`, m.ev.ID) > m.sold {
		t.Fatalf("sold after the event was cancelled")
	}
	m.checkRefunds(t)
	m.checkHolds(t)
}

// checkPage: while a page can take money, or has taken money that we do not know of,
// the seats stay, and the page asks for what they cost.
func (m *model) checkPage(t *rapid.T, x stripesim.Session, a attempt) {
	t.Helper()
	taken, back := m.sim.Paid(x.PaymentIntent)
	live := a.State == "creating" || a.State == "open"
	switch {
	case a.ID == 0:
		t.Fatalf("session %s belongs to no payment", x.ID)
	case a.Received > taken || back > taken:
		t.Fatalf("payment %d received %d, Stripe took %d and gave back %d", a.ID, a.Received, taken, back)
	case x.Status != "expired" && a.Received == 0 && a.Young && (!live || a.Held != a.Rows):
		t.Fatalf("page of payment %d is %s, the payment %s, %d of %d seats are held", a.ID, x.Status, a.State, a.Held, a.Rows)
	case x.Status != "expired" && a.Received == 0 && (a.Total != a.Amount || x.AmountTotal != a.Amount):
		t.Fatalf("payment %d is for %d, its page asks for %d, the hold costs %d", a.ID, a.Amount, x.AmountTotal, a.Total)
	}
}

// checkRefunds: one refund of ours is at most one at Stripe that moves money.
func (m *model) checkRefunds(t *rapid.T) {
	t.Helper()
	times := map[string]int{}
	for _, r := range m.sim.Refunds() {
		if id := r.Metadata["refund_id"]; id != "" && r.Status != "failed" {
			if times[id]++; times[id] > 1 {
				t.Fatalf("refund %s was given twice", id)
			}
		}
	}
}

// checkHolds: nobody but its owner ends a hold whose time runs, unless money was
// settled for it.
func (m *model) checkHolds(t *rapid.T) {
	t.Helper()
	var ids []string
	for id, ends := range m.runs {
		if ends > m.now {
			ids = append(ids, id)
		}
	}
	robbed := one[[]string](m.shop, `
		SELECT coalesce(array_agg(h.id::text || ' is ' || h.state), '{}') FROM holds h
		 WHERE h.id = ANY($1) AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.hold_id = h.id AND p.outcome IS NOT NULL)
		   AND NOT (h.state = 'active' AND h.expires_at > now()
		        AND (SELECT count(*) FROM event_seats e WHERE e.event_id = h.event_id AND e.hold_id = h.id AND e.state = 'held' AND e.held_until >= h.expires_at)
		          = (SELECT count(*) FROM hold_seats x WHERE x.hold_id = h.id))`, ids)
	if len(robbed) > 0 {
		t.Fatalf("running holds that lost their seats: %v", robbed)
	}
}

func (m *model) audit(t *rapid.T) []db.Finding {
	t.Helper()
	found, checks, err := m.db.Audit(m.ctx)
	if err != nil || checks == 0 {
		t.Fatalf("audit: %v after %d checks", err, checks)
	}
	return found
}

// settle ends the run: Stripe works again, the sweep finds what webhooks did not
// tell, then all time is over, refunds are worked, those that failed are asked for
// again. Then the books must be right to the last cent.
func (m *model) settle(t *rapid.T) {
	m.sim.SetFaults(nil)
	m.advance(3 * time.Minute)
	m.quiet(t)
	m.check(t)
	m.advance(40 * time.Minute)
	for _, r := range m.sim.Refunds() {
		if r.Status == "pending" {
			_ = m.sim.FinishRefund(r.ID, true) // pending, so it can
		}
	}
	m.quiet(t)
	m.advance(40 * time.Minute) // nothing may be left that only time would show
	m.check(t)
	for _, f := range m.audit(t) {
		t.Errorf("audit: %s", f)
	}
	found, checks, err := m.CompareStripe(m.ctx)
	if err != nil || checks == 0 {
		t.Fatalf("compare with Stripe: %v after %d checks", err, checks)
	}
	for _, f := range found {
		t.Errorf("compare with Stripe: %s", f)
	}
	m.outcomes(t)
	m.nothingLeft(t)
}

// quiet does what jobs, sweeps, the hourly comparison and staff do, until there is no
// more to do. Pages of holds whose time still runs are left alone.
func (m *model) quiet(t *rapid.T) {
	t.Helper()
	for round := range 8 {
		busy := one[bool](m.shop, `SELECT EXISTS (SELECT 1 FROM refunds WHERE event_id = $1 AND state <> 'succeeded')
			OR EXISTS (SELECT 1 FROM payments p JOIN holds h ON h.id = p.hold_id
			            WHERE p.event_id = $1 AND p.state IN ('creating', 'open') AND (h.expires_at <= now() OR $2 = 1))
			OR EXISTS (SELECT 1 FROM river_job WHERE kind <> 'end_payment')`, m.ev.ID, round)
		if round > 0 && !busy {
			return
		}
		failed := one[[]int64](m.shop, `SELECT coalesce(array_agg(id), '{}') FROM refunds WHERE state = 'failed' AND event_id = $1`, m.ev.ID)
		for _, id := range failed {
			m.allow(t, "retry refund", m.RetryRefund(m.ctx, id), domain.ErrConflict)
		}
		for _, j := range m.queue(t) {
			if err := m.work(j); err != nil {
				m.allow(t, "job "+j.Kind, err)
			}
		}
		m.allow(t, "sweep", m.Sweep(m.ctx))
		if err := m.Reconcile(m.ctx); err != nil {
			t.Fatalf("reconcile with Stripe well again: %v", err)
		}
	}
}

// outcomes: every paid session led to its tickets or to all of the money back, and
// those that were paid in time led to tickets.
func (m *model) outcomes(t *rapid.T) {
	t.Helper()
	all := m.attempts(t)
	for _, line := range m.sim.Ledger() {
		x, _ := m.sim.Session(line.SessionID)
		a := all[paymentID(x)]
		m.seen["outcome "+a.Outcome]++
		booked := a.Outcome == "booked" && a.Tickets == a.Rows && a.Rows > 0 && a.Price == line.Taken
		switch {
		case booked && (line.Refunded == line.Taken-a.Valid-a.Kept || m.byHand):
		case !booked && line.Refunded == line.Taken:
		default:
			t.Errorf("payment %d took %d: %q with %d of %d tickets, %d of them valid, %d kept, %d back", a.ID, line.Taken, a.Outcome, a.Tickets, a.Rows, a.Valid, a.Kept, line.Refunded)
		}
		if m.promised[a.ID] && !booked {
			t.Errorf("payment %d was paid in time and ended as %q", a.ID, a.Outcome)
		}
	}
	for _, a := range all {
		if a.Amount == 0 {
			m.seen["free"]++
		}
	}
}

func (m *model) nothingLeft(t *rapid.T) {
	t.Helper()
	left := one[[]string](m.shop, `
		SELECT coalesce(array_agg(x), '{}') FROM (
		SELECT 'payment ' || id || ' ' || state x FROM payments WHERE event_id = $1 AND state IN ('creating', 'open', 'refunding')
		UNION ALL SELECT 'refund ' || id || ' ' || state FROM refunds r WHERE event_id = $1 AND state IN ('requested', 'pending')
		UNION ALL SELECT 'hold ' || id || ' ' || state FROM holds WHERE event_id = $1 AND state = 'active'
		UNION ALL SELECT 'seat ' || seat_no || ' ' || state FROM event_seats WHERE event_id = $1 AND state NOT IN ('available', 'booked')
		UNION ALL SELECT 'event ' || id FROM stripe_events WHERE processed_at IS NULL) y`, m.ev.ID)
	for _, x := range left {
		t.Errorf("left unfinished: %s", x)
	}
}
