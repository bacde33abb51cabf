// Package access is who works here: accounts and roles, signing in and out with its
// limits, and what staff do on the office's own pages. Every act of theirs leaves a
// line in the audit log.
package access

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Role is what somebody may do. Each role may all that the ones below it may.
type Role string

// The roles, from the top.
const (
	Owner   Role = "owner"
	Manager Role = "manager"
	Cashier Role = "cashier"
	Steward Role = "steward" // checks tickets at the door; the driver of a coach
)

func (r Role) rank() int {
	switch r {
	case Owner:
		return 4
	case Manager:
		return 3
	case Cashier:
		return 2
	case Steward:
		return 1
	}
	return 0
}

// Covers says whether the role may do what need asks for. An unknown role covers nothing.
func (r Role) Covers(need Role) bool { return r.rank() > 0 && r.rank() >= need.rank() }

// Staff is somebody who is signed in.
type Staff struct {
	ID    int64
	Email string
	Name  string
	Role  Role

	// SignIn is the number of this signing-in: what the browser's session keeps and
	// what Load and SignOut take.
	SignIn int64

	TwoStep     bool // has a second factor
	MustChange  bool // the password is one that somebody else gave
	MustTwoStep bool // the house wants a second factor of this role
}

// Owes says whether something comes before any other work: a password of one's own, or
// the second factor that the house wants.
func (s Staff) Owes() bool { return s.MustChange || s.MustTwoStep && !s.TwoStep }

// Actor is how the audit log names them.
func (s Staff) Actor() string { return fmt.Sprintf("staff:%d", s.ID) }

// By is who did something from where, for the audit log.
func (s Staff) By(address string) domain.By { return domain.By{Actor: s.Actor(), Address: address} }

// Errors. Their words may be shown: none tells whether an account exists.
var (
	// ErrRefused: no account that is in use has this e-mail with this password.
	ErrRefused = errors.New("that e-mail and password do not belong together")
	// ErrTooMany: too many failures for this account or from this address; the password
	// was not looked at.
	ErrTooMany = errors.New("too many tries to sign in")
	// ErrCodeNeeded: the password was right; EnterCode takes the code of the second factor.
	ErrCodeNeeded = errors.New("a code of the second factor is needed")
	// ErrCode: the code is not one of this account's, or was used before.
	ErrCode = errors.New("that code does not fit")
	// ErrRole: it is the right person, but their role is not enough.
	ErrRole = errors.New("the role is not enough")
	// ErrSignedOut: nobody is signed in, or not any more.
	ErrSignedOut = errors.New("not signed in")
)

// Service is safe for concurrent use.
type Service struct {
	db    *db.DB
	busy  chan struct{} // a place for each password that is looked at
	vault vault
}

// New makes the service. appSecret is APP_SECRET: second factors are kept under it.
func New(d *db.DB, appSecret string) (*Service, error) {
	v, err := newVault(appSecret)
	if err != nil {
		return nil, fmt.Errorf("keys for second factors: %w", err)
	}
	return &Service{db: d, busy: make(chan struct{}, hashesAtOnce), vault: v}, nil
}

// Load answers who a signing-in belongs to and notes that it is in use. ErrSignedOut
// when it is over: signed out, idle or older than allowed, or the account was
// switched off. Sign-ins are counted by the database's clock.
func (s *Service) Load(ctx context.Context, signIn int64) (Staff, error) {
	x, err := s.db.SignIn(ctx, signIn, idle, longest)
	if errors.Is(err, domain.ErrNotFound) {
		return Staff{}, ErrSignedOut
	}
	if err != nil {
		return Staff{}, err
	}
	return Staff{
		ID: x.StaffID, Email: x.Email, Name: x.Name, Role: Role(x.Role), SignIn: x.ID,
		TwoStep: x.TwoStep, MustChange: x.MustChange, MustTwoStep: slices.Contains(strings.Split(x.TwoStepFor, ","), x.Role),
	}, nil
}

// SignOut ends a signing-in for good. Repeating it is safe.
func (s *Service) SignOut(ctx context.Context, who Staff, address string) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		if _, err := t.EndSignIn(ctx, who.ID, who.SignIn); err != nil {
			return err
		}
		return t.Log(ctx, who.By(address), "sign_out", who.Actor(), nil, nil)
	})
}

// Record puts an act of staff into the audit log.
func (s *Service) Record(ctx context.Context, who Staff, address, action, subject string) error {
	return s.db.InsertAudit(ctx, db.Audit{Actor: who.Actor(), Address: address, Action: action, Subject: subject})
}

// normal is an e-mail as accounts store it.
func normal(email string) string { return strings.ToLower(strings.TrimSpace(email)) }
