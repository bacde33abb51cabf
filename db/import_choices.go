package db

import "context"

// LayoutChoice is a coach's plan in its newest version.
type LayoutChoice struct {
	VersionID int64
	Name      string
	Seats     int
}

const coachLayoutsSQL = `
SELECT DISTINCT ON (l.name) v.id AS version_id, l.name,
       (SELECT count(*) FROM layout_cells c WHERE c.layout_version_id = v.id AND c.seat_no IS NOT NULL) AS seats
  FROM layouts l JOIN layout_versions v ON v.layout_id = l.id
 WHERE l.vehicle
 ORDER BY l.name, v.version DESC`

// CoachLayouts lists the plans of coaches.
func (q Queries) CoachLayouts(ctx context.Context) ([]LayoutChoice, error) {
	return rows[LayoutChoice](ctx, q.q, coachLayoutsSQL, nil)
}

// RideTariff is a price list with the rides it has prices for.
type RideTariff struct {
	ID       int64
	Name     string
	Currency string
	RouteID  *int64   // it is for this route's stops
	Rides    []string // "0-2": from stop 0 to stop 2
}

const rideTariffsSQL = `
SELECT t.id, t.name, t.currency, t.route_id,
       ARRAY(SELECT DISTINCT f.from_stop || '-' || f.to_stop FROM fares f WHERE f.tariff_id = t.id) AS rides
  FROM tariffs t WHERE t.archived_at IS NULL ORDER BY lower(t.name), t.id`

// RideTariffs lists the price lists that new events may have.
func (q Queries) RideTariffs(ctx context.Context) ([]RideTariff, error) {
	return rows[RideTariff](ctx, q.q, rideTariffsSQL, nil)
}
