package access

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Account is somebody who works here, as the owner sees them.
type Account = db.StaffCard

// Profile is what the owner types about somebody.
type Profile struct {
	Email, Name string
	Role        Role
}

// trim is the person as accounts store one.
func (p Profile) trim() Profile {
	return Profile{Email: normal(p.Email), Name: strings.Join(strings.Fields(p.Name), " "), Role: p.Role}
}

func (p Profile) problems() Problems {
	all := Problems{}
	all.add("email", emailProblem(p.Email))
	all.add("name", nameProblem(p.Name))
	if p.Role.rank() == 0 {
		all.add("role", "Please choose what this person may do.")
	}
	return all
}

const emailTaken = "Another account has this e-mail already. It may be one that is switched off."

// lastOwner: somebody must be able to do what only owners may.
func lastOwner() error {
	return &domain.RuleError{Code: "last_owner", Words: "This is the last owner. Make somebody else an owner first. Nothing was changed."}
}

// Accounts lists everybody.
func (s *Service) Accounts(ctx context.Context) ([]Account, error) { return s.db.StaffCards(ctx) }

// Account reads one; domain.ErrNotFound.
func (s *Service) Account(ctx context.Context, id int64) (Account, error) {
	return s.db.StaffCard(ctx, id)
}

// AddAccount makes an account with a password to begin with, which its owner must change
// at the first sign-in. Problems: by field.
func (s *Service) AddAccount(ctx context.Context, who Staff, p Profile, address string) (id int64, password string, err error) {
	p = p.trim()
	if err := p.problems().some(); err != nil {
		return 0, "", err
	}
	password = domain.NewPassword()
	hash, err := s.hash(ctx, password)
	if err != nil {
		return 0, "", err
	}
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		if id, err = t.InsertStaff(ctx, db.NewStaff{Email: p.Email, Name: p.Name, Role: string(p.Role), PasswordHash: hash, MustChange: true}); err != nil {
			return err
		}
		return t.Log(ctx, who.By(address), "account_added", subject(id), nil, p)
	})
	if errors.Is(err, domain.ErrConflict) {
		err = Problems{"email": emailTaken}
	}
	return id, password, err
}

// SaveAccount changes who somebody is. Problems: by field; domain.ErrStale: the account
// changed since revision; a rule in words: it is the last owner.
func (s *Service) SaveAccount(ctx context.Context, who Staff, id int64, revision int, p Profile, address string) error {
	p = p.trim()
	if err := p.problems().some(); err != nil {
		return err
	}
	err := s.db.InTx(ctx, func(t *db.Tx) error {
		was, err := s.owners(ctx, t, id, p.Role == Owner)
		if err != nil {
			return err
		}
		if err := t.UpdateStaff(ctx, id, revision, p.Email, p.Name, string(p.Role)); err != nil {
			return err
		}
		before := Profile{Email: was.Email, Name: was.Name, Role: Role(was.Role)}
		return t.Log(ctx, who.By(address), "account_changed", subject(id), before, p)
	})
	if errors.Is(err, domain.ErrConflict) {
		err = Problems{"email": emailTaken}
	}
	return err
}

// owners reads an account for a change, after which it is an owner in use or not. The last
// one stays: changes of owners wait for one another, so that two cannot both count the
// other.
func (s *Service) owners(ctx context.Context, t *db.Tx, id int64, stays bool) (a db.StaffCard, err error) {
	if err := t.LockOwners(ctx); err != nil {
		return a, err
	}
	if a, err = t.StaffCard(ctx, id); err != nil || stays || Role(a.Role) != Owner || a.Off {
		return a, err
	}
	others, err := t.OtherOwners(ctx, id)
	if err == nil && others == 0 {
		err = lastOwner()
	}
	return a, err
}

// SwitchAccount lets somebody sign in or not; off ends what is open. The last owner stays.
func (s *Service) SwitchAccount(ctx context.Context, who Staff, id int64, off bool, address string) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		if _, err := s.owners(ctx, t, id, !off); err != nil {
			return err
		}
		changed, err := t.SwitchStaff(ctx, id, off)
		if err != nil || !changed {
			return err
		}
		action := "account_on"
		if off {
			action = "account_off"
			if _, err := t.EndSignIns(ctx, id, 0); err != nil {
				return err
			}
		}
		return t.Log(ctx, who.By(address), action, subject(id), nil, nil)
	})
}

// ResetPassword gives somebody a new password to begin with and ends what is open. One's
// own is changed on one's own page.
func (s *Service) ResetPassword(ctx context.Context, who Staff, id int64, address string) (string, error) {
	if id == who.ID {
		return "", &domain.RuleError{Code: "own", Words: "This is your own account: change your password on the page “Your account”. Nothing was changed."}
	}
	password := domain.NewPassword()
	hash, err := s.hash(ctx, password)
	if err != nil {
		return "", err
	}
	return password, s.db.InTx(ctx, func(t *db.Tx) error {
		return s.give(ctx, t, who.By(address), id, hash, true, "password_reset")
	})
}

// give sets a password, ends what is open and opens the door again that wrong tries shut.
func (s *Service) give(ctx context.Context, t *db.Tx, by domain.By, id int64, hash string, must bool, action string) error {
	a, err := t.StaffByID(ctx, id)
	if err != nil {
		return err
	}
	if err := t.GivePassword(ctx, id, hash, must); err != nil {
		return err
	}
	if _, err := t.EndSignIns(ctx, id, 0); err != nil {
		return err
	}
	if err := t.ForgiveLogin(ctx, digest(a.Email)); err != nil {
		return err
	}
	return t.Log(ctx, by, action, subject(id), nil, nil)
}

// ResetTwoStep takes somebody's second factor away, say with a lost phone.
func (s *Service) ResetTwoStep(ctx context.Context, who Staff, id int64, address string) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		if _, err := t.StaffCard(ctx, id); err != nil {
			return err
		}
		was, err := t.DropTOTP(ctx, id)
		if err != nil || !was {
			return err
		}
		return t.Log(ctx, who.By(address), "two_step_reset", subject(id), nil, nil)
	})
}

// EndSignIns ends everything that somebody has open, but for the caller's own signing-in.
func (s *Service) EndSignIns(ctx context.Context, who Staff, id int64, address string) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		if _, err := t.StaffCard(ctx, id); err != nil {
			return err
		}
		n, err := t.EndSignIns(ctx, id, who.SignIn)
		if err != nil {
			return err
		}
		return t.Log(ctx, who.By(address), "sign_ins_ended", subject(id), nil, map[string]int64{"count": n})
	})
}

func subject(id int64) string { return fmt.Sprintf("staff:%d", id) }
