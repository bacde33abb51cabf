package access

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"holdfast/db"
	"holdfast/internal/domain"
)

// pinTries wrong PINs in a row switch a PIN off: four figures are soon guessed by
// somebody who stands beside the till all day.
const pinTries = 10

// Supervise lets a supervisor confirm in place what somebody else does, say at a till:
// whom is an e-mail or the number of an account, secret the supervisor's PIN or password.
// It signs nobody in. ErrRefused and ErrTooMany as in SignIn, with the same limits;
// ErrRole: the right secret of a role that does not cover need.
func (s *Service) Supervise(ctx context.Context, whom, secret string, need Role, address string) (Staff, error) {
	a, known, err := s.someone(ctx, whom)
	if err != nil {
		return Staff{}, err
	}
	account := digest(normal(whom))
	if known {
		account = digest(a.Email)
	}
	if err := s.admit(ctx, account, address); err != nil {
		return Staff{}, err
	}
	fits, err := s.superFits(ctx, a, secret)
	if err != nil {
		return Staff{}, err
	}
	if !known || !fits || a.Disabled || a.MustChange {
		return Staff{}, s.refuse(ctx, a, known, address)
	}
	who := staffOf(a)
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.ForgiveLogin(ctx, account); err != nil {
			return err
		}
		if likePIN(secret) {
			if err := t.ForgivePIN(ctx, a.ID); err != nil {
				return err
			}
		}
		if !who.Role.Covers(need) {
			return nil
		}
		return t.Log(ctx, who.By(address), "supervised", who.Actor(), nil, nil)
	})
	if err == nil && !who.Role.Covers(need) {
		err = ErrRole
	}
	return who, err
}

// Supervisor is somebody who may confirm in place.
type Supervisor = db.Supervisor

// Supervisors lists who may confirm what asks for need, by name.
func (s *Service) Supervisors(ctx context.Context, need Role) ([]Supervisor, error) {
	var roles []string
	for _, r := range []Role{Owner, Manager, Cashier, Steward} {
		if r.Covers(need) {
			roles = append(roles, string(r))
		}
	}
	return s.db.Supervisors(ctx, roles)
}

func (s *Service) someone(ctx context.Context, whom string) (a db.StaffAccount, known bool, err error) {
	if id, e := strconv.ParseInt(strings.TrimSpace(whom), 10, 64); e == nil {
		a, err = s.db.StaffByID(ctx, id)
	} else {
		a, err = s.db.StaffByEmail(ctx, normal(whom))
	}
	if errors.Is(err, domain.ErrNotFound) {
		return a, false, nil
	}
	return a, err == nil, err
}

func likePIN(secret string) bool { return digits(secret) && len(secret) <= longestPIN }

// superFits compares with the PIN what looks like one, and with the password the rest:
// no password is as short as a PIN.
func (s *Service) superFits(ctx context.Context, a db.StaffAccount, secret string) (bool, error) {
	hash := a.PasswordHash
	if likePIN(secret) {
		may, err := s.db.TryPIN(ctx, a.ID, pinTries)
		if err != nil {
			return false, err
		}
		if hash = ""; may {
			hash = a.PINHash
		}
	}
	fits, _, err := s.look(ctx, secret, hash)
	return fits, err
}
