package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Band is other prices of a tariff for some weekdays or times; see the comments of
// migrations/00013_fares.sql.
type Band struct {
	ID         int64
	TariffID   int64
	Position   int
	Name       string
	Days       int  // bits of business days: 1 Monday … 64 Sunday
	FromMinute *int // of the wall clock; nil: from the day's beginning
	ToMinute   *int // nil: to the day's end
	Rule       string
	Value      int64
	Step       int64
}

const bandsSQL = `
SELECT id, tariff_id, position, name, days, from_minute, to_minute, rule, value, step
  FROM tariff_bands WHERE tariff_id = @tariff ORDER BY position, id`

// Bands lists a tariff's in the order in which they are asked.
func (q Queries) Bands(ctx context.Context, tariffID int64) ([]Band, error) {
	return rows[Band](ctx, q.q, bandsSQL, pgx.StrictNamedArgs{"tariff": tariffID})
}

const insertBandSQL = `
INSERT INTO tariff_bands (tariff_id, position, name, days, from_minute, to_minute, rule, value, step)
SELECT @tariff, coalesce(max(position), 0) + 1, @name, @days, @from, @to, @rule, @value, @step FROM tariff_bands WHERE tariff_id = @tariff
RETURNING id`

// InsertBand adds one behind the others; domain.ErrConflict: the name is in use.
func (t *Tx) InsertBand(ctx context.Context, b Band) (int64, error) {
	return scalar[int64](ctx, t.q, insertBandSQL, b.args())
}

const updateBandSQL = `
UPDATE tariff_bands
   SET name = @name, days = @days, from_minute = @from, to_minute = @to, rule = @rule, value = @value, step = @step
 WHERE id = @id AND tariff_id = @tariff`

// UpdateBand stores everything but the position; domain.ErrConflict as above.
func (t *Tx) UpdateBand(ctx context.Context, b Band) error {
	args := b.args()
	args["id"] = b.ID
	n, err := exec(ctx, t.q, updateBandSQL, args)
	return staleUnless(n, err)
}

func (b Band) args() pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{
		"tariff": b.TariffID, "name": b.Name, "days": b.Days, "from": b.FromMinute, "to": b.ToMinute, "rule": b.Rule, "value": b.Value, "step": b.Step,
	}
}

const deleteBandSQL = `DELETE FROM tariff_bands WHERE id = @id AND tariff_id = @tariff`

// DeleteBand takes one away with its own prices; domain.ErrStale: there is none.
func (t *Tx) DeleteBand(ctx context.Context, tariffID, id int64) error {
	n, err := exec(ctx, t.q, deleteBandSQL, pgx.StrictNamedArgs{"id": id, "tariff": tariffID})
	return staleUnless(n, err)
}

const orderBandsSQL = `
UPDATE tariff_bands b SET position = o.n FROM unnest(@ids::bigint[]) WITH ORDINALITY AS o(id, n) WHERE b.id = o.id AND b.tariff_id = @tariff`

// OrderBands puts a tariff's bands into the order of the ids.
func (t *Tx) OrderBands(ctx context.Context, tariffID int64, ids []int64) error {
	_, err := exec(ctx, t.q, orderBandsSQL, pgx.StrictNamedArgs{"ids": ids, "tariff": tariffID})
	return err
}

const fillBandSQL = `
INSERT INTO band_fares (band_id, zone_no, ticket_type, from_stop, to_stop, price)
SELECT @band, zone_no, ticket_type, from_stop, to_stop, price FROM tariff_prices WHERE tariff_id = @tariff AND band_id = @source
ON CONFLICT DO NOTHING`

// FillBand gives a band the prices of another of the tariff, 0 for the list's, as its own
// where it has none.
func (t *Tx) FillBand(ctx context.Context, tariffID, bandID, source int64) error {
	_, err := exec(ctx, t.q, fillBandSQL, pgx.StrictNamedArgs{"tariff": tariffID, "band": bandID, "source": source})
	return err
}

const bandsAtSQL = `
SELECT coalesce(c.id, 0)
  FROM unnest(@starts::timestamp[], @days::date[]) WITH ORDINALITY AS a(starts, day, n)
  LEFT JOIN LATERAL tariff_band(@tariff, a.starts, a.day) AS c(id) ON true
 ORDER BY a.n`

// BandsAt tells for starts on the wall clock and their business days which band
// counts, 0 for none: as it is decided for events.
func (q Queries) BandsAt(ctx context.Context, tariffID int64, starts, days []time.Time) ([]int64, error) {
	return column[int64](ctx, q.q, bandsAtSQL, pgx.StrictNamedArgs{"tariff": tariffID, "starts": starts, "days": days})
}

const eventBandSQL = `
SELECT coalesce(b.name, '')
  FROM events e
  LEFT JOIN LATERAL tariff_band(e.tariff_id, e.starts_at AT TIME ZONE e.time_zone, e.business_day) AS c(id) ON true
  LEFT JOIN tariff_bands b ON b.id = c.id
 WHERE e.id = @event`

// EventBand names the band that an event's prices come from, "" for the list itself.
func (q Queries) EventBand(ctx context.Context, eventID int64) (string, error) {
	return scalar[string](ctx, q.q, eventBandSQL, pgx.StrictNamedArgs{"event": eventID})
}
