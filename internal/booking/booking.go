// Package booking is the way from a choice of seats to tickets: hold, details,
// payment, settle, refund. It owns the transactions and the rules; SQL is in db,
// words for people are in handlers and views.
//
// The promise it keeps: a seat is never sold twice, and money that arrives ends as
// tickets or goes back. See db/doc.go for the lock order.
package booking

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Gateway is the payment provider as booking needs it. Errors wrap
// domain.ErrGateway (nobody knows), ErrGatewayRefused (not done), ErrNotFound or
// ErrSessionNotOpen. None of it is called inside a transaction.
type Gateway interface {
	CreateSession(ctx context.Context, r domain.SessionRequest) (domain.PaySession, error)
	Session(ctx context.Context, id string) (domain.PaySession, error)
	ExpireSession(ctx context.Context, id string) (domain.PaySession, error)
	CreateRefund(ctx context.Context, r domain.RefundRequest) (domain.ProviderRefund, error)
	Refund(ctx context.Context, id string) (domain.ProviderRefund, error)
	Refunds(ctx context.Context, paymentIntent string) ([]domain.ProviderRefund, error)
	Dispute(ctx context.Context, id string) (domain.ProviderDispute, error)
	PaymentIntentOf(ctx context.Context, objectID string) (string, error)
	SessionsSince(ctx context.Context, since time.Time) ([]domain.PaySession, error)
	RefundsSince(ctx context.Context, since time.Time) ([]domain.ProviderRefund, error)
}

// Config is what the service needs besides the database.
type Config struct {
	Gateway Gateway // nil: online payment is off
	Live    bool    // sessions must say livemode
	Demand  Demand  // nil: demand is never high
	BaseURL string  // absolute, without a slash at the end
	Log     *slog.Logger
	Counts  Counts // nil: nobody counts
}

// Service is safe for concurrent use.
type Service struct {
	db   *db.DB
	pay  Gateway
	live bool
	rush Demand
	base string
	log  *slog.Logger

	count Counts

	layouts  sync.Map // version id → *domain.Layout; versions never change
	settings settingsCache
	firsts   firsts
	pages    singleflight.Group // payment id → the address of its hosted page
}

// New makes the service.
func New(d *db.DB, c Config) *Service {
	s := &Service{db: d, pay: c.Gateway, live: c.Live, rush: c.Demand, base: c.BaseURL, log: c.Log, count: c.Counts}
	if s.count == nil {
		s.count = uncounted{}
	}
	return s
}

// PaysOnline says whether a payment provider is configured.
func (s *Service) PaysOnline() bool { return s.pay != nil }

type settingsCache struct {
	mu   sync.Mutex
	at   time.Time
	last domain.Settings
}

// Settings are the owner's settings, at most one second old. Nobody waits for another's
// read, and inside a transaction they are read on it: waiting there for a second
// connection would stop everybody once all are in transactions.
func (s *Service) Settings(ctx context.Context) (domain.Settings, error) {
	return s.readSettings(ctx, s.db.Queries)
}

func (s *Service) readSettings(ctx context.Context, q db.Queries) (domain.Settings, error) {
	if set, at := s.settings.get(); time.Since(at) < time.Second {
		return set, nil
	}
	stored, err := q.Settings(ctx)
	if err != nil {
		return domain.Settings{}, err
	}
	parsed, err := domain.ParseSettings(stored)
	if err != nil {
		s.log.Warn("a stored setting cannot be used, its default is", "problem", err.Error())
	}
	s.settings.put(parsed)
	return parsed, nil
}

// ListSettings are Settings for a page that sells nothing: with a replica they are read
// there, so that the page needs the primary for nothing.
func (s *Service) ListSettings(ctx context.Context) (set domain.Settings, err error) {
	if !s.db.Replicated() {
		return s.Settings(ctx)
	}
	err = s.db.Lists(ctx, func(q db.Queries) error {
		stored, err := q.Settings(ctx)
		if err == nil {
			set, _ = domain.ParseSettings(stored) // Settings warns of what cannot be used
		}
		return err
	})
	return set, err
}

// LastSettings are those that were read last, however long ago; false when none were.
func (s *Service) LastSettings() (domain.Settings, bool) {
	set, at := s.settings.get()
	return set, !at.IsZero()
}

// SettingsChanged makes the next reader in this process look again, so that whoever saved
// them sees them at once.
func (s *Service) SettingsChanged() {
	s.settings.mu.Lock()
	defer s.settings.mu.Unlock()
	if !s.settings.at.IsZero() {
		s.settings.at = time.Unix(1, 0) // long ago, and still known
	}
}

func (c *settingsCache) get() (domain.Settings, time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last, c.at
}

func (c *settingsCache) put(set domain.Settings) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last, c.at = set, time.Now()
}

// Layout reads a version of a seat plan once and keeps it.
func (s *Service) Layout(ctx context.Context, versionID int64) (*domain.Layout, error) {
	return s.layout(ctx, s.db.Queries, versionID)
}

func (s *Service) layout(ctx context.Context, q db.Queries, versionID int64) (*domain.Layout, error) {
	if l, ok := s.layouts.Load(versionID); ok {
		return l.(*domain.Layout), nil
	}
	l, err := q.Layout(ctx, versionID)
	if err != nil {
		return nil, err
	}
	s.layouts.Store(versionID, l)
	return l, nil
}

// own reads a hold that belongs to the holder; everybody else's is ErrNotFound.
func (s *Service) own(ctx context.Context, q queries, holder domain.Holder, holdID string) (*domain.Hold, error) {
	if !isUUID(holdID) {
		return nil, domain.ErrNotFound
	}
	h, err := q.Hold(ctx, holdID)
	if err != nil {
		return nil, err
	}
	if holder == "" || h.Holder != holder {
		return nil, domain.ErrNotFound
	}
	return h, nil
}

// queries is the pool or a transaction.
type queries interface {
	Hold(ctx context.Context, id string) (*domain.Hold, error)
}

// alive turns a hold that can no longer be worked on into the error that says why.
func alive(h *domain.Hold) error {
	switch p := h.Phase(); {
	case p == domain.PhaseBooked:
		return domain.ErrAlreadyPaid
	case p.Ended():
		return domain.ErrHoldEnded
	}
	return nil
}

func claimOf(h *domain.Hold) db.Claim {
	return db.Claim{EventID: h.EventID, HoldID: h.ID, Seats: h.SeatNos(), Ride: h.Ride}
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range s {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (c == '-') || !dash && !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
			return false
		}
	}
	return true
}

func ignore(err error, these ...error) error {
	for _, e := range these {
		if errors.Is(err, e) {
			return nil
		}
	}
	return err
}
