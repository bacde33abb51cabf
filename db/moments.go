package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Moment is one thing that happened to a booking.
type Moment struct {
	At       time.Time
	Kind     string // hold, asked, received, closed, booked, mail, sent, refund, refund_done, refund_failed, dispute, dispute_closed, checked_in
	ID       int64  // of the payment, refund, mail or ticket; 0 where there is none
	Amount   int64
	Currency string
	Words    string // channel, tender, kind of mail, reason, state, seat
	More     string // the error, the address
	Who      string // the name of a staff member, else ""
}

// What staff did is in the log of changes, with their names; here is what no line of it
// tells. A check-in is in both where the door wrote one.
const momentsSQL = `
WITH b AS (SELECT id, hold_id, event_id, reference, channel, total, currency, created_at FROM bookings WHERE id = @booking),
     p AS (SELECT x.id, x.tender, x.amount, x.currency, x.received, x.created_at, x.received_at, x.staff_id FROM payments x JOIN b ON x.hold_id = b.hold_id),
     r AS (SELECT x.id, x.amount, x.currency, x.reason, x.state, x.error, x.created_at, x.updated_at, x.staff_id FROM refunds x JOIN p ON p.id = x.payment_id),
     m AS (SELECT x.id, x.kind, x.to_address, x.state, x.error, x.created_at, x.sent_at FROM mails x
            WHERE x.booking_id = @booking OR x.payment_id IN (SELECT id FROM p) OR x.refund_id IN (SELECT id FROM r))
SELECT z.at, z.kind, z.id, z.amount, z.currency, z.words, z.more, coalesce(s.name, '') AS who FROM (
  SELECT h.created_at AS at, 1 AS step, 'hold' AS kind, 0::bigint AS id, h.total AS amount, h.currency, h.channel AS words, '' AS more,
         CASE WHEN h.holder ~ '^staff:[0-9]{1,18}$' THEN substr(h.holder, 7)::bigint END AS staff_id
    FROM holds h JOIN b ON b.hold_id = h.id
  UNION ALL SELECT created_at, 2, 'asked', id, amount, currency, tender, '', staff_id FROM p WHERE tender = 'stripe'
  UNION ALL SELECT received_at, 3, 'received', id, received, currency, tender, '', staff_id FROM p WHERE received_at IS NOT NULL
  UNION ALL SELECT created_at, 4, 'booked', id, total, currency, channel, reference, NULL FROM b
  UNION ALL SELECT created_at, 5, 'mail', id, 0, '', kind, CASE state WHEN 'failed' THEN to_address || ': ' || error ELSE to_address END, NULL FROM m
  UNION ALL SELECT sent_at, 6, 'sent', id, 0, '', kind, to_address, NULL FROM m WHERE sent_at IS NOT NULL
  UNION ALL SELECT created_at, 5, 'refund', id, amount, currency, reason, '', staff_id FROM r
  UNION ALL SELECT updated_at, 6, 'refund_done', id, amount, currency, reason, '', NULL FROM r WHERE state = 'succeeded'
  UNION ALL SELECT updated_at, 6, 'refund_failed', id, amount, currency, reason, error, NULL FROM r WHERE state = 'failed'
  UNION ALL SELECT d.created_at, 5, 'dispute', p.id, d.amount, d.currency, d.status, '', NULL FROM disputes d JOIN p ON p.id = d.payment_id
  UNION ALL SELECT d.updated_at, 6, 'dispute_closed', p.id, d.amount, d.currency, d.status, '', NULL FROM disputes d JOIN p ON p.id = d.payment_id WHERE d.closed
  UNION ALL SELECT t.checked_in_at, 7, 'checked_in', t.id, 0, '', t.seat_no, '', NULL
    FROM tickets t JOIN b ON t.event_id = b.event_id AND t.booking_id = b.id
   WHERE t.checked_in_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM audit_log a WHERE a.subject = 'booking:' || b.id AND a.action = 'check in')) z
  LEFT JOIN staff s ON s.id = z.staff_id
 ORDER BY z.at, z.step, z.id`

// Moments lists what happened to a booking from its hold on, oldest first.
func (q Queries) Moments(ctx context.Context, bookingID int64) ([]Moment, error) {
	return rows[Moment](ctx, q.q, momentsSQL, pgx.StrictNamedArgs{"booking": bookingID})
}
