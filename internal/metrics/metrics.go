// Package metrics counts what a monitor asks for, in Prometheus's form. What the
// program itself does is counted as it happens; what the database knows is read when
// somebody asks, in one statement.
package metrics

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"holdfast/db"
)

// Metrics is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
	claims   *prometheus.CounterVec
	shed     *prometheus.CounterVec
	settled  *prometheus.HistogramVec
	found    *prometheus.CounterVec
}

// Shop is what is read when a monitor asks.
type Shop interface {
	Gauges(ctx context.Context) ([]db.Gauge, error)
	Pool() *pgxpool.Pool
}

// New makes the metrics of one process. version is its build.
func New(shop Shop, version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "holdfast_request_seconds", Help: "Time to answer, by route and status.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 20},
		}, []string{"route", "status"}),
		claims: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_claims_total", Help: "Choices of seats by customers: won, lost to somebody, lost early (refused from memory in a crowd), busy, refused by a rule, failed.",
		}, []string{"outcome"}),
		shed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_shed_total", Help: "Requests sent away before they were worked, by class and reason: the line was full, waited too long, the reader had gone.",
		}, []string{"class", "reason"}),
		settled: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "holdfast_settle_seconds", Help: "From the news of money to tickets or its way back. By webhook: from the message's arrival to the end of its work; by return: how long the customer who came back waited.",
			Buckets: []float64{.1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300},
		}, []string{"by"}),
		found: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_sweep_found_total", Help: "Money that only the sweep or the look through Stripe's list found, by what became of it.",
		}, []string{"outcome"}),
	}
	m.begin()
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "holdfast_build_info", Help: "1, with the version."}, []string{"version"})
	build.WithLabelValues(version).Set(1)
	m.registry.MustRegister(m.requests, m.claims, m.shed, m.settled, m.found, build, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), &asked{shop})
	return m
}

// Served counts an answer. route is the pattern, never the path: a path may carry a
// booking's token, and there are too many.
func (m *Metrics) Served(route string, status int, took time.Duration) {
	if route == "" {
		route = "none"
	}
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Observe(took.Seconds())
}

// Claim counts what became of a choice of seats.
func (m *Metrics) Claim(outcome string) { m.claims.WithLabelValues(outcome).Inc() }

// begin makes the lines that an alert asks for: a count that begins with its first event
// hides that one.
func (m *Metrics) begin() {
	for _, class := range []string{"claims", "pages", "money", "staff"} {
		for _, reason := range []string{"full", "waited"} {
			m.shed.WithLabelValues(class, reason)
		}
	}
	for _, outcome := range []string{"won", "lost", "lost_early", "busy", "refused", "failed"} {
		m.claims.WithLabelValues(outcome)
	}
	for _, outcome := range []string{"booked", "lost", "refused"} {
		m.found.WithLabelValues(outcome)
	}
	m.settled.WithLabelValues("webhook")
	m.settled.WithLabelValues("return")
}

// Settled counts a payment that brought money: see booking.Counts.
func (m *Metrics) Settled(by string, took time.Duration) {
	m.settled.WithLabelValues(by).Observe(took.Seconds())
}

// Found counts money that nobody had told of.
func (m *Metrics) Found(outcome string) { m.found.WithLabelValues(outcome).Inc() }

// Shed counts a request that was sent away.
func (m *Metrics) Shed(class, reason string) { m.shed.WithLabelValues(class, reason).Inc() }

// Watch tells a figure that is read when a monitor asks, under a name and label once.
func (m *Metrics) Watch(name, help string, labels map[string]string, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, read))
}

// Handler answers a monitor. A database that does not answer takes its own figures
// away, not the rest.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// asked reads the database when a monitor asks.
type asked struct{ shop Shop }

// Describe sends nothing: which figures there are, the database says.
func (*asked) Describe(chan<- *prometheus.Desc) {}

// Collect reads them, in five seconds at most.
func (a *asked) Collect(out chan<- prometheus.Metric) {
	gauge := func(name, help string, value float64, labels map[string]string) {
		out <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, nil, labels), prometheus.GaugeValue, value)
	}
	pool := a.shop.Pool().Stat()
	gauge("holdfast_pool_connections", "Database connections by state.", float64(pool.AcquiredConns()), map[string]string{"state": "busy"})
	gauge("holdfast_pool_connections", "Database connections by state.", float64(pool.IdleConns()), map[string]string{"state": "idle"})
	out <- prometheus.MustNewConstMetric(prometheus.NewDesc("holdfast_pool_waits_total", "Times a connection had to be waited for.", nil, nil),
		prometheus.CounterValue, float64(pool.EmptyAcquireCount()))
	out <- prometheus.MustNewConstMetric(prometheus.NewDesc("holdfast_pool_wait_seconds_total", "Time spent waiting for connections.", nil, nil),
		prometheus.CounterValue, pool.EmptyAcquireWaitTime().Seconds())

	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	list, err := a.shop.Gauges(ctx)
	up := 1.0
	if err != nil {
		up = 0
	}
	gauge("holdfast_database_up", "1 when the database answered this question.", up, nil)
	for _, g := range list {
		labels := map[string]string{}
		if g.Label != "" {
			labels[g.Label] = g.Value
		}
		gauge("holdfast_"+g.Name, g.Help, g.Number, labels)
	}
}
