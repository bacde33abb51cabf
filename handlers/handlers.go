// Package handlers turns HTTP into one service call and the answer into a page.
// Every URL stands in routes.go; a handler decodes, calls, renders and returns an
// error; errors.go alone knows which status and which words an error gets.
package handlers

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/counter"
	"holdfast/internal/domain"
	"holdfast/internal/schedule"
	"holdfast/internal/seatmap"
	"holdfast/internal/waitroom"
	"holdfast/static"
)

// Records are reads that need no rules: pages that show what is stored.
type Records interface {
	Ping(ctx context.Context) error
	SchemaFits(ctx context.Context) error
	OldestUnsent(ctx context.Context) (time.Duration, error)
	Poster(ctx context.Context, filmID int64) (body []byte, kind string, err error)
}

// Samples is the demo's data: what "holdfast demo load" and "demo clear" do. Refusals
// are *domain.RuleError; repeating either is safe.
type Samples interface {
	Load(ctx context.Context, by domain.By) error
	Clear(ctx context.Context, by domain.By) error
}

// Webhooks checks the signature of Stripe's messages.
type Webhooks interface {
	Read(payload []byte, header string, now time.Time) (Webhook, error)
}

// Webhook is what is read of a message: ids alone. What it means is asked of Stripe.
type Webhook struct {
	ID, Type, ObjectID string
	Livemode           bool
}

// Deps are what main wires in.
type Deps struct {
	Booking  *booking.Service
	Schedule *schedule.Service
	Access   *access.Service
	Counter  *counter.Service
	Reports  *counter.Reports
	Wait     *waitroom.Service
	Records  Records
	Samples  Samples
	// WhenFreed takes who wants to hear when this process puts seats of an event on sale.
	WhenFreed func(do func(eventID int64))
	Webhooks  Webhooks // nil: no secrets are set, every webhook is refused
	Sessions  *scs.SessionManager
	Assets    *static.Assets
	Signer    domain.Signer
	Log       *slog.Logger

	SetupToken   string // what /setup asks for; "" opens it to nobody
	Metrics      Metrics
	MetricsToken string // "" : nobody gets them
	BaseURL      string // absolute, no slash at the end
	StripeOrigin string // for the CSP, "" when it is Stripe's own
	ProxyHops    int
	PoolSize     int // database connections, which the gates divide
	Version      string
	MailOff      bool
	StripeLive   bool      // the key charges real cards
	Notes        []string  // what the configuration leaves off, for the status page
	StripePages  string    // where staff see a payment at Stripe: its id is added
	Demo         *DemoSite // nil outside demo mode
}

// DemoSite is what only a demo has: the look-alike of Stripe and the outbox.
type DemoSite struct {
	Stripe http.Handler // nil when STRIPE_API_URL names another
	Outbox Outbox
}

// What is kept ready in memory: a seat map of 300 seats with its page takes about 150 KB.
const (
	watchedMaps  = 200
	watchedHomes = 100
)

type site struct {
	Deps
	pages       Pages
	maps        *seatmap.Store[mapKey, *snapshot]
	homes       *seatmap.Store[homeKey, *frozen]
	pressure    *seatmap.Pressure
	history     *seatmap.History // of the customers' maps
	counterMaps *seatmap.History // of the counter's
	gates       *gates
	shedAs      shedPages
}

// New makes the whole site as one handler.
func New(d Deps) http.Handler {
	s := &site{
		Deps: d, maps: seatmap.NewStore[mapKey, *snapshot](watchedMaps, seatmap.Stale), homes: seatmap.NewStore[homeKey, *frozen](watchedHomes, 0),
		pressure: seatmap.NewPressure(), history: seatmap.NewHistory(), counterMaps: seatmap.NewHistory(),
		gates: newGates(d.PoolSize), shedAs: drawShed(d.Assets),
	}
	s.gates.watch(d.Metrics)
	d.Metrics.Watch("holdfast_snapshot_age_seconds", "Age of the oldest seat map that was shown from memory in the last minute, when it was shown.", nil,
		func() float64 { return s.maps.Oldest().Seconds() })
	s.pages = Pages{assets: d.Assets, booking: d.Booking, demo: d.Demo != nil, test: d.Booking.PaysOnline() && !d.StripeLive}
	d.WhenFreed(s.pressure.Freed)
	return s.routes()
}
