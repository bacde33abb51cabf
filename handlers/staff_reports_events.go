package handlers

import (
	"net/http"
	"strconv"

	"holdfast/internal/access"
	"holdfast/internal/counter"
	"holdfast/views"
)

// eventsReport lists the events of some business days.
func (s *site) eventsReport(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	p, today, err := s.reportOf(r, who, "events", "Events", ", by day of the event.")
	if err != nil {
		return err
	}
	span, ok := p.span(r, counter.Span{From: today, To: today})
	if !ok {
		return s.refusedReport(w, r, p)
	}
	p.turner, p.rule = around(p.form.Action, span, today), eventRule()
	sheet, err := s.Reports.Events(r.Context(), span, p.set.Currency)
	if err != nil {
		return err
	}
	return s.showReport(w, r, p, sheet)
}

func eventRule() []string {
	return []string{
		"An event counts to its business day: a show at 00:30 belongs to the evening before.",
		"The report has every ticket of these events that was sold or taken back up to the last of the days asked for, those sold weeks before included. What is entered later is a correction in the report of the days on which it was entered, so a report of days that are over never changes.",
		"Who was checked in is what the door says now.",
	}
}

// eventReport is one event by ticket type and channel.
func (s *site) eventReport(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	p, _, err := s.reportOf(r, who, "event", "Event", "")
	if err != nil {
		return err
	}
	p.form, p.rule = views.ReportForm{}, eventRule()
	sheet, err := s.Reports.Event(r.Context(), id, p.set.Currency)
	if err != nil {
		return err
	}
	p.by = ", its business day."
	return s.showReport(w, r, p, sheet)
}

// routeReport is how full a route's trips were.
func (s *site) routeReport(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	p, today, err := s.reportOf(r, who, "routes", "Routes", ", by day of departure.")
	if err != nil {
		return err
	}
	names, err := s.Reports.Routes(r.Context())
	if err != nil {
		return err
	}
	chosen, err := strconv.ParseInt(r.URL.Query().Get("route"), 10, 64)
	if err != nil && len(names) > 0 {
		chosen = names[0].ID
	}
	p.form.Name, p.form.Label = "route", "Route"
	for _, n := range names {
		id := strconv.FormatInt(n.ID, 10)
		p.form.Choice = append(p.form.Choice, views.Option{Value: id, Text: n.Name, Selected: n.ID == chosen})
	}
	span, ok := p.span(r, counter.Span{From: today.AddDate(0, 0, -6), To: today})
	if !ok {
		return s.refusedReport(w, r, p)
	}
	p.rule = []string{
		"A trip counts to its business day. Seat legs offered are the seats of the coach on each leg of each trip; a seat sold over three legs is three seat legs.",
		eventRule()[1],
	}
	if len(names) == 0 {
		p.form = views.ReportForm{}
		return s.showReport(w, r, p, &counter.Sheet{Span: span, Today: span.To.AddDate(0, 0, 1), Notes: []string{"There are no trips yet. Once a trip is on sale, its route can be chosen here."}})
	}
	sheet, err := s.Reports.Route(r.Context(), chosen, span, p.set.Currency)
	if err != nil {
		return err
	}
	return s.showReport(w, r, p, sheet)
}

// agentReport is what each agent sold.
func (s *site) agentReport(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	p, today, err := s.reportOf(r, who, "agents", "Agents", ", by day of sale.")
	if err != nil {
		return err
	}
	span, ok := p.span(r, counter.Span{From: today.AddDate(0, 0, -6), To: today})
	if !ok {
		return s.refusedReport(w, r, p)
	}
	p.turner = around(p.form.Action, span, today)
	p.rule = []string{"What was sold through each agent on these days, what was taken back, and the money that came and went for it."}
	sheet, err := s.Reports.Agents(r.Context(), span, p.set.Currency)
	if err != nil {
		return err
	}
	return s.showReport(w, r, p, sheet)
}
