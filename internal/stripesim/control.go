package stripesim

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

type controlPage struct {
	frame
	Problem  string
	Faults   []faultRow
	Kinds    []kindRow
	Ops      []string
	Sessions []sessionRow
	Refunds  []refundRow
	Events   []eventRow
}

type faultRow struct {
	Index int
	Kind  Kind
	Words string
}

type kindRow struct {
	Kind  Kind
	Words string
}

type sessionRow struct{ ID, Short, Pay, Created, Amount, Status, Payment, Reference string }

type refundRow struct{ ID, Created, Amount, Status, Failure string }

type eventRow struct{ ID, Created, Type, Short, Sent string }

// kinds are the switches in the words of the control page.
func kinds() []kindRow {
	return []kindRow{
		{Slow, "API is slow, then does it"}, {FailBefore, "API fails before it does anything (500)"},
		{FailAfter, "API does it and then fails (500)"}, {FailSaved, "API does it, and keeps answering 500 for that key"},
		{RateLimit, "API answers 429"}, {DropBefore, "connection dropped, nothing done"},
		{DropAfter, "connection dropped after it was done"}, {NetworkDown, "network down"},
		{WebhookLost, "webhooks lost"}, {WebhookCopies, "webhooks sent several times"},
		{WebhookLate, "webhooks late"}, {WebhookReordered, "webhooks overtake each other"}, {WebhookVersion, "webhooks of another API version"},
		{RefundPending, "refunds stay pending"}, {RefundFailsLater, "refunds succeed and fail later"},
		{RefundRefused, "refunds refused, balance too low"},
	}
}

func operations() []string {
	return []string{
		OpCreateSession, OpGetSession, OpListSessions, OpExpireSession, OpGetIntent, OpGetCharge, OpGetDispute, OpCreateRefund, OpListRefunds, OpGetRefund, OpListBalance, OpListPayouts, OpCreateEndpoint,
		"checkout.session.completed", "checkout.session.expired", "charge.refunded", "refund.created", "refund.updated",
		"charge.dispute.created", "charge.dispute.updated", "charge.dispute.closed",
	}
}

// rowsShown bounds each list of the control page; newest come first.
const rowsShown = 50

func newest[T, R any](all []T, row func(T) R) []R {
	var out []R
	for _, v := range slices.Backward(all) {
		if out = append(out, row(v)); len(out) == rowsShown {
			break
		}
	}
	return out
}

func (s *Sim) showControl(w http.ResponseWriter, _ *http.Request) {
	s.renderControl(w, http.StatusOK, "")
}

func (s *Sim) renderControl(w http.ResponseWriter, status int, problem string) {
	p := controlPage{frame: s.frame("Payment look-alike"), Problem: problem, Kinds: kinds(), Ops: operations()}
	p.Wide = true
	for i, f := range s.Faults() {
		p.Faults = append(p.Faults, faultRow{i, f.Kind, f.words()})
	}
	p.Sessions = newest(s.Sessions(), func(x Session) sessionRow {
		return sessionRow{x.ID, short(x.ID), s.prefix + "/pay/" + x.ID, clock(x.Created), printed(x.AmountTotal, x.Currency), x.Status, x.PaymentStatus, x.ClientReferenceID}
	})
	p.Refunds = newest(s.Refunds(), func(x Refund) refundRow {
		return refundRow{x.ID, clock(x.Created), printed(x.Amount, x.Currency), x.Status, x.FailureReason}
	})
	p.Events = newest(s.Events(), func(x Event) eventRow {
		return eventRow{x.ID, clock(x.Created), x.Type, short(x.Object), x.words()}
	})
	s.render(w, status, s.pages.control, p)
}

func (f Fault) words() string {
	words := []string{"for " + f.Op}
	if f.Op == "" {
		words[0] = "for everything"
	}
	if f.Times > 0 {
		words = append(words, fmt.Sprintf("the next %d", f.Times))
	} else {
		words = append(words, "until switched off")
	}
	switch f.Kind {
	case Slow, WebhookLate, RefundFailsLater:
		words = append(words, f.Delay.String())
	case WebhookCopies:
		words = append(words, strconv.Itoa(f.Copies)+" copies")
	case WebhookVersion:
		words = append(words, "version "+strconv.Quote(f.Version))
	}
	return strings.Join(words, ", ")
}

func (e Event) words() string {
	switch {
	case e.Taken():
		return fmt.Sprintf("taken, %d sent", len(e.Sends))
	case len(e.Sends) > 0:
		last := e.Sends[len(e.Sends)-1]
		return fmt.Sprintf("not taken, %d sent, last %d %s", len(e.Sends), last.Status, last.Err)
	case e.Lost:
		return "lost"
	}
	return "not sent"
}

func short(id string) string {
	if len(id) > 20 {
		return id[:20] + "…"
	}
	return id
}

// submitFaults switches a fault on, one off, or all off.
func (s *Sim) submitFaults(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<16)
	set := s.Faults()
	switch {
	case r.PostFormValue("clear") != "":
		set = nil
	case r.PostFormValue("remove") != "":
		i, err := strconv.Atoi(r.PostFormValue("remove"))
		if err == nil && i >= 0 && i < len(set) { // gone already: nothing to do
			set = slices.Delete(set, i, i+1)
		}
	default:
		f, problem := readFault(r)
		if problem != "" {
			s.renderControl(w, http.StatusUnprocessableEntity, problem)
			return
		}
		set = append(set, f)
	}
	s.SetFaults(set)
	s.toControl(w, r)
}

func readFault(r *http.Request) (f Fault, problem string) {
	f = Fault{Kind: Kind(r.PostFormValue("kind")), Op: r.PostFormValue("op"), Version: r.PostFormValue("version")}
	if !slices.ContainsFunc(kinds(), func(k kindRow) bool { return k.Kind == f.Kind }) {
		return f, "Choose what goes wrong."
	}
	number := func(field string, most int) int {
		text := r.PostFormValue(field)
		n, err := strconv.Atoi(text)
		if text != "" && (err != nil || n < 0 || n > most) {
			problem = fmt.Sprintf("%s must be a whole number up to %d.", field, most)
		}
		return n
	}
	f.Times = number("times", 1_000_000)
	f.Delay = time.Duration(number("delay_ms", 3_600_000)) * time.Millisecond
	f.Copies = number("copies", 100)
	return f, problem
}

// submitRefund ends a refund well or badly.
func (s *Sim) submitRefund(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<16)
	if err := s.FinishRefund(r.PathValue("id"), r.PostFormValue("end") == "succeeded"); err != nil {
		s.renderControl(w, http.StatusConflict, "This refund can no longer change.")
		return
	}
	s.toControl(w, r)
}

// submitEvent sends an event again.
func (s *Sim) submitEvent(w http.ResponseWriter, r *http.Request) {
	if err := s.Resend(r.PathValue("id")); err != nil {
		s.renderControl(w, http.StatusNotFound, "There is no such event.")
		return
	}
	s.toControl(w, r)
}

func (s *Sim) toControl(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, s.prefix+"/", http.StatusSeeOther)
}
