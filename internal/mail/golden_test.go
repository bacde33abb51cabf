package mail

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"holdfast/db"
	"holdfast/internal/domain"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (write it with: go test ./internal/mail -update)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs (look, then write it with -update). Got:\n%s", path, got)
	}
}

// every kind of mail, on a screening and on a trip where it differs.
func TestGolden(t *testing.T) {
	t.Parallel()
	booked := func(kind string, seats ...string) func(*testing.T, *house) db.Mail {
		return func(t *testing.T, h *house) db.Mail {
			id := h.sell(t, h.hold(t, seats...))
			return db.Mail{Kind: kind, BookingID: &id}
		}
	}
	lost := func(outcome, refund string) func(*testing.T, *house) db.Mail {
		return func(t *testing.T, h *house) db.Mail {
			p, _ := h.pay(t, h.hold(t, h.ev.Seats[0], h.ev.Seats[1]), outcome, refund)
			return db.Mail{Kind: "seats_lost", PaymentID: &p}
		}
	}
	refund := func(kind, outcome, state string, sold bool) func(*testing.T, *house) db.Mail {
		return func(t *testing.T, h *house) db.Mail {
			x := h.hold(t, h.ev.Seats[0])
			if sold {
				h.sell(t, x)
			}
			_, r := h.pay(t, x, outcome, state)
			return db.Mail{Kind: kind, RefundID: &r}
		}
	}
	for name, test := range map[string]struct {
		kind domain.EventKind
		mail func(*testing.T, *house) db.Mail
	}{
		"tickets_screening":    {domain.Screening, booked("tickets", "B2", "A1")},
		"tickets_trip":         {domain.Trip, booked("tickets", "1C", "1D")},
		"tickets_free":         {domain.Screening, freeAndCancelled},
		"tickets_cancelled":    {domain.Screening, cancelled},
		"booking_link":         {domain.Screening, booked("booking_link", "A1", "A2")},
		"contact_changed":      {domain.Trip, booked("contact_changed", "1C")},
		"seats_lost_screening": {domain.Screening, lost("seat_lost", "requested")},
		"seats_lost_trip":      {domain.Trip, lost("seat_lost", "pending")},
		"seats_lost_failed":    {domain.Screening, lost("seat_lost", "failed")},
		"seats_lost_cancelled": {domain.Screening, lostToCancelled},
		"refund_started_twice": {domain.Screening, refund("refund_started", "duplicate", "requested", true)},
		"refund_started_wrong": {domain.Trip, refund("refund_started", "mismatch", "requested", false)},
		"refund_done":          {domain.Screening, refund("refund_done", "duplicate", "succeeded", true)},
		"refund_failed":        {domain.Trip, refund("refund_failed", "seat_lost", "failed", false)},
		"cancelled_part":       {domain.Screening, cancelledTickets("pending", "A1")},
		"cancelled_all":        {domain.Trip, cancelledTickets("requested", "1C", "1D")},
		"cancelled_kept":       {domain.Screening, cancelledTickets("", "A1", "A2")},
		"cancelled_split":      {domain.Screening, cancelledSplit},
		"reseated_trip":        {domain.Trip, reseated(true, "1D")},
		"reseated_same_seats":  {domain.Trip, reseated(true)},
		"reseated_plan":        {domain.Trip, reseated(false, "1C", "1D")},
		"moved_screening":      {domain.Screening, moved("A1")},
		"moved_trip":           {domain.Trip, moved("1C", "1D")},
		"cancelled_event":      {domain.Screening, cancelledWithEvent},
		"manifest_trip":        {domain.Trip, manifest("1C", "1D")},
		"manifest_screening":   {domain.Screening, manifest("B2", "A1")},
		"manifest_nobody":      {domain.Trip, manifest()},
		"staff_note":           {domain.Screening, staffNote},
		"staff_note_nothing":   {domain.Screening, booked("staff_note", "A1")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, test.kind)
			l, err := New(h.DB, config()).write(t.Context(), test.mail(t, h))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(l.html, "<title>"+html.EscapeString(l.subject)+"</title>") {
				t.Errorf("the title is not the subject %q", l.subject)
			}
			golden(t, name+".txt", "Subject: "+l.subject+"\n"+attachments(l)+"\n"+l.text)
			golden(t, name+".html", readable(l.html))
			textAndHTMLAgree(t, l)
		})
	}
}

func attachments(l letter) string {
	var b strings.Builder
	for _, f := range l.images {
		b.WriteString("Inline: " + f.name + " " + string(f.body) + "\n")
	}
	if l.calendar.body != nil {
		b.WriteString("Attached: " + l.calendar.name + "\n")
	}
	return b.String()
}

func readable(page string) string {
	return strings.NewReplacer("<p>", "\n<p>", "<ul>", "\n<ul>", "<h", "\n<h", "<li>", "\n<li>", "<img", "\n<img", "<a ", "\n<a ").Replace(page) + "\n"
}

// textAndHTMLAgree: every address of the HTML stands in the text, nothing is fetched
// from elsewhere and nothing was refused by the templates.
func textAndHTMLAgree(t *testing.T, l letter) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(l.html))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		switch n.Data {
		case "table", "style", "script", "link":
			t.Errorf("a mail has <%s>", n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "href" && !strings.Contains(l.text, "\n"+a.Val+"\n") {
				t.Errorf("%s is not on a line of the text", a.Val)
			}
			if a.Key == "href" && !strings.HasPrefix(a.Val, "https://book.example/") {
				t.Errorf("link to %s", a.Val)
			}
			if a.Key == "src" && !strings.HasPrefix(a.Val, "cid:") {
				t.Errorf("picture from %s", a.Val)
			}
		}
	}
}

func freeAndCancelled(t *testing.T, h *house) db.Mail {
	x := h.hold(t, "A1", "A2")
	x.Total, x.Seats[0].Price, x.Seats[1].Price, x.Seats[1].Passenger = 0, 0, 0, "Anne\nO'Neill <script>"
	id := h.sell(t, x)
	h.exec(t, `UPDATE tickets SET state = 'cancelled', cancelled_at = now() WHERE seat_no = 'A2'`)
	return db.Mail{Kind: "tickets", BookingID: &id}
}

func cancelled(t *testing.T, h *house) db.Mail {
	id := h.sell(t, h.hold(t, "A1"))
	h.exec(t, `UPDATE tickets SET state = 'cancelled', cancelled_at = now()`)
	h.exec(t, `UPDATE bookings SET state = 'cancelled'`)
	return db.Mail{Kind: "tickets", BookingID: &id}
}

func lostToCancelled(t *testing.T, h *house) db.Mail {
	p, _ := h.pay(t, h.hold(t, "A1"), "event_cancelled", "succeeded")
	h.exec(t, `UPDATE events SET status = 'cancelled'`)
	return db.Mail{Kind: "seats_lost", PaymentID: &p}
}

func staffNote(t *testing.T, h *house) db.Mail {
	p, _ := h.pay(t, h.hold(t, "A1"), "seat_lost", "requested")
	h.tx(t, func(tx *db.Tx) error {
		_, err := tx.InsertTask(t.Context(), db.StaffTask{Kind: "seat_lost", Words: "Paid after the seats went to somebody else.", PaymentID: &p})
		return err
	})
	return db.Mail{Kind: "staff_note", PaymentID: &p}
}

// cancelledTickets is a booking of two of which some are cancelled, their money on its
// way back in a state; "" for none.
func cancelledTickets(refund string, gone ...string) func(*testing.T, *house) db.Mail {
	return func(t *testing.T, h *house) db.Mail {
		seats := []string{"A1", "A2"}
		if h.ride.To == 3 {
			seats = []string{"1C", "1D"}
		}
		x := h.hold(t, seats...)
		x.Seats[0].Passenger = "Asha\nPerera <b>"
		id := h.sell(t, x)
		m := db.Mail{Kind: "cancelled", BookingID: &id}
		h.exec(t, `UPDATE tickets SET state = 'cancelled', cancelled_at = now() WHERE seat_no = ANY($1)`, gone)
		if len(gone) == len(seats) {
			h.exec(t, `UPDATE bookings SET state = 'cancelled'`)
		}
		for i, s := range seats {
			if slices.Contains(gone, s) {
				m.TicketIDs = append(m.TicketIDs, int64(i+1))
			}
		}
		if refund != "" {
			_, r := h.pay(t, x, "event_cancelled", refund)
			h.exec(t, `UPDATE refunds SET amount = $1`, 1200*len(gone))
			m.RefundID = &r
		}
		return m
	}
}

// cancelledSplit was paid half in cash and half on the terminal; both parts are handed back.
func cancelledSplit(t *testing.T, h *house) db.Mail {
	m := cancelledTickets("succeeded", "A1", "A2")(t, h)
	h.exec(t, `UPDATE payments SET tender = 'cash', amount = 1200, received = 1200`)
	h.exec(t, `UPDATE refunds SET amount = 1200, tender = 'cash'`)
	h.exec(t, `WITH p AS (INSERT INTO payments (hold_id, event_id, tender, state, outcome, amount, currency, received, received_at)
			SELECT hold_id, event_id, 'terminal', state, outcome, 1200, currency, 1200, received_at FROM payments RETURNING *)
		INSERT INTO refunds (payment_id, event_id, amount, currency, reason, state, tender, created_at)
		SELECT p.id, p.event_id, 1200, p.currency, r.reason, r.state, 'terminal', r.created_at FROM p, refunds r`)
	return m
}

// reseated is the mail after a swap, to another coach or only to another plan, in which
// these seats of two changed.
func reseated(elsewhere bool, moved ...string) func(*testing.T, *house) db.Mail {
	return func(t *testing.T, h *house) db.Mail {
		id := h.sell(t, h.hold(t, "1C", "1D"))
		h.exec(t, `INSERT INTO resources (kind, name, layout_version_id) SELECT 'coach', 'Coach 2', layout_version_id FROM events WHERE id = $1`, h.ev.ID)
		h.exec(t, `INSERT INTO event_swaps (event_id, actor, to_resource, from_resource, from_version, to_version, event_revision)
			SELECT e.id, 'staff:1', r.id, CASE WHEN $2 THEN NULL ELSE r.id END, e.layout_version_id, e.layout_version_id, 2 FROM events e, resources r WHERE e.id = $1 AND r.name = 'Coach 2'`, h.ev.ID, elsewhere)
		h.exec(t, `INSERT INTO seat_moves (swap_id, event_id, ticket_id, from_seat, to_seat)
			SELECT w.id, w.event_id, t.id, '9A', t.seat_no FROM event_swaps w JOIN tickets t ON t.event_id = w.event_id WHERE t.seat_no = ANY($1)`, moved)
		return db.Mail{Kind: "seat_changed", BookingID: &id, SwapID: new(int64(1))}
	}
}

func cancelledWithEvent(t *testing.T, h *house) db.Mail {
	m := cancelledTickets("succeeded", "A1", "A2")(t, h)
	h.exec(t, `UPDATE events SET status = 'cancelled'`)
	return m
}

// manifest is the list of an event with these seats sold; the first one's holder is in.
func manifest(seats ...string) func(*testing.T, *house) db.Mail {
	return func(t *testing.T, h *house) db.Mail {
		if len(seats) > 0 {
			x := h.hold(t, seats...)
			x.Seats[0].Passenger = "Asha\nPerera <b>"
			h.sell(t, x)
			h.exec(t, `UPDATE bookings SET phone = '077 555 0102', staff_note = 'Two cases'`)
			h.exec(t, `INSERT INTO staff (email, name, role, password_hash) VALUES ('a@b.example', 'K. Selvam', 'steward', 'x')`)
			h.exec(t, `UPDATE tickets SET checked_in_at = now() WHERE seat_no = $1`, seats[0])
			h.exec(t, `INSERT INTO checkins (event_id, ticket_id, key, staff_id, at) SELECT event_id, id, 'k', (SELECT id FROM staff), now() FROM tickets WHERE seat_no = $1`, seats[0])
		}
		return db.Mail{Kind: "manifest", EventID: &h.ev.ID}
	}
}

// moved is the mail to a booking whose event began a day and a half earlier before.
func moved(seats ...string) func(*testing.T, *house) db.Mail {
	return func(t *testing.T, h *house) db.Mail {
		id := h.sell(t, h.hold(t, seats...))
		e, err := h.Event(t.Context(), h.ev.ID)
		if err != nil {
			t.Fatal(err)
		}
		return db.Mail{Kind: "moved", BookingID: &id, WasAt: new(e.StartsAt.Add(-36 * time.Hour))}
	}
}
