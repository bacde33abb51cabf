package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// ImportedEvent is a departure that came from a feed, with what happened to it since.
type ImportedEvent struct {
	ID              int64
	ExternalID      string
	Status          string
	StartsAt        time.Time
	Route           string
	RouteID         int64
	LayoutVersionID int64
	TariffID        int64
	ResourceID      *int64
	Tickets         int  // valid ones
	Holding         bool // somebody holds or pays for seats now
	Blocked         bool // seats were taken out of sale by staff
	Chosen          bool // somebody held seats at some time
}

const importedEventsSQL = `
SELECT e.id, e.external_id, e.status, e.starts_at, o.name AS route, o.id AS route_id, e.layout_version_id, e.tariff_id, e.resource_id,
       (SELECT count(*) FROM tickets t WHERE t.event_id = e.id AND t.state = 'valid') AS tickets,
       EXISTS (SELECT 1 FROM holds h WHERE h.event_id = e.id AND h.state = 'active'
                  AND (h.expires_at > now() OR EXISTS (SELECT 1 FROM payments p WHERE p.hold_id = h.id AND p.state IN ('creating', 'open', 'refunding')))) AS holding,
       EXISTS (SELECT 1 FROM seat_blocks b WHERE b.event_id = e.id) AS blocked,
       EXISTS (SELECT 1 FROM holds h WHERE h.event_id = e.id) AS chosen
  FROM events e JOIN routes o ON o.id = e.route_id
 WHERE (starts_with(e.external_id, @prefix) AND e.business_day BETWEEN @from_day AND @until_day) OR e.external_id = ANY(@keys::text[])
 ORDER BY e.starts_at, e.id`

// ImportedEvents lists the departures whose keys begin with the prefix, on the days from
// one to another, midnight UTC, and those with the keys, wherever they were moved to.
func (q Queries) ImportedEvents(ctx context.Context, prefix string, keys []string, from, until time.Time) ([]ImportedEvent, error) {
	return rows[ImportedEvent](ctx, q.q, importedEventsSQL, pgx.StrictNamedArgs{"prefix": prefix, "keys": keys, "from_day": from, "until_day": until})
}

// MovedEvent is a departure whose times or stops change while their number stays.
type MovedEvent struct {
	ID       int64     `json:"id"`
	StartsAt time.Time `json:"starts_at"`
	EndsAt   time.Time `json:"ends_at"`
	TimeZone string    `json:"time_zone"`
	RouteID  int64     `json:"route_id"`
	Stops    []NewStop `json:"-"`
}

const moveEventsSQL = `
UPDATE events e SET starts_at = r.starts_at, ends_at = r.ends_at, time_zone = r.time_zone, route_id = r.route_id, revision = e.revision + 1
  FROM jsonb_to_recordset(@events::jsonb) AS r(id bigint, starts_at timestamptz, ends_at timestamptz, time_zone text, route_id bigint)
 WHERE e.id = r.id`

const moveStopsSQL = `
UPDATE event_stops s
   SET place_id = r.place_id, arrives_at = r.arrives_at, departs_at = r.departs_at, may_board = r.may_board, may_alight = r.may_alight, note = r.note
  FROM jsonb_to_recordset(@stops::jsonb)
       AS r(event_id bigint, stop_no smallint, place_id bigint, arrives_at timestamptz, departs_at timestamptz, may_board boolean, may_alight boolean, note text)
 WHERE s.event_id = r.event_id AND s.stop_no = r.stop_no`

// MoveEvents gives departures other times. The caller locked them and knows that nobody
// has tickets or holds seats.
func (t *Tx) MoveEvents(ctx context.Context, list []MovedEvent) error {
	var stops []NewStop
	for _, e := range list {
		for no, s := range e.Stops {
			s.EventID, s.StopNo = e.ID, no
			stops = append(stops, s)
		}
	}
	if _, err := exec(ctx, t.q, moveEventsSQL, pgx.StrictNamedArgs{"events": list}); err != nil {
		return err
	}
	_, err := exec(ctx, t.q, moveStopsSQL, pgx.StrictNamedArgs{"stops": stops})
	return err
}

const dropEventsSQL = `DELETE FROM events WHERE id = ANY(@ids::bigint[])`

// DropEvents removes departures that nobody ever chose a seat of. domain.ErrConflict:
// somebody did.
func (t *Tx) DropEvents(ctx context.Context, ids []int64) error {
	if err := t.dropSeatsOf(ctx, ids); err != nil {
		return err
	}
	_, err := exec(ctx, t.q, dropEventsSQL, pgx.StrictNamedArgs{"ids": ids})
	return err
}
