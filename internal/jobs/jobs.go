// Package jobs holds the River workers and periodic jobs. A worker decodes its
// arguments and makes one call; rules and transactions are the services'.
package jobs

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"golang.org/x/time/rate"

	"holdfast/internal/domain"
)

// Sales is what the jobs about money and seats call.
type Sales interface {
	WorkEvent(ctx context.Context, sessionID, eventID string) error
	FinishPayment(ctx context.Context, paymentID int64) error
	WorkRefund(ctx context.Context, id int64) (done bool, err error)
	WorkRefundNews(ctx context.Context, objectID, eventID string) error
	WorkDispute(ctx context.Context, disputeID, eventID string) error
	WorkCancelledEvent(ctx context.Context, eventID int64) error
	Sweep(ctx context.Context) error
	Reconcile(ctx context.Context) error
	NightlyAudit(ctx context.Context) error
	MailManifests(ctx context.Context) error
}

// Mailer sends one row of the outbox.
type Mailer interface {
	Send(ctx context.Context, mailID int64) error
}

// warnings lets River speak when something is wrong, not about its every minute.
type warnings struct{ slog.Handler }

// Enabled says which levels are written.
func (h warnings) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, l)
}

// Client works the jobs; it is River's.
type Client = river.Client[pgx.Tx]

// New makes the client that works jobs. Start and Stop are main's.
func New(pool *pgxpool.Pool, sales Sales, mail Mailer, log *slog.Logger) (*Client, error) {
	w := river.NewWorkers()
	river.AddWorker(w, &settleWorker{sales: sales})
	river.AddWorker(w, &endPaymentWorker{sales: sales})
	river.AddWorker(w, &refundWorker{sales: sales, pace: rate.NewLimiter(refundsPerSecond, 1)})
	river.AddWorker(w, &refundNewsWorker{sales: sales})
	river.AddWorker(w, &disputeWorker{sales: sales})
	river.AddWorker(w, &cancelEventWorker{sales: sales})
	river.AddWorker(w, &sweepWorker{sales: sales})
	river.AddWorker(w, &reconcileWorker{sales: sales})
	river.AddWorker(w, &auditWorker{sales: sales})
	river.AddWorker(w, &manifestWorker{sales: sales})
	river.AddWorker(w, &mailWorker{mail: mail})
	return river.NewClient(riverpgxv5.New(pool), &river.Config{
		Queues: map[string]river.QueueConfig{
			river.QueueDefault:         {MaxWorkers: 4},
			domain.RefundJob{}.Queue(): {MaxWorkers: 2},
			domain.MailJob{}.Queue():   {MaxWorkers: 2},
		},
		Workers:    w,
		Logger:     slog.New(warnings{log.Handler()}),
		JobTimeout: 60 * time.Second,
		// A job whose process was killed is taken up again after this.
		RescueStuckJobsAfter: 5 * time.Minute,
		FetchPollInterval:    time.Second,
		PeriodicJobs: []*river.PeriodicJob{
			every(time.Minute, domain.SweepJob{}),
			every(time.Minute, domain.ManifestJob{}),
			every(time.Hour, domain.ReconcileJob{}),
			every(time.Hour, domain.AuditJob{}),
		},
	})
}

// refundsPerSecond keeps a cancelled event's refunds below Stripe's limits.
const refundsPerSecond = 5

// every runs a job at start and then again and again, on one process of all.
func every(pause time.Duration, job river.JobArgs) *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(pause), func() (river.JobArgs, *river.InsertOpts) {
		return job, &river.InsertOpts{MaxAttempts: 1}
	}, &river.PeriodicJobOpts{RunOnStart: true})
}

type settleWorker struct {
	river.WorkerDefaults[domain.SettleJob]
	sales Sales
}

func (w *settleWorker) Work(ctx context.Context, j *river.Job[domain.SettleJob]) error {
	return gone(w.sales.WorkEvent(ctx, j.Args.SessionID, j.Args.EventID))
}

// NextRetry: money waits for the answer, so the first repeats come soon.
func (w *settleWorker) NextRetry(j *river.Job[domain.SettleJob]) time.Time { return soon(j.Attempt) }

type endPaymentWorker struct {
	river.WorkerDefaults[domain.EndPaymentJob]
	sales Sales
}

func (w *endPaymentWorker) Work(ctx context.Context, j *river.Job[domain.EndPaymentJob]) error {
	return gone(w.sales.FinishPayment(ctx, j.Args.PaymentID))
}

func (w *endPaymentWorker) NextRetry(j *river.Job[domain.EndPaymentJob]) time.Time {
	return soon(j.Attempt)
}

type refundWorker struct {
	river.WorkerDefaults[domain.RefundJob]
	sales Sales
	pace  *rate.Limiter
}

func (w *refundWorker) Work(ctx context.Context, j *river.Job[domain.RefundJob]) error {
	if err := w.pace.Wait(ctx); err != nil {
		return err
	}
	done, err := w.sales.WorkRefund(ctx, j.Args.RefundID)
	if err == nil && !done {
		return river.JobSnooze(min(time.Hour, time.Minute<<min(j.Attempt, 6)))
	}
	return gone(err)
}

func (w *refundWorker) NextRetry(j *river.Job[domain.RefundJob]) time.Time { return soon(j.Attempt) }

type refundNewsWorker struct {
	river.WorkerDefaults[domain.RefundNewsJob]
	sales Sales
}

func (w *refundNewsWorker) Work(ctx context.Context, j *river.Job[domain.RefundNewsJob]) error {
	return w.sales.WorkRefundNews(ctx, j.Args.ObjectID, j.Args.EventID)
}

func (w *refundNewsWorker) NextRetry(j *river.Job[domain.RefundNewsJob]) time.Time {
	return soon(j.Attempt)
}

type disputeWorker struct {
	river.WorkerDefaults[domain.DisputeJob]
	sales Sales
}

func (w *disputeWorker) Work(ctx context.Context, j *river.Job[domain.DisputeJob]) error {
	return w.sales.WorkDispute(ctx, j.Args.DisputeID, j.Args.EventID)
}

func (w *disputeWorker) NextRetry(j *river.Job[domain.DisputeJob]) time.Time { return soon(j.Attempt) }

type cancelEventWorker struct {
	river.WorkerDefaults[domain.CancelEventJob]
	sales Sales
}

func (w *cancelEventWorker) Work(ctx context.Context, j *river.Job[domain.CancelEventJob]) error {
	return w.sales.WorkCancelledEvent(ctx, j.Args.EventID)
}

// Timeout: a full house takes a while; what is left is worked by the next try.
func (w *cancelEventWorker) Timeout(*river.Job[domain.CancelEventJob]) time.Duration {
	return 10 * time.Minute
}

func (w *cancelEventWorker) NextRetry(j *river.Job[domain.CancelEventJob]) time.Time {
	return soon(j.Attempt)
}

type reconcileWorker struct {
	river.WorkerDefaults[domain.ReconcileJob]
	sales Sales
}

func (w *reconcileWorker) Work(ctx context.Context, _ *river.Job[domain.ReconcileJob]) error {
	return w.sales.Reconcile(ctx)
}

// Timeout: a long list takes many pages.
func (w *reconcileWorker) Timeout(*river.Job[domain.ReconcileJob]) time.Duration {
	return 10 * time.Minute
}

type auditWorker struct {
	river.WorkerDefaults[domain.AuditJob]
	sales Sales
}

func (w *auditWorker) Work(ctx context.Context, _ *river.Job[domain.AuditJob]) error {
	return w.sales.NightlyAudit(ctx)
}

func (w *auditWorker) Timeout(*river.Job[domain.AuditJob]) time.Duration { return 10 * time.Minute }

type sweepWorker struct {
	river.WorkerDefaults[domain.SweepJob]
	sales Sales
}

func (w *sweepWorker) Work(ctx context.Context, _ *river.Job[domain.SweepJob]) error {
	return w.sales.Sweep(ctx)
}

type manifestWorker struct {
	river.WorkerDefaults[domain.ManifestJob]
	sales Sales
}

func (w *manifestWorker) Work(ctx context.Context, _ *river.Job[domain.ManifestJob]) error {
	return w.sales.MailManifests(ctx)
}

type mailWorker struct {
	river.WorkerDefaults[domain.MailJob]
	mail Mailer
}

func (w *mailWorker) Work(ctx context.Context, j *river.Job[domain.MailJob]) error {
	return gone(w.mail.Send(ctx, j.Args.MailID))
}

// gone ends a job whose row is not there any more: the demo was cleared.
func gone(err error) error {
	if errors.Is(err, domain.ErrNotFound) {
		return river.JobCancel(err)
	}
	return err
}

func (w *mailWorker) NextRetry(j *river.Job[domain.MailJob]) time.Time { return soon(j.Attempt) }

// soon is 1, 2, 4 … seconds after a failure, at most ten minutes: River's own steps
// (the fourth power) leave a payer waiting too long.
func soon(attempt int) time.Time {
	return time.Now().Add(min(10*time.Minute, time.Second<<min(max(attempt-1, 0), 10)))
}
