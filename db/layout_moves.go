package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// LayoutEvent is an event to come that pins some version of a layout.
type LayoutEvent struct {
	ID        int64
	Title     string // the film or the route
	Resource  string
	StartsAt  time.Time
	TimeZone  string
	Status    string
	VersionID int64
	Version   int
	LastStop  int
	TariffID  int64
	Currency  string
}

const layoutEventColumns = `
SELECT e.id, coalesce(f.title, o.name, '') AS title, coalesce(r.name, '') AS resource, e.starts_at, e.time_zone, e.status,
       v.id AS version_id, v.version, e.last_stop, e.tariff_id, t.currency
  FROM events e
  JOIN layout_versions v ON v.id = e.layout_version_id
  JOIN tariffs t ON t.id = e.tariff_id
  LEFT JOIN films f ON f.id = e.film_id
  LEFT JOIN routes o ON o.id = e.route_id
  LEFT JOIN resources r ON r.id = e.resource_id
 WHERE v.layout_id = @layout AND e.status <> 'cancelled' AND e.starts_at > now()`

const layoutEventsSQL = layoutEventColumns + ` ORDER BY e.starts_at, e.id`

// LayoutEvents lists the events to come that pin a version of the layout.
func (q Queries) LayoutEvents(ctx context.Context, layoutID int64) ([]LayoutEvent, error) {
	return rows[LayoutEvent](ctx, q.q, layoutEventsSQL, pgx.StrictNamedArgs{"layout": layoutID})
}

const lockLayoutEventsSQL = layoutEventColumns + ` AND e.id = ANY(@ids) ORDER BY e.id FOR NO KEY UPDATE OF e`

// LockLayoutEvents locks those of the events that still are to come: every claim shares
// its event's row first, so none begins until the transaction ends and those that began
// are over.
func (t *Tx) LockLayoutEvents(ctx context.Context, layoutID int64, ids []int64) ([]LayoutEvent, error) {
	return rows[LayoutEvent](ctx, t.q, lockLayoutEventsSQL, pgx.StrictNamedArgs{"layout": layoutID, "ids": ids})
}

// SeatInUse is a seat of an event that somebody has: sold, held now, or blocked.
type SeatInUse struct {
	EventID   int64
	SeatNo    string
	State     string
	Reference string // of the booking, "" for a hold
	Who       string // passenger, else the name of the booking or hold; may be ""
}

const seatsInUseSQL = `
SELECT s.event_id, s.seat_no, s.state::text AS state, coalesce(b.reference, '') AS reference,
       coalesce(nullif(k.passenger, ''), nullif(b.name, ''), h.name, '') AS who
  FROM event_seats s
  LEFT JOIN bookings b ON b.id = s.booking_id
  LEFT JOIN holds h ON h.id = s.hold_id
  LEFT JOIN ticket_legs g ON g.event_id = s.event_id AND g.seat_no = s.seat_no AND g.leg = s.leg
  LEFT JOIN tickets k ON k.event_id = g.event_id AND k.id = g.ticket_id
 WHERE s.event_id = ANY(@events) AND s.seat_no = ANY(@seats)
   AND (s.state = 'booked' OR (s.state IN ('held', 'blocked') AND (s.held_until IS NULL OR s.held_until >= now())))
 GROUP BY 1, 2, 3, 4, 5
 ORDER BY 1, 2, 4, 5`

// SeatsInUse names those of the seats that somebody has, once for each who has them on
// some leg.
func (q Queries) SeatsInUse(ctx context.Context, eventIDs []int64, seats []string) ([]SeatInUse, error) {
	return rows[SeatInUse](ctx, q.q, seatsInUseSQL, pgx.StrictNamedArgs{"events": eventIDs, "seats": seats})
}

const pinLayoutSQL = `UPDATE events SET layout_version_id = @version, revision = revision + 1 WHERE id = ANY(@events)`

// PinLayout makes locked events use the version; their seats are changed beside it.
func (t *Tx) PinLayout(ctx context.Context, eventIDs []int64, versionID int64) error {
	_, err := exec(ctx, t.q, pinLayoutSQL, pgx.StrictNamedArgs{"events": eventIDs, "version": versionID})
	return err
}

const unpricedZonesSQL = `
SELECT DISTINCT z.no
  FROM unnest(@zones::int[]) AS z(no)
  JOIN events e ON e.id = ANY(@events)
 WHERE NOT EXISTS (SELECT 1 FROM event_fares f WHERE f.event_id = e.id AND f.zone_no = z.no)
 ORDER BY z.no`

// UnpricedZones are those of the zones whose places cannot be sold at some of the events,
// because their price list has no price for the zone.
func (q Queries) UnpricedZones(ctx context.Context, zones []int, eventIDs []int64) ([]int, error) {
	return column[int](ctx, q.q, unpricedZonesSQL, pgx.StrictNamedArgs{"zones": zones, "events": eventIDs})
}

const planOfEventSQL = `SELECT layout_version_id FROM events WHERE id = @id`

// PlanOfEvent is the layout version that an event pins now. Asked after ShareEvent it
// stays so until the transaction ends.
func (t *Tx) PlanOfEvent(ctx context.Context, id int64) (int64, error) {
	return scalar[int64](ctx, t.q, planOfEventSQL, pgx.StrictNamedArgs{"id": id})
}
