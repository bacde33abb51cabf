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
