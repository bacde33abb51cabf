package handlers

import (
	"context"
	"errors"
	"net/http"

	"holdfast/internal/access"
	"holdfast/internal/domain"
)

// accountOff ends somebody's work here.
func (s *site) accountOff(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.onAccount(w, r, who, "off", func(ctx context.Context, id int64, address string) error {
		return s.Access.SwitchAccount(ctx, who, id, true, address)
	})
}

// accountOn lets somebody in again.
func (s *site) accountOn(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.onAccount(w, r, who, "on", func(ctx context.Context, id int64, address string) error {
		return s.Access.SwitchAccount(ctx, who, id, false, address)
	})
}

// resetTwoStep takes somebody's second factor away.
func (s *site) resetTwoStep(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.onAccount(w, r, who, "two-step", func(ctx context.Context, id int64, address string) error {
		return s.Access.ResetTwoStep(ctx, who, id, address)
	})
}

// endSignIns ends everything that somebody has open.
func (s *site) endSignIns(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.onAccount(w, r, who, "signed-in", func(ctx context.Context, id int64, address string) error {
		return s.Access.EndSignIns(ctx, who, id, address)
	})
}

// resetPassword makes a first password and shows it, this once.
func (s *site) resetPassword(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "staff")
	if err != nil {
		return err
	}
	password, err := s.Access.ResetPassword(r.Context(), who, id, s.clientAddress(r))
	if err != nil {
		return s.accountRefused(w, r, who, id, err)
	}
	return s.showPassword(w, r, who, id, password, " has a new password")
}

// onAccount does something with the account of the path and says so on its page.
func (s *site) onAccount(w http.ResponseWriter, r *http.Request, who access.Staff, said string, do func(ctx context.Context, id int64, address string) error) error {
	id, err := pathID(r, "staff")
	if err != nil {
		return err
	}
	if err := do(r.Context(), id, s.clientAddress(r)); err != nil {
		return s.accountRefused(w, r, who, id, err)
	}
	return s.toAccount(w, r, id, said)
}

// accountRefused shows a rule on the account's page; other errors stay errors.
func (s *site) accountRefused(w http.ResponseWriter, r *http.Request, who access.Staff, id int64, err error) error {
	var rule *domain.RuleError
	if !errors.As(err, &rule) {
		return err
	}
	a, missing := s.Access.Account(r.Context(), id)
	if missing != nil {
		return missing
	}
	s.note(r, http.StatusUnprocessableEntity, err)
	return s.showAccount(w, r, who, http.StatusUnprocessableEntity, a, accountForm{
		person: access.Profile{Email: a.Email, Name: a.Name, Role: access.Role(a.Role)}, alert: refusal("That is not possible", rule.Words),
	})
}
