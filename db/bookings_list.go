package db

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// BookingLine is one booking of the staff list.
type BookingLine struct {
	ID         int64
	Reference  string
	State      string
	Name       string
	Email      string
	Phone      string
	Total      int64
	Currency   string
	Channel    string
	CreatedAt  time.Time
	Title      string // film, or route
	StartsAt   time.Time
	TimeZone   string
	Seats      []string // of all tickets, cancelled ones too
	Cancelled  int      // tickets
	GoingBack  int64    // asked for, not there yet
	SentBack   int64
	Failed     bool // a refund failed
	MailFailed bool
}

// The page is cut out of bookings first; what is told of each is read for it alone.
const bookingLines = `
SELECT b.id, b.reference, b.state, b.name, b.email, b.phone, b.total, b.currency, b.channel, b.created_at,
       coalesce(f.title, o.name, '') AS title, e.starts_at, e.time_zone, t.seats, t.cancelled,
       r.going_back, r.sent_back, r.failed,
       EXISTS (SELECT 1 FROM mails m WHERE m.booking_id = b.id AND m.kind = 'tickets' AND m.state = 'failed') AS mail_failed
  FROM page b
  JOIN events e ON e.id = b.event_id
  LEFT JOIN films f ON f.id = e.film_id
  LEFT JOIN routes o ON o.id = e.route_id
 CROSS JOIN LATERAL (
       SELECT coalesce(array_agg(t.seat_no ORDER BY t.id), '{}') AS seats, count(*) FILTER (WHERE t.state = 'cancelled') AS cancelled
         FROM tickets t WHERE t.booking_id = b.id) t
 CROSS JOIN LATERAL (
       SELECT coalesce(sum(r.amount) FILTER (WHERE r.state IN ('requested', 'pending')), 0)::bigint AS going_back,
              coalesce(sum(r.amount) FILTER (WHERE r.state = 'succeeded'), 0)::bigint AS sent_back,
              coalesce(bool_or(r.state = 'failed'), false) AS failed
         FROM payments p JOIN refunds r ON r.payment_id = p.id WHERE p.hold_id = b.hold_id) r
 ORDER BY b.id DESC`

const newestBookingsSQL = `
WITH page AS MATERIALIZED (
  SELECT b.* FROM bookings b WHERE b.id < @before ORDER BY b.id DESC LIMIT @n)` + bookingLines

// NewestBookings lists n bookings with ids below before, newest first.
func (q Queries) NewestBookings(ctx context.Context, before int64, n int) ([]BookingLine, error) {
	return rows[BookingLine](ctx, q.q, newestBookingsSQL, pgx.StrictNamedArgs{"before": before, "n": n})
}

const bookingsByIDSQL = `
WITH page AS MATERIALIZED (
  SELECT b.* FROM bookings b WHERE b.id = ANY(@ids) AND b.id < @before ORDER BY b.id DESC LIMIT @n)` + bookingLines

// BookingsByID is NewestBookings among some.
func (q Queries) BookingsByID(ctx context.Context, ids []int64, before int64, n int) ([]BookingLine, error) {
	return rows[BookingLine](ctx, q.q, bookingsByIDSQL, pgx.StrictNamedArgs{"ids": ids, "before": before, "n": n})
}

// The key is walked backwards until the page is full: what nobody has is looked for
// once through the table, a tenth of a second for 200,000 bookings.
const bookingsLikeSQL = `
WITH page AS MATERIALIZED (
  SELECT b.* FROM bookings b
   WHERE b.id < @before
     AND (b.id = ANY(@ids)
          OR CASE WHEN @digits = '' THEN strpos(lower(b.name || chr(10) || b.email), @text) > 0
                  ELSE b.phone <> '' AND strpos(translate(b.phone, ' -()+./', ''), @digits) > 0 END)
   ORDER BY b.id DESC LIMIT @n)` + bookingLines

// BookingsLike is NewestBookings among those of ids and those whose phone has the digits
// or, without digits, whose name or e-mail has the text (in small letters).
func (q Queries) BookingsLike(ctx context.Context, text, digits string, ids []int64, before int64, n int) ([]BookingLine, error) {
	return rows[BookingLine](ctx, q.q, bookingsLikeSQL, pgx.StrictNamedArgs{"text": text, "digits": digits, "ids": ids, "before": before, "n": n})
}

const bookingsPhonedSQL = `
SELECT b.id FROM bookings b
 WHERE b.phone <> '' AND reverse(translate(b.phone, ' -()+./', '')) ~>=~ @from AND reverse(translate(b.phone, ' -()+./', '')) ~<~ @to
 ORDER BY b.id DESC LIMIT 1000`

// BookingsPhoned finds the bookings whose phone ends in some digits, at least one.
func (q Queries) BookingsPhoned(ctx context.Context, digits string) ([]int64, error) {
	turned := []byte(digits)
	slices.Reverse(turned)
	after := slices.Clone(turned)
	after[len(after)-1]++ // the first text that does not begin so
	return q.bookingIDs(ctx, bookingsPhonedSQL, pgx.StrictNamedArgs{"from": string(turned), "to": string(after)})
}

// A seat_no may begin with its section: "C1" is also BALC-C1.
const bookingsPlacedSQL = `
SELECT b.id FROM events e JOIN bookings b ON b.event_id = e.id
 WHERE (@event::bigint = 0 OR e.id = @event) AND (@day::date IS NULL OR e.business_day = @day)
   AND (@seat = '' OR EXISTS (
        SELECT 1 FROM tickets t
         WHERE t.event_id = e.id AND t.booking_id = b.id AND (upper(t.seat_no) = @seat OR right(upper(t.seat_no), length(@seat) + 1) = '-' || @seat)))
 ORDER BY b.id DESC LIMIT 5000`

// BookingsPlaced finds the bookings of an event (0: of any) or a business day (nil: of
// any), among them those of a seat in capitals ("": all). One of the first two is given.
func (q Queries) BookingsPlaced(ctx context.Context, event int64, day *time.Time, seat string) ([]int64, error) {
	return q.bookingIDs(ctx, bookingsPlacedSQL, pgx.StrictNamedArgs{"event": event, "day": day, "seat": seat})
}

const bookingsWithinSQL = `
WITH page AS MATERIALIZED (
  SELECT b.* FROM bookings b
   WHERE b.id = ANY(@ids) AND b.id < @before
     AND (strpos(lower(b.name || chr(10) || b.email || chr(10) || b.reference), @text) > 0
          OR @digits <> '' AND strpos(translate(b.phone, ' -()+./', ''), @digits) > 0)
   ORDER BY b.id DESC LIMIT @n)` + bookingLines

// BookingsWithin is BookingsByID of those that have the text or the digits too.
func (q Queries) BookingsWithin(ctx context.Context, text, digits string, ids []int64, before int64, n int) ([]BookingLine, error) {
	return rows[BookingLine](ctx, q.q, bookingsWithinSQL, pgx.StrictNamedArgs{"text": text, "digits": digits, "ids": ids, "before": before, "n": n})
}

const bookingsExactlySQL = `
SELECT id FROM bookings WHERE reference = @reference
UNION SELECT id FROM bookings WHERE lower(email) = @email
UNION SELECT b.id FROM payments p JOIN bookings b ON b.hold_id = p.hold_id WHERE p.stripe_payment_intent_id = @stripe OR p.stripe_session_id = @stripe
UNION SELECT b.id FROM refunds r JOIN payments p ON p.id = r.payment_id JOIN bookings b ON b.hold_id = p.hold_id WHERE r.stripe_refund_id = @stripe
LIMIT 1000`

// BookingsExactly finds the bookings that something typed names in full: a reference, an
// e-mail in small letters, one of Stripe's ids.
func (q Queries) BookingsExactly(ctx context.Context, reference, email, stripe string) ([]int64, error) {
	return q.bookingIDs(ctx, bookingsExactlySQL, pgx.StrictNamedArgs{"reference": reference, "email": email, "stripe": stripe})
}

// A ticket's key begins with its event, so each event is asked by it.
const bookingsNumberedSQL = `
SELECT id FROM bookings WHERE id = @number
UNION SELECT b.id FROM payments p JOIN bookings b ON b.hold_id = p.hold_id WHERE p.id = @number
UNION SELECT t.booking_id FROM events e CROSS JOIN LATERAL (SELECT booking_id FROM tickets WHERE event_id = e.id AND id = @number OFFSET 0) t`

// BookingsNumbered finds the bookings of a number: their own, a payment's or a ticket's.
func (q Queries) BookingsNumbered(ctx context.Context, number int64) ([]int64, error) {
	return q.bookingIDs(ctx, bookingsNumberedSQL, pgx.StrictNamedArgs{"number": number})
}

func (q Queries) bookingIDs(ctx context.Context, sql string, args pgx.StrictNamedArgs) ([]int64, error) {
	return column[int64](ctx, q.q, sql, args)
}
