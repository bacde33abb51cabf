package torture

import (
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// checks are what the verdict looks at, in the order of its table.
var checks = []struct {
	name string
	look func(*rig) []string // what is wrong
}{
	{"audit", (*rig).auditIsClean},
	{"nothing unfinished", (*rig).open},
	{"Stripe's ledger is ours", (*rig).ledgersAgree},
	{"nobody paid for nothing", (*rig).everybodyServed},
	{"no seat twice", (*rig).noSeatTwice},
	{"the cancelled event", (*rig).cancelledEvent},
	{"what customers were shown", (*rig).shownStays},
	{"every mail left", (*rig).mailsLeft},
}

// judge gives the verdict. The program must run and all must have come to rest.
func (r *rig) judge() (found []finding) {
	for _, c := range checks {
		for _, words := range c.look(r) {
			found = append(found, finding{c.name, words})
		}
	}
	return append(r.tally.found(), found...) // answers, process, postgres: seen on the way
}

// auditIsClean asks the program itself, with Stripe's lists.
func (r *rig) auditIsClean() []string {
	cmd := exec.CommandContext(r.t.Context(), r.shop.bin, "audit")
	cmd.Env = r.env
	out, err := cmd.CombinedOutput()
	if err == nil && strings.HasPrefix(string(out), "audit: clean (") {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return append(lines[:min(len(lines), 10)], fmt.Sprint(err))
}

// ledgersAgree compares per payment intent, both ways.
func (r *rig) ledgersAgree() (bad []string) {
	type sum struct{ taken, back string }
	ours := map[string]sum{}
	for _, x := range r.ask(`SELECT p.stripe_payment_intent_id, p.received::text,
		(SELECT coalesce(sum(r.amount), 0)::text FROM refunds r WHERE r.payment_id = p.id AND r.state IN ('pending', 'succeeded'))
		FROM payments p WHERE p.received > 0`) {
		ours[x[0]] = sum{x[1], x[2]}
	}
	for _, l := range r.sim.Ledger() {
		there := sum{strconv.FormatInt(l.Taken, 10), strconv.FormatInt(l.Refunded, 10)}
		if here := ours[l.PaymentIntent]; here != there {
			bad = append(bad, fmt.Sprintf("%s: Stripe took %s and gave %s back, here %q and %q", l.PaymentIntent, there.taken, there.back, here.taken, here.back))
		}
		delete(ours, l.PaymentIntent)
	}
	for intent := range ours {
		bad = append(bad, intent+": money here that Stripe never took")
	}
	return bad
}

// everybodyServed: whoever paid has valid tickets for exactly the seats of the hold at
// exactly that price, or all of the money back, and never both.
func (r *rig) everybodyServed() (bad []string) {
	for _, l := range r.sim.Ledger() {
		hold := l.Metadata["hold_id"]
		x := r.ask(`SELECT
			coalesce((SELECT string_agg(s.seat_no, ',' ORDER BY s.seat_no) FROM hold_seats s WHERE s.hold_id = h.id), ''),
			coalesce((SELECT string_agg(t.seat_no, ',' ORDER BY t.seat_no) FROM tickets t JOIN bookings b ON b.id = t.booking_id
			           WHERE b.hold_id = h.id AND b.state = 'confirmed' AND t.state = 'valid' AND t.from_stop = h.from_stop AND t.to_stop = h.to_stop), ''),
			(SELECT coalesce(sum(t.price), 0)::text FROM tickets t JOIN bookings b ON b.id = t.booking_id WHERE b.hold_id = h.id AND t.state = 'valid'),
			(SELECT count(*)::text FROM payments p WHERE p.hold_id = h.id AND p.outcome = 'booked' AND p.stripe_payment_intent_id = $2)
			FROM holds h WHERE h.id = $1`, hold, l.PaymentIntent)
		if len(x) != 1 {
			bad = append(bad, fmt.Sprintf("%s paid for hold %s, which is not there", l.PaymentIntent, hold))
			continue
		}
		wanted, got, price, booked := x[0][0], x[0][1], x[0][2], x[0][3] == "1"
		served := booked && wanted == got && price == strconv.FormatInt(l.Taken, 10) && l.Refunded == 0
		repaid := !booked && l.Refunded == l.Taken
		if !served && !repaid {
			bad = append(bad, fmt.Sprintf("hold %s paid %d (back %d) for %s and has tickets for %q at %s", hold, l.Taken, l.Refunded, wanted, got, price))
		}
	}
	return bad
}

// noSeatTwice groups the valid tickets by seat and leg, without a look at the tables that
// are to prevent it.
func (r *rig) noSeatTwice() (bad []string) {
	owner := map[string]string{}
	for _, x := range r.ask(`SELECT id::text, event_id::text, seat_no, from_stop::text, to_stop::text FROM tickets WHERE state = 'valid' ORDER BY id`) {
		from, _ := strconv.Atoi(x[3]) // they are numbers in the database
		to, _ := strconv.Atoi(x[4])
		for leg := from + 1; leg <= to; leg++ {
			place := fmt.Sprintf("event %s seat %s leg %d", x[1], x[2], leg)
			if other := owner[place]; other != "" {
				bad = append(bad, fmt.Sprintf("%s: tickets %s and %s", place, other, x[0]))
			}
			owner[place] = x[0]
		}
	}
	return bad
}

// cancelledEvent: no ticket was sold after the cancellation, and who paid has it back.
func (r *rig) cancelledEvent() (bad []string) {
	if n := r.ask(`SELECT count(*)::text FROM bookings WHERE event_id = $1`, r.doomed.ID)[0][0]; n != "0" {
		bad = append(bad, n+" bookings")
	}
	for _, x := range r.ask(`SELECT p.id::text, p.outcome FROM payments p WHERE p.event_id = $1 AND p.received > 0 AND (p.outcome <> 'event_cancelled'
		OR p.received <> (SELECT coalesce(sum(amount), 0) FROM refunds r WHERE r.payment_id = p.id AND r.state = 'succeeded'))`, r.doomed.ID) {
		bad = append(bad, "payment "+strings.Join(x, " ")+" is not back")
	}
	return bad
}

// shownStays: a booking that somebody was shown is there with the same number of tickets.
func (r *rig) shownStays() (bad []string) {
	c := r.client()
	for path, tickets := range r.tally.bookings() {
		p, err := c.get(r.url + path)
		if err != nil {
			bad = append(bad, fmt.Sprintf("a booking page: %v", err))
		} else if n := len(p.values("data-ticket")); p.status != http.StatusOK || n != tickets || n == 0 {
			bad = append(bad, fmt.Sprintf("a booking with %d tickets is now answered %d with %d", tickets, p.status, n))
		}
	}
	return bad
}

// mailsLeft: what is noted as sent was taken by the mail server. A second copy is allowed
// only by SMTP itself: our record of its yes was lost.
func (r *rig) mailsLeft() (bad []string) {
	for _, x := range r.ask(`SELECT id::text, kind FROM mails WHERE state = 'sent'`) {
		id, _ := strconv.ParseInt(x[0], 10, 64) // it is a number in the database
		switch n := r.mail.took(id); {
		case n == 0:
			bad = append(bad, "mail "+x[0]+" ("+x[1]+") is sent here and never came")
		case n > 1:
			r.tally.add("mails taken again")
		}
	}
	return bad
}

// table is the verdict for people.
func (r *rig) table(found []finding) string {
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-28s %s\n", name, strings.TrimSuffix(fmt.Sprintf(format, args...), ", "))
	}
	count := func(sql string) (out string) {
		for _, x := range r.ask(sql) {
			out += strings.Join(x, " ") + ", "
		}
		return out
	}
	kills, n := r.tally.all("kill ")
	row("seed", "%d", r.seed)
	row("kills", "%d: %s", n, kills)
	row("restarts", "%d of the program (%d found no database), %d of PostgreSQL", r.shop.life-1, r.tally.count("refused to start"), r.tally.count("postgres restarts"))
	row("customers", "%d, answers lost %d", r.tally.count("customers"), r.tally.count("lost answers"))
	answers, n := r.tally.all("answer ")
	row("answers", "%d: %s", n, answers)
	row("holds", "won %d, lost %d, time ended %d", r.tally.count("hold won"), r.tally.count("hold lost"), r.tally.count("time of a hold ended"))
	row("payment attempts", "%s", count(`SELECT count(*)::text, coalesce(outcome, state) FROM payments GROUP BY 2 ORDER BY 2`))
	pages, _ := r.tally.all("stripe ")
	row("at Stripe", "%s%d sessions ended there, %d payments taken", pages, r.tally.count("session ended at Stripe"), len(r.sim.Ledger()))
	row("neglect", "%d payments left alone until all time was over, Stripe away %d times", r.tally.count("left alone until all time was over"), r.tally.count("Stripe away"))
	row("refunds", "%s%d done later", count(`SELECT count(*)::text, reason || ' ' || state FROM refunds GROUP BY 2 ORDER BY 2`), r.tally.count("refunds done later"))
	row("bookings, tickets", "%s", count(`SELECT (SELECT count(*) FROM bookings)::text, (SELECT count(*) FROM tickets WHERE state = 'valid')::text`))
	row("mails", "%staken again %d", count(`SELECT count(*)::text, kind FROM mails GROUP BY 2 ORDER BY 2`), r.tally.count("mails taken again"))
	row("tasks for staff", "%s", count(`SELECT count(*)::text, kind FROM staff_tasks GROUP BY 2 ORDER BY 2`))
	for _, name := range append([]string{"answers", "process", "postgres"}, names()...) {
		of := 0
		for _, f := range found {
			if f.check == name {
				of++
			}
		}
		row(name, "%s", map[bool]string{true: "ok", false: fmt.Sprintf("%d FOUND", of)}[of == 0])
	}
	return b.String()
}

func names() (out []string) {
	for _, c := range checks {
		out = append(out, c.name)
	}
	return slices.Clip(out)
}
