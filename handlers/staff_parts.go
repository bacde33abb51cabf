package handlers

import (
	"fmt"
	"strconv"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/format"
	"holdfast/views"
)

// What is longer than this is worth a person's look.
const (
	paymentLong = 45 * time.Minute // a payment page's whole life and some more
	refundStuck = 10 * time.Minute // asked for, and Stripe has not heard of it
	refundLong  = 10 * 24 * time.Hour
	webhookLong = 15 * time.Minute
	mailLong    = 5 * time.Minute
	sweepLong   = 5 * time.Minute // it runs each minute
	clockOff    = 2 * time.Second
	auditOld    = 26 * time.Hour // it runs each night
)

func (l look) refund(f access.UnfinishedRefund) views.StatusRefund {
	id := strconv.FormatInt(f.ID, 10)
	v := views.StatusRefund{
		ID: id, Amount: views.Money{Amount: f.Amount, Currency: f.Currency, Text: format.Number(f.Amount, f.Currency)},
		State: f.State, Why: refundWhy(f.Reason), Whose: contact(f.Name, f.Email), Since: l.since(f.CreatedAt),
		Words: f.Error, Links: l.links(nil, "", 0, &f.PaymentID, f.PaymentIntent),
	}
	long := l.now.Sub(f.UpdatedAt)
	again := false
	switch {
	case f.State == "failed":
		v.Tone, again = "bad", f.Reason != "dashboard"
		if f.Reason == "dashboard" {
			v.Words = "It was made in Stripe by hand: repeat it there. " + f.Error
		}
	case f.State == "requested":
		v.State = "asked for"
		if long > refundStuck {
			v.Tone, again = "warn", true
		}
	case f.PaymentIntent == "":
		v.State, v.Words = "to be given back by hand", "It was not paid through Stripe. The task says who to give it to; Done there says that it is back."
	default:
		v.State = "at the bank"
		if v.Words == "" {
			v.Words = "Stripe has it. Banks take up to ten days; there is nothing to do."
		}
		if long > refundLong {
			v.Tone, again = "warn", true
		}
	}
	if again {
		v.RetryURL = "/staff/refunds/" + id + "/retry"
	}
	return v
}

func refundWhy(reason string) string {
	switch reason {
	case "seat_lost":
		return "The seats were gone when the money came"
	case "duplicate":
		return "The booking was paid twice"
	case "mismatch":
		return "The money did not fit the payment"
	case "event_cancelled":
		return "The event was cancelled"
	case "customer":
		return "The customer cancelled"
	case "dashboard":
		return "Made in Stripe by hand"
	}
	return "Asked for by staff"
}

// parts are the parts of the system, each with what was seen of it.
func (l look) parts() []views.StatusPart {
	return []views.StatusPart{l.payments(), l.refunds(), l.webhooks(), l.mail(), l.jobs(), l.audit(), l.database(), l.clock(), l.configuration(), l.program()}
}

func (l look) payments() views.StatusPart {
	p := views.StatusPart{Name: "Payments", Tone: "ok", State: "Good"}
	for _, x := range l.x.Payments {
		words := " payment pages open, the oldest for "
		switch {
		case x.State == "creating":
			words = " about to open at Stripe, the oldest for "
		case x.State == "refunding":
			words = " whose money goes back, the oldest for "
		case x.Count == 1:
			words = " payment page open, for "
		}
		if x.State != "refunding" && l.now.Sub(x.Oldest) > paymentLong {
			p.Tone, p.State = "bad", "Unanswered"
		}
		p.Saw = append(p.Saw, strconv.Itoa(x.Count)+words+l.age(x.Oldest))
	}
	if len(p.Saw) == 0 {
		p.Saw = []string{"No payment is under way."}
	}
	if x := l.x.Stranded; x.Count > 0 {
		p.Tone, p.State = "bad", "Stranded"
		p.Saw = append(p.Saw, format.Count(x.Count, "payment")+" paid, and neither booked nor going back")
		if x.Oldest != nil {
			p.Saw = append(p.Saw, "The oldest came "+l.since(*x.Oldest)+".")
		}
	}
	if !l.s.Booking.PaysOnline() {
		p.Tone, p.State = "warn", "Off"
	}
	p.Saw = append([]string{"Stripe: " + lower(l.s.stripeMode())}, p.Saw...)
	return p
}

func (l look) clock() views.StatusPart {
	p := views.StatusPart{Name: "Clock", Tone: "ok", State: "Right", Saw: []string{"This program and the database agree to the second. The database’s clock decides."}}
	if off := l.x.ClockAhead.Abs(); off >= clockOff {
		way := map[bool]string{true: "ahead of", false: "behind"}[l.x.ClockAhead > 0]
		p.Tone, p.State, p.Saw = "warn", "Apart", []string{"This program is " + off.Round(time.Second).String() + " " + way + " the database. Holds and sales go by the database; set this machine’s clock."}
	}
	return p
}

func (l look) refunds() views.StatusPart {
	p := views.StatusPart{Name: "Refunds", Tone: "ok", State: "Good", Saw: []string{"All money that was to go back is back."}}
	count := map[string]int{}
	stuck := false
	for _, f := range l.x.Refunds {
		count[f.State]++
		stuck = stuck || f.State == "requested" && l.now.Sub(f.UpdatedAt) > refundStuck
	}
	if len(l.x.Refunds) > 0 {
		p.Saw = []string{fmt.Sprintf("%d asked for, %d under way, %d failed", count["requested"], count["pending"], count["failed"])}
		if more := l.x.Refunds[0].All - len(l.x.Refunds); more > 0 {
			p.Saw = append(p.Saw, fmt.Sprintf("and %d more", more))
		}
	}
	switch {
	case count["failed"] > 0:
		p.Tone, p.State = "bad", "Failed"
	case stuck:
		p.Tone, p.State = "warn", "Stuck"
	}
	return p
}

func (l look) webhooks() views.StatusPart {
	p, x := views.StatusPart{Name: "Webhooks", Tone: "ok", State: "Good"}, l.x.Pulse
	if x.EventsWaiting == 0 {
		p.Saw = append(p.Saw, "None waits to be worked.")
	} else {
		p.Saw = append(p.Saw, fmt.Sprintf("%d not worked yet, the oldest for %s", x.EventsWaiting, l.age(*x.OldestEvent)))
		if l.now.Sub(*x.OldestEvent) > webhookLong {
			p.Tone, p.State = "bad", "Behind"
		}
	}
	switch {
	case x.LastEvent != nil:
		p.Saw = append(p.Saw, "The last came "+l.since(*x.LastEvent)+".")
	case l.s.Webhooks == nil:
		p.Tone, p.State = "warn", "Off"
		p.Saw = append(p.Saw, "They are refused; payments are found by the return page and the sweep.")
	default:
		p.Tone, p.State = "", "None yet"
		p.Saw = append(p.Saw, "Stripe has sent none so far.")
	}
	return p
}

func (l look) mail() views.StatusPart {
	p, x := views.StatusPart{Name: "Mail", Tone: "ok", State: "Good"}, l.x.Pulse
	if x.MailsQueued == 0 {
		p.Saw = append(p.Saw, "None waits to leave.")
	} else {
		p.Saw = append(p.Saw, fmt.Sprintf("%d not sent yet, the oldest for %s", x.MailsQueued, l.age(*x.OldestMail)))
	}
	if x.MailsFailed > 0 {
		p.Tone, p.State = "warn", "Some failed"
		p.Saw = append(p.Saw, fmt.Sprintf("%d given up in the last 7 days", x.MailsFailed))
	}
	if x.MailsQueued > 0 && l.now.Sub(*x.OldestMail) > mailLong {
		p.Tone, p.State = "bad", "Failing"
		p.Saw = append(p.Saw, "Tickets are on the booking’s page all the same. What waits goes out by itself once mail works.")
	}
	if x.MailError != "" {
		p.Saw = append(p.Saw, "Last trouble: "+x.MailError)
	}
	if x.LastMail != nil {
		p.Saw = append(p.Saw, "The last left "+l.since(*x.LastMail)+".")
	}
	if l.s.MailOff {
		p.Tone, p.State = "warn", "Off"
	}
	return p
}

func (l look) jobs() views.StatusPart {
	p, x := views.StatusPart{Name: "Jobs", Tone: "ok", State: "Good"}, l.x.Pulse
	p.Saw = append(p.Saw, fmt.Sprintf("%d late, %d given up in the last day", x.JobsLate, x.JobsGivenUp))
	if x.JobsGivenUp > 0 {
		p.Tone, p.State = "warn", "Some given up"
	}
	if x.JobsLate > 0 {
		p.Tone, p.State = "bad", "Late"
	}
	switch {
	case x.LastSweep == nil:
		p.Saw = append(p.Saw, "The sweep has not run yet; it runs each minute.")
	default:
		p.Saw = append(p.Saw, "The sweep ran "+l.since(*x.LastSweep)+".")
		if l.now.Sub(*x.LastSweep) > sweepLong {
			p.Tone, p.State = "bad", "Stopped"
		}
	}
	return p
}

func (l look) audit() views.StatusPart {
	p, a := views.StatusPart{Name: "Self-audit", Tone: "ok", State: "Clean"}, l.x.Audit
	if a == nil {
		p.Tone, p.State, p.Saw = "", "Not yet", []string{"It looks each night whether seats, tickets and money agree. The first look is still to come."}
		return p
	}
	switch {
	case a.Error != "":
		p.Tone, p.State, p.Saw = "bad", "Could not look", []string{a.Error}
	case len(a.Findings) > 0:
		p.Tone, p.State, p.Saw = "bad", format.Count(len(a.Findings), "finding"), []string{"They stand below."}
	default:
		p.Saw = []string{"Seats, tickets and money agree."}
		if l.now.Sub(a.At) > auditOld {
			p.Tone, p.State = "warn", "Old"
		}
	}
	p.Saw = append(p.Saw, fmt.Sprintf("%s, %s.", format.Count(a.Checks, "check"), l.since(a.At)))
	return p
}

func (l look) database() views.StatusPart {
	have, want := l.x.Schema, l.x.Wants
	if have != want {
		return views.StatusPart{Name: "Database", Tone: "bad", State: "Other schema", Saw: []string{
			fmt.Sprintf("Schema %d with jobs %d; this program wants %d with jobs %d. Run holdfast migrate, or the program that fits.", have.Ours, have.River, want.Ours, want.River)}}
	}
	return views.StatusPart{Name: "Database", Tone: "ok", State: "Good", Saw: []string{fmt.Sprintf("It answers. Schema %d with jobs %d, as expected.", have.Ours, have.River)}}
}

func (l look) configuration() views.StatusPart {
	p := views.StatusPart{Name: "Configuration", Tone: "ok", State: "Complete", Saw: []string{"Nothing is switched off."}}
	if len(l.s.Notes) > 0 {
		p.Tone, p.State, p.Saw = "warn", "Incomplete", l.s.Notes
	}
	return p
}

func (l look) program() views.StatusPart {
	p := views.StatusPart{Name: "Program", Tone: "ok", State: "Running", Saw: []string{"Version " + l.s.Version}}
	if l.s.Demo != nil {
		p.Saw = append(p.Saw, "Demo: nothing here is real.")
	}
	return p
}
