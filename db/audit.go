package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Finding is one row that breaks an invariant.
type Finding struct {
	Invariant string // "1", "2a", …: the number in the house's list
	Table     string
	Key       string
	Words     string
}

func (f Finding) String() string {
	return fmt.Sprintf("finding: %s %s %s: %s", f.Invariant, f.Table, f.Key, f.Words)
}

const auditSoldTwiceSQL = `
SELECT '1' AS invariant, 'tickets' AS table, a.event_id || '/' || a.seat_no AS key,
       'tickets ' || a.id || ' and ' || b.id || ' are both valid on a common leg' AS words
  FROM tickets a JOIN tickets b ON b.event_id = a.event_id AND b.seat_no = a.seat_no AND b.id > a.id
   AND b.from_stop < a.to_stop AND a.from_stop < b.to_stop
 WHERE a.state = 'valid' AND b.state = 'valid'`

const auditBookedWithoutTicketSQL = `
SELECT '2a' AS invariant, 'event_seats' AS table, s.event_id || '/' || s.seat_no || '/' || s.leg AS key,
       'booked for booking ' || s.booking_id || ' without its live ticket' AS words
  FROM event_seats s
 WHERE s.state = 'booked' AND NOT EXISTS (
       SELECT 1 FROM ticket_legs l JOIN tickets t ON t.event_id = l.event_id AND t.id = l.ticket_id AND t.state = 'valid'
        WHERE l.event_id = s.event_id AND l.seat_no = s.seat_no AND l.leg = s.leg AND t.booking_id = s.booking_id)`

const auditTicketWithoutSeatSQL = `
SELECT '2b' AS invariant, 'ticket_legs' AS table, l.event_id || '/' || l.seat_no || '/' || l.leg AS key,
       'ticket ' || l.ticket_id || ' has a seat row that says ' || coalesce(s.state::text, 'nothing') AS words
  FROM ticket_legs l JOIN tickets t ON t.event_id = l.event_id AND t.id = l.ticket_id
  LEFT JOIN event_seats s ON s.event_id = l.event_id AND s.seat_no = l.seat_no AND s.leg = l.leg
 WHERE s.state IS DISTINCT FROM 'booked' OR s.booking_id IS DISTINCT FROM t.booking_id OR t.state <> 'valid'`

const auditTicketLegsSQL = `
SELECT '2b' AS invariant, 'tickets' AS table, t.event_id || '/' || t.id AS key, 'a valid ticket without all of its legs' AS words
  FROM tickets t
 WHERE t.state = 'valid'
   AND (SELECT count(*) FROM ticket_legs l WHERE l.event_id = t.event_id AND l.ticket_id = t.id) <> t.to_stop - t.from_stop`

// What failed refunds should have given back still lies with us; one amount may have
// failed twice, by our hand and by staff's. The payments of one booking, a split
// tender's, are looked at together.
const auditMoneySQL = `
SELECT '3' AS invariant, 'payments' AS table, m.key,
       'received ' || m.received || ', refunds ' || m.back || ', tickets ' || m.live || ', kept or written off ' || m.off AS words
  FROM (SELECT min(p.id)::text AS key, sum(p.received) AS received, sum(p.back) AS back, sum(p.failed) AS failed, sum(p.off) AS off,
               (SELECT coalesce(sum(t.price), 0) FROM bookings b JOIN tickets t ON t.booking_id = b.id AND t.event_id = b.event_id AND t.state = 'valid'
                 WHERE b.hold_id = p.booked) AS live
          FROM (SELECT p.id, p.received, CASE WHEN p.outcome = 'booked' THEN p.hold_id END AS booked,
                       (SELECT coalesce(sum(r.amount), 0) FROM refunds r WHERE r.payment_id = p.id AND r.state <> 'failed') AS back,
                       (SELECT coalesce(sum(r.amount), 0) FROM refunds r WHERE r.payment_id = p.id AND r.state = 'failed') AS failed,
                       (SELECT coalesce(sum(l.amount), 0) FROM ledger_entries l WHERE l.payment_id = p.id AND l.kind IN ('fee', 'write_off')) AS off
                  FROM payments p WHERE p.received > 0) p
         GROUP BY p.booked, CASE WHEN p.booked IS NULL THEN p.id END) m
 WHERE m.received - m.back - m.live - m.off NOT BETWEEN 0 AND m.failed`

const auditUnpaidBookingSQL = `
SELECT '4' AS invariant, 'bookings' AS table, b.id::text AS key, 'confirmed for ' || b.total || ' ' || b.currency || ' without its money' AS words
  FROM bookings b
 WHERE b.state = 'confirmed' AND b.total > 0
   AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.hold_id = b.hold_id AND p.outcome = 'booked' AND p.tender = 'comp')
   AND b.total > (SELECT coalesce(sum(p.received), 0) FROM payments p WHERE p.hold_id = b.hold_id AND p.outcome = 'booked')`

const auditLostMoneySQL = `
SELECT '5' AS invariant, 'payments' AS table, p.id::text AS key, 'received ' || p.received || ' with neither booking nor refund' AS words
  FROM payments p
 WHERE p.received > 0
   AND NOT EXISTS (SELECT 1 FROM refunds r WHERE r.payment_id = p.id)
   AND NOT EXISTS (SELECT 1 FROM bookings b WHERE b.hold_id = p.hold_id AND p.outcome = 'booked')`

const auditLiveTwiceSQL = `
SELECT '6' AS invariant, 'payments' AS table, min(id)::text AS key, count(*) || ' live payments for hold ' || hold_id AS words
  FROM payments WHERE state IN ('creating', 'open') GROUP BY hold_id HAVING count(*) > 1`

const auditRefundedTooMuchSQL = `
SELECT '7' AS invariant, 'payments' AS table, p.id::text AS key, 'refunded ' || sum(r.amount) || ' of ' || p.received AS words
  FROM payments p JOIN refunds r ON r.payment_id = p.id AND r.state <> 'failed'
 GROUP BY p.id HAVING sum(r.amount) > p.received`

const auditStrayHoldSQL = `
SELECT '8' AS invariant, 'event_seats' AS table, s.event_id || '/' || s.seat_no || '/' || s.leg AS key,
       'held by ' || s.hold_id || ', which is ' || coalesce(h.state, 'not there') || ' or not for it' AS words
  FROM event_seats s LEFT JOIN holds h ON h.id = s.hold_id
 WHERE s.state = 'held'
   AND (h.id IS NULL OR h.state <> 'active' OR h.event_id <> s.event_id OR s.leg NOT BETWEEN h.from_stop + 1 AND h.to_stop
        OR NOT EXISTS (SELECT 1 FROM hold_seats x WHERE x.event_id = s.event_id AND x.hold_id = h.id AND x.seat_no = s.seat_no))`

const auditCancelledEventSQL = `
SELECT '9' AS invariant, 'bookings' AS table, b.id::text AS key, 'confirmed for the cancelled event ' || e.id AS words
  FROM bookings b JOIN events e ON e.id = b.event_id
 WHERE b.state = 'confirmed' AND e.status = 'cancelled'`

const auditBookingStateSQL = `
SELECT '10' AS invariant, 'bookings' AS table, b.id::text AS key, b.state || ' with ' || count(t.id) || ' valid tickets' AS words
  FROM bookings b LEFT JOIN tickets t ON t.booking_id = b.id AND t.event_id = b.event_id AND t.state = 'valid'
 GROUP BY b.id, b.state HAVING (b.state = 'confirmed') <> (count(t.id) > 0)`

const auditTicketMailSQL = `
SELECT '11' AS invariant, 'bookings' AS table, b.id::text AS key, count(m.id) || ' ticket mails queued or sent' AS words
  FROM bookings b LEFT JOIN mails m ON m.booking_id = b.id AND m.kind = 'tickets' AND m.state IN ('queued', 'sent')
 WHERE b.state = 'confirmed' AND b.email <> ''
 GROUP BY b.id HAVING count(m.id) <> 1`

const auditLivenessSQL = `
SELECT '12' AS invariant, 'holds' AS table, h.id::text AS key, 'overdue since ' || h.expires_at AS words
  FROM holds h
 WHERE h.state = 'active' AND h.expires_at < now() - interval '12 minutes'
   AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.hold_id = h.id AND p.state IN ('creating', 'open'))
UNION ALL
SELECT '12', 'payments', p.id::text, 'unanswered since ' || p.created_at
  FROM payments p WHERE p.state IN ('creating', 'open') AND p.created_at < now() - interval '45 minutes'
UNION ALL
SELECT '12', 'refunds', r.id::text, 'stuck as ' || r.state || ' since ' || r.created_at
  FROM refunds r WHERE r.state = 'requested' AND r.created_at < now() - interval '30 minutes'
UNION ALL
SELECT '12', 'stripe_events', s.id, 'unprocessed since ' || s.received_at
  FROM stripe_events s WHERE s.processed_at IS NULL AND s.received_at < now() - interval '15 minutes'`

const auditLedgerSQL = `
SELECT '13' AS invariant, 'bookings' AS table, b.id::text AS key,
       'ledger says ' || x.paid || ' paid and ' || x.sold || ' sold, the rows ' || x.received || ' and ' || x.tickets AS words
  FROM bookings b
 CROSS JOIN LATERAL (
       SELECT (SELECT coalesce(sum(amount), 0) FROM ledger_entries l WHERE l.booking_id = b.id AND l.kind IN ('payment', 'refund')) AS paid,
              (SELECT coalesce(sum(amount), 0) FROM ledger_entries l WHERE l.booking_id = b.id AND l.kind IN ('sale', 'sale_reversal')) AS sold,
              (SELECT coalesce(sum(p.received - (SELECT coalesce(sum(r.amount), 0) FROM refunds r WHERE r.payment_id = p.id AND r.state <> 'failed')), 0)
                 FROM payments p WHERE p.hold_id = b.hold_id AND p.outcome = 'booked') AS received,
              (SELECT coalesce(sum(t.price), 0) FROM tickets t WHERE t.booking_id = b.id AND t.event_id = b.event_id AND t.state = 'valid') AS tickets) x
 WHERE x.paid <> x.received OR x.sold <> x.tickets`

// The cash lines of a closed shift, its moves and its float are what it expected.
const auditShiftSQL = `
SELECT '13' AS invariant, 'shifts' AS table, s.id::text AS key, 'closed expecting ' || s.expected || ', its lines say ' || x.cash AS words
  FROM shifts s
 CROSS JOIN LATERAL (
       SELECT s.float_amount
              + (SELECT coalesce(sum(l.amount), 0) FROM ledger_entries l WHERE l.shift_id = s.id AND l.tender = 'cash' AND l.kind IN ('payment', 'refund'))
              + (SELECT coalesce(sum(CASE m.kind WHEN 'pay_in' THEN m.amount ELSE -m.amount END), 0) FROM shift_moves m WHERE m.shift_id = s.id) AS cash) x
 WHERE s.closed_at IS NOT NULL AND s.expected <> x.cash`

func auditStatements() []string {
	return []string{
		auditSoldTwiceSQL, auditBookedWithoutTicketSQL, auditTicketWithoutSeatSQL, auditTicketLegsSQL, auditMoneySQL, auditUnpaidBookingSQL,
		auditLostMoneySQL, auditLiveTwiceSQL, auditRefundedTooMuchSQL, auditStrayHoldSQL, auditCancelledEventSQL, auditBookingStateSQL,
		auditTicketMailSQL, auditLivenessSQL, auditLedgerSQL, auditShiftSQL,
	}
}

// Audit runs every invariant in one repeatable snapshot and lists what breaks one,
// with the number of checks that were made.
func (d *DB) Audit(ctx context.Context) (found []Finding, checks int, err error) {
	tx, err := d.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, 0, classify(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if _, err := tx.Exec(ctx, auditTimeoutSQL); err != nil {
		return nil, 0, classify(err)
	}
	for _, sql := range auditStatements() {
		some, err := rows[Finding](ctx, tx, sql, nil)
		if err != nil {
			return nil, checks, err
		}
		found, checks = append(found, some...), checks+1
	}
	return found, checks, nil
}

const auditTimeoutSQL = `SET LOCAL statement_timeout = '5min'`
