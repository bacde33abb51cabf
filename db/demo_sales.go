package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// DemoSale is a paid and confirmed booking. Its seats are booked by ConfirmSeats
// for BookingID; total and taxes are the caller's sums.
type DemoSale struct {
	HoldID    string     `json:"hold_id"` // uuid
	EventID   int64      `json:"event_id"`
	BookingID int64      `json:"booking_id"`
	PaymentID int64      `json:"payment_id"`
	Reference string     `json:"reference"`
	From      int        `json:"from_stop"`
	To        int        `json:"to_stop"`
	Channel   string     `json:"channel"`
	Holder    string     `json:"holder"`
	Tender    string     `json:"tender"`
	Name      string     `json:"name"`
	At        time.Time  `json:"at"` // when it was paid
	Total     int64      `json:"total"`
	Tax       int64      `json:"tax"`
	Seats     []DemoSeat `json:"-"`
}

// DemoSeat is one seat of a sale.
type DemoSeat struct {
	HoldID    string `json:"hold_id"`
	SeatNo    string `json:"seat_no"`
	Zone      int    `json:"zone_no"`
	Type      string `json:"ticket_type"`
	Price     int64  `json:"price"`
	Tax       int64  `json:"tax"`
	Passenger string `json:"passenger"`
}

const demoSales = `jsonb_to_recordset(@sales::jsonb)
       AS s(hold_id uuid, event_id bigint, booking_id bigint, payment_id bigint, reference text, from_stop smallint, to_stop smallint,
            channel text, holder text, tender text, name text, at timestamptz, total bigint, tax bigint)
  JOIN events e ON e.id = s.event_id
  JOIN tariffs t ON t.id = e.tariff_id`

const addDemoHoldsSQL = `
INSERT INTO holds (id, event_id, from_stop, to_stop, channel, holder, state, expires_at, total, currency, tax_bp, fares, name, detailed_at, created_at)
SELECT s.hold_id, s.event_id, s.from_stop, s.to_stop, s.channel, s.holder, 'converted', s.at + interval '7 minutes', s.total, t.currency,
       t.tax_bp, o.fares, s.name, s.at - interval '1 minute', s.at - interval '3 minutes'
  FROM ` + demoSales + `
 CROSS JOIN LATERAL (
       SELECT jsonb_agg(jsonb_build_object('zone', f.zone_no, 'type', f.ticket_type, 'name', f.type_name, 'price', f.price)
                        ORDER BY f.zone_no, f.position, f.ticket_type) AS fares
         FROM event_fares f
        WHERE f.event_id = s.event_id AND f.from_stop = s.from_stop AND f.to_stop = s.to_stop) o`

const addDemoPaymentsSQL = `
INSERT INTO payments (id, hold_id, event_id, tender, state, outcome, amount, currency, received, received_at, created_at)
OVERRIDING SYSTEM VALUE
SELECT s.payment_id, s.hold_id, s.event_id, s.tender, 'applied', 'booked', s.total, t.currency, s.total, s.at, s.at
  FROM ` + demoSales

const addDemoBookingsSQL = `
INSERT INTO bookings (id, hold_id, event_id, reference, name, total, currency, tax, channel, created_at)
OVERRIDING SYSTEM VALUE
SELECT s.booking_id, s.hold_id, s.event_id, s.reference, s.name, s.total, t.currency, s.tax, s.channel, s.at
  FROM ` + demoSales

const demoSeats = `jsonb_to_recordset(@seats::jsonb)
       AS s(hold_id uuid, seat_no text, zone_no smallint, ticket_type text, price bigint, tax bigint, passenger text)`

const addDemoHoldSeatsSQL = `
INSERT INTO hold_seats (event_id, hold_id, seat_no, zone_no, ticket_type, price, passenger)
SELECT h.event_id, s.hold_id, s.seat_no, s.zone_no, s.ticket_type, s.price, s.passenger
  FROM ` + demoSeats + ` JOIN holds h ON h.id = s.hold_id`

const addDemoTicketsSQL = `
INSERT INTO tickets (booking_id, event_id, seat_no, from_stop, to_stop, ticket_type, price, tax, passenger)
SELECT b.id, b.event_id, s.seat_no, h.from_stop, h.to_stop, s.ticket_type, s.price, s.tax, s.passenger
  FROM ` + demoSeats + ` JOIN holds h ON h.id = s.hold_id JOIN bookings b ON b.hold_id = h.id
 ORDER BY b.id, s.seat_no`

const addDemoTicketLegsSQL = `
INSERT INTO ticket_legs (ticket_id, event_id, seat_no, leg)
SELECT t.id, t.event_id, t.seat_no, l.leg
  FROM tickets t, generate_series(t.from_stop + 1, t.to_stop) AS l(leg)
 WHERE t.booking_id = ANY(@bookings::bigint[])
 ORDER BY t.event_id, t.seat_no, l.leg`

const addDemoLedgerSQL = `
INSERT INTO ledger_entries (entered_at, kind, amount, currency, tax, tender, channel, ticket_type, event_id, booking_id, payment_id, ticket_id)
SELECT b.created_at, x.kind, x.amount, b.currency, x.tax, x.tender, b.channel, x.ticket_type, b.event_id, b.id, p.id, x.ticket_id
  FROM bookings b
  JOIN payments p ON p.hold_id = b.hold_id
 CROSS JOIN LATERAL (
       SELECT 'payment' AS kind, p.received AS amount, 0 AS tax, p.tender, '' AS ticket_type, NULL::bigint AS ticket_id
       UNION ALL
       SELECT 'sale', t.price, t.tax, '', t.ticket_type, t.id FROM tickets t WHERE t.booking_id = b.id) x
 WHERE b.id = ANY(@bookings::bigint[])
 ORDER BY b.created_at, b.id, x.ticket_id NULLS FIRST`

// AddDemoSales stores bookings with holds, payments, tickets and ledger lines,
// whole tables at a time. domain.ErrConflict: a seat is sold twice among them.
func (t *Tx) AddDemoSales(ctx context.Context, sales []DemoSale) error {
	var seats []DemoSeat
	var bookings []int64
	for _, s := range sales {
		seats, bookings = append(seats, s.Seats...), append(bookings, s.BookingID)
	}
	for _, step := range []struct {
		sql, arg string
		value    any
	}{
		{addDemoHoldsSQL, "sales", sales},
		{addDemoHoldSeatsSQL, "seats", seats},
		{addDemoPaymentsSQL, "sales", sales},
		{addDemoBookingsSQL, "sales", sales},
		{addDemoTicketsSQL, "seats", seats},
		{addDemoTicketLegsSQL, "bookings", bookings},
		{addDemoLedgerSQL, "bookings", bookings},
	} {
		if _, err := exec(ctx, t.q, step.sql, pgx.StrictNamedArgs{step.arg: step.value}); err != nil {
			return err
		}
	}
	return nil
}
