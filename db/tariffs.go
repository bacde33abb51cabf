package db

import (
	"context"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

// Tariff is a price list as its editors see it.
type Tariff struct {
	ID       int64
	Name     string
	Currency string
	TaxBP    int    // tax included in the prices, basis points
	RouteID  *int64 // nil: screenings, or trips of no one route
	Route    string
	LastStop int // fares are for the stops 0..LastStop
	Archived bool
	Revision int
	Coming   int // events to come that have it, drafts too
	Bands    int
	Prices   int // of the list itself
}

const tariffColumns = `
SELECT t.id, t.name, t.currency, t.tax_bp, t.route_id, coalesce(r.name, '') AS route,
       greatest(t.last_stop, (SELECT max(stop_no) FROM route_stops s WHERE s.route_id = t.route_id),
                (SELECT max(to_stop) FROM fares f WHERE f.tariff_id = t.id))::int AS last_stop,
       t.archived_at IS NOT NULL AS archived, t.revision,
       (SELECT count(*) FROM events e WHERE e.tariff_id = t.id AND e.status <> 'cancelled' AND e.ends_at > now()) AS coming,
       (SELECT count(*) FROM tariff_bands b WHERE b.tariff_id = t.id) AS bands,
       (SELECT count(*) FROM fares f WHERE f.tariff_id = t.id) AS prices
  FROM tariffs t LEFT JOIN routes r ON r.id = t.route_id `

const tariffsSQL = tariffColumns + `ORDER BY t.archived_at IS NOT NULL, lower(t.name), t.id`

// Tariffs lists them, those in use first.
func (q Queries) Tariffs(ctx context.Context) ([]Tariff, error) {
	return rows[Tariff](ctx, q.q, tariffsSQL, nil)
}

const tariffSQL = tariffColumns + `WHERE t.id = @id`

// Tariff reads one; domain.ErrNotFound.
func (q Queries) Tariff(ctx context.Context, id int64) (Tariff, error) {
	return row[Tariff](ctx, q.q, tariffSQL, pgx.StrictNamedArgs{"id": id})
}

const insertTariffSQL = `
INSERT INTO tariffs (name, currency, tax_bp, route_id, last_stop)
VALUES (@name, @currency, @tax_bp, @route, @last_stop) RETURNING id`

// InsertTariff stores a new one without prices; domain.ErrConflict: the name is in
// use, or the route is gone.
func (t *Tx) InsertTariff(ctx context.Context, x Tariff) (int64, error) {
	return scalar[int64](ctx, t.q, insertTariffSQL, pgx.StrictNamedArgs{
		"name": x.Name, "currency": x.Currency, "tax_bp": x.TaxBP, "route": x.RouteID, "last_stop": x.LastStop,
	})
}

const updateTariffSQL = `
UPDATE tariffs
   SET name = @name, tax_bp = @tax_bp, route_id = @route, last_stop = @last_stop,
       archived_at = CASE WHEN @archived THEN coalesce(archived_at, now()) END, revision = revision + 1
 WHERE id = @id AND revision = @revision`

// UpdateTariff stores name, tax, stops and whether it is archived; x.Revision is the one
// that was read. domain.ErrStale: somebody else changed it; domain.ErrConflict as for
// InsertTariff.
func (t *Tx) UpdateTariff(ctx context.Context, x Tariff) error {
	n, err := exec(ctx, t.q, updateTariffSQL, pgx.StrictNamedArgs{
		"id": x.ID, "revision": x.Revision, "name": x.Name, "tax_bp": x.TaxBP, "route": x.RouteID, "last_stop": x.LastStop, "archived": x.Archived,
	})
	return staleUnless(n, err)
}

const touchTariffSQL = `UPDATE tariffs SET revision = revision + 1 WHERE id = @id AND revision = @revision`

// TouchTariff takes a tariff for a change of its prices or bands and keeps others
// from changing it until the transaction ends; domain.ErrStale.
func (t *Tx) TouchTariff(ctx context.Context, id int64, revision int) error {
	n, err := exec(ctx, t.q, touchTariffSQL, pgx.StrictNamedArgs{"id": id, "revision": revision})
	return staleUnless(n, err)
}

func staleUnless(changed int64, err error) error {
	if err == nil && changed == 0 {
		return domain.ErrStale
	}
	return err
}

const copyFaresSQL = `
INSERT INTO fares (tariff_id, zone_no, ticket_type, from_stop, to_stop, price)
SELECT @into, zone_no, ticket_type, from_stop, to_stop, price FROM fares WHERE tariff_id = @tariff`

const copyBandsSQL = `
INSERT INTO tariff_bands (tariff_id, position, name, days, from_minute, to_minute, rule, value, step)
SELECT @into, position, name, days, from_minute, to_minute, rule, value, step FROM tariff_bands WHERE tariff_id = @tariff`

const copyBandFaresSQL = `
INSERT INTO band_fares (band_id, zone_no, ticket_type, from_stop, to_stop, price)
SELECT n.id, f.zone_no, f.ticket_type, f.from_stop, f.to_stop, f.price
  FROM band_fares f
  JOIN tariff_bands b ON b.id = f.band_id AND b.tariff_id = @tariff
  JOIN tariff_bands n ON n.tariff_id = @into AND n.name = b.name`

// CopyPrices puts all prices and bands of a tariff into an empty one.
func (t *Tx) CopyPrices(ctx context.Context, tariff, into int64) error {
	for _, sql := range []string{copyFaresSQL, copyBandsSQL, copyBandFaresSQL} {
		if _, err := exec(ctx, t.q, sql, pgx.StrictNamedArgs{"tariff": tariff, "into": into}); err != nil {
			return err
		}
	}
	return nil
}

// TariffStop is a stop of a tariff's route.
type TariffStop struct {
	StopNo              int
	Place               string
	DepartAfter         int // minutes after the first departure
	ArriveAfter         int
	MayBoard, MayAlight bool
}

const tariffStopsSQL = `
SELECT s.stop_no, p.name AS place, s.depart_after, s.arrive_after, s.may_board, s.may_alight
  FROM route_stops s JOIN places p ON p.id = s.place_id
 WHERE s.route_id = @route ORDER BY s.stop_no`

// TariffStops lists a route's stops in order.
func (q Queries) TariffStops(ctx context.Context, routeID int64) ([]TariffStop, error) {
	return rows[TariffStop](ctx, q.q, tariffStopsSQL, pgx.StrictNamedArgs{"route": routeID})
}

// TariffRoute is a route that a tariff may be for.
type TariffRoute struct {
	ID       int64
	Name     string
	LastStop int
}

const tariffRoutesSQL = `
SELECT r.id, r.name, max(s.stop_no)::int AS last_stop
  FROM routes r JOIN route_stops s ON s.route_id = r.id
 GROUP BY r.id, r.name HAVING max(s.stop_no) > 0 ORDER BY r.name`

// TariffRoutes lists the routes that have at least two stops.
func (q Queries) TariffRoutes(ctx context.Context) ([]TariffRoute, error) {
	return rows[TariffRoute](ctx, q.q, tariffRoutesSQL, nil)
}

const tariffZonesSQL = `
WITH used AS (
  SELECT DISTINCT e.layout_version_id AS id FROM events e WHERE e.tariff_id = @tariff AND e.ends_at > now() AND e.status <> 'cancelled'),
plans AS (
  SELECT id FROM used
  UNION
  SELECT r.layout_version_id FROM resources r
   WHERE NOT EXISTS (SELECT 1 FROM used) AND r.kind = CASE WHEN @trips THEN 'coach' ELSE 'hall' END),
nos AS (
  SELECT z.zone_no FROM layout_zones z JOIN plans p ON p.id = z.layout_version_id
  UNION SELECT f.zone_no FROM tariff_prices f WHERE f.tariff_id = @tariff
  UNION SELECT 1)
SELECT n.zone_no AS no, coalesce(
         (SELECT string_agg(DISTINCT z.name, ' / ') FROM layout_zones z JOIN plans p ON p.id = z.layout_version_id WHERE z.zone_no = n.zone_no),
         'Zone ' || n.zone_no) AS name
  FROM nos n ORDER BY n.zone_no`

// TariffZones are the zones that a tariff needs prices for: those of the plans of its
// coming events, before it has any those of all halls or coaches, and those that it
// has prices for. A zone that plans call by different names has them all.
func (q Queries) TariffZones(ctx context.Context, tariffID int64, trips bool) ([]domain.Zone, error) {
	return rows[domain.Zone](ctx, q.q, tariffZonesSQL, pgx.StrictNamedArgs{"tariff": tariffID, "trips": trips})
}

const tariffEventsSQL = eventColumns + `
 WHERE e.tariff_id = @tariff AND e.status <> 'cancelled' AND e.ends_at > now()
 ORDER BY e.starts_at, e.id LIMIT 60`

// TariffEvents lists the next events that have a tariff, drafts too.
func (q Queries) TariffEvents(ctx context.Context, tariffID int64) ([]domain.Event, error) {
	return rows[domain.Event](ctx, q.q, tariffEventsSQL, pgx.StrictNamedArgs{"tariff": tariffID})
}
