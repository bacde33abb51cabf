package handlers

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/counter"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

const (
	reportsURL = "/staff/reports"
	badDay     = "Please write the day like 2026-12-05."
)

// staffReports lists the reports with the days that people ask for most.
func (s *site) staffReports(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	page, set, err := s.staffPage(r, who, "Reports", reportsURL)
	if err != nil {
		return err
	}
	today, err := s.Reports.Today(r.Context())
	if err != nil {
		return err
	}
	s.render(w, r, http.StatusOK, views.StaffReportsPage(views.StaffReports{
		Page: page, Lede: "Made from the ledger alone: they agree with each other and with every till. Today is " + format.LongDay(today) + ".",
		Reports: reportLinks(today, set),
	}))
	return nil
}

func reportLinks(today time.Time, set domain.Settings) []views.ReportLink {
	yesterday, monday := today.AddDate(0, 0, -1), today.AddDate(0, 0, -int((today.Weekday()+6)%7))
	month := time.Date(today.Year(), today.Month(), 1, 0, 0, 0, 0, time.UTC)
	quick := func(kind string) []views.Link {
		to := func(from, to time.Time) string { return spanURL(reportsURL+"/"+kind, counter.Span{From: from, To: to}) }
		return []views.Link{{Text: "Today so far", URL: to(today, today)}, {Text: "Yesterday", URL: to(yesterday, yesterday)}, {Text: "This week", URL: to(monday, today)},
			{Text: "Last week", URL: to(monday.AddDate(0, 0, -7), monday.AddDate(0, 0, -1))}, {Text: "This month", URL: to(month, today)},
			{Text: "Last month", URL: to(month.AddDate(0, -1, 0), month.AddDate(0, 0, -1))}}
	}
	week := counter.FilmWeek(today, set.FilmWeekday())
	last := counter.Span{From: week.From.AddDate(0, 0, -7), To: week.To.AddDate(0, 0, -7)}
	return []views.ReportLink{
		{Name: "Takings", URL: reportsURL + "/day", Quick: quick("day"),
			Words: "The money of a day or of some days: by tender, channel, user and tax, admits by ticket type, voids, refunds, free tickets and exchanges."},
		{Name: "Film week", URL: reportsURL + "/films", Quick: []views.Link{{Text: "Last film week", URL: filmWeekURL(last.From)}, {Text: "This film week so far", URL: filmWeekURL(week.From)}},
			Words: "The distributors’ return: admits, gross, tax and net for each film, day and ticket type, with corrections of earlier weeks."},
		{Name: "Events", URL: reportsURL + "/events", Quick: quick("events")[:4],
			Words: "Event by event: sold, taken back, admits, checked in, how full, gross, tax and net; each event by ticket type and channel."},
		{Name: "Routes", URL: reportsURL + "/routes", Quick: quick("routes")[2:],
			Words: "Trips leg by leg: seats sold of those offered, and passengers and money from stop to stop."},
		{Name: "Agents", URL: reportsURL + "/agents", Quick: quick("agents")[2:], Words: "What each agent sold and gave back."},
		{Name: "Stripe", URL: reportsURL + "/stripe", Quick: quick("stripe")[1:],
			Words: "What came and went by Stripe day by day, beside Stripe’s own books: fees, payouts, and whatever does not fit."},
	}
}

func spanURL(path string, s counter.Span) string {
	return path + "?" + url.Values{"from": {s.From.Format(time.DateOnly)}, "to": {s.To.Format(time.DateOnly)}}.Encode()
}

func filmWeekURL(first time.Time) string {
	return reportsURL + "/films?from=" + first.Format(time.DateOnly)
}

// reportPage is a report on its way to a page.
type reportPage struct {
	kind   string // in addresses and names of files
	title  string
	by     string // "by day of sale"
	rule   []string
	form   views.ReportForm
	turner *views.ReportTurner
	who    access.Staff
	set    domain.Settings
	notes  []views.Note
}

// span reads the days that are asked for: one day when only the first is given, standard
// when none is. A refusal is in the form.
func (p *reportPage) span(r *http.Request, standard counter.Span) (counter.Span, bool) {
	q := r.URL.Query()
	p.form.From, p.form.To = q.Get("from"), q.Get("to")
	from, errFrom := date(p.form.From)
	to, errTo := date(p.form.To)
	if errFrom != nil {
		p.form.FromError = badDay
	}
	if errTo != nil {
		p.form.ToError = badDay
	}
	if errFrom != nil || errTo != nil {
		return standard, false
	}
	switch {
	case from == nil && to == nil:
	case from == nil:
		standard = counter.Span{From: *to, To: *to}
	case to == nil:
		standard = counter.Span{From: *from, To: *from}
	default:
		standard = counter.Span{From: *from, To: *to}
	}
	var rule *domain.RuleError
	if errors.As(standard.Check(), &rule) {
		p.form.ToError = rule.Words
		return standard, false
	}
	p.form.From, p.form.To = standard.From.Format(time.DateOnly), standard.To.Format(time.DateOnly)
	return standard, true
}

// refused shows the form again with what is wrong in it.
func (s *site) refusedReport(w http.ResponseWriter, r *http.Request, p reportPage) error {
	page, _, err := s.staffPage(r, p.who, p.title, reportsURL)
	if err != nil {
		return err
	}
	s.render(w, r, http.StatusUnprocessableEntity, views.StaffReportPage(views.StaffReport{Page: page, Heading: p.title, Lede: "Please look at the days again.", Form: &p.form}))
	return nil
}

// showReport draws a report, or sends one of its tables as a file.
func (s *site) showReport(w http.ResponseWriter, r *http.Request, p reportPage, sheet *counter.Sheet) error {
	if id := r.URL.Query().Get("csv"); id != "" {
		var b bytes.Buffer
		if err := sheet.CSV(&b, id); err != nil {
			return err
		}
		download(w, p.kind+"-"+id+"-"+sheet.From.Format(time.DateOnly)+"-to-"+sheet.To.Format(time.DateOnly)+".csv", "text/csv; charset=utf-8", b.Bytes())
		return nil
	}
	page, _, err := s.staffPage(r, p.who, p.title, reportsURL)
	if err != nil {
		return err
	}
	v := views.StaffReport{Page: page, Heading: p.title, Lede: spanWords(sheet.Span) + p.by, Notes: p.notes, Rule: p.rule, Turner: p.turner,
		Foot: "Made " + format.Day(format.In(time.Now(), p.set.TimeZone)) + ", " + format.Clock(format.In(time.Now(), p.set.TimeZone)) + ", " + format.Zone(p.set.TimeZone) + ", by " + p.who.Name + "."}
	if sheet.Subject != "" {
		v.Heading = sheet.Subject
	}
	if p.form.Action != "" {
		v.Form = &p.form
	}
	if sheet.Growing() {
		v.Notes = append(v.Notes, views.Note{Tone: "warn", Title: "These days are not over", Text: []string{
			"Today is " + format.LongDay(sheet.Today) + ". The figures still grow; once the last day is over they never change."}})
	}
	for _, text := range sheet.Notes {
		v.Notes = append(v.Notes, views.Note{Title: text})
	}
	for _, x := range sheet.Sections {
		v.Sections = append(v.Sections, p.section(r.URL, x, len(sheet.Sections) > 1))
	}
	s.render(w, r, http.StatusOK, views.StaffReportPage(v))
	return nil
}

// spanWords is "Saturday 5 December 2026" or "30 November to 6 December 2026".
func spanWords(s counter.Span) string {
	switch {
	case s.From.Equal(s.To):
		return format.LongDay(s.From)
	case s.From.Year() != s.To.Year():
		return s.From.Format("2 January 2006") + " to " + s.To.Format("2 January 2006")
	case s.From.Month() != s.To.Month():
		return s.From.Format("2 January") + " to " + s.To.Format("2 January 2006")
	}
	return s.From.Format("2") + " to " + s.To.Format("2 January 2006")
}

// around leads to as many days before and after; not past today.
func around(path string, s counter.Span, today time.Time) *views.ReportTurner {
	n := s.Days()
	t := &views.ReportTurner{PreviousURL: spanURL(path, counter.Span{From: s.From.AddDate(0, 0, -n), To: s.To.AddDate(0, 0, -n)}), PreviousName: format.Count(n, "day") + " before"}
	if s.To.Before(today) {
		t.NextURL, t.NextName = spanURL(path, counter.Span{From: s.From.AddDate(0, 0, n), To: s.To.AddDate(0, 0, n)}), format.Count(n, "day")+" after"
	}
	return t
}
