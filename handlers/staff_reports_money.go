package handlers

import (
	"cmp"
	"net/http"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/counter"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// reportOf begins a report's page.
func (s *site) reportOf(r *http.Request, who access.Staff, kind, title, by string) (reportPage, time.Time, error) {
	set, err := s.Booking.Settings(r.Context())
	if err != nil {
		return reportPage{}, time.Time{}, err
	}
	today, err := s.Reports.Today(r.Context())
	return reportPage{kind: kind, title: title, by: by, who: who, set: set, form: views.ReportForm{Action: reportsURL + "/" + kind, FromName: "from", FromLabel: "From"}}, today, err
}

// dayReport is the money of some business days.
func (s *site) dayReport(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	p, today, err := s.reportOf(r, who, "day", "Takings", ", by day of sale.")
	if err != nil {
		return err
	}
	span, ok := p.span(r, counter.Span{From: today, To: today})
	if !ok {
		return s.refusedReport(w, r, p)
	}
	p.turner = around(p.form.Action, span, today)
	p.rule = []string{
		"Every figure is a sum over the ledger, in which nothing can be changed or deleted. A day is the house’s business day: what is entered before " + p.set.BusinessDayStart +
			" in " + format.Zone(p.set.TimeZone) + " counts to the evening before, and stays there whatever is set later.",
		"Money counts to the day it came or went. A refund of today for a ticket of last week is today’s: the report of last week stays as it was.",
		"Ticket sales are the tickets sold less those taken back, tax included. Takings are what came in less what went back. They differ by fees that were kept and by money on its way; the last table shows it.",
	}
	sheet, err := s.Reports.Days(r.Context(), span, p.set.Currency)
	if err != nil {
		return err
	}
	return s.showReport(w, r, p, sheet)
}

// filmReport is the distributors' return of a film week.
func (s *site) filmReport(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	p, today, err := s.reportOf(r, who, "films", "Film week", ", by day of screening.")
	if err != nil {
		return err
	}
	week, ok := p.week(r, today)
	if !ok {
		return s.refusedReport(w, r, p)
	}
	p.turner = &views.ReportTurner{PreviousURL: filmWeekURL(week.From.AddDate(0, 0, -7)), PreviousName: "Film week before"}
	if week.To.Before(today) {
		p.turner.NextURL, p.turner.NextName = filmWeekURL(week.From.AddDate(0, 0, 7)), "Film week after"
	}
	p.rule = filmRule(p.set)
	sheet, err := s.Reports.Films(r.Context(), week.From, p.set.Currency)
	if err != nil {
		return err
	}
	return s.showReport(w, r, p, sheet)
}

// week reads which film week is asked for, the last one that is over when none is. The
// form names any day of it. Links name its first day, as "from": returns that were made
// before the weeks began on another weekday keep their address and their days.
func (p *reportPage) week(r *http.Request, today time.Time) (counter.Span, bool) {
	p.form.FromName, p.form.FromLabel, p.form.OneDay = "day", "A day of the film week", true
	q, first := r.URL.Query(), p.set.FilmWeekday()
	p.form.From = cmp.Or(q.Get("day"), q.Get("from"))
	day, err := date(p.form.From)
	if err != nil {
		p.form.FromError = badDay
		return counter.Span{}, false
	}
	if day == nil {
		day = ptr(today.AddDate(0, 0, -7))
	} else if d := day.Weekday(); q.Get("day") == "" && (d == time.Thursday || d == time.Friday) {
		first = d
	}
	week := counter.FilmWeek(*day, first)
	p.form.From = cmp.Or(p.form.From, week.From.Format(time.DateOnly))
	return week, true
}

func filmRule(set domain.Settings) []string {
	return []string{
		"A screening counts to the film week of its business day: a show at 00:30 belongs to the evening before. Film weeks begin on " + set.FilmWeekday().String() + "; the settings say so.",
		"The return of a week has every ticket of its screenings that was sold or taken back up to the week’s last day, those sold weeks before included.",
		"What is entered later, a refund after the show for example, changes nothing in that return. It is a correction in the return of the week in which it was entered, and names the week it corrects. So every ticket stands in exactly one return.",
		"Fees kept on cancelled tickets are not in it: they are no admissions. A screening counts once somebody came to it.",
	}
}

// stripeReport is what went through Stripe, beside Stripe's own books.
func (s *site) stripeReport(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	p, today, err := s.reportOf(r, who, "stripe", "Stripe", ", by day of the money.")
	if err != nil {
		return err
	}
	yesterday := today.AddDate(0, 0, -1)
	span, ok := p.span(r, counter.Span{From: yesterday, To: yesterday})
	if !ok {
		return s.refusedReport(w, r, p)
	}
	p.turner = around(p.form.Action, span, today)
	p.rule = []string{
		"Our side is the ledger: payments when the money was recorded, refunds when they were asked for. Stripe’s side is what Stripe says at this moment; it takes its fees off and pays out the rest some days later.",
		"The two are compared payment by payment. Stripe is asked for two days more before and three after, so that what was worked around midnight is no difference. Disputes stand on the day they were opened.",
	}
	sheet, err := s.Reports.Stripe(r.Context(), span, p.set.Currency)
	if err != nil {
		return err
	}
	return s.showReport(w, r, p, sheet)
}
