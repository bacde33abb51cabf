// Package mail writes and sends the rows of the outbox (table mails): tickets, lost
// seats, refunds, links to bookings, notes to the house. A row is inserted in the
// transaction of the outcome it tells of; the job of that row calls Send.
package mail

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// OffWords is what a row says while no mail can leave.
const OffWords = "mail is off"

const (
	sendTimeout   = 20 * time.Second // for one try, from the connection to the server's last word
	recordTimeout = 5 * time.Second
	giveUpAfter   = 72 * time.Hour // a server that says "later" for so long means no
)

// TLSMode says how a mail connection is encrypted.
type TLSMode string

const (
	TLSOpportunistic TLSMode = "opportunistic" // STARTTLS when the server offers it
	TLSMandatory     TLSMode = "mandatory"     // STARTTLS or no mail
	TLSNone          TLSMode = "none"
	TLSImplicit      TLSMode = "implicit" // TLS from the first byte
)

// SMTP is the server that takes our mail. User is empty when it wants no sign-in.
type SMTP struct {
	Host           string
	Port           int
	User, Password string
	TLS            TLSMode
}

// String shows neither user nor password.
func (s SMTP) String() string {
	return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) + " tls=" + string(s.TLS)
}

// Booking is what a calendar entry needs to know of a booking.
type Booking struct {
	ID        int64
	Reference string // as people read it: "K7P-XM3"
	Event     domain.Event
	Stops     []domain.EventStop // all stops of a trip, none of a screening
	Ride      domain.Ride
	Seats     []string // in words: "Row H, seat 9"
	URL       string   // absolute, of the booking's page
	Venue     domain.Settings
	Cancelled bool
	At        time.Time // when this is asked
}

// Config is what main fills in.
type Config struct {
	SMTP    *SMTP  // nil: off, or with Demo the outbox page
	From    string // "Marigold Cinema <tickets@example.lk>" or the bare address
	BaseURL string // absolute, no slash at the end
	Signer  domain.Signer
	Demo    bool
	// QR and Calendar make attachments: a PNG and an .ics file. When one of them fails
	// the mail leaves without it.
	QR       func(text string) ([]byte, error)
	Calendar func(Booking) ([]byte, error)
	Log      *slog.Logger
}

// Mailer is safe for concurrent use.
type Mailer struct {
	db  *db.DB
	cfg Config

	timeout time.Duration
	roots   *x509.CertPool // nil: the system's
}

// New makes a mailer. It connects to nothing.
func New(d *db.DB, c Config) *Mailer { return &Mailer{db: d, cfg: c, timeout: sendTimeout} }

// Off says that mails stay in the outbox, for the status page and the find page.
func (m *Mailer) Off() bool { return m.cfg.SMTP == nil && !m.cfg.Demo }

// Send brings one row of the outbox to its address and records how that went. nil means
// that the job is done: sent, sent before, refused for good, off, or the row is gone.
// An error means "try again later".
//
// How often does a mail leave? Once, as far as SMTP allows. The row is not locked while
// the server is talked to: no transaction is open over the network. Instead a row has
// exactly one job, inserted with it, and River gives a job to one worker at a time; from
// a worker that died it takes the job only after five minutes, far longer than a try. The
// row's state keeps a job that runs again from sending again. What remains is the moment
// between the server's yes and our record of it: a connection, a process or a database
// that dies there makes the next try a repeat. It carries the same Message-ID, by which
// mail servers and readers know that they have it.
func (m *Mailer) Send(ctx context.Context, mailID int64) error {
	row, err := m.db.Mail(ctx, mailID)
	if errors.Is(err, domain.ErrNotFound) {
		return nil
	}
	if err != nil || row.State != "queued" {
		return err
	}
	if m.Off() {
		return m.db.MailFailed(ctx, row.ID, OffWords, false)
	}
	l, err := m.write(ctx, row)
	if err != nil {
		return m.failed(ctx, row, err)
	}
	if m.cfg.SMTP != nil {
		if err := m.deliver(ctx, row, l); err != nil {
			return m.failed(ctx, row, err)
		}
	}
	return m.sent(ctx, row, l)
}

// sent records that the mail left. The job's context may have ended while the server
// answered; the record must be made all the same.
func (m *Mailer) sent(ctx context.Context, row db.Mail, l letter) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	row.Subject, row.TextBody, row.HTMLBody = l.subject, l.text, l.html
	if err := m.db.MailSent(ctx, row); err != nil {
		return fmt.Errorf("mail %d left but that is not recorded: %w", row.ID, err)
	}
	return nil
}

// final is an error that no repeat will mend.
type final struct{ error }

func (f final) Unwrap() error { return f.error }

// failed records why the mail did not leave. For good: the row is failed, staff get a
// task and the job ends. Else the error goes back to the queue.
func (m *Mailer) failed(ctx context.Context, row db.Mail, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	words := shortened(cause.Error())
	if !errors.As(cause, &final{}) && time.Since(row.CreatedAt) < giveUpAfter {
		return errors.Join(fmt.Errorf("mail %d: %s", row.ID, words), m.db.MailFailed(ctx, row.ID, words, false))
	}
	m.cfg.Log.Error("a mail will not be sent", "mail", row.ID, "kind", row.Kind, "why", words)
	return m.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.MailFailed(ctx, row.ID, words, true); err != nil {
			return err
		}
		_, err := t.InsertTask(ctx, db.StaffTask{
			Kind: "mail_failed", Words: "A mail did not reach " + row.ToAddress + ": " + words,
			BookingID: row.BookingID, PaymentID: row.PaymentID,
		})
		return err
	})
}

// Requeue makes jobs for the mails that were put aside while mail was off and returns
// how many. main calls it at the start, once mail is on; two processes share the work.
func (m *Mailer) Requeue(ctx context.Context) (int, error) {
	if m.Off() {
		return 0, nil
	}
	count := 0
	err := m.db.InTx(ctx, func(t *db.Tx) error {
		ids, err := t.ReleaseMails(ctx, OffWords)
		if err != nil {
			return err
		}
		count = len(ids)
		for _, id := range ids {
			if err := t.Enqueue(ctx, domain.MailJob{MailID: id}, time.Time{}); err != nil {
				return err
			}
		}
		return nil
	})
	return count, err
}

// host is the name our Message-IDs and Content-IDs end in.
func (m *Mailer) host() string {
	if u, err := url.Parse(m.cfg.BaseURL); err == nil && u.Hostname() != "" {
		return u.Hostname()
	}
	return "holdfast.invalid"
}

func shortened(s string) string {
	const most = 500
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
