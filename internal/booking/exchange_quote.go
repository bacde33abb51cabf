package booking

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Quote is what an exchange would cost, before anybody decides.
type Quote struct {
	Given      []Ticket // back, in the order of their plan
	Lines      []domain.HoldSeat
	Worth      int64 // of what is given back, as far as its money is still here
	Price      int64 // of the new seats
	Difference int64 // Price - Worth: to be paid, or negative what goes back
	Back       []BackPart
}

// QuoteExchange works an exchange out as Exchange would do it now. *domain.RuleError when
// it would be refused.
func (s *Service) QuoteExchange(ctx context.Context, f *File, o *Offer, x Exchange) (*Quote, error) {
	_, tickets, err := s.givenBack(ctx, x)
	if err != nil {
		return nil, err
	}
	kept := keptPrices(o, tickets)
	seats, err := s.counterSeats(o, x.Seats, kept)
	if err != nil {
		return nil, err
	}
	if err := exchangeable(tickets, seats); err != nil {
		return nil, err
	}
	if o.Event.Currency != f.Booking.Currency {
		return nil, errOtherCurrency
	}
	q := &Quote{Given: tickets, Lines: s.counterLines(o, CounterSale{Seats: x.Seats, kept: kept}, seats, nil)}
	for i, t := range tickets {
		q.Worth += t.Price
		q.Lines[i].Passenger = t.Passenger
	}
	q.Worth, q.Price = min(q.Worth, f.Left), sum(q.Lines)
	q.Difference = q.Price - q.Worth
	q.Back = f.partsAfter(min(q.Worth, q.Price), -min(q.Difference, 0))
	return q, nil
}

var errOtherCurrency = &domain.RuleError{Code: "currency", Words: "These tickets were paid in another currency. Cancel them and sell new ones."}

// partsAfter is Parts of what is left once carry of it went into another booking.
func (f *File) partsAfter(carry, back int64) []BackPart {
	all := f.Parts(carry + back)
	for i := range all { // both take the newest payment first
		n := min(carry, all[i].Amount)
		carry -= n
		all[i].Amount -= n
	}
	return slices.DeleteFunc(all, func(p BackPart) bool { return p.Amount == 0 })
}

// givenBack reads the tickets that are given back, in the order of their plan.
func (s *Service) givenBack(ctx context.Context, x Exchange) (db.Booking, []Ticket, error) {
	if len(x.Tickets) == 0 {
		return db.Booking{}, nil, &domain.RuleError{Code: "none", Words: "Please tick the tickets that are given back. Nothing was exchanged."}
	}
	old, err := s.db.Booking(ctx, x.BookingID)
	if err != nil {
		return old, nil, err
	}
	all, err := s.db.Tickets(ctx, old.ID)
	if err != nil {
		return old, nil, err
	}
	tickets := slices.DeleteFunc(all, func(t Ticket) bool { return !slices.Contains(x.Tickets, t.ID) })
	return old, tickets, s.inPlanOrder(ctx, s.db.Queries, old.EventID, tickets)
}

func (s *Service) inPlanOrder(ctx context.Context, q db.Queries, eventID int64, tickets []Ticket) error {
	e, err := q.Event(ctx, eventID)
	if err != nil {
		return err
	}
	l, err := s.layout(ctx, q, e.LayoutVersionID)
	if err != nil {
		return err
	}
	var nos []string
	for _, t := range tickets {
		nos = append(nos, t.SeatNo)
	}
	l.SortSeats(nos)
	slices.SortStableFunc(tickets, func(a, b Ticket) int { return slices.Index(nos, a.SeatNo) - slices.Index(nos, b.SeatNo) })
	return nil
}

// exchangeable refuses what no exchange can be made of.
func exchangeable(tickets []Ticket, seats []string) error {
	for _, t := range tickets {
		if t.State != "valid" {
			return &domain.RuleError{Code: "gone", Seats: []string{t.SeatNo}, Words: "The ticket of seat " + t.SeatNo + " is not valid any more. Nothing was exchanged."}
		}
		if t.CheckedInAt != nil {
			return &domain.RuleError{Code: "in", Seats: []string{t.SeatNo}, Words: "The ticket of seat " + t.SeatNo + " came in already. If that was a mistake, take the check-in back first. Nothing was exchanged."}
		}
	}
	if len(seats) != len(tickets) {
		return &domain.RuleError{Code: "number", Words: fmt.Sprintf("%d of the old tickets are given back and %d new seats chosen: please choose as many. Nothing was exchanged.", len(tickets), len(seats))}
	}
	return nil
}

// given says whether a seat of the offer is one of those that are given back.
func given(o *Offer, tickets []Ticket, seat string) bool {
	return slices.ContainsFunc(tickets, func(t Ticket) bool { return t.EventID == o.Event.ID && t.SeatNo == seat })
}

func ticketIDs(tickets []Ticket) (ids []int64) {
	for _, t := range tickets {
		ids = append(ids, t.ID)
	}
	return ids
}

// keptPrice is what was paid for a ticket of a zone and type: it stays the price when the
// ticket is exchanged within its event.
type keptPrice struct {
	zone  int
	kind  string
	price int64
}

func (k keptPrice) like(x keptPrice) bool { return x.zone == k.zone && x.kind == k.kind }

func keptPrices(o *Offer, tickets []Ticket) (out []keptPrice) {
	for _, t := range tickets {
		c, ok := o.Layout.Seat(t.SeatNo)
		if ok && t.EventID == o.Event.ID && o.Ride == (domain.Ride{From: t.FromStop, To: t.ToStop}) {
			out = append(out, keptPrice{c.Zone, t.TicketType, t.Price})
		}
	}
	return out
}

// keepPrice puts the price of one kept ticket into the fare and answers those left.
func keepPrice(kept []keptPrice, zone int, kind string, f *domain.Fare) []keptPrice {
	i := slices.IndexFunc(kept, keptPrice{zone: zone, kind: kind}.like)
	if i < 0 {
		return kept
	}
	f.Type, f.Price = kind, kept[i].price
	return slices.Delete(kept, i, i+1)
}

// ExchangeSeats reads the map for an exchange: the seats of the tickets that are given back
// are free too.
func (s *Service) ExchangeSeats(ctx context.Context, o *Offer, tickets []Ticket) (*Seats, error) {
	x, err := s.Seats(ctx, o, "")
	if err != nil {
		return nil, err
	}
	for no := range x.Taken {
		if given(o, tickets, no) {
			delete(x.Taken, no)
		}
	}
	return x, nil
}

// ExchangedFor follows an exchanged ticket to the one that is good now, alone in its
// booking; nil when it was not exchanged.
func (s *Service) ExchangedFor(ctx context.Context, t Ticket) (*Sale, error) {
	if t.ExchangedTicket == nil {
		return nil, nil
	}
	for range 50 { // nobody exchanges more often; what is odd ends somewhere
		if t.ExchangedTicket == nil {
			break
		}
		next, err := s.db.Ticket(ctx, *t.ExchangedEvent, *t.ExchangedTicket)
		if err != nil {
			return nil, err
		}
		t = next
	}
	b, err := s.db.Booking(ctx, t.BookingID)
	if err != nil {
		return nil, err
	}
	x := &Sale{Booking: b, Tickets: []Ticket{t}}
	return x, s.scene(ctx, x)
}

// ExchangeDone is the booking that a form with this key made before, false for none.
func (s *Service) ExchangeDone(ctx context.Context, who Seller, key string) (id int64, ok bool, err error) {
	result, err := s.db.ActDone(ctx, key, who.StaffID, "exchange")
	if err != nil || result == "" {
		return 0, false, ignore(err, domain.ErrNotFound)
	}
	id, err = strconv.ParseInt(result, 10, 64)
	return id, err == nil, err
}
