package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"log/slog"
	"reflect"
	"strconv"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/booking"
	"holdfast/internal/counter"
	"holdfast/internal/domain"
)

// sheetOf reads a report's tables back from the files that spreadsheets get.
type sheetOf struct {
	t rapid.TB
	*counter.Sheet
}

// rows are a table's rows of one currency by the columns' names.
func (s sheetOf) rows(table, currency string) (out []map[string]string) {
	s.t.Helper()
	var b bytes.Buffer
	if err := s.CSV(&b, table); err != nil {
		s.t.Fatalf("table %s: %v", table, err)
	}
	lines, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(b.Bytes(), []byte("\uFEFF")))).ReadAll()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, l := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = l[i]
		}
		if c, money := row["Currency"]; !money || c == currency {
			out = append(out, row)
		}
	}
	return out
}

// sum adds a column up, in minor units where it is money.
func (s sheetOf) sum(table, column, currency string) (n int64) {
	s.t.Helper()
	for _, row := range s.rows(table, currency) {
		n += minor(s.t, row[column])
	}
	return n
}

func minor(t rapid.TB, text string) int64 {
	t.Helper()
	whole, cents, decimal := text, "", false
	if i := len(text) - 3; i > 0 && text[i] == '.' {
		whole, cents, decimal = text[:i], text[i+1:], true
	}
	n, err := strconv.ParseInt(whole+cents, 10, 64)
	if err != nil || decimal && len(cents) != 2 {
		t.Fatalf("%q is no figure", text)
	}
	return n
}

// reporter makes sales, refunds and exchanges at random and moves them to other days.
type reporter struct {
	*tillModel
	reports *counter.Reports
	today   time.Time
}

func (r *reporter) days(from, to int) sheetOf {
	sheet, err := r.reports.Days(r.ctx, counter.Span{From: r.day(from), To: r.day(to)}, "EUR")
	r.must(err)
	return sheetOf{r.t, sheet}
}

func (r *reporter) films(first int) sheetOf {
	sheet, err := r.reports.Films(r.ctx, r.day(first), "EUR")
	r.must(err)
	return sheetOf{r.t, sheet}
}

func (r *reporter) events(from, to int) sheetOf {
	sheet, err := r.reports.Events(r.ctx, counter.Span{From: r.day(from), To: r.day(to)}, "EUR")
	r.must(err)
	return sheetOf{r.t, sheet}
}

func (r *reporter) day(n int) time.Time { return r.today.AddDate(0, 0, n) }

// shift makes what was entered since the last time the lines of another business day: the
// ledger itself refuses to be changed.
func (r *reporter) shift(after int64, day int) {
	for _, sql := range []string{`ALTER TABLE ledger_entries DISABLE TRIGGER ledger_append_only`,
		fmt.Sprintf(`UPDATE ledger_entries SET business_day = '%s' WHERE id > %d`, r.day(day).Format(time.DateOnly), after),
		`ALTER TABLE ledger_entries ENABLE TRIGGER ledger_append_only`} {
		if _, err := r.d.Pool().Exec(r.ctx, sql); err != nil {
			r.t.Fatal(err)
		}
	}
}

// Whatever is sold, voided, refunded, given away and exchanged on whichever days: every
// table of every report adds up to what plain SQL says of the ledger, a day that is over
// keeps its report, and all film weeks together are all tickets.
func TestReportsAddUp(t *testing.T) {
	t.Parallel()
	fewRounds()
	d, outer := dbtest.New(t), t
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		m := &tillModel{t: t, ctx: context.Background(), d: d, booked: map[int64]bool{}}
		m.sales, m.desk = booking.New(d, booking.Config{Log: slog.New(slog.DiscardHandler)}), counter.New(d)
		m.must(wipe(m.ctx, d))
		m.ev = dbtest.Screening(outer, d, 3, 3)
		m.must(d.Pool().QueryRow(m.ctx, `INSERT INTO staff (email, name, role, password_hash) VALUES ($1, '=1+1', 'cashier', '') RETURNING id`,
			fmt.Sprintf("c%d@house.example", round)).Scan(&m.who.StaffID))
		m.who.By.Actor = fmt.Sprintf("staff:%d", m.who.StaffID)
		_, err := m.desk.Open(m.ctx, counter.Person{StaffID: m.who.StaffID, By: m.who.By}, "", "EUR", domain.Counts{1000: 5})
		m.must(err)
		r := &reporter{tillModel: m, reports: counter.NewReports(d, nil)}
		r.today, err = r.reports.Today(m.ctx)
		m.must(err)
		_, err = d.Pool().Exec(m.ctx, `UPDATE events SET business_day = $2 WHERE id = $1`, m.ev.ID, r.day(8))
		m.must(err)

		var days, week, list sheetOf
		for day := range 20 { // the show is on the eighth, its film week from the fifth to the eleventh
			last := m.count(`SELECT coalesce(max(id), 0) FROM ledger_entries`)
			for range rapid.IntRange(0, 3).Draw(t, "acts") {
				switch rapid.SampledFrom([]string{"sell", "sell", "cancel", "exchange"}).Draw(t, "act") {
				case "sell":
					m.sell(t)
				case "cancel":
					m.cancel(t)
				case "exchange":
					m.exchange(t)
				}
			}
			r.shift(last, day)
			if day == 11 { // the last of the film week: the days and the week are over after it
				days, week, list = r.days(0, 11), r.films(5), r.events(5, 11)
			}
		}
		for _, span := range [][2]int{{0, 19}, {3, 3}, {5, 11}} {
			r.checkDays(span[0], span[1])
		}
		r.checkWeeks()
		for _, span := range [][2]int{{0, 7}, {5, 11}, {8, 8}, {9, 19}} {
			r.checkEvents(span[0], span[1])
		}
		r.checkEvent()
		for past, now := range map[*counter.Sheet]*counter.Sheet{days.Sheet: r.days(0, 11).Sheet, week.Sheet: r.films(5).Sheet, list.Sheet: r.events(5, 11).Sheet} {
			if !reflect.DeepEqual(past.Sections, now.Sections) {
				t.Fatalf("a report of days that are over changed:\n%+v\n%+v", past.Sections, now.Sections)
			}
		}
	})
}

// checkDays compares every table of a report of days with SQL of its own.
func (r *reporter) checkDays(from, to int) {
	a, b := r.day(from), r.day(to)
	sheet := r.days(from, to)
	sql := func(what, where string) int64 {
		return r.count(`SELECT coalesce(`+what+`, 0)::bigint FROM ledger_entries l WHERE l.business_day BETWEEN $1 AND $2 AND currency = 'EUR' AND `+where, a, b)
	}
	money := sql(`sum(amount)`, `kind IN ('payment', 'refund') AND tender <> 'exchange'`)
	for _, table := range []string{"tender", "channel", "user"} {
		r.same(table+" takings", sheet.sum(table, "Takings", "EUR"), money)
		r.same(table+" received", sheet.sum(table, "Received", "EUR"), sql(`sum(amount)`, `kind = 'payment' AND tender <> 'exchange'`))
	}
	for _, tender := range []string{"cash", "terminal"} {
		var got int64
		for _, row := range sheet.rows("tender", "EUR") {
			if row["Tender"] == counter.TenderWords(tender) {
				got = minor(r.t, row["Takings"])
			}
		}
		r.same(tender, got, sql(`sum(amount)`, `kind IN ('payment', 'refund') AND tender = '`+tender+`'`))
	}
	gross, tax := sql(`sum(amount)`, `kind IN ('sale', 'sale_reversal')`), sql(`sum(tax)`, `kind IN ('sale', 'sale_reversal')`)
	r.same("admits", sheet.sum("type", "Admits", "EUR"), sql(`sum(CASE kind WHEN 'sale' THEN 1 ELSE -1 END)`, `kind IN ('sale', 'sale_reversal')`))
	r.same("gross by type", sheet.sum("type", "Gross", "EUR"), gross)
	r.same("tax by type", sheet.sum("type", "Tax", "EUR"), tax)
	r.same("net by type", sheet.sum("type", "Net", "EUR"), gross-tax)
	r.same("free", sheet.sum("type", "Free", "EUR"), sql(`sum(CASE kind WHEN 'sale' THEN 1 ELSE -1 END)`, `kind IN ('sale', 'sale_reversal') AND amount = 0`))
	r.same("fees", sheet.sum("tax", "Fees kept", "EUR"), sql(`sum(amount)`, `kind = 'fee'`))
	r.same("tax of all", sheet.sum("tax", "Tax", "EUR"), sql(`sum(tax)`, `kind IN ('sale', 'sale_reversal', 'fee')`))
	r.same("exchanges", sql(`sum(amount)`, `kind IN ('payment', 'refund') AND tender = 'exchange'`), 0)
	for _, row := range sheet.rows("sum", "EUR") {
		switch row["What"] {
		case "Difference", "Exchanges that do not cancel out":
			r.same(row["What"], minor(r.t, row["Amount"]), 0)
		case "Takings", "Sales":
			r.same(row["What"], minor(r.t, row["Amount"]), money)
		}
	}
	var voids, moved int64
	for _, row := range sheet.rows("acts", "EUR") {
		switch row["What"] {
		case "Voids":
			voids = minor(r.t, row["Amount"])
		case "Exchanges: worth moved to other tickets":
			moved = minor(r.t, row["Amount"])
		}
	}
	r.same("voids", voids, -sql(`sum(amount)`, `kind = 'refund' AND (SELECT reason FROM refunds WHERE id = l.refund_id) = 'void'`))
	r.same("moved", moved, sql(`sum(amount)`, `kind = 'payment' AND tender = 'exchange'`))
	for _, row := range sheet.rows("user", "EUR") {
		if row["User"] != "'=1+1" {
			r.t.Fatalf("a name that is a formula is written as %q", row["User"])
		}
	}
	if from != to {
		r.same("day by day", sheet.sum("day", "Takings", "EUR"), money)
		r.same("day by day, sales", sheet.sum("day", "Ticket sales", "EUR"), gross)
	}
}

func (r *reporter) same(what string, got, want int64) {
	r.t.Helper()
	if got != want {
		r.t.Fatalf("%s: the report says %d, the ledger %d", what, got, want)
	}
}

// checkWeeks: the weeks that follow each other hold every ticket once.
func (r *reporter) checkWeeks() {
	var admits, gross, net int64
	for _, first := range []int{-2, 5, 12, 19} {
		sheet := r.films(first)
		a, b := r.day(first), r.day(first+6)
		main := r.count(`SELECT coalesce(sum(l.amount), 0)::bigint FROM ledger_entries l JOIN events e ON e.id = l.event_id
			WHERE l.kind IN ('sale', 'sale_reversal') AND e.business_day BETWEEN $1 AND $2 AND l.business_day <= $2`, a, b)
		later := r.count(`SELECT coalesce(sum(l.amount), 0)::bigint FROM ledger_entries l JOIN events e ON e.id = l.event_id
			WHERE l.kind IN ('sale', 'sale_reversal') AND e.business_day < $1 AND l.business_day BETWEEN $1 AND $2`, a, b)
		for _, table := range []string{"film", "screening"} {
			r.same("film week "+table, sheet.sum(table, "Gross", "EUR"), main)
		}
		r.same("corrections", sheet.sum("correction", "Gross", "EUR"), later)
		r.same("by distributor", sheet.sum("distributor", "Gross", "EUR"), main+later)
		for _, row := range sheet.rows("correction", "EUR") {
			if row["Corrects the week from"] != r.day(5).Format(time.DateOnly) || row["Screening day"] != r.day(8).Format(time.DateOnly) {
				r.t.Fatalf("a correction of the show on %s reads %v", r.day(8), row)
			}
		}
		admits += sheet.sum("distributor", "Admits", "EUR")
		gross, net = gross+sheet.sum("distributor", "Gross", "EUR"), net+sheet.sum("distributor", "Net", "EUR")
	}
	const tickets = ` FROM ledger_entries WHERE kind IN ('sale', 'sale_reversal')`
	r.same("admits of all weeks", admits, r.count(`SELECT coalesce(sum(CASE kind WHEN 'sale' THEN 1 ELSE -1 END), 0)::bigint`+tickets))
	r.same("gross of all weeks", gross, r.count(`SELECT coalesce(sum(amount), 0)::bigint`+tickets))
	r.same("net of all weeks", net, r.count(`SELECT coalesce(sum(amount - tax), 0)::bigint`+tickets))
}

// checkEvents compares the list of events with SQL: what was entered up to its last day,
// and what was entered in it about events before.
func (r *reporter) checkEvents(from, to int) {
	sheet, a, b := r.events(from, to), r.day(from), r.day(to)
	const lines = ` FROM ledger_entries l JOIN events e ON e.id = l.event_id WHERE l.kind IN ('sale', 'sale_reversal') AND `
	own := lines + `e.business_day BETWEEN $1 AND $2 AND l.business_day <= $2`
	before := lines + `e.business_day < $1 AND l.business_day BETWEEN $1 AND $2`
	for table, of := range map[string]string{"events": own, "correction": before} {
		for column, what := range map[string]string{"Gross": `sum(l.amount)`, "Tax": `sum(l.tax)`, "Net": `sum(l.amount - l.tax)`, "Admits": `sum(CASE l.kind WHEN 'sale' THEN 1 ELSE -1 END)`} {
			r.same(fmt.Sprintf("%s of %d to %d, %s", table, from, to, column), sheet.sum(table, column, "EUR"), r.count(`SELECT coalesce(`+what+`, 0)::bigint`+of, a, b))
		}
	}
}

// checkEvent: the show's own report has every line once, by its day or as entered later.
func (r *reporter) checkEvent() {
	x, err := r.reports.Event(r.ctx, r.ev.ID, "EUR")
	r.must(err)
	sheet := sheetOf{r.t, x}
	const gross = `SELECT coalesce(sum(amount), 0)::bigint FROM ledger_entries WHERE kind IN ('sale', 'sale_reversal') AND event_id = $1 AND business_day `
	for _, table := range []string{"type", "channel"} {
		r.same("event by "+table, sheet.sum(table, "Gross", "EUR"), r.count(gross+`<= $2`, r.ev.ID, r.day(8)))
	}
	r.same("entered after the event", sheet.sum("correction", "Gross", "EUR"), r.count(gross+`> $2`, r.ev.ID, r.day(8)))
}

// fewRounds makes rapid's checks few: a round of these tests is dozens of transactions.
var fewRounds = sync.OnceFunc(func() {
	for name, value := range map[string]string{"rapid.nofailfile": "true", "rapid.checks": "12"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
})

// wipe forgets the money of the round before.
func wipe(ctx context.Context, d *db.DB) error {
	_, err := d.Pool().Exec(ctx, `TRUNCATE ledger_entries, refunds, payments, tickets, ticket_legs, bookings, hold_seats, holds, event_seats, mails, staff_tasks, disputes, checkins CASCADE`)
	return err
}
