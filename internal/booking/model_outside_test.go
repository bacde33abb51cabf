package booking_test

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/stripesim"
)

// staff is what people of the house do.
func (m *model) staff(t *rapid.T) {
	switch rapid.SampledFrom([]string{"fares", "retry", "by hand", "tickets", "revive", "fares", "retry", "by hand", "tickets", "revive", "cancel"}).Draw(t, "staff") {
	case "fares":
		m.changesFares(t)
	case "retry":
		for _, id := range m.ids(`SELECT coalesce(array_agg(id ORDER BY id), '{}') FROM refunds WHERE event_id = $1`) {
			m.allow(t, "retry refund", m.RetryRefund(m.ctx, id), domain.ErrConflict)
		}
	case "by hand":
		m.refundsByHand()
	case "tickets":
		m.cancelsTickets(t)
	case "revive":
		m.revives(t)
	case "cancel":
		m.cancels(t)
	}
}

// cancelsTickets gives a booking's money back in full, in part or not at all.
func (m *model) cancelsTickets(t *rapid.T) {
	ids := m.ids(`SELECT coalesce(array_agg(id ORDER BY id), '{}') FROM bookings WHERE event_id = $1`)
	if len(ids) == 0 {
		return
	}
	c := booking.Cancel{BookingID: ids[rapid.IntRange(0, len(ids)-1).Draw(t, "booking")], Reason: "staff", By: "staff:1", Words: "asked"}
	if part := rapid.SampledFrom([]int64{-1, 0, 500, 5000}).Draw(t, "back"); part >= 0 {
		c.Refund = &part
	}
	m.allow(t, "cancel tickets", m.CancelTickets(m.ctx, c), domain.ErrConflict)
}

// revives gives a customer on the phone the last hold back.
func (m *model) revives(t *rapid.T) {
	who := rapid.SampledFrom(m.who).Draw(t, "customer")
	if id := m.hold[who]; id != "" {
		err := m.Revive(m.ctx, id, "staff:1", "")
		m.allow(t, "revive", err, domain.ErrConflict, domain.ErrSalesClosed)
		if err == nil {
			m.runs[id] = m.now + 10*time.Minute
		}
	}
}

// changesFares: holds keep the prices they were made with; free and too cheap to be
// charged are among the new ones.
func (m *model) changesFares(t *rapid.T) {
	price := rapid.SampledFrom([]int64{0, 30, 700, 1200}).Draw(t, "price")
	kind := rapid.SampledFrom([]string{"adult", "child"}).Draw(t, "type")
	m.exec(`UPDATE fares SET price = $3 WHERE ticket_type = $2 AND tariff_id = (SELECT tariff_id FROM events WHERE id = $1)`, m.ev.ID, kind, price)
	m.count("fares", nil)
}

// cancels ends the event: what was paid before and not settled goes back.
func (m *model) cancels(t *rapid.T) {
	if all := m.sim.Sessions(); len(all) > 0 && rapid.Bool().Draw(t, "paid first") {
		_ = m.sim.Pay(all[len(all)-1].ID) // if it is open
	}
	m.allow(t, "cancel", m.CancelEvent(m.ctx, m.ev.ID, "staff:1", "", "no projector"))
	m.cancelled = true
	m.sold = one[int](m.shop, `SELECT count(*) FROM bookings WHERE event_id = $1`, m.ev.ID)
	clear(m.runs)
	for id := range m.promised {
		m.promised[id] = m.promised[id] && one[int64](m.shop, `SELECT received FROM payments WHERE id = $1`, id) > 0
	}
}

// refundEnds: the bank has its word about a refund, perhaps a second one.
func (m *model) refundEnds(t *rapid.T) {
	r := pick(t, "refund", slices.DeleteFunc(m.sim.Refunds(), func(r stripesim.Refund) bool { return r.Status == "failed" }))
	if err := m.sim.FinishRefund(r.ID, rapid.Bool().Draw(t, "well")); err != nil {
		t.Fatal(err)
	}
	m.count("refund ends", nil)
}

// refundsByHand gives the oldest payment back in Stripe's own pages.
func (m *model) refundsByHand() {
	for _, x := range m.sim.Ledger() {
		if _, err := m.sim.DashboardRefund(x.PaymentIntent, x.Taken); err == nil { // refused when it is back already
			m.byHand = true
			m.count("refund by hand", nil)
			return
		}
	}
}

// time: a little, a countdown's end, the end of the grace, the end of a payment page.
func (m *model) time(t *rapid.T) {
	d := rapid.SampledFrom([]time.Duration{3 * time.Minute, 3 * time.Minute, 3 * time.Minute, 11 * time.Minute, 13 * time.Minute, 36 * time.Minute, 38 * time.Minute}).Draw(t, "time")
	m.advance(d)
	m.count("time", nil)
}

func (m *model) advance(d time.Duration) {
	m.now += d
	m.pass(d)
	for id := range m.promised { // two minutes after the page's end others may have the seats
		m.promised[id] = m.promised[id] && one[bool](m.shop, `SELECT received > 0 OR created_at > now() - interval '37 minutes' FROM payments WHERE id = $1`, id)
	}
}

// fault makes Stripe fail at the next call of a kind, so often that the client gives
// up or so rarely that its own repeats hide it.
func (m *model) fault(t *rapid.T) {
	m.faulty = true
	m.sim.SetFaults(append(m.sim.Faults(), stripesim.Fault{
		Kind: rapid.SampledFrom([]stripesim.Kind{stripesim.FailBefore, stripesim.FailAfter, stripesim.FailSaved, stripesim.DropBefore,
			stripesim.DropAfter, stripesim.RateLimit, stripesim.RefundPending, stripesim.RefundRefused}).Draw(t, "kind"),
		Op: rapid.SampledFrom([]string{"", stripesim.OpCreateSession, stripesim.OpGetSession, stripesim.OpExpireSession,
			stripesim.OpCreateRefund, stripesim.OpGetRefund, stripesim.OpListRefunds}).Draw(t, "op"),
		Times: rapid.SampledFrom([]int{1, 3, 6}).Draw(t, "times"),
	}))
	m.count("fault", nil)
}
