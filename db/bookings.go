package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

// NewBooking is what InsertBooking stores.
type NewBooking struct {
	ID                 int64
	HoldID             string
	EventID            int64
	Reference          string // six characters, no dash
	Name, Email, Phone string
	Total, Tax         int64
	Currency, Channel  string
	CancelTerms        string // as domain.CancelTerms writes them
}

const nextBookingSQL = `SELECT nextval(pg_get_serial_sequence('bookings', 'id'))`

// NextBookingID draws the id that InsertBooking stores: seats are booked for it
// before the booking exists, so that a lost seat leaves nothing behind.
func (t *Tx) NextBookingID(ctx context.Context) (int64, error) {
	return scalar[int64](ctx, t.q, nextBookingSQL, nil)
}

const insertBookingSQL = `
INSERT INTO bookings (id, hold_id, event_id, reference, name, email, phone, total, tax, currency, channel, cancel_terms)
OVERRIDING SYSTEM VALUE
VALUES (@id, @hold, @event, @reference, @name, @email, @phone, @total, @tax, @currency, @channel, @terms)
ON CONFLICT (reference) DO NOTHING
RETURNING id`

// InsertBooking stores a confirmed booking; domain.ErrNotFound when the reference
// is in use (make another), domain.ErrConflict when the hold has a booking.
func (t *Tx) InsertBooking(ctx context.Context, b NewBooking) (int64, error) {
	return scalar[int64](ctx, t.q, insertBookingSQL, pgx.StrictNamedArgs{
		"id": b.ID, "hold": b.HoldID, "event": b.EventID, "reference": b.Reference, "name": b.Name, "email": b.Email, "phone": b.Phone,
		"total": b.Total, "tax": b.Tax, "currency": b.Currency, "channel": b.Channel, "terms": b.CancelTerms,
	})
}

const insertTicketsSQL = `
INSERT INTO tickets (booking_id, event_id, seat_no, from_stop, to_stop, ticket_type, price, tax, passenger, women_beside)
SELECT @booking, @event, u.seat_no, @from_stop, @to_stop, u.ticket_type, u.price, u.tax, u.passenger, @women_beside
  FROM unnest(@seats::text[], @types::text[], @prices::bigint[], @taxes::bigint[], @passengers::text[])
       AS u(seat_no, ticket_type, price, tax, passenger)
 ORDER BY u.seat_no`

const insertTicketLegsSQL = `
INSERT INTO ticket_legs (ticket_id, event_id, seat_no, leg)
SELECT t.id, t.event_id, t.seat_no, l.leg
  FROM tickets t, generate_series(t.from_stop + 1, t.to_stop) AS l(leg)
 WHERE t.event_id = @event AND t.booking_id = @booking
 ORDER BY t.seat_no, l.leg`

// InsertTickets makes one ticket per seat and its legs. domain.ErrConflict: the
// unique constraint under everything caught a seat that has an owner.
func (t *Tx) InsertTickets(ctx context.Context, bookingID int64, h *domain.Hold, taxes []int64) error {
	var nos, types, names []string
	var prices []int64
	for _, s := range h.Seats {
		nos, types, names, prices = append(nos, s.SeatNo), append(types, s.Type), append(names, s.Passenger), append(prices, s.Price)
	}
	_, err := exec(ctx, t.q, insertTicketsSQL, pgx.StrictNamedArgs{
		"booking": bookingID, "event": h.EventID, "from_stop": h.Ride.From, "to_stop": h.Ride.To,
		"seats": nos, "types": types, "prices": prices, "taxes": taxes, "passengers": names,
		"women_beside": len(h.Seats) == 1 && h.Seats[0].Woman,
	})
	if err != nil {
		return err
	}
	_, err = exec(ctx, t.q, insertTicketLegsSQL, pgx.StrictNamedArgs{"event": h.EventID, "booking": bookingID})
	return err
}

const ledgerSaleSQL = `
INSERT INTO ledger_entries (kind, amount, currency, tax, channel, ticket_type, event_id, booking_id, payment_id, ticket_id, shift_id, staff_id)
SELECT 'sale', t.price, b.currency, t.tax, b.channel, t.ticket_type, t.event_id, b.id, p.id, t.id, p.shift_id, p.staff_id
  FROM bookings b JOIN tickets t ON t.booking_id = b.id AND t.event_id = b.event_id JOIN payments p ON p.id = @payment
 WHERE b.id = @booking
 ORDER BY t.id`

// LedgerSale enters one sale line per ticket of a new booking.
func (t *Tx) LedgerSale(ctx context.Context, bookingID, paymentID int64) error {
	_, err := exec(ctx, t.q, ledgerSaleSQL, pgx.StrictNamedArgs{"booking": bookingID, "payment": paymentID})
	return err
}

const ledgerPaymentSQL = `
INSERT INTO ledger_entries (kind, amount, currency, tender, channel, event_id, booking_id, payment_id, shift_id, staff_id)
SELECT 'payment', p.received, @currency, p.tender, @channel, p.event_id, @booking, p.id, CASE WHEN p.tender <> 'exchange' THEN p.shift_id END, p.staff_id
  FROM payments p WHERE p.id = @payment AND p.received > 0`

// LedgerPayment enters the money of an attempt in the currency it came in; bookingID nil
// when it bought nothing. What an exchange moved is no money of a till.
func (t *Tx) LedgerPayment(ctx context.Context, paymentID int64, bookingID *int64, currency, channel string) error {
	_, err := exec(ctx, t.q, ledgerPaymentSQL, pgx.StrictNamedArgs{"payment": paymentID, "booking": bookingID, "currency": currency, "channel": channel})
	return err
}

// Booking is a confirmed or cancelled sale.
type Booking struct {
	ID          int64
	HoldID      string
	EventID     int64
	Reference   string
	LinkVersion int
	Name        string
	Email       string
	Phone       string
	State       string
	Total       int64
	Currency    string
	Tax         int64
	Channel     string
	CreatedAt   time.Time

	CancelTerms   *string // that the buyer read; nil: the house's setting counts
	ExchangedFrom *int64  // the booking whose tickets were given back for this one
	StaffNote     string
	Revision      int // of contact and note
}

const bookingColumns = `
SELECT id, hold_id::text, event_id, reference, link_version, name, email, phone, state, total, currency, tax, channel, created_at,
       cancel_terms, exchanged_from, staff_note, revision
  FROM bookings `

const bookingSQL = bookingColumns + `WHERE id = @id`

// Booking reads one; domain.ErrNotFound.
func (q Queries) Booking(ctx context.Context, id int64) (Booking, error) {
	return row[Booking](ctx, q.q, bookingSQL, pgx.StrictNamedArgs{"id": id})
}

const findBookingSQL = bookingColumns + `WHERE reference = @reference AND lower(email) = lower(@email)`

// FindBooking looks a booking up by what its owner knows; domain.ErrNotFound.
func (q Queries) FindBooking(ctx context.Context, reference, email string) (Booking, error) {
	return row[Booking](ctx, q.q, findBookingSQL, pgx.StrictNamedArgs{"reference": reference, "email": email})
}

// Ticket is one seat of a booking.
type Ticket struct {
	ID          int64
	BookingID   int64
	EventID     int64
	SeatNo      string
	FromStop    int
	ToStop      int
	TicketType  string
	TypeName    string
	Price       int64
	Tax         int64
	Passenger   string
	CodeVersion int
	State       string
	CheckedInAt *time.Time
	WomenBeside bool // the seat beside it is kept for women; never shown
	// The ticket that it was exchanged for; nil for every other.
	ExchangedEvent  *int64
	ExchangedTicket *int64
}

const ticketColumns = `
SELECT t.id, t.booking_id, t.event_id, t.seat_no, t.from_stop, t.to_stop, t.ticket_type, y.name AS type_name, t.price, t.tax,
       t.passenger, t.code_version, t.state, t.checked_in_at, t.women_beside, t.exchanged_event, t.exchanged_ticket
  FROM tickets t JOIN ticket_types y ON y.code = t.ticket_type `

const ticketsSQL = ticketColumns + `WHERE t.booking_id = @booking ORDER BY t.id`

// Tickets lists a booking's tickets.
func (q Queries) Tickets(ctx context.Context, bookingID int64) ([]Ticket, error) {
	return rows[Ticket](ctx, q.q, ticketsSQL, pgx.StrictNamedArgs{"booking": bookingID})
}

const ticketSQL = ticketColumns + `WHERE t.event_id = @event AND t.id = @id`

// Ticket reads one; domain.ErrNotFound.
func (q Queries) Ticket(ctx context.Context, eventID, id int64) (Ticket, error) {
	return row[Ticket](ctx, q.q, ticketSQL, pgx.StrictNamedArgs{"event": eventID, "id": id})
}

const womenAloneSQL = `
SELECT DISTINCT t.seat_no
  FROM ticket_legs l JOIN tickets t ON t.event_id = l.event_id AND t.id = l.ticket_id
 WHERE l.event_id = @event AND l.leg BETWEEN @from_leg AND @to_leg AND t.women_beside`

// WomenAlone lists the seats on a ride beside which only women are to sit.
func (q Queries) WomenAlone(ctx context.Context, eventID int64, ride domain.Ride) ([]string, error) {
	return column[string](ctx, q.q, womenAloneSQL, pgx.StrictNamedArgs{"event": eventID, "from_leg": ride.FirstLeg(), "to_leg": ride.LastLeg()})
}
