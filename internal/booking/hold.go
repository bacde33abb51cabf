package booking

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
	"holdfast/internal/failpoint"
)

// Visitor is who chooses. New says that the cookie was made for this very request:
// nothing can be held by it yet.
type Visitor struct {
	Holder domain.Holder
	New    bool
	// Knowing is for staff: they know the rules of the house and decide themselves.
	Knowing bool
	Address Address
	// Aside is called before the request waits for others' work: it gives up its place
	// among those that may ask the database. Called back it has one again; an error means
	// that there is none. nil: there are no places.
	Aside func() (back func(context.Context) error)

	limits domain.Limits // those that count for this choice
}

// Choose makes the visitor's hold on the offer's event exactly these seats: kept
// ones stay, new ones are claimed, dropped ones are released, or nothing changes at
// all. It returns the hold's id, the same one when a hold was running.
//
// Errors: *domain.RuleError (not allowed), *domain.SeatConflict (names the lost
// seats), ErrBusy, ErrSalesClosed, ErrAlreadyPaid (with the hold's id), ErrGateway
// (the visitor's own payment page could not be closed; nothing changed).
func (s *Service) Choose(ctx context.Context, o *Offer, who Visitor, seats []string) (string, error) {
	if err := o.CheckChoice(&seats); err != nil {
		return "", err
	}
	if err := s.houseRules(ctx, o, who, seats); err != nil {
		return "", err
	}
	var err error
	if who.limits, err = s.limits(ctx, o, who); err != nil {
		return "", err
	}
	if err := s.looksFull(ctx, o, who, seats); err != nil {
		return "", err
	}
	if !who.New {
		if id, err := s.closeOwn(ctx, who.Holder, o.Event.ID); err != nil {
			return id, err
		}
	}
	for asked := false; ; asked = true {
		id, err := s.choose(ctx, o, who, seats)
		if !errors.Is(err, domain.ErrConflict) {
			return id, err
		}
		conflict, payers, err := s.whoHas(ctx, o, who.Holder, seats)
		if err != nil {
			return "", err
		}
		if len(conflict.Lost) == 0 { // free again by the time we looked
			if asked {
				return "", domain.ErrBusy
			}
			continue
		}
		if asked || !s.askPayers(ctx, payers) {
			return "", conflict
		}
	}
}

// CheckChoice is what Choose refuses without asking the database: nothing or too much
// chosen, unknown seats, sales that are closed. It puts the seats in order.
func (o *Offer) CheckChoice(seats *[]string) error {
	slices.Sort(*seats)
	*seats = slices.Compact(*seats)
	switch n := len(*seats); {
	case !o.Open():
		return domain.ErrSalesClosed
	case n == 0:
		return &domain.RuleError{Code: "none", Words: "Please choose at least one seat."}
	case n > o.Settings.SeatsPerBooking:
		return &domain.RuleError{Code: "too_many", Seats: *seats,
			Words: fmt.Sprintf("You can book up to %d seats at a time. You chose %d.", o.Settings.SeatsPerBooking, n)}
	}
	for _, no := range *seats {
		c, ok := o.Layout.Seat(no)
		if !ok {
			return &domain.RuleError{Code: "unknown_seat", Words: "One of the seats does not exist here. Please choose again."}
		}
		if _, ok := o.Fares.Default(c.Zone); !ok {
			return &domain.RuleError{Code: "no_fare", Words: fmt.Sprintf("Seat %s is not on sale. Please choose another.", no)}
		}
	}
	o.Layout.SortSeats(*seats)
	return nil
}

// closeOwn closes a payment page the visitor has open for this event: the choice is
// about to change under it. It returns the hold's id with ErrAlreadyPaid.
func (s *Service) closeOwn(ctx context.Context, holder domain.Holder, eventID int64) (string, error) {
	ids, err := s.db.ActiveHolds(ctx, holder, eventID)
	if err != nil {
		return "", err
	}
	for _, id := range ids {
		settled, err := s.closeLive(ctx, id)
		if err != nil {
			return id, err
		}
		if settled == Booked {
			return id, domain.ErrAlreadyPaid
		}
	}
	return "", nil
}

func (s *Service) choose(ctx context.Context, o *Offer, who Visitor, seats []string) (id string, err error) {
	if who.New && who.limits == (domain.Limits{}) {
		return s.openFirst(ctx, o, who, seats)
	}
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.LockHolder(ctx, who.Holder); err != nil {
			return err
		}
		if err := lockAddress(ctx, t, who); err != nil {
			return err
		}
		own, err := lockOwn(ctx, t, who.Holder, o.Event.ID)
		if err != nil {
			return err
		}
		sale, err := t.ShareSale(ctx, o.Event.ID, o.Ride.From, o.Settings.SalesCloseMinutes)
		if err != nil {
			return err
		}
		if err := stillOffered(o, sale); err != nil {
			return err
		}
		current, err := s.current(ctx, t, own)
		if err != nil {
			return err
		}
		if err := withinLimits(ctx, t, o, who, current, seats); err != nil {
			return err
		}
		if current != nil {
			id, err = current.ID, s.change(ctx, t, o, current, seats)
		} else {
			id, err = s.open(ctx, t, o, sale.Now, who, seats)
		}
		if err == nil {
			err = noteLimits(ctx, t, o, who, id, current, seats)
		}
		failpoint.If(err == nil, "hold.before_commit")
		return err
	})
	return id, err
}

// stillOffered compares an offer, which may be a second old, with the event that is shared
// now: whether it may be sold, and whether it shows its seat plan.
func stillOffered(o *Offer, now db.Sale) error {
	switch {
	case now.Status != "published" || !now.Open:
		return domain.ErrSalesClosed
	case now.Plan != o.Event.LayoutVersionID:
		return domain.ErrBusy
	}
	return nil
}

// whyNot says why an event is not on sale as it was offered.
func (s *Service) whyNot(ctx context.Context, o *Offer) error {
	now, err := s.Offer(ctx, o.Event.ID, &o.Ride)
	switch {
	case err != nil:
		return err
	case !now.Open():
		return domain.ErrSalesClosed
	}
	return domain.ErrBusy // another seat plan: look again
}

// samePlan checks, once the event is shared, that the offer still shows its seat plan: a
// seat may have become another meanwhile. domain.ErrBusy: look again.
func samePlan(ctx context.Context, t *db.Tx, o *Offer) error {
	plan, err := t.PlanOfEvent(ctx, o.Event.ID)
	if err == nil && plan != o.Event.LayoutVersionID {
		return domain.ErrBusy
	}
	return err
}

// lockOwn locks the visitor's unfinished holds on the event and reads them.
func lockOwn(ctx context.Context, t *db.Tx, holder domain.Holder, eventID int64) ([]*domain.Hold, error) {
	ids, err := t.ActiveHolds(ctx, holder, eventID)
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	var out []*domain.Hold
	for _, id := range ids {
		if err := t.LockHold(ctx, id); err != nil {
			return nil, err
		}
		h, err := t.Hold(ctx, id)
		if err != nil {
			return nil, err
		}
		if h.State == "active" {
			out = append(out, h)
		}
	}
	return out, nil
}

// current is the running hold among the visitor's own; those whose time is over are
// released: "the same seats again" must find its own seats free even in their grace.
func (s *Service) current(ctx context.Context, t *db.Tx, own []*domain.Hold) (*domain.Hold, error) {
	var running *domain.Hold
	for _, h := range own {
		switch {
		case h.PaymentState.Live():
			return nil, domain.ErrBusy // a payment began since we closed the last one
		case h.Phase() == domain.PhaseHeld:
			running = h
		default:
			if err := s.giveBack(ctx, t, h); err != nil {
				return nil, err
			}
		}
	}
	return running, nil
}

// giveBack ends a locked hold and frees the seats it still has.
func (s *Service) giveBack(ctx context.Context, t *db.Tx, h *domain.Hold) error {
	if err := t.ReleaseSeats(ctx, claimOf(h)); err != nil {
		return err
	}
	return t.SetHoldState(ctx, h.ID, "released")
}

// open makes a new hold. What the visitor typed for this event before is kept.
func (s *Service) open(ctx context.Context, t *db.Tx, o *Offer, now time.Time, who Visitor, seats []string) (string, error) {
	if err := s.withinLimit(ctx, t, o, who.Holder, seats); err != nil {
		return "", err
	}
	last, err := s.lastTyped(ctx, t.Queries, who.Holder, o.Event.ID)
	if err != nil {
		return "", err
	}
	h := db.NewHold{
		ID: newUUID(), EventID: o.Event.ID, Ride: o.Ride, Channel: "web", Holder: who.Holder, ExpiresAt: now.Add(o.Settings.Window()),
		Currency: o.Event.Currency, TaxBP: o.Event.TaxBP, Fares: o.Fares, Name: last.Name, Email: last.Email, Phone: last.Phone,
	}
	lines := s.lines(o.Layout, o.Fares, seats, last)
	h.Total = sum(lines)
	claim := db.Claim{EventID: h.EventID, HoldID: h.ID, Seats: seats, Ride: o.Ride}
	if err := t.ClaimSeats(ctx, claim, h.ExpiresAt.Add(o.Settings.Grace())); err != nil {
		return "", err
	}
	return h.ID, t.InsertHold(ctx, h, lines)
}

func (s *Service) withinLimit(ctx context.Context, t *db.Tx, o *Offer, holder domain.Holder, seats []string) error {
	n, err := t.LiveHoldsElsewhere(ctx, holder, o.Event.ID)
	if err != nil || n < o.Settings.LiveHoldsPerVisitor {
		return err
	}
	return &domain.RuleError{Code: "too_many_holds", Seats: seats, Words: fmt.Sprintf(
		"You are already holding seats for %d other bookings. Please finish or let go of one of them first.", n)}
}

// change gives a running hold another set of seats or another ride. A changed set
// gets a full window, counted like an extension; the same set leaves the end alone.
func (s *Service) change(ctx context.Context, t *db.Tx, o *Offer, h *domain.Hold, seats []string) error {
	old := h.SeatNos()
	o.Layout.SortSeats(old)
	if slices.Equal(old, seats) && h.Ride == o.Ride {
		return nil
	}
	fares := h.Fares // the prices of the hold stay the hold's
	if h.Ride != o.Ride {
		fares = o.Fares
	}
	ends, extended := h.ExpiresAt, h.Extended
	if extended < o.Settings.MaxExtensions {
		ends, extended = latest(ends, h.Now.Add(o.Settings.Window())), extended+1
	}
	until := ends.Add(o.Settings.Grace())
	claim := db.Claim{EventID: h.EventID, HoldID: h.ID, Seats: seats, Ride: o.Ride}
	if err := t.LockChange(ctx, claim, old); err != nil {
		return err
	}
	if err := t.ClaimSeats(ctx, claim, until); err != nil {
		return err
	}
	if err := t.KeepOnly(ctx, claim, old); err != nil {
		return err
	}
	lines := s.lines(o.Layout, fares, seats, h)
	if err := t.ChangeHold(ctx, db.NewHold{
		ID: h.ID, Ride: o.Ride, ExpiresAt: ends, Extended: extended, Total: sum(lines), Currency: h.Currency, TaxBP: h.TaxBP, Fares: fares,
	}); err != nil {
		return err
	}
	return t.PutHoldSeats(ctx, h.EventID, h.ID, lines)
}

// lines are the seats with their prices: the ticket types and names of before where
// the seat was among them, else the zone's first type.
func (s *Service) lines(l *domain.Layout, fares domain.Fares, seats []string, before *domain.Hold) []domain.HoldSeat {
	out := make([]domain.HoldSeat, 0, len(seats))
	for _, no := range seats {
		c, _ := l.Seat(no)
		fare, _ := fares.Default(c.Zone)
		line := domain.HoldSeat{SeatNo: no, Zone: c.Zone, Type: fare.Type, Price: fare.Price}
		for _, b := range before.Seats {
			if b.SeatNo != no {
				continue
			}
			line.Passenger, line.Woman = b.Passenger, b.Woman
			if f, ok := fares.Price(c.Zone, b.Type); ok {
				line.Type, line.Price = f.Type, f.Price
			}
		}
		out = append(out, line)
	}
	return out
}

func sum(lines []domain.HoldSeat) int64 {
	var n int64
	for _, l := range lines {
		n += l.Price
	}
	return n
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// newUUID draws a random (version 4) UUID.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
