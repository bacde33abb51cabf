package db

import (
	"context"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

// An event's inventory is its rows of event_seats: made with the event, changed with its
// plan. Who has a seat is claims.go's: nothing here takes one from anybody.

const addSeatsSQL = `
INSERT INTO event_seats (event_id, seat_no, leg)
SELECT @event, c.seat_no, l.leg
  FROM layout_cells c, generate_series(1, @last_leg::int) AS l(leg)
 WHERE c.layout_version_id = @layout AND c.seat_no IS NOT NULL
 ORDER BY c.seat_no, l.leg`

// AddSeats makes an event's inventory from its layout: every seat on every leg.
func (t *Tx) AddSeats(ctx context.Context, eventID, layoutVersionID int64, lastLeg int) error {
	_, err := exec(ctx, t.q, addSeatsSQL, pgx.StrictNamedArgs{"event": eventID, "layout": layoutVersionID, "last_leg": lastLeg})
	return err
}

const addSeatsOfSQL = `
INSERT INTO event_seats (event_id, seat_no, leg)
SELECT e.id, c.seat_no, l.leg
  FROM events e
  JOIN layout_cells c ON c.layout_version_id = e.layout_version_id AND c.seat_no IS NOT NULL
 CROSS JOIN LATERAL generate_series(1, e.last_stop::int) AS l(leg)
 WHERE e.id = ANY(@events::bigint[])
 ORDER BY e.id, c.seat_no, l.leg`

// AddSeatsOf is AddSeats for several events, by what their own rows say.
func (t *Tx) AddSeatsOf(ctx context.Context, eventIDs []int64) error {
	_, err := exec(ctx, t.q, addSeatsOfSQL, pgx.StrictNamedArgs{"events": eventIDs})
	return err
}

const addLaterSeatsSQL = `
INSERT INTO event_seats (event_id, seat_no, leg)
SELECT e.id, n.seat_no, l.leg
  FROM events e CROSS JOIN unnest(@seats::text[]) AS n(seat_no) CROSS JOIN LATERAL generate_series(1, e.last_stop) AS l(leg)
 WHERE e.id = ANY(@events)
 ORDER BY e.id, n.seat_no, l.leg`

// AddLaterSeats puts new seats of a changed plan on sale at events that are locked.
func (t *Tx) AddLaterSeats(ctx context.Context, eventIDs []int64, seats []string) error {
	_, err := exec(ctx, t.q, addLaterSeatsSQL, pgx.StrictNamedArgs{"events": eventIDs, "seats": seats})
	return err
}

const dropSeatsSQL = `
WITH locked AS (
  SELECT event_id, seat_no, leg FROM event_seats
   WHERE event_id = ANY(@events) AND seat_no = ANY(@seats)
     AND (state = 'available' OR (state IN ('held', 'blocked') AND held_until < now()))
   ORDER BY event_id, seat_no, leg FOR UPDATE)
DELETE FROM event_seats s USING locked l
 WHERE s.event_id = l.event_id AND s.seat_no = l.seat_no AND s.leg = l.leg`

// DropSeats takes seats that a changed plan no longer has from locked events. rows is
// how many there must be; domain.ErrBusy when somebody has one of them after all: the
// transaction must not commit.
func (t *Tx) DropSeats(ctx context.Context, eventIDs []int64, seats []string, rows int) error {
	n, err := exec(ctx, t.q, dropSeatsSQL, pgx.StrictNamedArgs{"events": eventIDs, "seats": seats})
	if err == nil && n != int64(rows) {
		return domain.ErrBusy
	}
	return err
}

const dropAllSeatsSQL = `
DELETE FROM event_seats
 WHERE event_id = @event AND (state = 'available' OR (state IN ('held', 'blocked') AND held_until < now()))`

// DropAllSeats takes an event's whole inventory away, for AddSeats to make another.
// domain.ErrConflict: a seat is sold, held or blocked; the transaction must end.
func (t *Tx) DropAllSeats(ctx context.Context, eventID int64) error {
	if _, err := exec(ctx, t.q, dropAllSeatsSQL, pgx.StrictNamedArgs{"event": eventID}); err != nil {
		return err
	}
	left, err := scalar[bool](ctx, t.q, seatsLeftSQL, pgx.StrictNamedArgs{"event": eventID})
	if err == nil && left {
		return domain.ErrConflict
	}
	return err
}

const seatsLeftSQL = `SELECT EXISTS (SELECT 1 FROM event_seats WHERE event_id = @event)`

const dropSeatsOfSQL = `DELETE FROM event_seats WHERE event_id = ANY(@events::bigint[])`

// dropSeatsOf takes the seats of events away that are about to go; see DropEvents.
func (t *Tx) dropSeatsOf(ctx context.Context, eventIDs []int64) error {
	_, err := exec(ctx, t.q, dropSeatsOfSQL, pgx.StrictNamedArgs{"events": eventIDs})
	return err
}

const dropNoSeatsSQL = `
DELETE FROM event_seats s
 WHERE s.event_id = @event AND s.state = 'available' AND s.seat_no LIKE 'NOSEAT-%'
   AND NOT EXISTS (SELECT 1 FROM events e JOIN layout_cells c ON c.layout_version_id = e.layout_version_id AND c.seat_no = s.seat_no WHERE e.id = s.event_id)`

// DropNoSeats takes the rows away that stood for people without a seat and that nobody
// has any more: see schedule.Swap.
func (t *Tx) DropNoSeats(ctx context.Context, eventID int64) error {
	_, err := exec(ctx, t.q, dropNoSeatsSQL, pgx.StrictNamedArgs{"event": eventID})
	return err
}
