package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

const saidKey = "said" // in the session: what the next status page answers first

// staffStatus shows how the shop is and what needs a person.
func (s *site) staffStatus(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	page, set, err := s.staffPage(r, who, "Status", "/staff/status")
	if err != nil {
		return err
	}
	x, err := s.Access.Status(r.Context())
	if err != nil {
		return err
	}
	l := look{s, x, set, x.Pulse.Now}
	v := views.StaffStatus{
		Page: page, Looked: format.In(l.now, set.TimeZone).Format("15:04:05") + ", " + format.Zone(set.TimeZone),
		Said: said(s.Sessions.PopString(r.Context(), saidKey)), MayAct: who.Role.Covers(access.Manager), Parts: l.parts(),
	}
	if v.MayAct && s.Booking.PaysOnline() {
		v.AskURL = "/staff/payments/ask"
	}
	if who.Role.Covers(access.Owner) {
		v.ProfilesURL = pprofURL
	}
	for _, t := range x.Tasks {
		v.Tasks = append(v.Tasks, l.task(t))
		v.Unshown = t.All - len(x.Tasks)
	}
	for _, f := range x.Refunds {
		v.Refunds = append(v.Refunds, l.refund(f))
	}
	if x.Audit != nil {
		for _, f := range x.Audit.Findings {
			v.Broken = append(v.Broken, views.StatusFinding{Rule: f.Invariant, Where: f.Table + " " + f.Key, Words: f.Words})
		}
	}
	v.Summary = summary(len(v.Tasks)+v.Unshown, v.Parts)
	badge(&v.Page, "/staff/status", len(v.Tasks)+v.Unshown)
	s.render(w, r, http.StatusOK, views.StaffStatusPage(v))
	return nil
}

// finishTask takes an entry off the list.
func (s *site) finishTask(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "task")
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	if err := s.Access.FinishTask(r.Context(), who, id, r.PostForm.Get("reason"), s.clientAddress(r)); err != nil {
		return err
	}
	s.Sessions.Put(r.Context(), saidKey, "task")
	return seeOther(w, r, "/staff/status")
}

// retryRefund asks Stripe again for money that did not go back.
func (s *site) retryRefund(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "refund")
	if err != nil {
		return err
	}
	words := "retry"
	err = s.Booking.RetryRefund(r.Context(), id)
	if errors.Is(err, domain.ErrConflict) {
		words, err = "no retry", nil
	}
	if err != nil {
		return err
	}
	if err := s.Access.Record(r.Context(), who, s.clientAddress(r), strings.ReplaceAll("refund_"+words, " ", "_"), fmt.Sprintf("refund:%d", id)); err != nil {
		return err
	}
	s.Sessions.Put(r.Context(), saidKey, words)
	return seeOther(w, r, "/staff/status")
}

// askStripe settles at once what the sweep and the hourly look would settle later.
func (s *site) askStripe(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	words := "asked"
	err := s.Booking.AskStripe(r.Context())
	if errors.Is(err, domain.ErrGateway) {
		s.note(r, http.StatusServiceUnavailable, err)
		words, err = "silent", nil
	}
	if err != nil {
		return err
	}
	if err := s.Access.Record(r.Context(), who, s.clientAddress(r), "ask_stripe", "payments"); err != nil {
		return err
	}
	s.Sessions.Put(r.Context(), saidKey, words)
	return seeOther(w, r, "/staff/status")
}

func said(what string) *views.Note {
	switch what {
	case "asked":
		return &views.Note{Tone: "ok", Alert: true, Title: "Stripe was asked about every payment under way", Text: []string{"What it knew is settled: tickets, or the money goes back."}}
	case "silent":
		return &views.Note{Tone: "warn", Alert: true, Title: "Stripe did not answer for some of them", Text: []string{"Their seats stay with whoever is paying. It is asked again by itself each minute."}}
	case "task":
		return &views.Note{Tone: "ok", Alert: true, Title: "Done. It is off the list", Text: []string{"The audit log keeps who did it, when and why."}}
	case "retry":
		return &views.Note{Tone: "ok", Alert: true, Title: "The refund is asked for again", Text: []string{"Stripe hears of it within a minute. Look again then."}}
	case "no retry":
		return &views.Note{Tone: "warn", Alert: true, Title: "There was nothing to try again", Text: []string{"The money is back already, or it went back another way meanwhile. Nothing was sent."}}
	}
	return nil
}

// summary is the page in one sentence.
func summary(tasks int, parts []views.StatusPart) views.Note {
	n := views.Note{Tone: "ok", Title: "All is well", Text: []string{"Selling, payments, refunds, mail and jobs work, and nothing waits for a person."}}
	var bad, warn []string
	for _, p := range parts {
		switch p.Tone {
		case "bad":
			bad = append(bad, p.Name)
		case "warn":
			warn = append(warn, p.Name)
		}
	}
	if tasks == 0 && len(bad)+len(warn) == 0 {
		return n
	}
	n.Tone, n.Title, n.Text = "warn", "Selling works", nil
	if tasks > 0 {
		n.Title = format.Count(tasks, "thing") + " below " + map[bool]string{true: "needs", false: "need"}[tasks == 1] + " a person"
	}
	if len(bad) > 0 {
		n.Tone = "bad"
		n.Text = append(n.Text, "Not working as it should: "+format.List(bad)+".")
	}
	if len(warn) > 0 {
		n.Text = append(n.Text, "Worth a look: "+format.List(warn)+".")
	}
	if len(bad)+len(warn) == 0 {
		n.Text = []string{"All parts of the system work."}
	}
	return n
}

// look is one reading of the status on its way to words.
type look struct {
	s   *site
	x   access.Status
	set domain.Settings
	now time.Time // the database's
}

// age is how long ago in words: "2 min", "3 h 5 min", "4 days".
func (l look) age(t time.Time) string {
	d := max(0, l.now.Sub(t))
	switch {
	case d < time.Minute:
		return format.Count(int(d.Seconds()), "second")
	case d < 48*time.Hour:
		return format.Span(d)
	}
	return format.Count(int(d.Hours())/24, "day")
}

// since is a moment and how long ago it was.
func (l look) since(t time.Time) string {
	at := format.In(t, l.set.TimeZone)
	ago := l.age(t) + " ago"
	if l.now.Sub(t) < time.Second {
		ago = "just now"
	}
	return format.ShortDay(at) + ", " + format.Clock(at) + ", " + ago
}

func (l look) task(t access.OpenTask) views.StatusTask {
	id := strconv.FormatInt(t.ID, 10)
	v := views.StatusTask{ID: id, Title: taskTitle(t.Kind), Words: t.Words, Since: l.since(t.CreatedAt), DoneURL: "/staff/tasks/" + id + "/done"}
	if t.StartsAt != nil {
		at := format.In(*t.StartsAt, t.TimeZone)
		v.Lines = append(v.Lines, t.Title+", "+format.ShortDay(at)+", "+format.Clock(at))
	}
	if whose := contact(t.Name, t.Email, t.Phone); whose != "" {
		v.Lines = append(v.Lines, whose)
	}
	if t.Received > 0 {
		v.Lines = append(v.Lines, moneyLine(t))
	}
	if t.Kind == "refund_by_hand" && t.PaymentID != nil {
		v.Hand = handForm(*t.PaymentID, t.GoingBack, t.Currency)
	}
	v.Links = l.links(t.BookingID, t.Reference, t.LinkVersion, t.PaymentID, t.PaymentIntent)
	return v
}

// moneyLine says where the money of a task is.
func moneyLine(t access.OpenTask) string {
	line := format.Money(t.Received, t.Currency) + " came in"
	for _, p := range []struct {
		amount int64
		words  string
	}{{t.SentBack, " is back"}, {t.GoingBack, " is on its way back"}, {t.Failed, " could not be sent back"}} {
		if p.amount > 0 {
			line += "; " + format.Money(p.amount, t.Currency) + p.words
		}
	}
	return line + "."
}

func contact(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, ", ")
}

// links lead to the booking's page and to the payment at Stripe.
func (l look) links(booking *int64, reference string, version int, payment *int64, intent string) []views.Link {
	var out []views.Link
	if booking != nil {
		out = append(out, views.Link{Text: "Booking " + domain.ShowReference(reference), URL: "/bookings/" + l.s.Signer.BookingToken(*booking, version)})
	}
	if payment != nil && intent != "" {
		url := l.s.StripePages + intent
		if l.s.Demo != nil && l.s.Demo.Stripe != nil {
			url = "/stripesim/"
		}
		out = append(out, views.Link{Text: fmt.Sprintf("Payment %d at Stripe", *payment), URL: url})
	}
	return out
}

func taskTitle(kind string) string {
	switch kind {
	case "seat_lost":
		return "Paid after the seats were gone"
	case "duplicate":
		return "A booking was paid twice"
	case "mismatch":
		return "Money that does not fit its payment"
	case "event_cancelled":
		return "Paid after the event was cancelled"
	case "refund_by_hand":
		return "Money to give back by hand"
	case "refund_failed":
		return "A refund failed"
	case "refund_waits":
		return "A refund waits"
	case "refunded_twice":
		return "More was refunded than was paid"
	case "dashboard_refund":
		return "A refund was made in Stripe by hand"
	case "dispute":
		return "A customer disputes a payment"
	case "unknown_money":
		return "Money that no payment here belongs to"
	case "no_seat":
		return "Passengers without a seat"
	case "mail_failed":
		return "A mail did not arrive"
	case "door_conflict":
		return "Let in with a ticket that was not good"
	case "":
		return "Something to look at"
	}
	words := strings.ReplaceAll(kind, "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
