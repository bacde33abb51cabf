package db

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Price is one price of a tariff in minor units.
type Price struct {
	Zone  int    `json:"zone"`
	Type  string `json:"type"`
	From  int    `json:"from"`
	To    int    `json:"to"`
	Price int64  `json:"price"`
}

const tariffPricesSQL = `
SELECT zone_no AS zone, ticket_type AS type, from_stop AS from, to_stop AS to, price
  FROM tariff_prices WHERE tariff_id = @tariff AND band_id = @band
 ORDER BY from_stop, to_stop, zone_no, ticket_type`

// TariffPrices lists all prices of a tariff's band, of the list itself for band 0.
func (q Queries) TariffPrices(ctx context.Context, tariffID, bandID int64) ([]Price, error) {
	return rows[Price](ctx, q.q, tariffPricesSQL, pgx.StrictNamedArgs{"tariff": tariffID, "band": bandID})
}

const priceRows = `jsonb_to_recordset(@prices::jsonb) AS p(zone smallint, type text, "from" smallint, "to" smallint, price bigint)`

const setFaresSQL = `
INSERT INTO fares (tariff_id, zone_no, ticket_type, from_stop, to_stop, price)
SELECT @tariff, p.zone, p.type, p."from", p."to", p.price FROM ` + priceRows + `
ON CONFLICT (tariff_id, from_stop, to_stop, zone_no, ticket_type) DO UPDATE SET price = EXCLUDED.price`

const setBandFaresSQL = `
INSERT INTO band_fares (band_id, zone_no, ticket_type, from_stop, to_stop, price)
SELECT b.id, p.zone, p.type, p."from", p."to", p.price FROM tariff_bands b, ` + priceRows + ` WHERE b.id = @band AND b.tariff_id = @tariff
ON CONFLICT (band_id, from_stop, to_stop, zone_no, ticket_type) DO UPDATE SET price = EXCLUDED.price`

// SetPrices stores prices of a tariff, or of one of its bands that has prices of its
// own. The caller has checked each with Currency.CheckPrice.
func (t *Tx) SetPrices(ctx context.Context, tariffID, bandID int64, prices []Price) error {
	if len(prices) == 0 {
		return nil
	}
	if bandID != 0 {
		_, err := exec(ctx, t.q, setBandFaresSQL, pgx.StrictNamedArgs{"tariff": tariffID, "band": bandID, "prices": prices})
		return err
	}
	_, err := exec(ctx, t.q, setFaresSQL, pgx.StrictNamedArgs{"tariff": tariffID, "prices": prices})
	return err
}

const dropFaresSQL = `
DELETE FROM fares f USING ` + priceRows + `
 WHERE f.tariff_id = @tariff AND f.zone_no = p.zone AND f.ticket_type = p.type AND f.from_stop = p."from" AND f.to_stop = p."to"`

const dropBandFaresSQL = `
DELETE FROM band_fares f USING ` + priceRows + `, tariff_bands b
 WHERE b.id = @band AND b.tariff_id = @tariff AND f.band_id = b.id
   AND f.zone_no = p.zone AND f.ticket_type = p.type AND f.from_stop = p."from" AND f.to_stop = p."to"`

// DropPrices takes prices away: what they were for is not sold any more.
func (t *Tx) DropPrices(ctx context.Context, tariffID, bandID int64, prices []Price) error {
	if len(prices) == 0 {
		return nil
	}
	if bandID != 0 {
		_, err := exec(ctx, t.q, dropBandFaresSQL, pgx.StrictNamedArgs{"tariff": tariffID, "band": bandID, "prices": prices})
		return err
	}
	_, err := exec(ctx, t.q, dropFaresSQL, pgx.StrictNamedArgs{"tariff": tariffID, "prices": prices})
	return err
}
