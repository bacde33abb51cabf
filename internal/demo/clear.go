package demo

import (
	"context"
	"errors"
	"fmt"

	"holdfast/db"
	"holdfast/internal/domain"
)

// ErrOwnAccount refuses to remove the account of whoever asks for it. Nothing was changed.
var ErrOwnAccount = errors.New("the account that clears the demo is part of it")

// Clear removes what Load made and everything that hangs on the demo's events,
// visitors' bookings with their payments and ledger lines included. Settings go
// back to what they were, unless somebody changed them since. A film, place, plan
// or tariff that the house's own events have come to use stays. Nothing else is
// touched; clearing without a demo does nothing.
//
// by is who did it, for the log of changes, which keeps its line; without an actor
// nothing is logged. ErrOwnAccount when the actor's own account would go too.
func Clear(ctx context.Context, d *db.DB, by domain.By) error {
	err := d.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.LockDemo(ctx); err != nil {
			return err
		}
		switch own, err := tx.DemoActor(ctx, by.Actor); {
		case err != nil:
			return err
		case own:
			return ErrOwnAccount
		}
		loaded, err := tx.DemoLoaded(ctx)
		if err != nil || !loaded {
			return err
		}
		counts, err := tx.DemoCounts(ctx)
		if err != nil {
			return err
		}
		if err := tx.ClearDemo(ctx); err != nil || by.Actor == "" {
			return err
		}
		return tx.Log(ctx, by, "demo_cleared", "demo", counts, nil)
	})
	if err != nil {
		return fmt.Errorf("clear demo: %w", err)
	}
	return nil
}
