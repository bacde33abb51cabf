package db

import (
	"context"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

const faresSQL = `
SELECT zone_no AS zone, ticket_type AS type, type_name, price
  FROM event_fares
 WHERE event_id = @event AND from_stop = @from_stop AND to_stop = @to_stop
 ORDER BY zone_no, position, ticket_type`

// Fares are an event's prices of a ride as they are now, by zone and ticket type's
// position: those of its start's band, types that are not sold any more left out.
func (q Queries) Fares(ctx context.Context, eventID int64, ride domain.Ride) (domain.Fares, error) {
	return rows[domain.Fare](ctx, q.q, faresSQL, pgx.StrictNamedArgs{"event": eventID, "from_stop": ride.From, "to_stop": ride.To})
}

const missingFaresSQL = `
WITH f AS (
  SELECT f.zone_no, f.ticket_type, f.position
    FROM event_fares f JOIN events e ON e.id = f.event_id
   WHERE f.event_id = @event AND f.from_stop = 0 AND f.to_stop = e.last_stop)
SELECT z.name
  FROM events e JOIN layout_zones z ON z.layout_version_id = e.layout_version_id
 WHERE e.id = @event
   AND EXISTS (SELECT 1 FROM layout_cells c WHERE c.layout_version_id = z.layout_version_id AND c.zone_no = z.zone_no)
   AND NOT EXISTS (SELECT 1 FROM f WHERE f.zone_no = z.zone_no
                      AND f.ticket_type = (SELECT ticket_type FROM f ORDER BY position, ticket_type LIMIT 1))
 ORDER BY z.zone_no`

// MissingFares names the zones of an event's layout that have seats and no price for
// the whole way in the first ticket type that the event sells: it cannot go on sale
// before they have one. None is missing for an event that does not exist.
func (q Queries) MissingFares(ctx context.Context, eventID int64) ([]string, error) {
	return column[string](ctx, q.q, missingFaresSQL, pgx.StrictNamedArgs{"event": eventID})
}
