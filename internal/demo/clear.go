package demo

import (
	"context"
	"fmt"

	"holdfast/db"
)

// Clear removes what Load made and everything that hangs on the demo's events,
// visitors' bookings with their payments and ledger lines included. Settings go
// back to what they were, unless somebody changed them since. A film, place, plan
// or tariff that the house's own events have come to use stays. Nothing else is
// touched; clearing without a demo does nothing.
func Clear(ctx context.Context, d *db.DB) error {
	err := d.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.LockDemo(ctx); err != nil {
			return err
		}
		return tx.ClearDemo(ctx)
	})
	if err != nil {
		return fmt.Errorf("clear demo: %w", err)
	}
	return nil
}
