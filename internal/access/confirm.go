package access

import (
	"context"

	"holdfast/db"
)

// Confirm asks somebody who is signed in for the password again, before an act that
// cannot be taken back. ErrRefused: it is another; ErrTooMany: too many tries, as at the
// door. A try counts before the password is looked at, against the account alone.
func (s *Service) Confirm(ctx context.Context, who Staff, password, address string) error {
	account := digest(normal(who.Email))
	if err := s.admit(ctx, account, who.Actor()); err != nil {
		return err
	}
	a, err := s.db.StaffByEmail(ctx, normal(who.Email))
	if err != nil {
		return err
	}
	fits, _, err := s.look(ctx, password, a.PasswordHash)
	if err != nil {
		return err
	}
	if !fits || a.ID != who.ID {
		return s.refuse(ctx, a, true, address)
	}
	return s.db.InTx(ctx, func(t *db.Tx) error { return t.ForgiveLogin(ctx, account) })
}
