package access

import (
	"context"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Setup2 is a second factor that is being set up: the secret as text, for those who type
// it, and the address that the QR code carries.
type Setup2 struct{ Secret, URL string }

// StartTwoStep draws a secret. It counts for nothing before TurnOnTwoStep.
// domain.ErrConflict: a second factor is on already.
func (s *Service) StartTwoStep(ctx context.Context, who Staff, house string) error {
	link, err := newSecret(house, who.Email)
	if err != nil {
		return err
	}
	sealed, err := s.vault.close(who.ID, link)
	if err != nil {
		return err
	}
	return s.db.InTx(ctx, func(t *db.Tx) error {
		kept, err := t.PendTOTP(ctx, who.ID, sealed)
		if err == nil && !kept {
			err = domain.ErrConflict
		}
		return err
	})
}

// PendingTwoStep is the set-up that StartTwoStep began; domain.ErrNotFound when there is
// none.
func (s *Service) PendingTwoStep(ctx context.Context, who Staff) (Setup2, error) {
	a, err := s.db.StaffByID(ctx, who.ID)
	if err != nil {
		return Setup2{}, err
	}
	return s.pending(a)
}

func (s *Service) pending(a db.StaffAccount) (Setup2, error) {
	if a.TOTPPending == "" || a.TOTPSecret != "" {
		return Setup2{}, domain.ErrNotFound
	}
	link, err := s.vault.open(a.ID, a.TOTPPending)
	if err != nil {
		return Setup2{}, err
	}
	secret, err := secretIn(link)
	return Setup2{Secret: secret, URL: link}, err
}

// TurnOnTwoStep makes the pending secret count, proven by a code of the app, and answers
// the recovery codes: they are never shown again. ErrRefused: the password is another;
// ErrCode: the code does not fit; ErrTooMany; domain.ErrNotFound: nothing is pending;
// domain.ErrStale: another tab began anew.
func (s *Service) TurnOnTwoStep(ctx context.Context, who Staff, password, code, address string) ([]string, error) {
	if err := s.confirm(ctx, who, password, address, false); err != nil {
		return nil, err
	}
	a, err := s.db.StaffByID(ctx, who.ID)
	if err != nil {
		return nil, err
	}
	setup, err := s.pending(a)
	if err != nil {
		return nil, err
	}
	shown, stored := s.newCodes(who.ID)
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		now, err := t.Now(ctx)
		if err != nil {
			return err
		}
		step, fits, err := stepOf(setup.Secret, tidy(code), now)
		if err != nil {
			return err
		}
		if !fits {
			return ErrCode
		}
		on, err := t.StartTOTP(ctx, who.ID, a.TOTPPending, step)
		if err == nil && !on {
			err = domain.ErrStale
		}
		if err != nil {
			return err
		}
		if err := t.ReplaceCodes(ctx, who.ID, stored); err != nil {
			return err
		}
		return t.Log(ctx, who.By(address), "two_step_on", who.Actor(), nil, nil)
	})
	return shown, err
}

// TurnOffTwoStep takes the second factor away. ErrRefused and ErrTooMany as in Confirm.
func (s *Service) TurnOffTwoStep(ctx context.Context, who Staff, secret, address string) error {
	if err := s.Confirm(ctx, who, secret, address); err != nil {
		return err
	}
	return s.db.InTx(ctx, func(t *db.Tx) error {
		was, err := t.DropTOTP(ctx, who.ID)
		if err != nil || !was {
			return err
		}
		return t.Log(ctx, who.By(address), "two_step_off", who.Actor(), nil, nil)
	})
}

// RenewCodes puts new recovery codes in the place of all old ones. ErrRefused and
// ErrTooMany as in Confirm; domain.ErrConflict: there is no second factor.
func (s *Service) RenewCodes(ctx context.Context, who Staff, secret, address string) ([]string, error) {
	if !who.TwoStep {
		return nil, domain.ErrConflict
	}
	if err := s.Confirm(ctx, who, secret, address); err != nil {
		return nil, err
	}
	shown, stored := s.newCodes(who.ID)
	err := s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.ReplaceCodes(ctx, who.ID, stored); err != nil {
			return err
		}
		return t.Log(ctx, who.By(address), "recovery_codes_renewed", who.Actor(), nil, nil)
	})
	return shown, err
}
