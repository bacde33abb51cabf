package booking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Exchange gives tickets of a booking back for seats of the same or another event.
type Exchange struct {
	Key       string // of the form: the same key again is the same exchange
	BookingID int64
	Tickets   []int64           // that are given back
	Seats     map[string]string // seat_no → ticket type of what is taken instead, "" for the zone's first
	Tenders   []Tender          // what the new seats cost more, all of it; empty otherwise
	Words     string            // why, as somebody typed it
	Blocked   bool              // blocked seats are given knowingly
	// Shown is the difference that the person saw: what is to be paid, or negative what
	// goes back. Nil: none was shown. Another one is ErrAmountChanged.
	Shown *int64
}

// Exchange moves a customer to other seats in one transaction: the new seats are the
// customer's before the old ones are anybody else's, or nothing changes. What the new
// ones cost more is taken by the seller; what they cost less goes back as it came. The
// worth of the old tickets becomes a payment of the new booking with the tender
// exchange, and later refunds of it reach the card that paid first. Within an event a
// ticket of the same zone and type stays at what was paid for it.
//
// Errors as Sell; ErrConflict when a ticket is not valid any more; ErrNoShift only when
// money changes hands at the counter.
func (s *Service) Exchange(ctx context.Context, o *Offer, who Seller, x Exchange) (bookingID int64, err error) {
	if x.Words = tidyText(x.Words, 500); x.Words == "" {
		return 0, &domain.RuleError{Code: "reason", Words: "Please say why: it stays in the log with your name. Nothing was exchanged."}
	}
	old, tickets, err := s.givenBack(ctx, x)
	if err != nil {
		return 0, err
	}
	seats, err := s.counterSeats(o, x.Seats, keptPrices(o, tickets))
	if err != nil {
		return 0, err
	}
	for asked := false; ; asked = true {
		err := s.db.InTx(ctx, func(t *db.Tx) error {
			bookingID, err = s.exchangeIn(ctx, t, o, who, x, old, seats)
			return err
		})
		if !errors.Is(err, errTaken) {
			return bookingID, err
		}
		others := slices.DeleteFunc(slices.Clone(seats), func(no string) bool { return given(o, tickets, no) })
		conflict, payers, err := s.whoHas(ctx, o, who.Holder(), others)
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

func (s *Service) exchangeIn(ctx context.Context, t *db.Tx, o *Offer, who Seller, x Exchange, old db.Booking, seats []string) (int64, error) {
	done, again, err := t.BeginAct(ctx, x.Key, who.StaffID, "exchange")
	if err != nil {
		return 0, err
	}
	if again {
		return strconv.ParseInt(done, 10, 64)
	}
	till, err := openTill(ctx, t, &who)
	if err != nil && !errors.Is(err, domain.ErrNoShift) {
		return 0, err
	}
	if err != nil {
		till = nil
	}
	paid, old, err := lockSold(ctx, t, old)
	if err != nil {
		return 0, err
	}
	tickets, err := s.chosen(ctx, t, Cancel{BookingID: old.ID, Tickets: x.Tickets})
	if err != nil {
		return 0, err
	}
	if err := s.inPlanOrder(ctx, t.Queries, old.EventID, tickets); err != nil {
		return 0, err
	}
	if err := exchangeable(tickets, seats); err != nil {
		return 0, err
	}
	h, err := s.swapSeats(ctx, t, o, who, x, paid[0], till, old, tickets, seats)
	if err != nil {
		return 0, err
	}
	id, err := s.moveMoney(ctx, t, h, till, who, x, paid, tickets)
	if err != nil {
		return 0, err
	}
	if err := t.ExchangeTickets(ctx, old, ticketIDs(tickets), o.Event.ID, id, seats); err != nil {
		return 0, err
	}
	return id, s.endExchange(ctx, t, who, x, old, id, h)
}

// swapSeats frees the old seats and claims the new ones. All rows of an event are locked
// first, in key order, the smaller event before the larger.
func (s *Service) swapSeats(ctx context.Context, t *db.Tx, o *Offer, who Seller, x Exchange, p db.Payment, till *tillOf, old db.Booking, tickets []db.Ticket, seats []string) (*domain.Hold, error) {
	byEvent := map[int64][]string{o.Event.ID: slices.Clone(seats)}
	for _, k := range tickets {
		byEvent[old.EventID] = append(byEvent[old.EventID], k.SeatNo)
	}
	events := []int64{min(o.Event.ID, old.EventID)}
	if o.Event.ID != old.EventID {
		events = append(events, max(o.Event.ID, old.EventID))
	}
	for _, e := range events {
		if _, err := t.ShareEvent(ctx, e); err != nil {
			return nil, err
		}
	}
	for _, e := range events {
		if err := t.LockSeats(ctx, e, byEvent[e]); err != nil {
			return nil, err
		}
	}
	if err := s.cancelIn(ctx, t, p, till, old, tickets); err != nil {
		return nil, err
	}
	c := CounterSale{Seats: x.Seats, Name: old.Name, Email: old.Email, Phone: old.Phone, Blocked: x.Blocked, Passengers: map[string]string{}, kept: keptPrices(o, tickets)}
	for i, no := range seats { // names go along in the order of the plan
		if i < len(tickets) {
			c.Passengers[no] = tickets[i].Passenger
		}
	}
	if len(seats) == 1 && len(tickets) == 1 { // what a woman who travels alone asked for goes along too
		c.Women = map[string]bool{seats[0]: tickets[0].WomenBeside}
	}
	return s.counterClaim(ctx, t, o, who, c, seats)
}

// moveMoney pays the new booking: with what the old tickets were worth, then with what
// the seller takes; or gives back what is too much. It answers the new booking.
func (s *Service) moveMoney(ctx context.Context, t *db.Tx, h *domain.Hold, till *tillOf, who Seller, x Exchange, paid []db.Payment, tickets []db.Ticket) (int64, error) {
	var worth, left int64
	for _, k := range tickets {
		worth += k.Price
	}
	lefts := make([]int64, len(paid))
	for i, p := range paid {
		if p.Currency != h.Currency {
			return 0, &domain.RuleError{Code: "currency", Words: "These tickets were paid in another currency. Cancel them and sell new ones."}
		}
		var err error
		if lefts[i], err = s.left(ctx, t, p); err != nil {
			return 0, err
		}
		left += lefts[i]
	}
	worth = min(worth, left)
	carry := min(worth, h.Total)
	if x.Shown != nil && *x.Shown != h.Total-worth {
		return 0, ErrAmountChanged
	}
	if err := exchangeFits(x.Tenders, h.Total-carry, till); err != nil {
		return 0, err
	}
	payments, err := s.carryOver(ctx, t, h, till, who, x, paid, lefts, carry)
	if err != nil {
		return 0, err
	}
	if _, err := s.spread(ctx, t, paid, lefts, till, worth-carry, "exchange"); err != nil {
		return 0, err
	}
	return s.book(ctx, t, h, payments...)
}

// exchangeFits says whether the parts are the difference.
func exchangeFits(parts []Tender, more int64, till *tillOf) error {
	var n int64
	for _, p := range parts {
		if p.Kind != "cash" && p.Kind != "terminal" || p.Amount <= 0 {
			return &domain.RuleError{Code: "tender", Words: "The difference is paid in cash or by card. Nothing was exchanged."}
		}
		if p.Tendered != 0 && p.Tendered < p.Amount {
			return &domain.RuleError{Code: "short", Words: "That is less than the difference. Nothing was exchanged."}
		}
		n += p.Amount
	}
	if n != more {
		return &domain.RuleError{Code: "sum", Words: "What is paid is not the difference in price. Nothing was exchanged."}
	}
	if n > 0 && till == nil {
		return domain.ErrNoShift
	}
	return nil
}

// carryOver turns part of what the old payments have left into payments of the new
// booking, the newest first, and adds what the seller takes. lefts goes down by it.
func (s *Service) carryOver(ctx context.Context, t *db.Tx, h *domain.Hold, till *tillOf, who Seller, x Exchange, paid []db.Payment, lefts []int64, carry int64) (payments []int64, err error) {
	parts := slices.Clone(x.Tenders)
	for i := len(paid) - 1; i >= 0 && carry > 0; i-- {
		part := min(carry, lefts[i])
		if part <= 0 {
			continue
		}
		p := paid[i]
		id, err := t.InsertRefund(ctx, p.ID, part, p.Currency, "exchange")
		if err != nil {
			return nil, err
		}
		if err := t.RefundByExchange(ctx, id); err != nil {
			return nil, err
		}
		if err := t.LedgerRefund(ctx, id); err != nil {
			return nil, err
		}
		back := Tender{Kind: "exchange", Amount: part, Words: cameBy(p)}
		if p.StripePaymentIntentID != nil {
			back.Intent = *p.StripePaymentIntentID
		}
		parts = append(parts, back)
		lefts[i], carry = lefts[i]-part, carry-part
	}
	if len(parts) == 0 { // free seats for what was worth nothing
		parts = []Tender{{Kind: "exchange"}}
	}
	for _, p := range parts {
		var shift *int64
		if till != nil { // the new tickets count to the till that takes the old ones back
			shift = &till.shift
		}
		id, err := t.InsertTender(ctx, h, p, shift, who.StaffID)
		if err != nil {
			return nil, err
		}
		payments = append(payments, id)
	}
	return payments, nil
}

// cameBy is the tender that a payment's money came by first.
func cameBy(p db.Payment) string {
	if p.Tender == "exchange" {
		return p.Description
	}
	return p.Tender
}

func (s *Service) endExchange(ctx context.Context, t *db.Tx, who Seller, x Exchange, old db.Booking, id int64, h *domain.Hold) error {
	if err := t.SoldBy(ctx, id, who.StaffID); err != nil {
		return err
	}
	if err := t.Exchanged(ctx, id, old.ID); err != nil {
		return err
	}
	before := map[string]any{"booking": old.Reference, "tickets": x.Tickets}
	after := confirmed(map[string]any{"booking": id, "event": h.EventID, "seats": h.SeatNos(), "total": h.Total, "reason": x.Words}, who.Confirmed)
	for _, b := range []int64{old.ID, id} {
		if err := t.Log(ctx, who.By, "exchange", fmt.Sprintf("booking:%d", b), before, after); err != nil {
			return err
		}
	}
	return t.EndAct(ctx, x.Key, strconv.FormatInt(id, 10))
}
