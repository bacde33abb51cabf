package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

const filmTableSQL = `
SELECT id, title, certificate, runtime_min, genre, language, version, distributor, opens_on, blurb,
       poster IS NOT NULL AS has_poster, archived_at IS NOT NULL AS archived, revision
  FROM films ORDER BY archived_at IS NOT NULL DESC, lower(title), lower(version), id`

// FilmTable lists every film whole, those put away first.
func (q Queries) FilmTable(ctx context.Context) ([]Film, error) {
	return rows[Film](ctx, q.q, filmTableSQL, nil)
}

// ScreeningLine is a screening by the names of what it is made of.
type ScreeningLine struct {
	Film              string
	Version           string
	Hall              string
	StartsAt          time.Time
	EndsAt            time.Time
	PriceList         string
	Status            string
	SalesCloseMinutes *int
}

const screeningTableSQL = `
SELECT f.title AS film, f.version, r.name AS hall, e.starts_at, e.ends_at, t.name AS price_list, e.status, e.sales_close_minutes
  FROM events e
  JOIN films f ON f.id = e.film_id
  JOIN resources r ON r.id = e.resource_id
  JOIN tariffs t ON t.id = e.tariff_id
 WHERE e.kind = 'screening' AND e.status <> 'cancelled' AND e.starts_at > now()
 ORDER BY e.starts_at, r.name, e.id`

// ScreeningTable lists the screenings to come that have a hall.
func (q Queries) ScreeningTable(ctx context.Context) ([]ScreeningLine, error) {
	return rows[ScreeningLine](ctx, q.q, screeningTableSQL, nil)
}

// HallTime is a time at which a hall is in use.
type HallTime struct {
	ResourceID int64
	StartsAt   time.Time
	EndsAt     time.Time
	BusyUntil  time.Time
	FilmID     *int64
	TariffID   int64
	Title      string
	Row        int // of a table that is being read; 0: stored
}

const hallTimesSQL = `
SELECT e.resource_id, e.starts_at, e.ends_at, e.busy_until, e.film_id, e.tariff_id, coalesce(f.title, '') AS title, 0 AS row
  FROM events e LEFT JOIN films f ON f.id = e.film_id
 WHERE e.resource_id IS NOT NULL AND e.status <> 'cancelled' AND e.starts_at BETWEEN @from_time AND @until_time`

// HallTimes lists what is on in halls and coaches.
func (q Queries) HallTimes(ctx context.Context, from, until time.Time) ([]HallTime, error) {
	return rows[HallTime](ctx, q.q, hallTimesSQL, pgx.StrictNamedArgs{"from_time": from, "until_time": until})
}

// FeedLine is a stop of a departure with all that a timetable says of it.
type FeedLine struct {
	EventID   int64
	RouteID   int64
	Route     string
	PlaceID   int64
	Place     string
	Address   string
	TimeZone  string
	Zone      string // fare zone
	Latitude  *float64
	Longitude *float64
	ArrivesAt time.Time
	DepartsAt time.Time
	MayBoard  bool
	MayAlight bool
}

const feedLinesSQL = `
SELECT e.id AS event_id, r.id AS route_id, r.name AS route, p.id AS place_id, p.name AS place, p.address, p.time_zone, coalesce(o.zone, '') AS zone,
       p.latitude, p.longitude, s.arrives_at, s.departs_at, s.may_board, s.may_alight
  FROM events e
  JOIN routes r ON r.id = e.route_id
  JOIN event_stops s ON s.event_id = e.id
  JOIN places p ON p.id = s.place_id
  LEFT JOIN route_stops o ON o.route_id = e.route_id AND o.stop_no = s.stop_no AND o.place_id = s.place_id
 WHERE e.kind = 'trip' AND e.status = 'published' AND e.starts_at > now()
 ORDER BY e.starts_at, e.id, s.stop_no`

// FeedLines lists the departures to come that are on sale, stop by stop.
func (q Queries) FeedLines(ctx context.Context) ([]FeedLine, error) {
	return rows[FeedLine](ctx, q.q, feedLinesSQL, nil)
}
