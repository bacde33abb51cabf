package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

const lockEventsSQL = eventColumns + `WHERE e.id = ANY(@ids) ORDER BY e.id FOR NO KEY UPDATE OF e`

// LockEvents reads and locks events in the order of their ids: no claim, sale or
// change of them runs beside the transaction. The time of each is the database's.
func (t *Tx) LockEvents(ctx context.Context, ids ...int64) ([]domain.Event, error) {
	return rows[domain.Event](ctx, t.q, lockEventsSQL, pgx.StrictNamedArgs{"ids": ids})
}

const restOfSeriesSQL = `
SELECT id FROM events
 WHERE series_id = @series AND starts_at >= @from_start AND status <> 'cancelled'
 ORDER BY id`

// RestOfSeries lists a series' events from a start on that are not cancelled.
func (q Queries) RestOfSeries(ctx context.Context, seriesID int64, from time.Time) ([]int64, error) {
	return column[int64](ctx, q.q, restOfSeriesSQL, pgx.StrictNamedArgs{"series": seriesID, "from_start": from})
}

const insertSeriesSQL = `INSERT INTO event_series (rule) VALUES (@rule) RETURNING id`

// InsertSeries notes the pattern that makes a series.
func (t *Tx) InsertSeries(ctx context.Context, rule string) (int64, error) {
	return scalar[int64](ctx, t.q, insertSeriesSQL, pgx.StrictNamedArgs{"rule": rule})
}

// EventChange is all that staff may change of an event, as it is to be.
type EventChange struct {
	ID                int64     `json:"id"`
	StartsAt          time.Time `json:"starts_at"`
	EndsAt            time.Time `json:"ends_at"`
	BusinessDay       time.Time `json:"business_day"`
	ResourceID        *int64    `json:"resource_id"`
	LayoutVersionID   int64     `json:"layout_version_id"`
	TariffID          int64     `json:"tariff_id"`
	FilmID            *int64    `json:"film_id"`
	SalesCloseMinutes *int      `json:"sales_close_minutes"`
	SalesCloseCounter *int      `json:"sales_close_counter"`
	SalesCloseAgent   *int      `json:"sales_close_agent"`
}

const shiftStopsSQL = `
UPDATE event_stops s
   SET arrives_at = s.arrives_at + (c.starts_at - e.starts_at), departs_at = s.departs_at + (c.starts_at - e.starts_at)
  FROM jsonb_to_recordset(@changes::jsonb) AS c(id bigint, starts_at timestamptz)
  JOIN events e ON e.id = c.id
 WHERE s.event_id = c.id AND c.starts_at <> e.starts_at`

const changeEventsSQL = `
UPDATE events e
   SET starts_at = c.starts_at, ends_at = c.ends_at, business_day = c.business_day, resource_id = c.resource_id,
       layout_version_id = c.layout_version_id, tariff_id = c.tariff_id, film_id = c.film_id,
       sales_close_minutes = c.sales_close_minutes, sales_close_counter = c.sales_close_counter, sales_close_agent = c.sales_close_agent,
       revision = e.revision + 1
  FROM jsonb_to_recordset(@changes::jsonb)
       AS c(id bigint, starts_at timestamptz, ends_at timestamptz, business_day date, resource_id bigint, layout_version_id bigint,
            tariff_id bigint, film_id bigint, sales_close_minutes int, sales_close_counter int, sales_close_agent int)
 WHERE e.id = c.id`

// ChangeEvents changes locked events, all in one statement so that they may take each
// other's places; stops move with the start. Seats are not touched: for another layout
// see DropAllSeats and AddSeatsOf. domain.ErrOverlap: a hall or coach is in use then.
func (t *Tx) ChangeEvents(ctx context.Context, list []EventChange) error {
	if _, err := exec(ctx, t.q, shiftStopsSQL, pgx.StrictNamedArgs{"changes": list}); err != nil {
		return err
	}
	_, err := exec(ctx, t.q, changeEventsSQL, pgx.StrictNamedArgs{"changes": list})
	return err
}

const setEventsStatusSQL = `UPDATE events SET status = @status, revision = revision + 1 WHERE id = ANY(@ids)`

// SetEventsStatus changes the status of locked events.
func (t *Tx) SetEventsStatus(ctx context.Context, ids []int64, status string) error {
	_, err := exec(ctx, t.q, setEventsStatusSQL, pgx.StrictNamedArgs{"ids": ids, "status": status})
	return err
}

const eventHadCustomersSQL = `SELECT EXISTS (SELECT 1 FROM holds WHERE event_id = @id)`

const deleteBlocksOfSQL = `DELETE FROM seat_blocks WHERE event_id = @id`

const deleteSeatsOfSQL = `DELETE FROM event_seats WHERE event_id = @id`

const deleteEventSQL = `DELETE FROM events WHERE id = @id`

// RemoveDraft takes a locked draft away. One that customers once held seats of stays as
// a cancelled event, for their old links and for the books.
func (t *Tx) RemoveDraft(ctx context.Context, id int64) error {
	args := pgx.StrictNamedArgs{"id": id}
	had, err := scalar[bool](ctx, t.q, eventHadCustomersSQL, args)
	if err != nil {
		return err
	}
	if had {
		return t.SetEventsStatus(ctx, []int64{id}, "cancelled")
	}
	for _, sql := range []string{deleteSeatsOfSQL, deleteBlocksOfSQL, deleteEventSQL} {
		if _, err := exec(ctx, t.q, sql, args); err != nil {
			return err
		}
	}
	return nil
}

// EventUse is what customers have of an event.
type EventUse struct {
	EventID  int64
	Sold     int // seats sold on some leg
	Held     int
	Blocked  int
	Bookings int // confirmed
	Tickets  int // valid
	Mails    int // of the bookings, with an address
}

const eventUsesSQL = `
SELECT e.id AS event_id, s.sold, s.held, s.blocked, b.bookings, b.mails, k.tickets
  FROM events e
 CROSS JOIN LATERAL (
       SELECT count(DISTINCT x.seat_no) FILTER (WHERE x.state = 'booked') AS sold,
              count(DISTINCT x.seat_no) FILTER (WHERE x.state = 'held' AND x.held_until >= now()) AS held,
              count(DISTINCT x.seat_no) FILTER (WHERE x.state = 'blocked' AND coalesce(x.held_until >= now(), true)) AS blocked
         FROM event_seats x WHERE x.event_id = e.id) s
 CROSS JOIN LATERAL (
       SELECT count(*) AS bookings, count(*) FILTER (WHERE y.email <> '') AS mails
         FROM bookings y WHERE y.event_id = e.id AND y.state = 'confirmed') b
 CROSS JOIN LATERAL (SELECT count(*) AS tickets FROM tickets z WHERE z.event_id = e.id AND z.state = 'valid') k
 WHERE e.id = ANY(@ids) ORDER BY e.id`

// EventUses counts what customers have of events.
func (q Queries) EventUses(ctx context.Context, ids ...int64) ([]EventUse, error) {
	return rows[EventUse](ctx, q.q, eventUsesSQL, pgx.StrictNamedArgs{"ids": ids})
}

// Addressee is a booking that a mail can go to.
type Addressee struct {
	EventID   int64
	BookingID int64
	Email     string
}

const addresseesSQL = `
SELECT event_id, id AS booking_id, email FROM bookings
 WHERE event_id = ANY(@ids) AND state = 'confirmed' AND email <> '' ORDER BY id`

// Addressees lists the bookings of events that stand and have an address.
func (q Queries) Addressees(ctx context.Context, ids ...int64) ([]Addressee, error) {
	return rows[Addressee](ctx, q.q, addresseesSQL, pgx.StrictNamedArgs{"ids": ids})
}
