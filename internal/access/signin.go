package access

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

const (
	idle    = 30 * time.Minute
	longest = 12 * time.Hour

	codeTime = 10 * time.Minute // from the password to the code

	lately          = 15 * time.Minute
	failuresAccount = 10
	failuresAddress = 20 // a house's whole staff may come from one address
	longestPassword = 1024
	householdBits   = 64 // of an IPv6 address: what one customer of a provider has
)

// SignIn lets somebody in and opens a signing-in. ErrRefused and ErrTooMany are for
// the visitor, who learns from neither whether the account exists: unknown accounts
// cost the same time and run into the same limits. code may be empty: whoever has a
// second factor then gets ErrCodeNeeded with the number of a signing-in for EnterCode.
//
// A try counts as a failure before the password is looked at, so that many at once,
// on many processes, find the limit too; a right password alone does not wipe them out.
func (s *Service) SignIn(ctx context.Context, email, password, code, address string) (Staff, error) {
	email = normal(email)
	account := digest(email)
	if err := s.admit(ctx, account, address); err != nil {
		return Staff{}, err
	}
	a, err := s.db.StaffByEmail(ctx, email)
	known := err == nil
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		return Staff{}, err
	}
	fits, better, err := s.look(ctx, password, a.PasswordHash)
	if err != nil {
		return Staff{}, err
	}
	if !known || !fits {
		return Staff{}, s.refuse(ctx, a, known, address)
	}
	who, err := s.open(ctx, a, address, better)
	if err != nil || a.TOTPSecret == "" {
		return who, err
	}
	if code == "" {
		return who, ErrCodeNeeded
	}
	return s.pass(ctx, a, who.SignIn, code, address)
}

// EnterCode is the second step of signing in, for the signing-in that came with
// ErrCodeNeeded. ErrCode: it does not fit, another may be tried; ErrTooMany as in SignIn;
// ErrSignedOut: the first step is too long ago.
func (s *Service) EnterCode(ctx context.Context, signIn int64, code, address string) (Staff, error) {
	a, err := s.due(ctx, signIn)
	if err != nil {
		return Staff{}, err
	}
	if err := s.admit(ctx, digest(a.Email), address); err != nil {
		return Staff{}, err
	}
	return s.pass(ctx, a, signIn, code, address)
}

// AwaitsCode says whether a signing-in waits for EnterCode.
func (s *Service) AwaitsCode(ctx context.Context, signIn int64) (bool, error) {
	_, err := s.due(ctx, signIn)
	if errors.Is(err, ErrSignedOut) {
		return false, nil
	}
	return err == nil, err
}

func (s *Service) due(ctx context.Context, signIn int64) (a db.StaffAccount, err error) {
	id, err := s.db.DueSignIn(ctx, signIn, codeTime)
	if err == nil {
		a, err = s.db.StaffByID(ctx, id)
	}
	if errors.Is(err, domain.ErrNotFound) || err == nil && a.Disabled {
		err = ErrSignedOut
	}
	return a, err
}

// pass lets somebody in whose password was right, if the code is.
func (s *Service) pass(ctx context.Context, a db.StaffAccount, signIn int64, code, address string) (Staff, error) {
	who := staffOf(a)
	who.SignIn = signIn
	err := s.db.InTx(ctx, func(t *db.Tx) error {
		fits, err := s.useCode(ctx, t, a, code)
		if err != nil {
			return err
		}
		if !fits {
			return ErrCode
		}
		if err := t.PassSignIn(ctx, signIn); err != nil {
			return err
		}
		return s.in(ctx, t, who, address)
	})
	if errors.Is(err, ErrCode) {
		err = errors.Join(err, s.db.InsertAudit(ctx, db.Audit{Actor: "web", Address: address, Action: "sign_in_code_failed", Subject: who.Actor()}))
	}
	if errors.Is(err, domain.ErrNotFound) {
		err = ErrSignedOut // another tab was faster
	}
	return who, err
}

// admit counts the try, or refuses it.
func (s *Service) admit(ctx context.Context, account, address string) error {
	from := network(address)
	return s.db.InTx(ctx, func(t *db.Tx) error {
		ofAccount, ofAddress, err := t.LoginFailures(ctx, account, from, lately)
		if err != nil {
			return err
		}
		if ofAccount >= failuresAccount || ofAddress >= failuresAddress {
			return ErrTooMany
		}
		return t.AddLoginFailure(ctx, account, from)
	})
}

func (s *Service) refuse(ctx context.Context, a db.StaffAccount, known bool, address string) error {
	subject := "staff:unknown"
	if known {
		subject = fmt.Sprintf("staff:%d", a.ID)
	}
	err := s.db.InsertAudit(ctx, db.Audit{Actor: "web", Address: address, Action: "sign_in_failed", Subject: subject})
	return errors.Join(ErrRefused, err)
}

// open begins a signing-in: at once, or for EnterCode when there is a second factor.
func (s *Service) open(ctx context.Context, a db.StaffAccount, address, better string) (Staff, error) {
	who := staffOf(a)
	err := s.db.InTx(ctx, func(t *db.Tx) error {
		if better != "" {
			if err := t.SetPassword(ctx, a.ID, a.PasswordHash, better); err != nil {
				return err
			}
		}
		var err error
		if who.SignIn, err = t.StartSignIn(ctx, a.ID, address, a.TOTPSecret != ""); err != nil || a.TOTPSecret != "" {
			return err
		}
		return s.in(ctx, t, who, address)
	})
	return who, err
}

// in forgets earlier failures and writes down that somebody came in.
func (s *Service) in(ctx context.Context, t *db.Tx, who Staff, address string) error {
	if err := t.ForgiveLogin(ctx, digest(who.Email)); err != nil {
		return err
	}
	return t.Log(ctx, who.By(address), "sign_in", who.Actor(), nil, nil)
}

func staffOf(a db.StaffAccount) Staff {
	return Staff{ID: a.ID, Email: a.Email, Name: a.Name, Role: Role(a.Role), TwoStep: a.TOTPSecret != "", MustChange: a.MustChange}
}

// digest is what is kept of an e-mail that was typed.
func digest(email string) string {
	sum := sha256.Sum256([]byte(email))
	return hex.EncodeToString(sum[:])
}

// network is what counts as one address: of IPv6 the part that one household shares.
func network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if ip = ip.Unmap(); ip.Is4() {
		return ip.String()
	}
	p, err := ip.WithZone("").Prefix(householdBits)
	if err != nil {
		return address
	}
	return p.String()
}
