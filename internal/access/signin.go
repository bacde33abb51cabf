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

	lately          = 15 * time.Minute
	failuresAccount = 10
	failuresAddress = 20 // a house's whole staff may come from one address
	longestPassword = 1024
	householdBits   = 64 // of an IPv6 address: what one customer of a provider has
)

// SignIn lets somebody in and opens a signing-in. ErrRefused and ErrTooMany are for
// the visitor, who learns from neither whether the account exists: unknown accounts
// cost the same time and run into the same limits.
//
// A try counts as a failure before the password is looked at, so that many at once,
// on many processes, find the limit too.
func (s *Service) SignIn(ctx context.Context, email, password, address string) (Staff, error) {
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
	return s.open(ctx, a, account, address, better)
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

func (s *Service) open(ctx context.Context, a db.StaffAccount, account, address, better string) (Staff, error) {
	who := Staff{ID: a.ID, Email: a.Email, Name: a.Name, Role: Role(a.Role)}
	err := s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.ForgiveLogin(ctx, account); err != nil {
			return err
		}
		if better != "" {
			if err := t.SetPassword(ctx, a.ID, a.PasswordHash, better); err != nil {
				return err
			}
		}
		var err error
		if who.SignIn, err = t.StartSignIn(ctx, a.ID, address); err != nil {
			return err
		}
		return t.InsertAudit(ctx, db.Audit{Actor: who.Actor(), Address: address, Action: "sign_in", Subject: who.Actor()})
	})
	return who, err
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
