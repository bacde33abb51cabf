package torture

import (
	"fmt"
	"holdfast/internal/apptest"
	"net/http"
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

func (r *rig) auditIsClean() []string    { return apptest.Audit(r.t, r.shop.bin, r.env) }
func (r *rig) ledgersAgree() []string    { return apptest.LedgersAgree(r.t, r.db, r.sim) }
func (r *rig) everybodyServed() []string { return apptest.EverybodyServed(r.t, r.db, r.sim) }
func (r *rig) noSeatTwice() []string     { return apptest.NoSeatTwice(r.t, r.db) }

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
		} else if n := len(p.Values("data-ticket")); p.Status != http.StatusOK || n != tickets || n == 0 {
			bad = append(bad, fmt.Sprintf("a booking with %d tickets is now answered %d with %d", tickets, p.Status, n))
		}
	}
	return bad
}

// mailsLeft: what is noted as sent was taken by the mail server. A second copy is allowed
// only by SMTP itself: our record of its yes was lost.
func (r *rig) mailsLeft() (bad []string) {
	for _, x := range r.ask(`SELECT id::text, kind FROM mails WHERE state = 'sent'`) {
		id, _ := strconv.ParseInt(x[0], 10, 64) // it is a number in the database
		switch n := r.mail.Took(id); {
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
