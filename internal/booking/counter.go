package booking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Seller is the member of staff at the counter.
type Seller struct {
	StaffID   int64
	By        domain.By
	Confirmed string // who confirmed it in place, as the log names them; "" for nobody
}

// confirmed puts a supervisor, "" for nobody, into what the log keeps.
func confirmed(after map[string]any, by string) map[string]any {
	if by != "" {
		after["confirmed_by"] = by
	}
	return after
}

// Holder is how the seats held at the counter name who holds them.
func (s Seller) Holder() domain.Holder { return domain.Holder(fmt.Sprintf("staff:%d", s.StaffID)) }

// Tender is one part of what a customer at the counter pays with.
type Tender = db.Tender

// CounterSale is one sale over the counter.
type CounterSale struct {
	Key    string            // of the form: the same key again is the same sale
	HoldID string            // a running hold of the counter that is sold now; "" for none
	Seats  map[string]string // seat_no → ticket type, "" for the zone's first
	// Tenders add up to the total; a comp stands alone and makes every ticket cost nothing.
	Tenders            []Tender
	Name, Email, Phone string
	Passengers         map[string]string // by seat_no
	Women              map[string]bool   // by seat_no: see domain.HoldSeat
	Blocked            bool              // blocked seats are sold knowingly

	kept []keptPrice // of an exchange: what was paid stays the price
}

// Sell claims the seats, takes the money into the seller's open shift and books, in one
// transaction: a seller's double Enter, Back or second tab is the same sale again. The
// customers' limits do not count here.
//
// Errors: *domain.SeatConflict (names the seats that are gone, nothing was sold),
// *domain.RuleError, ErrNoShift, ErrSalesClosed, ErrBusy, ErrHoldEnded (of HoldID),
// ErrConflict (the key belongs to something else).
func (s *Service) Sell(ctx context.Context, o *Offer, who Seller, c CounterSale) (bookingID int64, err error) {
	seats, err := s.counterSeats(o, c.Seats, nil)
	if err != nil {
		return 0, err
	}
	for asked := false; ; asked = true {
		err := s.db.InTx(ctx, func(t *db.Tx) error {
			bookingID, err = s.sellIn(ctx, t, o, who, c, seats)
			return err
		})
		if !errors.Is(err, errTaken) {
			return bookingID, err
		}
		conflict, payers, err := s.whoHas(ctx, o, who.Holder(), seats)
		if err != nil {
			return 0, err
		}
		if len(conflict.Lost) > 0 && (asked || !s.askPayers(ctx, payers)) {
			return 0, conflict
		}
		if asked {
			return 0, domain.ErrBusy
		}
	}
}

// counterSeats checks the choice and puts it into the plan's order. A type that is not
// sold any more will do where its price is kept.
func (s *Service) counterSeats(o *Offer, types map[string]string, kept []keptPrice) ([]string, error) {
	if len(types) == 0 {
		return nil, &domain.RuleError{Code: "none", Words: "Choose at least one seat."}
	}
	seats := make([]string, 0, len(types))
	for no, kind := range types {
		c, ok := o.Layout.Seat(no)
		if !ok {
			return nil, &domain.RuleError{Code: "unknown_seat", Words: "Seat " + no + " does not exist here. Nothing was sold."}
		}
		if _, ok := fareOf(o.Fares, c.Zone, kind); !ok && !slices.ContainsFunc(kept, keptPrice{zone: c.Zone, kind: kind}.like) {
			return nil, &domain.RuleError{Code: "no_fare", Words: "There is no such ticket for seat " + no + ". Nothing was sold."}
		}
		seats = append(seats, no)
	}
	o.Layout.SortSeats(seats)
	return seats, nil
}

// fareOf is the price of a ticket type in a zone, of the zone's first type for "".
func fareOf(fares domain.Fares, zone int, kind string) (domain.Fare, bool) {
	if kind == "" {
		return fares.Default(zone)
	}
	return fares.Price(zone, kind)
}

func (s *Service) sellIn(ctx context.Context, t *db.Tx, o *Offer, who Seller, c CounterSale, seats []string) (int64, error) {
	done, again, err := t.BeginAct(ctx, c.Key, who.StaffID, "sale")
	if err != nil {
		return 0, err
	}
	if again {
		return strconv.ParseInt(done, 10, 64)
	}
	if err := o.counterOpen(c); err != nil {
		return 0, err
	}
	shift, err := t.ShareShift(ctx, who.StaffID)
	if err != nil {
		return 0, err
	}
	h, err := s.counterClaim(ctx, t, o, who, c, seats)
	if err != nil {
		return 0, err
	}
	if err := tendersFit(c.Tenders, h); err != nil {
		return 0, err
	}
	var payments []int64
	for _, x := range c.Tenders {
		id, err := t.InsertTender(ctx, h, x, &shift, who.StaffID)
		if err != nil {
			return 0, err
		}
		payments = append(payments, id)
	}
	id, err := s.book(ctx, t, h, payments...)
	if err != nil {
		return 0, err
	}
	if err := t.SoldBy(ctx, id, who.StaffID); err != nil {
		return 0, err
	}
	if err := s.logSale(ctx, t, who, c, h, id); err != nil {
		return 0, err
	}
	return id, t.EndAct(ctx, c.Key, strconv.FormatInt(id, 10))
}

// counterClaim makes the hold that is sold or kept: a new one, or a running hold of the
// counter with this very choice. Every seat of it is the seller's when it returns.
func (s *Service) counterClaim(ctx context.Context, t *db.Tx, o *Offer, who Seller, c CounterSale, seats []string) (*domain.Hold, error) {
	id, running := newUUID(), (*domain.Hold)(nil)
	if c.HoldID != "" {
		var err error
		if running, err = s.lockCounterHold(ctx, t, c.HoldID, o.Event.ID); err != nil {
			return nil, err
		}
		id = running.ID
	}
	if status, err := t.ShareEvent(ctx, o.Event.ID); err != nil || status != "published" {
		return nil, firstOf(err, domain.ErrSalesClosed)
	}
	if err := samePlan(ctx, t, o); err != nil {
		return nil, err
	}
	claim := db.Claim{EventID: o.Event.ID, HoldID: id, Seats: seats, Ride: o.Ride}
	if err := s.counterSeatRows(ctx, t, o, running, claim, c); err != nil {
		return nil, err
	}
	lines := s.counterLines(o, c, seats, running)
	h := db.NewHold{
		ID: id, EventID: o.Event.ID, Ride: o.Ride, Channel: "counter", Holder: who.Holder(), ExpiresAt: o.Event.Now.Add(o.Settings.Window()),
		Total: sum(lines), Currency: o.Event.Currency, TaxBP: o.Event.TaxBP, Fares: o.Fares,
		Name: tidyText(c.Name, 200), Email: tidyText(c.Email, 254), Phone: tidyText(c.Phone, 40),
	}
	if err := putCounterHold(ctx, t, running, h, lines); err != nil {
		return nil, err
	}
	return t.Hold(ctx, id)
}

// counterSeatRows takes the seats, blocked ones only knowingly; what a running hold has
// beyond them is freed.
func (s *Service) counterSeatRows(ctx context.Context, t *db.Tx, o *Offer, running *domain.Hold, claim db.Claim, c CounterSale) error {
	if running != nil {
		if err := t.LockChange(ctx, claim, running.SeatNos()); err != nil {
			return err
		}
	}
	if c.Blocked {
		if _, err := t.OpenBlocked(ctx, claim); err != nil {
			return err
		}
	}
	err := t.ClaimSeats(ctx, claim, o.Event.Now.Add(o.Settings.Window()))
	if errors.Is(err, domain.ErrConflict) {
		return errTaken
	}
	if err != nil || running == nil {
		return err
	}
	return t.KeepOnly(ctx, claim, running.SeatNos())
}

// counterLines are the seats with their prices: those of the running hold where it has
// them, for customers keep the price they were told. A comp costs nothing.
func (s *Service) counterLines(o *Offer, c CounterSale, seats []string, running *domain.Hold) []domain.HoldSeat {
	fares := o.Fares
	if running != nil && running.Ride == o.Ride {
		fares = running.Fares
	}
	comp := len(c.Tenders) == 1 && c.Tenders[0].Kind == "comp"
	kept, out := slices.Clone(c.kept), make([]domain.HoldSeat, 0, len(seats))
	for _, no := range seats {
		cell, _ := o.Layout.Seat(no)
		f, ok := fareOf(fares, cell.Zone, c.Seats[no])
		if !ok {
			f, _ = fareOf(o.Fares, cell.Zone, c.Seats[no])
		}
		kept = keepPrice(kept, cell.Zone, cmp.Or(f.Type, c.Seats[no]), &f)
		if comp {
			f.Price = 0
		}
		out = append(out, domain.HoldSeat{SeatNo: no, Zone: cell.Zone, Type: f.Type, Price: f.Price, Passenger: tidyText(c.Passengers[no], 200), Woman: c.Women[no]})
	}
	return out
}

func putCounterHold(ctx context.Context, t *db.Tx, running *domain.Hold, h db.NewHold, lines []domain.HoldSeat) error {
	if running == nil {
		return t.InsertHold(ctx, h, lines)
	}
	if running.Ride == h.Ride {
		h.Fares = running.Fares
	}
	if err := t.ChangeHold(ctx, h); err != nil {
		return err
	}
	if err := t.PutHoldSeats(ctx, h.EventID, h.ID, lines); err != nil {
		return err
	}
	return t.HoldContact(ctx, h)
}

// lockCounterHold locks and reads a running hold of the counter. ErrHoldEnded: its time
// is over, it was sold or let go.
func (s *Service) lockCounterHold(ctx context.Context, t *db.Tx, id string, eventID int64) (*domain.Hold, error) {
	if !isUUID(id) {
		return nil, domain.ErrNotFound
	}
	if err := t.LockHold(ctx, id); err != nil {
		return nil, err
	}
	h, err := t.Hold(ctx, id)
	if err != nil {
		return nil, err
	}
	switch {
	case h.Channel != "counter" || h.EventID != eventID:
		return nil, domain.ErrNotFound
	case h.PaymentState.Live():
		return nil, domain.ErrBusy
	case h.Phase() != domain.PhaseHeld:
		return nil, domain.ErrHoldEnded
	}
	return h, nil
}

// tendersFit says whether the parts are the total.
func tendersFit(parts []Tender, h *domain.Hold) error {
	var n int64
	for _, x := range parts {
		switch {
		case x.Kind != "cash" && x.Kind != "terminal" && x.Kind != "comp":
			return &domain.RuleError{Code: "tender", Words: "Choose cash, card or a free ticket. Nothing was sold."}
		case x.Kind == "comp" && (len(parts) > 1 || x.Words == ""):
			return &domain.RuleError{Code: "comp", Words: "A free ticket needs a reason and stands alone. Nothing was sold."}
		case x.Amount < 0 || x.Amount == 0 && h.Total > 0:
			return &domain.RuleError{Code: "tender", Words: "Each part of the payment needs an amount. Nothing was sold."}
		case x.Tendered != 0 && x.Tendered < x.Amount:
			return &domain.RuleError{Code: "short", Words: "That is less than the price. Nothing was sold."}
		}
		n += x.Amount
	}
	if len(parts) == 0 || n != h.Total {
		return &domain.RuleError{Code: "sum", Words: "The parts of the payment do not add up to the total. Nothing was sold."}
	}
	return nil
}

func (s *Service) logSale(ctx context.Context, t *db.Tx, who Seller, c CounterSale, h *domain.Hold, id int64) error {
	after := map[string]any{"seats": h.SeatNos(), "total": h.Total, "currency": h.Currency}
	for _, x := range c.Tenders {
		if x.Words != "" {
			after["reason"] = x.Words
		}
	}
	if c.Blocked {
		after["blocked"] = true
	}
	return t.Log(ctx, who.By, "counter_sale", "booking:"+strconv.FormatInt(id, 10), nil, confirmed(after, who.Confirmed))
}
