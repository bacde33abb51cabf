package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// NewEvent is an event to be made. A screening has a FilmID and no Stops, a trip a
// RouteID and its Stops, 0 to the last.
type NewEvent struct {
	Kind            string    `json:"kind"`   // screening or trip
	Status          string    `json:"status"` // draft or published
	StartsAt        time.Time `json:"starts_at"`
	EndsAt          time.Time `json:"ends_at"`
	TimeZone        string    `json:"time_zone"`    // of the hall, or of the first stop
	BusinessDay     time.Time `json:"business_day"` // midnight UTC of the calendar date
	LayoutVersionID int64     `json:"layout_version_id"`
	ResourceID      *int64    `json:"resource_id"` // nil: no hall or coach yet
	TariffID        int64     `json:"tariff_id"`
	FilmID          *int64    `json:"film_id"`
	RouteID         *int64    `json:"route_id"`
	SeriesID        *int64    `json:"series_id"`
	// Minutes before the start or the boarding stop's departure; nil: the usual.
	SalesCloseMinutes *int      `json:"sales_close_minutes"`
	SalesCloseCounter *int      `json:"sales_close_counter"`
	SalesCloseAgent   *int      `json:"sales_close_agent"`
	ExternalID        *string   `json:"external_id"` // of the feed it comes from; nil: made here
	Stops             []NewStop `json:"-"`
}

// NewStop is a stop of an event to be made; stops are numbered by their order.
type NewStop struct {
	EventID   int64     `json:"event_id"` // filled by InsertEvents
	StopNo    int       `json:"stop_no"`  // filled by InsertEvents
	PlaceID   int64     `json:"place_id"`
	ArrivesAt time.Time `json:"arrives_at"`
	DepartsAt time.Time `json:"departs_at"` // at the last stop the same as ArrivesAt
	MayBoard  bool      `json:"may_board"`
	MayAlight bool      `json:"may_alight"`
	Note      string    `json:"note"`
}

// eventRow is a NewEvent under its id.
type eventRow struct {
	NewEvent
	ID       int64 `json:"id"`
	LastStop int   `json:"last_stop"`
}

const insertEventsSQL = `
INSERT INTO events (id, kind, status, starts_at, ends_at, time_zone, business_day, last_stop, layout_version_id, resource_id,
       tariff_id, film_id, route_id, series_id, sales_close_minutes, sales_close_counter, sales_close_agent, external_id)
OVERRIDING SYSTEM VALUE
SELECT id, kind, status, starts_at, ends_at, time_zone, business_day, last_stop, layout_version_id, resource_id,
       tariff_id, film_id, route_id, series_id, sales_close_minutes, sales_close_counter, sales_close_agent, external_id
  FROM jsonb_to_recordset(@events::jsonb)
       AS r(id bigint, kind text, status text, starts_at timestamptz, ends_at timestamptz, time_zone text, business_day date,
            last_stop smallint, layout_version_id bigint, resource_id bigint, tariff_id bigint, film_id bigint, route_id bigint,
            series_id bigint, sales_close_minutes int, sales_close_counter int, sales_close_agent int, external_id text)`

const insertStopsSQL = `
INSERT INTO event_stops (event_id, stop_no, place_id, arrives_at, departs_at, may_board, may_alight, note)
SELECT event_id, stop_no, place_id, arrives_at, departs_at, may_board, may_alight, note
  FROM jsonb_to_recordset(@stops::jsonb)
       AS r(event_id bigint, stop_no smallint, place_id bigint, arrives_at timestamptz, departs_at timestamptz,
            may_board boolean, may_alight boolean, note text)`

// seatsAtOnce is for how many events one statement makes the seats: with thousands
// of events one statement for all would outlast statement_timeout.
const seatsAtOnce = 100

// InsertEvents makes events, one or thousands, with their stops and every seat on
// every leg free, and returns their ids in the same order. domain.ErrOverlap: a hall
// or coach is in use at that time already.
func (t *Tx) InsertEvents(ctx context.Context, events []NewEvent) ([]int64, error) {
	ids, err := t.DrawIDs(ctx, "events", len(events))
	if err != nil {
		return nil, err
	}
	for from := 0; from < len(events); from += seatsAtOnce {
		to := min(from+seatsAtOnce, len(events))
		if err := t.insertEvents(ctx, ids[from:to], events[from:to]); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func (t *Tx) insertEvents(ctx context.Context, ids []int64, events []NewEvent) error {
	list := make([]eventRow, len(events))
	var stops []NewStop
	for i, e := range events {
		list[i] = eventRow{NewEvent: e, ID: ids[i], LastStop: max(len(e.Stops)-1, 1)}
		for no, s := range e.Stops {
			s.EventID, s.StopNo = ids[i], no
			stops = append(stops, s)
		}
	}
	if _, err := exec(ctx, t.q, insertEventsSQL, pgx.StrictNamedArgs{"events": list}); err != nil {
		return err
	}
	if len(stops) > 0 {
		if _, err := exec(ctx, t.q, insertStopsSQL, pgx.StrictNamedArgs{"stops": stops}); err != nil {
			return err
		}
	}
	return t.AddSeatsOf(ctx, ids)
}
