package booking_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/stripesim"
)

// model is what the test itself knows about one run, besides the shop.
type model struct {
	*shop
	who       []domain.Holder
	hold      map[domain.Holder]string // the last one each of them was given
	runs      map[string]time.Duration // hold → when its countdown ends, while its owner kept it
	now       time.Duration            // virtual, since the run began
	promised  map[int64]bool           // payments made while the page was open: they must end in tickets
	cancelled bool                     // the event
	sold      int                      // bookings made before that
	byHand    bool                     // a refund was made in Stripe's pages
	faulty    bool                     // Stripe failed at least once
	seen      map[string]int           // what happened, over all runs
}

var errGateway = []error{domain.ErrGateway, domain.ErrGatewayRefused}

// allow fails the run on an error that the step may not have. Stripe's failures are
// allowed once it was told to fail.
func (m *model) allow(t *rapid.T, step string, err error, may ...error) {
	t.Helper()
	if m.faulty {
		may = append(may, errGateway...)
	}
	var rule *domain.RuleError
	var lost *domain.SeatConflict
	ok := err == nil || errors.As(err, &rule) || errors.As(err, &lost) || slices.ContainsFunc(may, func(x error) bool { return errors.Is(err, x) })
	if !ok {
		t.Fatalf("%s: %v", step, err)
	}
	m.count(step, err)
}

func (m *model) count(step string, err error) {
	var rule *domain.RuleError
	var lost *domain.SeatConflict
	switch {
	case err == nil:
		m.seen[step]++
	case errors.As(err, &lost):
		m.seen[step+": seats taken"]++
	case errors.As(err, &rule):
		m.seen[step+": "+rule.Code]++
	default:
		m.seen[step+": no"]++
	}
}

// customer draws one who has a hold; without any the step is not one. Nothing is drawn
// before that is known: rapid takes other skips for rejections and ends the run.
func (m *model) customer(t *rapid.T) (domain.Holder, string) {
	var who []domain.Holder
	for _, x := range m.who {
		if m.hold[x] != "" {
			who = append(who, x)
		}
	}
	x := pick(t, "customer", who)
	return x, m.hold[x]
}

func pick[T any](t *rapid.T, what string, from []T) T {
	if len(from) == 0 {
		t.Skip("no " + what)
	}
	return from[rapid.IntRange(0, len(from)-1).Draw(t, what)]
}

func (m *model) steps() map[string]func(*rapid.T) {
	steps := map[string]func(*rapid.T){"": m.check}
	for _, x := range []struct {
		name   string
		weight int
		do     func(*rapid.T)
	}{
		{"choose", 4, m.chooses}, {"details", 1, m.details}, {"pay", 5, m.pays}, {"extend", 1, m.extends}, {"release", 1, m.releases},
		{"return", 1, m.returns}, {"stranger", 1, m.stranger}, {"pay at Stripe", 8, m.paysAtStripe}, {"late", 1, m.paysLate}, {"decline", 1, m.declines},
		{"webhook", 3, m.webhook}, {"job", 4, m.job}, {"periodic", 2, m.periodic}, {"staff", 2, m.staff}, {"bank", 1, m.refundEnds},
		{"time", 2, m.time}, {"fault", 1, m.fault}, {"faults off", 1, func(*rapid.T) { m.sim.SetFaults(nil) }},
	} {
		for i := range x.weight {
			steps[fmt.Sprint(x.name, " ", i)] = x.do
		}
	}
	return steps
}

// periodic is what runs by the clock.
func (m *model) periodic(t *rapid.T) {
	switch rapid.SampledFrom([]string{"sweep", "end", "tidy", "reconcile"}).Draw(t, "periodic") {
	case "sweep":
		m.allow(t, "sweep", m.Sweep(m.ctx))
	case "end":
		for _, id := range m.ids(`SELECT coalesce(array_agg(id ORDER BY id), '{}') FROM payments WHERE event_id = $1`) {
			_, err := m.EndPayment(m.ctx, id)
			m.allow(t, "end payment", err)
		}
	case "tidy":
		m.allow(t, "tidy", m.Tidy(m.ctx))
	case "reconcile":
		m.allow(t, "reconcile", m.Reconcile(m.ctx))
	}
}

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

func (m *model) ids(sql string) []int64 {
	m.t.Helper()
	return one[[]int64](m.shop, sql, m.ev.ID)
}

func (m *model) chooses(t *rapid.T) {
	m.choosesFor(t, rapid.SampledFrom(m.who).Draw(t, "customer"))
}

func (m *model) choosesFor(t *rapid.T, who domain.Holder) {
	seats := rapid.SliceOfNDistinct(rapid.SampledFrom(m.ev.Seats), 1, 3, rapid.ID[string]).Draw(t, "seats")
	had := m.hold[who]
	id, err := m.choose(who, seats...)
	m.allow(t, "choose", err, domain.ErrSalesClosed, domain.ErrAlreadyPaid)
	if err != nil {
		return
	}
	ends, running := m.runs[had]
	switch running = running && ends > m.now; {
	case running && id == had:
		if h := m.look(t, who, id); h.ExpiresAt.Sub(h.Now) > 9*time.Minute {
			m.runs[id] = max(ends, m.now+10*time.Minute) // a changed choice gets a full window
		}
	case running && one[int](m.shop, `SELECT count(*) FROM payments WHERE hold_id = $1 AND outcome IS NOT NULL`, had) == 0:
		t.Fatalf("%s had a running hold and was given another", who)
	default:
		m.runs[id] = m.now + 10*time.Minute
	}
	m.hold[who] = id
	h := m.look(t, who, id)
	slices.Sort(seats)
	got := h.SeatNos()
	if slices.Sort(got); !slices.Equal(got, seats) || h.SeatsHeld != len(seats) || h.Phase() != domain.PhaseHeld {
		t.Fatalf("chose %v, the hold is %s with %v, %d held", seats, h.Phase(), got, h.SeatsHeld)
	}
}

func (m *model) look(t *rapid.T, who domain.Holder, id string) *domain.Hold {
	t.Helper()
	h, err := m.Look(m.ctx, who, id)
	if err != nil {
		t.Fatalf("look: %v", err)
	}
	return h
}

func (m *model) details(t *rapid.T) {
	who, id := m.customer(t)
	d := details()
	d.Types = map[string]string{}
	for _, no := range m.ev.Seats {
		d.Types[no] = rapid.SampledFrom([]string{"adult", "child"}).Draw(t, "type")
	}
	m.allow(t, "details", m.SetDetails(m.ctx, who, id, d), domain.ErrHoldEnded, domain.ErrAlreadyPaid)
}

func (m *model) pays(t *rapid.T) {
	who, id := m.customer(t)
	before := m.look(t, who, id)
	if rapid.IntRange(0, 9).Draw(t, "mind") > 0 { // what people do first when they mind what they do
		if before.Phase().Ended() {
			m.choosesFor(t, who)
			id = m.hold[who]
			before = m.look(t, who, id)
		}
		if !before.Detailed && before.Phase() == domain.PhaseHeld {
			m.allow(t, "details", m.SetDetails(m.ctx, who, id, details()))
		}
	}
	_, err := m.Pay(m.ctx, who, id)
	m.allow(t, "pay", err, domain.ErrHoldEnded, domain.ErrAlreadyPaid, domain.ErrDetailsMissing, domain.ErrSalesClosed)
	if ended := before.Phase().Ended(); err == nil && (ended || m.cancelled) {
		t.Fatalf("sent to pay for a hold that is %s, event cancelled: %v", before.Phase(), m.cancelled)
	}
}

func (m *model) extends(t *rapid.T) {
	who, id := m.customer(t)
	err := m.Extend(m.ctx, who, id)
	m.allow(t, "extend", err, domain.ErrHoldEnded, domain.ErrAlreadyPaid, domain.ErrNoExtensions)
	if err == nil && !m.cancelled {
		m.runs[id] = m.now + 10*time.Minute
	}
}

func (m *model) releases(t *rapid.T) {
	who, id := m.customer(t)
	_, err := m.Release(m.ctx, who, id)
	m.allow(t, "release", err, domain.ErrAlreadyPaid)
	if err == nil {
		delete(m.runs, id)
	}
}

func (m *model) returns(t *rapid.T) {
	who, id := m.customer(t)
	settled, err := m.Return(m.ctx, who, id)
	m.allow(t, "return", err)
	made := one[int](m.shop, `SELECT count(*) FROM tickets t JOIN bookings b ON b.id = t.booking_id WHERE b.hold_id = $1`, id)
	if err == nil && (settled == booking.Booked) != (made > 0) {
		t.Fatalf("told %q with %d tickets made", settled, made)
	}
}

// stranger tries everything with somebody else's hold: it is not there for them.
func (m *model) stranger(t *rapid.T) {
	who, id := m.customer(t)
	other := m.who[(slices.Index(m.who, who)+1)%len(m.who)]
	_, look := m.Look(m.ctx, other, id)
	_, pay := m.Pay(m.ctx, other, id)
	_, release := m.Release(m.ctx, other, id)
	_, back := m.Return(m.ctx, other, id)
	for what, err := range map[string]error{"look": look, "pay": pay, "release": release, "return": back,
		"extend": m.Extend(m.ctx, other, id), "details": m.SetDetails(m.ctx, other, id, details())} {
		if !errors.Is(err, domain.ErrNotFound) {
			t.Fatalf("a stranger may %s: %v", what, err)
		}
	}
	m.count("stranger", nil)
}

func (m *model) session(t *rapid.T, status string) stripesim.Session {
	return pick(t, status+" page", slices.DeleteFunc(m.sim.Sessions(), func(x stripesim.Session) bool { return x.Status != status }))
}

func (m *model) paysAtStripe(t *rapid.T) {
	x := m.session(t, "open")
	if err := m.sim.Pay(x.ID); err != nil {
		t.Fatal(err)
	}
	m.promised[paymentID(x)] = !m.cancelled
	m.count("at Stripe: pay", nil)
}

// paysLate: money comes in the page's last minute, nobody hears of it, and when the
// page and its two minutes are over somebody else takes seats, perhaps these.
func (m *model) paysLate(t *rapid.T) {
	m.paysAtStripe(t)
	m.advance(38 * time.Minute)
	m.chooses(t)
}

func (m *model) declines(t *rapid.T) {
	if err := m.sim.Decline(m.session(t, "open").ID); err != nil {
		t.Fatal(err)
	}
	m.count("at Stripe: decline", nil)
}

// webhook delivers any event that Stripe ever made: late, twice, in any order. Those
// that are never drawn are lost.
func (m *model) webhook(t *rapid.T) {
	e := pick(t, "event", m.sim.Events())
	m.allow(t, "webhook", m.Receive(m.ctx, e.ID, e.Type, e.Object, false))
}

type jobRow struct {
	ID   int64
	Kind string
	Args json.RawMessage
}

// job works one job of the queue, due or not.
func (m *model) job(t *rapid.T) {
	j := pick(t, "job", m.queue(t))
	m.allow(t, "job "+j.Kind, m.work(j))
}

func (m *model) queue(t *rapid.T) []jobRow {
	rows, err := m.db.Pool().Query(m.ctx, `SELECT id, kind, args FROM river_job ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []jobRow
	for rows.Next() {
		var j jobRow
		if err := rows.Scan(&j.ID, &j.Kind, &j.Args); err != nil {
			t.Fatal(err)
		}
		out = append(out, j)
	}
	return out
}

// work does what the workers of internal/jobs do, and takes the job out of the queue
// when it is done.
func (m *model) work(j jobRow) error {
	var a struct {
		SessionID string `json:"session_id"`
		EventID   any    `json:"event_id"` // Stripe's, or of a cancelled event ours
		ObjectID  string `json:"object_id"`
		PaymentID int64  `json:"payment_id"`
		RefundID  int64  `json:"refund_id"`
	}
	if err := json.Unmarshal(j.Args, &a); err != nil {
		return err
	}
	done, err := true, error(nil)
	event, _ := a.EventID.(string)
	switch j.Kind {
	case domain.SettleJob{}.Kind():
		err = m.WorkEvent(m.ctx, a.SessionID, event)
	case domain.EndPaymentJob{}.Kind():
		err = m.FinishPayment(m.ctx, a.PaymentID)
	case domain.RefundJob{}.Kind():
		done, err = m.WorkRefund(m.ctx, a.RefundID)
	case domain.RefundNewsJob{}.Kind():
		err = m.WorkRefundNews(m.ctx, a.ObjectID, event)
	case domain.CancelEventJob{}.Kind():
		err = m.WorkCancelledEvent(m.ctx, m.ev.ID)
	case domain.MailJob{}.Kind(): // internal/mail's
	default:
		err = fmt.Errorf("who works %s?", j.Kind)
	}
	if err == nil && done {
		m.exec(`DELETE FROM river_job WHERE id = $1`, j.ID)
	}
	return err
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
