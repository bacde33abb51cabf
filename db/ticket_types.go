package db

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// TicketType is adult, child, …
type TicketType struct {
	Code     string
	Name     string
	Position int
	Retired  bool // not sold any more
	Revision int
	Prices   int // so many prices in lists that are not archived
}

const ticketTypesSQL = `
SELECT y.code, y.name, y.position, y.retired_at IS NOT NULL AS retired, y.revision,
       (SELECT count(*) FROM fares f JOIN tariffs t ON t.id = f.tariff_id AND t.archived_at IS NULL WHERE f.ticket_type = y.code) AS prices
  FROM ticket_types y ORDER BY y.retired_at IS NOT NULL, y.position, y.code`

// TicketTypes lists them in order, those not sold any more last.
func (q Queries) TicketTypes(ctx context.Context) ([]TicketType, error) {
	return rows[TicketType](ctx, q.q, ticketTypesSQL, nil)
}

const insertTicketTypeSQL = `INSERT INTO ticket_types (code, name, position) VALUES (@code, @name, @position)`

// InsertTicketType stores a new one; domain.ErrConflict: the code is in use.
func (t *Tx) InsertTicketType(ctx context.Context, y TicketType) error {
	_, err := exec(ctx, t.q, insertTicketTypeSQL, pgx.StrictNamedArgs{"code": y.Code, "name": y.Name, "position": y.Position})
	return err
}

const updateTicketTypeSQL = `
UPDATE ticket_types
   SET name = @name, position = @position, retired_at = CASE WHEN @retired THEN coalesce(retired_at, now()) END, revision = revision + 1
 WHERE code = @code AND revision = @revision`

// UpdateTicketType stores name, position and whether it is sold; domain.ErrStale.
func (t *Tx) UpdateTicketType(ctx context.Context, y TicketType) error {
	n, err := exec(ctx, t.q, updateTicketTypeSQL, pgx.StrictNamedArgs{
		"code": y.Code, "revision": y.Revision, "name": y.Name, "position": y.Position, "retired": y.Retired,
	})
	return staleUnless(n, err)
}
