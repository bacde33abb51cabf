package mail

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/domain"
)

// house is a scratch database with a screening or a trip and a way to sell it. Times lie
// so far ahead that sales are open; ids begin at 1, so that mails come out the same.
type house struct {
	*db.DB
	ev    dbtest.Event
	ride  domain.Ride
	holds int64
}

const holdID = "00000000-0000-4000-8000-00000000000"

func newHouse(t *testing.T, kind domain.EventKind) *house {
	t.Helper()
	h := &house{DB: dbtest.New(t), ride: domain.Ride{From: 0, To: 1}}
	for key, value := range map[string]string{
		"venue_name": "Marigold Cinema", "address": "14 Dalada Vidiya, Kandy", "phone": "081 555 0142", "time_zone": "Asia/Colombo",
	} {
		if err := h.SetSetting(t.Context(), key, value); err != nil {
			t.Fatal(err)
		}
	}
	if kind == domain.Trip {
		h.ev = dbtest.Trip(t, h.DB, 4, 3)
		h.ride = domain.Ride{From: 1, To: 3}
		h.tripTimes(t)
		return h
	}
	h.ev = dbtest.Screening(t, h.DB, 2, 8)
	h.exec(t, `INSERT INTO resources (kind, name, layout_version_id) VALUES ('hall', 'Hall 1', $1)`, h.ev.Layout.VersionID)
	h.exec(t, `UPDATE events SET starts_at = '2099-12-05T14:00Z', ends_at = '2099-12-05T16:20Z', time_zone = 'Asia/Colombo',
	           resource_id = (SELECT id FROM resources) WHERE id = $1`, h.ev.ID)
	return h
}

// tripTimes sends the coach from Dover over the Channel: an hour is lost on the way.
func (h *house) tripTimes(t *testing.T) {
	t.Helper()
	h.exec(t, `UPDATE events SET starts_at = '2099-12-05T05:00Z', ends_at = '2099-12-05T12:00Z' WHERE id = $1`, h.ev.ID)
	for i, s := range []struct{ name, zone, at string }{
		{"London", "Europe/London", "2099-12-05T05:00Z"}, {"Dover", "Europe/London", "2099-12-05T06:30Z"},
		{"Calais", "Europe/Paris", "2099-12-05T09:00Z"}, {"Lille", "Europe/Paris", "2099-12-05T10:15Z"},
	} {
		h.exec(t, `UPDATE places SET name = $2, time_zone = $3, address = 'Bay 6' WHERE id = $1`, h.ev.Places[i], s.name, s.zone)
		h.exec(t, `UPDATE event_stops SET arrives_at = $3, departs_at = $3, note = $4 WHERE event_id = $1 AND stop_no = $2`, h.ev.ID, i, s.at, map[int]string{1: "Passports are checked here."}[i])
	}
	h.exec(t, `INSERT INTO resources (kind, name, note, layout_version_id) VALUES ('coach', 'UL 27', '2+2 seats', $1)`, h.ev.Layout.VersionID)
	h.exec(t, `UPDATE events SET resource_id = (SELECT id FROM resources) WHERE id = $1`, h.ev.ID)
}

func (h *house) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := h.Pool().Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
}

func (h *house) tx(t *testing.T, fn func(*db.Tx) error) {
	t.Helper()
	if err := h.InTx(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// hold makes a hold of adults at 12.00 each; who has the seats does not matter to mails.
func (h *house) hold(t *testing.T, seats ...string) *domain.Hold {
	t.Helper()
	h.holds++
	x := &domain.Hold{
		ID: holdID + string('0'+rune(h.holds)), EventID: h.ev.ID, Ride: h.ride, Currency: "EUR", Name: "Nimali Perera", Email: "nimali@example.lk",
		Total: int64(1200 * len(seats)),
	}
	for _, s := range seats {
		x.Seats = append(x.Seats, domain.HoldSeat{SeatNo: s, Zone: 1, Type: "adult", Price: 1200})
	}
	h.tx(t, func(tx *db.Tx) error {
		return tx.InsertHold(t.Context(), db.NewHold{
			ID: x.ID, EventID: x.EventID, Ride: x.Ride, Channel: "web", Holder: "web:1", ExpiresAt: time.Now().Add(time.Hour),
			Total: x.Total, Currency: x.Currency, Fares: domain.Fares{}, Name: x.Name, Email: x.Email,
		}, x.Seats)
	})
	return x
}

// sell makes a booking of a hold.
func (h *house) sell(t *testing.T, x *domain.Hold) int64 {
	t.Helper()
	var id int64
	h.tx(t, func(tx *db.Tx) error {
		var err error
		if id, err = tx.NextBookingID(t.Context()); err != nil {
			return err
		}
		_, err = tx.InsertBooking(t.Context(), db.NewBooking{
			ID: id, HoldID: x.ID, EventID: x.EventID, Reference: "K7PXM" + "3789ABCD"[h.holds-1:h.holds], Name: x.Name, Email: x.Email, Total: x.Total, Currency: x.Currency, Channel: "web",
		})
		if err != nil {
			return err
		}
		return tx.InsertTickets(t.Context(), id, x, make([]int64, len(x.Seats)))
	})
	return id
}

// pay records money for a hold that bought nothing, and its way back.
func (h *house) pay(t *testing.T, x *domain.Hold, outcome, refund string) (payment, refundID int64) {
	t.Helper()
	q := h.Pool()
	err := q.QueryRow(t.Context(), `INSERT INTO payments (hold_id, event_id, tender, state, outcome, amount, currency, received, received_at)
		VALUES ($1, $2, 'stripe', 'refunding', $4, $3, 'EUR', $3, now()) RETURNING id`, x.ID, x.EventID, x.Total, outcome).Scan(&payment)
	if err != nil {
		t.Fatal(err)
	}
	err = q.QueryRow(t.Context(), `INSERT INTO refunds (payment_id, event_id, amount, currency, reason, state)
		VALUES ($1, $2, $3, 'EUR', $4, $5) RETURNING id`, payment, x.EventID, x.Total, outcome, refund).Scan(&refundID)
	if err != nil {
		t.Fatal(err)
	}
	return payment, refundID
}

// queue puts a mail into the outbox.
func (h *house) queue(t *testing.T, m db.Mail) int64 {
	t.Helper()
	if m.ToAddress == "" {
		m.ToAddress = "nimali@example.lk"
	}
	var id int64
	h.tx(t, func(tx *db.Tx) error {
		var err error
		id, err = tx.InsertMail(t.Context(), m)
		return err
	})
	return id
}

func (h *house) row(t *testing.T, id int64) db.Mail {
	t.Helper()
	m, err := h.Mail(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (h *house) count(t *testing.T, sql string, args ...any) int {
	t.Helper()
	var n int
	if err := h.Pool().QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func config() Config {
	return Config{
		From: "tickets@book.example", BaseURL: "https://book.example", Signer: domain.NewSigner(strings.Repeat("s", 32)),
		QR:       func(text string) ([]byte, error) { return []byte("PNG of " + text), nil },
		Calendar: func(b Booking) ([]byte, error) { return []byte("calendar of " + b.Reference), nil },
		Log:      slog.New(slog.DiscardHandler),
	}
}

// to is a mailer that sends to the server.
func (h *house) to(s *smtpServer) *Mailer {
	c := config()
	c.SMTP = &SMTP{Host: s.host, Port: s.port, TLS: TLSOpportunistic}
	m := New(h.DB, c)
	m.timeout = 5 * time.Second
	return m
}

func (h *house) ticketsMail(t *testing.T, seats ...string) int64 {
	t.Helper()
	booking := h.sell(t, h.hold(t, seats...))
	return h.queue(t, db.Mail{Kind: "tickets", BookingID: &booking})
}

var errBroken = errors.New("broken")
