package access

import (
	"context"

	"holdfast/db"
)

// Confirm asks somebody who is signed in for the password again, or for a code of the
// second factor, before an act that cannot be taken back. ErrRefused: it is neither;
// ErrTooMany: too many tries, as at the door. A try counts before the password is looked
// at, against the account alone.
func (s *Service) Confirm(ctx context.Context, who Staff, secret, address string) error {
	return s.confirm(ctx, who, secret, address, true)
}

func (s *Service) confirm(ctx context.Context, who Staff, secret, address string, codes bool) error {
	account := digest(normal(who.Email))
	if err := s.admit(ctx, account, who.Actor()); err != nil {
		return err
	}
	a, err := s.db.StaffByID(ctx, who.ID)
	if err != nil {
		return err
	}
	fits := false
	if codes {
		if fits, err = s.useCodeNow(ctx, a, secret); err != nil {
			return err
		}
	}
	if !fits {
		if fits, _, err = s.look(ctx, secret, a.PasswordHash); err != nil {
			return err
		}
	}
	if !fits || a.Disabled {
		return s.refuse(ctx, a, true, address)
	}
	return s.db.InTx(ctx, func(t *db.Tx) error { return t.ForgiveLogin(ctx, account) })
}

func (s *Service) useCodeNow(ctx context.Context, a db.StaffAccount, code string) (fits bool, err error) {
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		var err error
		fits, err = s.useCode(ctx, t, a, code)
		return err
	})
	return fits, err
}
