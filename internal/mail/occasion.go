package mail

import (
	"context"
	"fmt"
	"strings"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// occasion is one event on one ride, with the words mails use for it.
type occasion struct {
	event  domain.Event
	stops  []domain.EventStop // all stops of a trip, none of a screening
	ride   domain.Ride
	layout *domain.Layout
	house  domain.Settings
}

// sale is a booking with its tickets in the order of the plan.
type sale struct {
	*occasion
	booking db.Booking
	tickets []db.Ticket
}

func (m *Mailer) occasion(ctx context.Context, eventID int64, ride domain.Ride) (*occasion, error) {
	e, err := m.db.Event(ctx, eventID)
	if err != nil {
		return nil, err
	}
	o := &occasion{event: e, ride: ride}
	if o.layout, err = m.db.Layout(ctx, e.LayoutVersionID); err != nil {
		return nil, err
	}
	stored, err := m.db.Settings(ctx)
	if err != nil {
		return nil, err
	}
	o.house, _ = domain.ParseSettings(stored) // a bad value is its default; the sales service logs it
	if e.Kind != domain.Trip {
		return o, nil
	}
	if o.stops, err = m.db.EventStops(ctx, e.ID); err != nil {
		return nil, err
	}
	if ride.From < 0 || ride.From >= ride.To || ride.To >= len(o.stops) {
		return nil, fmt.Errorf("event %d has no stops %d to %d: %w", e.ID, ride.From, ride.To, domain.ErrNotFound)
	}
	return o, nil
}

// sale reads a booking. nil and a booking without tickets are domain.ErrNotFound.
func (m *Mailer) sale(ctx context.Context, bookingID *int64) (*sale, error) {
	if bookingID == nil {
		return nil, fmt.Errorf("the mail names no booking: %w", domain.ErrNotFound)
	}
	b, err := m.db.Booking(ctx, *bookingID)
	if err != nil {
		return nil, err
	}
	tickets, err := m.db.Tickets(ctx, b.ID)
	if err != nil {
		return nil, err
	}
	if len(tickets) == 0 {
		return nil, fmt.Errorf("booking %d has no tickets: %w", b.ID, domain.ErrNotFound)
	}
	o, err := m.occasion(ctx, b.EventID, domain.Ride{From: tickets[0].FromStop, To: tickets[0].ToStop})
	if err != nil {
		return nil, err
	}
	return &sale{o, b, inPlanOrder(o.layout, tickets)}, nil
}

func inPlanOrder(l *domain.Layout, tickets []db.Ticket) []db.Ticket {
	nos, bySeat := make([]string, len(tickets)), map[string][]db.Ticket{}
	for i, t := range tickets {
		nos[i] = t.SeatNo
		bySeat[t.SeatNo] = append(bySeat[t.SeatNo], t)
	}
	l.SortSeats(nos)
	out := make([]db.Ticket, 0, len(tickets))
	for _, no := range nos { // a seat may stand twice: cancelled and sold again
		out = append(out, bySeat[no][0])
		bySeat[no] = bySeat[no][1:]
	}
	return out
}

// paidFor reads a payment, its hold and what they are about.
func (m *Mailer) paidFor(ctx context.Context, paymentID *int64) (db.Payment, *domain.Hold, *occasion, error) {
	if paymentID == nil {
		return db.Payment{}, nil, nil, fmt.Errorf("the mail names no payment: %w", domain.ErrNotFound)
	}
	p, err := m.db.Payment(ctx, *paymentID)
	if err != nil {
		return p, nil, nil, err
	}
	h, err := m.db.Hold(ctx, p.HoldID)
	if err != nil {
		return p, nil, nil, err
	}
	o, err := m.occasion(ctx, h.EventID, h.Ride)
	return p, h, o, err
}

func (o *occasion) trip() bool { return o.event.Kind == domain.Trip }

// from and to are the ends of a trip's ride.
func (o *occasion) from() domain.EventStop { return o.stops[o.ride.From] }
func (o *occasion) to() domain.EventStop   { return o.stops[o.ride.To] }

func (o *occasion) title() string {
	if o.trip() {
		return o.from().Place + " to " + o.to().Place
	}
	return o.event.Film
}

// boards is when people must be there, on the wall clock of the place.
func (o *occasion) boards() time.Time {
	if o.trip() {
		return format.In(o.from().DepartsAt, o.from().TimeZone)
	}
	return format.In(o.event.StartsAt, o.event.TimeZone)
}

// open says whether seats can still be bought online.
func (o *occasion) open() bool {
	return o.event.Status == "published" && o.event.Now.Before(domain.ClosesAt(o.event, o.boards(), o.house))
}

// headline is for subjects: "Salt Road, Sat 5 Dec 19:30". The zone stands inside.
func (o *occasion) headline() string {
	return o.title() + ", " + format.ShortDay(o.boards()) + " " + format.Clock(o.boards())
}

// moment is a wall clock that leaves no doubt: "Sat 5 Dec 2026, 06:30, Rome time".
func moment(t time.Time, zone string) string {
	local := format.In(t, zone)
	return format.Day(local) + ", " + format.Clock(local) + ", " + format.Zone(zone)
}

func (o *occasion) about() views.MailEvent {
	if o.trip() {
		return views.MailEvent{Title: o.title(), Facts: o.tripFacts(), Notes: o.tripNotes()}
	}
	return views.MailEvent{
		Title: o.title(),
		Facts: []views.Fact{
			{Name: "When", Text: moment(o.event.StartsAt, o.event.TimeZone)},
			{Name: "Where", Text: joined(o.event.Resource, o.house.VenueName, o.house.Address)},
		},
		Notes: o.screeningNotes(),
	}
}

func (o *occasion) tripFacts() []views.Fact {
	from, to := o.from(), o.to()
	facts := []views.Fact{
		{Name: "From", Text: joined(from.Place, from.Address)},
		{Name: "Leaves", Text: moment(from.DepartsAt, from.TimeZone)},
		{Name: "To", Text: joined(to.Place, to.Address)},
		{Name: "Arrives", Text: moment(to.ArrivesAt, to.TimeZone)},
	}
	if o.event.Resource != "" {
		facts = append(facts, views.Fact{Name: "Vehicle", Text: joined(o.event.Resource, o.event.ResourceNote)})
	}
	return facts
}

func (o *occasion) tripNotes() []string {
	var notes []string
	from := o.from()
	if o.house.BoardingNoticeMin > 0 {
		by := format.In(from.DepartsAt.Add(-time.Duration(o.house.BoardingNoticeMin)*time.Minute), from.TimeZone)
		notes = append(notes, "Please be at the stop by "+format.Clock(by)+", "+format.Zone(from.TimeZone)+".")
	}
	for _, s := range []domain.EventStop{from, o.to()} {
		if s.Note != "" {
			notes = append(notes, s.Place+": "+s.Note)
		}
	}
	return notes
}

func (o *occasion) screeningNotes() []string {
	ends := format.In(o.event.EndsAt, o.event.TimeZone)
	notes := []string{"The film ends about " + format.Clock(ends) + ", " + format.Zone(o.event.TimeZone) + "."}
	if o.event.Certificate != "" {
		notes = append(notes, "Certificate: "+o.event.Certificate+".")
	}
	return notes
}

func (o *occasion) frame(subject string) views.MailFrame {
	return views.MailFrame{Subject: subject, House: joined(o.house.VenueName, o.house.Address), Phone: o.house.Phone}
}

// where is a seat in words: "Row H, seat 9", "Seat 4C". A seat that its plan does not
// know is named by its key.
func (o *occasion) where(seatNo string) string {
	if c, ok := o.layout.Seat(seatNo); ok {
		return o.layout.Where(c)
	}
	return "Seat " + seatNo
}

func (o *occasion) seats(nos []string) []string {
	o.layout.SortSeats(nos)
	out := make([]string, len(nos))
	for i, no := range nos {
		out[i] = o.where(no)
	}
	return out
}

func (s *sale) reference() string { return domain.ShowReference(s.booking.Reference) }

func (s *sale) paid() string {
	if s.booking.Total == 0 {
		return ""
	}
	return money(s.booking.Total, s.booking.Currency)
}

// seatWords names the seats that are valid; all of them when the booking was cancelled.
func (s *sale) seatWords() []string {
	var out []string
	for _, t := range s.tickets {
		if t.State == "valid" || s.booking.State == "cancelled" {
			out = append(out, s.where(t.SeatNo))
		}
	}
	return out
}

// seatsShort is for the subject: "H9 H10", or how many when there are more than four.
func (s *sale) seatsShort() string {
	if len(s.tickets) > 4 {
		return format.Count(len(s.tickets), "seat")
	}
	var nos []string
	for _, t := range s.tickets {
		nos = append(nos, t.SeatNo)
	}
	return strings.Join(nos, " ")
}

func money(amount int64, currency string) string { return format.Money(amount, currency) }

// list joins places whose names have commas in them: "Row H, seat 9; Row H, seat 10".
func list(places []string) string { return strings.Join(places, "; ") }

func joined(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, ", ")
}
