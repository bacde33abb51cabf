package access

import (
	"context"
	"fmt"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Open is a signing-in that is going on.
type Open = db.OpenSignIn

// Me is somebody's own account.
type Me struct {
	Open      []Open // the one used last first
	CodesLeft int
	PIN       bool
}

// Me reads somebody's own account.
func (s *Service) Me(ctx context.Context, who Staff) (m Me, err error) {
	card, err := s.db.StaffCard(ctx, who.ID)
	if err != nil {
		return m, err
	}
	m.PIN = card.PIN
	if m.CodesLeft, err = s.db.CodesLeft(ctx, who.ID); err != nil {
		return m, err
	}
	m.Open, err = s.db.SignInsOf(ctx, who.ID, idle, longest)
	return m, err
}

// ChangePassword sets a password of one's own choice and ends all other signing-ins.
// Problems: the new one will not do; ErrRefused: the old one is another; ErrTooMany.
func (s *Service) ChangePassword(ctx context.Context, who Staff, old, password, address string) error {
	p := Problems{}
	p.add("new", passwordProblem(password, who.Email, who.Name))
	if len(p) == 0 && old == password {
		p.add("new", "That is the old password. Please take another.")
	}
	if err := p.some(); err != nil {
		return err
	}
	if err := s.confirm(ctx, who, old, address, false); err != nil {
		return err
	}
	hash, err := s.hash(ctx, password)
	if err != nil {
		return err
	}
	return s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.GivePassword(ctx, who.ID, hash, false); err != nil {
			return err
		}
		if _, err := t.EndSignIns(ctx, who.ID, who.SignIn); err != nil {
			return err
		}
		return t.Log(ctx, who.By(address), "password_changed", who.Actor(), nil, nil)
	})
}

// SetPIN sets the PIN with which somebody confirms at the counter, "" takes it away.
// Problems, ErrRefused and ErrTooMany as in ChangePassword.
func (s *Service) SetPIN(ctx context.Context, who Staff, pin, secret, address string) error {
	p, hash, action := Problems{}, "", "pin_removed"
	if pin != "" {
		p.add("pin", pinProblem(pin))
	}
	if err := p.some(); err != nil {
		return err
	}
	if err := s.Confirm(ctx, who, secret, address); err != nil {
		return err
	}
	if pin != "" {
		var err error
		if hash, err = s.hash(ctx, pin); err != nil {
			return err
		}
		action = "pin_set"
	}
	return s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.SetPIN(ctx, who.ID, hash); err != nil {
			return err
		}
		return t.Log(ctx, who.By(address), action, who.Actor(), nil, nil)
	})
}

// EndSignIn ends one of one's own signing-ins; domain.ErrNotFound when it is another's or
// over.
func (s *Service) EndSignIn(ctx context.Context, who Staff, id int64, address string) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		ended, err := t.EndSignIn(ctx, who.ID, id)
		if err != nil {
			return err
		}
		if !ended {
			return fmt.Errorf("signing-in %d: %w", id, domain.ErrNotFound)
		}
		return t.Log(ctx, who.By(address), "sign_in_ended", who.Actor(), nil, nil)
	})
}

// EndOthers ends all of one's signing-ins but this one.
func (s *Service) EndOthers(ctx context.Context, who Staff, address string) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		n, err := t.EndSignIns(ctx, who.ID, who.SignIn)
		if err != nil {
			return err
		}
		return t.Log(ctx, who.By(address), "sign_ins_ended", who.Actor(), nil, map[string]int64{"count": n})
	})
}
