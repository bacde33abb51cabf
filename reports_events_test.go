package main

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"holdfast/db/dbtest"
	"holdfast/internal/booking"
	"holdfast/internal/counter"
	"holdfast/internal/domain"
	"holdfast/internal/stripesim"
)

// entered moves what the ledger got since an id to another business day.
func (w *world) entered(after int64, day time.Time) {
	w.t.Helper()
	w.exec(`ALTER TABLE ledger_entries DISABLE TRIGGER ledger_append_only`)
	w.exec(`UPDATE ledger_entries SET business_day = $2 WHERE id > $1`, after, day)
	w.exec(`ALTER TABLE ledger_entries ENABLE TRIGGER ledger_append_only`)
}

func on(day string) time.Time {
	d, _ := time.Parse(time.DateOnly, day)
	return d
}

// A film week is sent to the distributor; a refund comes after the week. The return of
// that week stays as it was to the letter, and the next one has the correction by name.
// The setting decides on which weekday weeks begin.
func TestReportsFilmWeekStays(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	w.exec(`INSERT INTO settings (key, value) VALUES ('film_week_start', 'friday')`)
	w.exec(`UPDATE films SET distributor = '@Northline'`)
	w.exec(`UPDATE events SET business_day = '2026-06-10'`) // a Wednesday
	first, second := w.on(t), w.on(t)
	first.buys(eventPath(ev.ID), "A1", "A2")
	w.entered(0, on("2026-05-20")) // weeks before the show
	last := one[int64](w, `SELECT max(id) FROM ledger_entries`)
	second.buys(eventPath(ev.ID), "B1")
	w.entered(last, on("2026-06-11")) // the last day of the film week
	b := w.as(t, "manager")
	week := w.URL + "/staff/reports/films?day=2026-06-10"
	table := func(address, id string) string {
		return b.get(address + "&csv=" + id).want(200).body
	}
	b.get(week).want(200).says("5 to 11 June 2026", "Salt Road", "@Northline", "EUR 30.00", "no corrections", "Film weeks begin on Friday")
	was := map[string]string{}
	for _, id := range []string{"film", "distributor", "screening", "correction"} {
		was[id] = table(week, id)
	}
	if !strings.Contains(was["film"], "Salt Road,'@Northline,1,3,0,3,0,30.00,5.41,24.59,EUR\r\n") {
		t.Errorf("by film: %q", was["film"])
	}
	last = one[int64](w, `SELECT max(id) FROM ledger_entries`)
	if err := w.service().CancelTickets(t.Context(), booking.Cancel{BookingID: w.bookingOf(first), Reason: "staff", By: "system"}); err != nil {
		t.Fatal(err)
	}
	w.entered(last, on("2026-06-12"))
	w.exec(`UPDATE settings SET value = 'thursday' WHERE key = 'film_week_start'`) // moves no week that was sent
	past := w.URL + "/staff/reports/films?from=2026-06-05"
	for id, before := range was {
		if now := table(past, id); now != before {
			t.Errorf("the return of a week that is over changed in %s:\n%q\n%q", id, before, now)
		}
	}
	next := w.URL + "/staff/reports/films?from=2026-06-12"
	b.get(next).want(200).says("Corrections of earlier weeks", "Fri 5 Jun 2026", "Wed 10 Jun 2026", "Fri 12 Jun 2026", "-2 by corrections")
	if got := table(next, "correction"); !strings.Contains(got, "Salt Road,'@Northline,2026-06-05,2026-06-10,2026-06-12,Adult,0,2,-2,0,-20.00,-3.61,-16.39,EUR\r\n") {
		t.Errorf("correction: %q", got)
	}
	if got := table(next, "distributor"); !strings.Contains(got, "'@Northline,-2,-20.00,-3.61,-16.39,-2,-16.39,EUR\r\n") {
		t.Errorf("return of the next week: %q", got)
	}
	b.get(w.URL + "/staff/reports/films?day=2026-6-1").want(422).says("Please write the day like 2026-12-05.")
	// The event by itself: its own day stands, the rest beneath.
	b.get(w.URL+"/staff/reports/events/"+itoa(ev.ID)).want(200).says("Salt Road", "Entered later", "Fri 12 Jun 2026", "-20.00")
	b.get(w.URL + "/staff/reports/events/999").want(404)
	list := w.URL + "/staff/reports/events?from=2026-06-10&to=2026-06-10"
	if got := table(list, "events"); !strings.Contains(got, ",2026-06-10,,32,2,0,2,6.3,0,20.00,") { // what was sold up to the day itself
		t.Errorf("events: %q", got)
	}
}

// A show at 00:30 belongs to the evening before, also in the night in which the clock
// jumps; so does money that was taken then.
func TestReportsAfterMidnight(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	w.exec(`INSERT INTO settings (key, value) VALUES ('time_zone', 'Europe/Rome')`)
	for at, want := range map[string]string{
		"2026-03-28 23:30+01": "2026-03-28", "2026-03-29 00:30+01": "2026-03-28", "2026-03-29 03:30+02": "2026-03-28", "2026-03-29 05:00+02": "2026-03-29",
		"2026-10-25 02:30+01": "2026-10-24", "2026-10-25 04:59+01": "2026-10-24", "2026-10-25 05:00+01": "2026-10-25",
	} {
		w.exec(`INSERT INTO ledger_entries (entered_at, kind, amount, currency, tender, channel, event_id) VALUES ($1, 'payment', 700, 'EUR', 'cash', 'counter', $2)`, at, ev.ID)
		if got := one[string](w, `SELECT business_day::text FROM ledger_entries ORDER BY id DESC LIMIT 1`); got != want {
			t.Errorf("money of %s counts to %s, want %s", at, got, want)
		}
	}
	b := w.as(t, "manager")
	b.get(w.URL+"/staff/reports/day?from=2026-03-28").want(200).says("Saturday 28 March 2026", "EUR 21.00")
	b.get(w.URL + "/staff/reports/day?from=2026-10-24&to=2026-10-24").want(200).says("EUR 14.00")
	for query, words := range map[string]string{"from=2026-10-24&to=2026-10-20": "before the first", "from=2024-10-24&to=2026-10-20": "at most 366 days", "from=soon": "like 2026-12-05"} {
		p := b.get(w.URL + "/staff/reports/day?" + query).want(422).says(words)
		asked, _ := url.ParseQuery(query)
		if v := p.form("/staff/reports/day").values; v.Get("from") != asked.Get("from") {
			t.Errorf("%s: the form comes back with %v", query, v)
		}
	}
	b.get(w.URL + "/staff/reports/day?from=2026-10-24&csv=nothing").want(404)
}

// Money of two currencies is never added: each has its part of the report.
func TestReportsCurrenciesApart(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	for _, c := range []string{"EUR", "CHF"} {
		w.exec(`INSERT INTO ledger_entries (kind, amount, currency, tender, channel, event_id, business_day) VALUES ('payment', 1234, $1, 'cash', 'counter', $2, '2026-05-01')`, c, ev.ID)
	}
	b := w.as(t, "manager")
	b.get(w.URL+"/staff/reports/day?from=2026-05-01").want(200).says("In EUR", "In CHF", "EUR 12.34", "CHF 12.34")
	if got := b.get(w.URL + "/staff/reports/day?from=2026-05-01&csv=tender").want(200).body; !strings.HasSuffix(got, "Cash,1,12.34,0,0.00,12.34,EUR\r\nCash,1,12.34,0,0.00,12.34,CHF\r\n") {
		t.Errorf("csv: %q", got)
	}
}

// A route leg by leg: who rides over two legs counts on both; totals are the ledger's.
func TestReportsRoute(t *testing.T) {
	t.Parallel()
	w, _, trip := depot(t)
	route := one[int64](w, `SELECT route_id FROM events WHERE id = $1`, trip.ID)
	w.exec(`UPDATE events SET business_day = '2026-06-10' WHERE id = $1`, trip.ID)
	path := fmt.Sprintf("%s?from=0&to=2", eventPath(trip.ID))
	w.on(t).buys(path, "1A", "1B")
	w.on(t).buys(fmt.Sprintf("%s?from=1&to=2", eventPath(trip.ID)), "2A")
	w.entered(0, on("2026-06-01"))
	span := counter.Span{From: on("2026-06-10"), To: on("2026-06-10")}
	sheet, err := counter.NewReports(w.DB, nil).Route(t.Context(), route, span, "EUR")
	if err != nil {
		t.Fatal(err)
	}
	x := sheetOf{t, sheet}
	if legs := x.rows("leg", ""); len(legs) != 2 || legs[0]["Seats sold"] != "2" || legs[1]["Seats sold"] != "3" || legs[1]["Seats offered"] != "12" || legs[1]["Filled"] != "25.0" {
		t.Errorf("legs %v", legs)
	}
	if got, want := x.sum("pair", "Gross", "EUR"), one[int64](w, `SELECT sum(amount)::bigint FROM ledger_entries WHERE kind = 'sale'`); got != want || want == 0 {
		t.Errorf("pairs add up to %d, the ledger to %d", got, want)
	}
	if got := x.sum("pair", "Passengers", "EUR"); got != 3 {
		t.Errorf("%d passengers", got)
	}
	// A ticket that is taken back a week later changes nothing here; it stands where it was entered.
	last := one[int64](w, `SELECT max(id) FROM ledger_entries`)
	w.as(t, "manager").cancels(w, one[int64](w, `SELECT min(id) FROM bookings`), "", itoa(one[int64](w, `SELECT min(id) FROM tickets`))).want(303)
	w.entered(last, on("2026-06-17"))
	again, err := counter.NewReports(w.DB, nil).Route(t.Context(), route, span, "EUR")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := (sheetOf{t, again}).rows("pair", "EUR"), x.rows("pair", "EUR"); !reflect.DeepEqual(got, want) {
		t.Errorf("the past report says %v, said %v", got, want)
	}
	next, err := counter.NewReports(w.DB, nil).Route(t.Context(), route, counter.Span{From: on("2026-06-15"), To: on("2026-06-21")}, "EUR")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := (sheetOf{t, next}).sum("correction", "Gross", "EUR"), one[int64](w, `SELECT sum(amount)::bigint FROM ledger_entries WHERE kind = 'sale_reversal'`); got != want || want == 0 {
		t.Errorf("corrections add up to %d, the ledger to %d", got, want)
	}
	b := w.as(t, "manager")
	b.get(w.URL+fmt.Sprintf("/staff/reports/routes?route=%d&from=2026-06-10&to=2026-06-10", route)).want(200).says("Leg by leg", "25.0 %", "20.8 %")
	b.get(w.URL + "/staff/reports/routes?route=999").want(404)
	b.get(w.URL + "/staff/reports/agents").want(200).says("No agent sold anything in these days.")
	w.exec(`INSERT INTO holds (id, event_id, from_stop, to_stop, channel, holder, expires_at, total, currency, fares) VALUES ('6b1c7c1e-0000-4000-8000-000000000001', $1, 0, 1, 'agent', 'agent:7', now(), 900, 'EUR', '[]')`, trip.ID)
	w.exec(`INSERT INTO payments (hold_id, event_id, tender, state, outcome, amount, currency, received) VALUES ('6b1c7c1e-0000-4000-8000-000000000001', $1, 'agent', 'applied', 'booked', 900, 'EUR', 900)`, trip.ID)
	for _, kind := range []string{"payment", "sale"} {
		w.exec(`INSERT INTO ledger_entries (kind, amount, currency, tender, channel, ticket_type, event_id, payment_id, business_day)
			SELECT $1, 900, 'EUR', 'agent', 'agent', 'adult', event_id, id, '2026-06-10' FROM payments WHERE tender = 'agent'`, kind)
	}
	b.get(w.URL+"/staff/reports/agents?from=2026-06-10").want(200).says("Agent 7", "9.00")
}

// What went through Stripe fits Stripe's own books; money that one side alone has is
// named; an unreachable Stripe takes its part of the report along and nothing else.
func TestReportsStripe(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	first, second := w.on(t), w.on(t)
	first.buys(eventPath(ev.ID), "A1", "A2")
	second.buys(eventPath(ev.ID), "B1")
	if err := w.service().CancelTickets(t.Context(), booking.Cancel{BookingID: w.bookingOf(second), Reason: "staff", By: "system"}); err != nil {
		t.Fatal(err)
	}
	today := one[time.Time](w, `SELECT business_day_of(now())`).Format(time.DateOnly)
	b := w.as(t, "manager")
	address := w.URL + "/staff/reports/stripe?from=" + today
	w.eventually("the refund is back", `SELECT bool_and(state = 'succeeded') FROM refunds`)
	p := b.get(address).want(200).says("Everything fits", "Payments", "30.00", "0.95", "29.05", "Refunds")
	if strings.Contains(p.text(), "Only in our ledger") {
		t.Error(p.text())
	}
	w.exec(`UPDATE refunds SET stripe_refund_id = NULL`)
	b.get(address).want(200).says("Refund that Stripe has not been given yet", "Only at Stripe: refund")
	w.exec(`UPDATE payments SET stripe_payment_intent_id = 'pi_lost' WHERE id = (SELECT min(id) FROM payments)`)
	b.get(address).want(200).says("Only in our ledger: payment", "pi_lost", "Only at Stripe: payment")
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.FailBefore, Op: stripesim.OpListBalance}})
	b.get(address).want(200).says("Stripe does not answer just now", "Our ledger, day by day", "30.00")
}

// A report without a key has our side alone; a gateway that fails otherwise is an error.
func TestReportsStripeWithoutKey(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	sheet, err := counter.NewReports(d, nil).Stripe(t.Context(), counter.Span{From: on("2026-06-10"), To: on("2026-06-10")}, "EUR")
	if err != nil || len(sheet.Notes) != 1 || !strings.Contains(sheet.Notes[0], "No Stripe key") {
		t.Errorf("%+v, %v", sheet, err)
	}
	if _, err := counter.NewReports(d, nil).Route(t.Context(), 7, sheet.Span, "EUR"); err == nil || !strings.Contains(fmt.Sprint(err), domain.ErrNotFound.Error()) {
		t.Errorf("a route that is none: %v", err)
	}
}
