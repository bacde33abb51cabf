package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"holdfast/db"
	"holdfast/internal/domain"
)

// House is what the set-up asks about the business.
type House struct{ Kind, Name, Currency, TimeZone string }

// settings are the rows that the house is stored in.
func (h House) settings() [][2]string {
	return [][2]string{{"kind", h.Kind}, {"venue_name", h.Name}, {"currency", h.Currency}, {"time_zone", h.TimeZone}}
}

func (h House) problems(p Problems) {
	if nameProblem(h.Name) != "" {
		p.add("venue_name", "Please type the name that customers know, at most "+fmt.Sprint(longestText)+" letters.")
	}
	for _, x := range h.settings() {
		if domain.CheckSetting(x[0], x[1]) == nil {
			continue
		}
		p.add(x[0], map[string]string{
			"kind": "Please choose what you sell.", "currency": "Please choose a currency of the list.",
			"time_zone": "Please type a zone such as Europe/Vienna or Asia/Colombo.",
		}[x[0]])
	}
}

// HasOwner says whether the set-up is over.
func (s *Service) HasOwner(ctx context.Context) (bool, error) { return s.db.HasOwner(ctx) }

// Setup makes the first owner and the house, and signs the owner in.
// domain.ErrNotFound: there is an owner, however short ago; Problems: by field.
func (s *Service) Setup(ctx context.Context, h House, p Profile, password, address string) (who Staff, err error) {
	p.Role = Owner
	p = p.trim()
	wrong := p.problems()
	wrong.add("password", passwordProblem(password, p.Email, p.Name))
	h.problems(wrong)
	if err := wrong.some(); err != nil {
		return who, err
	}
	hash, err := s.hash(ctx, password)
	if err != nil {
		return who, err
	}
	who = Staff{Email: p.Email, Name: p.Name, Role: Owner}
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		if err := firstOwner(ctx, t); err != nil {
			return err
		}
		if who.ID, err = t.InsertStaff(ctx, db.NewStaff{Email: p.Email, Name: p.Name, Role: string(Owner), PasswordHash: hash}); err != nil {
			return err
		}
		for _, x := range h.settings() {
			if err := t.SetSetting(ctx, x[0], x[1]); err != nil {
				return err
			}
		}
		if err := t.Log(ctx, who.By(address), "set_up", who.Actor(), nil, h); err != nil {
			return err
		}
		if who.SignIn, err = t.StartSignIn(ctx, who.ID, address, false); err != nil {
			return err
		}
		return t.Log(ctx, who.By(address), "sign_in", who.Actor(), nil, nil)
	})
	if errors.Is(err, domain.ErrConflict) {
		err = Problems{"email": emailTaken}
	}
	return who, err
}

// firstOwner lets one of many through: the others find an owner.
func firstOwner(ctx context.Context, t *db.Tx) error {
	if err := t.LockOwners(ctx); err != nil {
		return err
	}
	there, err := t.HasOwner(ctx)
	if err == nil && there {
		err = fmt.Errorf("set-up is over: %w", domain.ErrNotFound)
	}
	return err
}

// CreateOwner makes an owner from the command line. password "": one is made up and
// answered. Problems: what is wrong, by field.
func (s *Service) CreateOwner(ctx context.Context, by domain.By, email, password string) (string, error) {
	email = normal(email)
	p := Profile{Email: email, Name: email, Role: Owner}
	hash, password, err := s.given(ctx, p, password)
	if err != nil {
		return "", err
	}
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.LockOwners(ctx); err != nil {
			return err
		}
		id, err := t.InsertStaff(ctx, db.NewStaff{Email: p.Email, Name: p.Name, Role: string(Owner), PasswordHash: hash})
		if err != nil {
			return err
		}
		return t.Log(ctx, by, "account_added", subject(id), nil, p)
	})
	if errors.Is(err, domain.ErrConflict) {
		err = Problems{"email": "There is an account with this e-mail. If it is an owner’s, use: holdfast owner reset"}
	}
	return password, err
}

// given is the hash of a password that will do, made up when it is "".
func (s *Service) given(ctx context.Context, p Profile, password string) (hash, text string, err error) {
	wrong := p.problems()
	if password != "" {
		wrong.add("password", passwordProblem(password, p.Email, p.Name))
	}
	if err := wrong.some(); err != nil {
		return "", "", err
	}
	text = cmp.Or(password, domain.NewPassword())
	hash, err = s.hash(ctx, text)
	return hash, text, err
}

// ResetOwner lets an owner in again who is locked out: a new password, no second factor,
// nothing open any more, and switched on. domain.ErrNotFound: no owner has this e-mail.
// password and Problems as in CreateOwner.
func (s *Service) ResetOwner(ctx context.Context, by domain.By, email, password string) (string, error) {
	email = normal(email)
	hash, password, err := s.given(ctx, Profile{Email: email, Name: email, Role: Owner}, password)
	if err != nil {
		return "", err
	}
	return password, s.db.InTx(ctx, func(t *db.Tx) error {
		id, err := t.OwnerByEmail(ctx, email)
		if err != nil {
			return err
		}
		if _, err := t.DropTOTP(ctx, id); err != nil {
			return err
		}
		if _, err := t.SwitchStaff(ctx, id, false); err != nil {
			return err
		}
		return s.give(ctx, t, by, id, hash, false, "owner_reset")
	})
}
