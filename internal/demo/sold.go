package demo

import (
	"context"
	"fmt"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// mood is how well an event sells.
type mood struct {
	soldOut bool
	wanted  float64 // the part of seats × legs sold by now
}

// interest is higher in the evening and falls with the days to go.
func (l *loader) interest(start time.Time, prime bool) float64 {
	days := max(start.Sub(l.now).Hours()/24, 0)
	part := 0.08 + 0.14*l.rng.Float64()
	if prime {
		part += 0.15
	}
	return part * (1 - days/12)
}

// sell books the crowd's seats and stores all sales in a few statements.
func (l *loader) sell(ctx context.Context) error {
	var sales []db.DemoSale
	for _, e := range l.events {
		sales = append(sales, l.salesOf(e)...)
	}
	bookings, err := l.tx.DrawIDs(ctx, "bookings", len(sales))
	if err != nil {
		return err
	}
	payments, err := l.tx.DrawIDs(ctx, "payments", len(sales))
	if err != nil {
		return err
	}
	references := l.references(len(sales))
	for i := range sales {
		s := &sales[i]
		s.BookingID, s.PaymentID, s.Reference = bookings[i], payments[i], references[i]
		claim := db.Claim{EventID: s.EventID, HoldID: s.HoldID, Ride: domain.Ride{From: s.From, To: s.To}}
		for _, x := range s.Seats {
			claim.Seats = append(claim.Seats, x.SeatNo)
		}
		if err := l.tx.ConfirmSeats(ctx, claim, s.BookingID); err != nil {
			return fmt.Errorf("book %v of event %d: %w", claim.Seats, s.EventID, err)
		}
	}
	return l.tx.AddDemoSales(ctx, sales)
}

func (l *loader) salesOf(e db.DemoEvent) []db.DemoSale {
	c := newCrowd(l.rng, l.layouts[e.LayoutID], e.LastStop)
	rides := []domain.Ride{{From: 0, To: 1}}
	if e.RouteID != nil {
		rides = l.rides[*e.RouteID]
	}
	if m := l.moods[e.ID]; m.soldOut {
		c.all()
	} else {
		c.some(int(m.wanted*float64(c.layout.Capacity()*c.legs)), rides)
	}
	out := make([]db.DemoSale, len(c.out))
	for i, p := range c.out {
		out[i] = l.sale(e, p)
	}
	return out
}

// sale is a party's booking, paid some time in the last days. Nobody's Stripe knows of
// it: what was bought online counts as paid by card and would go back by hand.
func (l *loader) sale(e db.DemoEvent, p party) db.DemoSale {
	s := db.DemoSale{
		HoldID: l.uuid(), EventID: e.ID, From: p.ride.From, To: p.ride.To, Channel: "web", Holder: "web:demo", Tender: "terminal",
		Name: person(l.rng, false), At: l.paidAt(e.StartsAt),
	}
	if l.rng.IntN(3) == 0 {
		s.Channel, s.Holder, s.Tender = "counter", fmt.Sprintf("staff:%d", l.staff), "cash"
		if l.rng.IntN(2) == 0 {
			s.Tender = "terminal"
		}
	}
	var prices []int64
	for i, cell := range p.seats {
		seat := db.DemoSeat{HoldID: s.HoldID, SeatNo: cell.SeatNo, Zone: cell.Zone, Type: l.ticketType(e, i)}
		if e.RouteID != nil {
			seat.Passenger = person(l.rng, cell.Ladies)
		}
		seat.Price = l.fares[e.TariffID][fareKey{seat.Zone, seat.Type, p.ride}]
		prices, s.Seats = append(prices, seat.Price), append(s.Seats, seat)
	}
	for i, tax := range domain.SplitTax(prices, l.taxBP[e.TariffID]) {
		s.Seats[i].Tax = tax
		s.Total, s.Tax = s.Total+prices[i], s.Tax+tax
	}
	return s
}

// ticketType: the first of a party is grown up.
func (l *loader) ticketType(e db.DemoEvent, i int) string {
	types := []string{"adult", "adult", "adult", "adult", "child", "child", "senior", "student"}
	if e.RouteID != nil {
		types = types[:7]
	}
	t := types[l.rng.IntN(len(types))]
	if i == 0 && t == "child" {
		return "adult"
	}
	return t
}

// paidAt is more often today than days ago, and before the event began.
func (l *loader) paidAt(start time.Time) time.Time {
	last := l.now
	if start.Before(last) {
		last = start
	}
	f := l.rng.Float64()
	return last.Add(-20*time.Minute - time.Duration(f*f*float64(6*24*time.Hour))).Truncate(time.Second)
}

// references are six letters each, no two alike. No booking can have one of them
// yet: without events there are no bookings.
func (l *loader) references(n int) []string {
	const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ3789"
	seen, out := map[string]bool{}, make([]string, 0, n)
	for len(out) < n {
		var b [6]byte
		for i := range b {
			b[i] = letters[l.rng.IntN(len(letters))]
		}
		if r := string(b[:]); !seen[r] {
			seen[r], out = true, append(out, r)
		}
	}
	return out
}

// uuid is a version 4 one from the demo's own numbers.
func (l *loader) uuid() string {
	a, b := l.rng.Uint64(), l.rng.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48&0x3fff|0x8000, b&0xffffffffffff)
}
