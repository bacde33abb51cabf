package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

// TimetableEvent is one event of the staff's timetable.
type TimetableEvent struct {
	ID          int64
	Kind        domain.EventKind
	Status      string
	StartsAt    time.Time
	EndsAt      time.Time
	TimeZone    string
	BusinessDay time.Time
	Title       string // film or route
	ResourceID  int64  // 0: no hall or coach yet
	Resource    string
	RouteID     int64
	Capacity    int
	Sold        int // seats sold on some leg
	Held        int
	Blocked     int
	Now         time.Time
}

const timetableSQL = `
SELECT e.id, e.kind, e.status, e.starts_at, e.ends_at, e.time_zone, e.business_day, coalesce(f.title, o.name, '') AS title,
       coalesce(e.resource_id, 0) AS resource_id, coalesce(r.name, '') AS resource, coalesce(e.route_id, 0) AS route_id,
       s.capacity, s.sold, s.held, s.blocked, now() AS now
  FROM events e
  LEFT JOIN films f ON f.id = e.film_id
  LEFT JOIN routes o ON o.id = e.route_id
  LEFT JOIN resources r ON r.id = e.resource_id
 CROSS JOIN LATERAL (
       SELECT count(*) AS capacity, count(*) FILTER (WHERE sold) AS sold, count(*) FILTER (WHERE held AND NOT sold) AS held,
              count(*) FILTER (WHERE blocked) AS blocked
         FROM (SELECT bool_or(state = 'booked') AS sold, bool_or(state = 'held' AND held_until >= now()) AS held,
                      bool_or(state = 'blocked' AND coalesce(held_until >= now(), true)) AS blocked
                 FROM event_seats x WHERE x.event_id = e.id GROUP BY x.seat_no) y) s
 WHERE e.business_day BETWEEN @from_day AND @to_day
 ORDER BY e.starts_at, e.id`

// Timetable lists the events of business days, both included, in whatever status.
func (q Queries) Timetable(ctx context.Context, from, to time.Time) ([]TimetableEvent, error) {
	return rows[TimetableEvent](ctx, q.q, timetableSQL, pgx.StrictNamedArgs{"from_day": from, "to_day": to})
}

const draftsOfDaysSQL = `
SELECT id FROM events
 WHERE status = 'draft' AND business_day BETWEEN @from_day AND @to_day AND kind = @kind ORDER BY id`

// DraftsOfDays lists the drafts of business days, both included.
func (q Queries) DraftsOfDays(ctx context.Context, kind domain.EventKind, from, to time.Time) ([]int64, error) {
	return column[int64](ctx, q.q, draftsOfDaysSQL, pgx.StrictNamedArgs{"kind": kind, "from_day": from, "to_day": to})
}

const standingSQL = eventColumns + `
 WHERE e.business_day BETWEEN @from_day AND @to_day AND e.status <> 'cancelled' AND e.kind = @kind
 ORDER BY e.starts_at, e.id`

// Standing lists the events of business days that are not cancelled.
func (q Queries) Standing(ctx context.Context, kind domain.EventKind, from, to time.Time) ([]domain.Event, error) {
	return rows[domain.Event](ctx, q.q, standingSQL, pgx.StrictNamedArgs{"kind": kind, "from_day": from, "to_day": to})
}

// Slot is a time that an event wants to have a hall or coach, turnaround apart.
type Slot struct {
	No         int       `json:"no"` // of the caller, told back
	ResourceID int64     `json:"resource_id"`
	StartsAt   time.Time `json:"starts_at"`
	EndsAt     time.Time `json:"ends_at"`
}

// Overlap is an event that has the hall or coach in a slot's time.
type Overlap struct {
	No       int // of the slot
	EventID  int64
	Title    string
	Resource string
	StartsAt time.Time
	Until    time.Time // turnaround included
	TimeZone string
}

const overlapsSQL = `
SELECT s.no, e.id AS event_id, coalesce(f.title, o.name, '') AS title, r.name AS resource, e.starts_at, e.busy_until AS until, e.time_zone
  FROM jsonb_to_recordset(@slots::jsonb) AS s(no int, resource_id bigint, starts_at timestamptz, ends_at timestamptz)
  JOIN resources r ON r.id = s.resource_id
  JOIN events e ON e.resource_id = s.resource_id AND e.status <> 'cancelled' AND e.id <> ALL(@not_events::bigint[])
   AND tstzrange(e.starts_at, e.busy_until) && tstzrange(s.starts_at, s.ends_at + make_interval(mins => r.turnaround_minutes))
  LEFT JOIN films f ON f.id = e.film_id
  LEFT JOIN routes o ON o.id = e.route_id
 ORDER BY s.no, e.starts_at`

// Overlaps names the events that are in the way of slots, but for those that are to
// move themselves. The constraint events_no_overlap has the last word all the same.
func (q Queries) Overlaps(ctx context.Context, slots []Slot, but []int64) ([]Overlap, error) {
	if but == nil {
		but = []int64{}
	}
	return rows[Overlap](ctx, q.q, overlapsSQL, pgx.StrictNamedArgs{"slots": slots, "not_events": but})
}

// WayStop is a stop of a route with its place.
type WayStop struct {
	PlaceID     int64
	Place       string
	TimeZone    string
	ArriveAfter int
	DepartAfter int
	MayBoard    bool
	MayAlight   bool
	Note        string
}

const wayStopsSQL = `
SELECT s.place_id, p.name AS place, p.time_zone, s.arrive_after, s.depart_after, s.may_board, s.may_alight, s.note
  FROM route_stops s JOIN places p ON p.id = s.place_id
 WHERE s.route_id = @route ORDER BY s.stop_no`

// WayStops lists a route's stops with what making a trip needs of their places.
func (q Queries) WayStops(ctx context.Context, route int64) ([]WayStop, error) {
	return rows[WayStop](ctx, q.q, wayStopsSQL, pgx.StrictNamedArgs{"route": route})
}

// TariffChoice is a price list that an event can have.
type TariffChoice struct {
	ID       int64
	Name     string
	Currency string
	RouteID  int64 // 0: of no one route
	LastStop int
	Archived bool
}

const tariffChoicesSQL = `
SELECT t.id, t.name, t.currency, coalesce(t.route_id, 0) AS route_id, t.last_stop, t.archived_at IS NOT NULL AS archived
  FROM tariffs t
 ORDER BY (SELECT max(e.id) FROM events e WHERE e.tariff_id = t.id) DESC NULLS LAST, lower(t.name), t.id`

// TariffChoices lists price lists, the one of the newest event first.
func (q Queries) TariffChoices(ctx context.Context) ([]TariffChoice, error) {
	return rows[TariffChoice](ctx, q.q, tariffChoicesSQL, nil)
}
