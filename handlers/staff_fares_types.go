package handlers

import (
	"net/http"
	"strconv"

	"holdfast/internal/access"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

// ticketTypes is the page of ticket types.
func (s *site) ticketTypes(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.showTypes(w, r, who, http.StatusOK, nil, nil)
}

// showTypes shows them as stored, or as typed with why that was not stored.
func (s *site) showTypes(w http.ResponseWriter, r *http.Request, who access.Staff, status int, typed []schedule.TypeForm, refused error) error {
	page, _, err := s.staffPage(r, who, "Ticket types", faresURL)
	if err != nil {
		return err
	}
	types, err := s.Schedule.TicketTypes(r.Context())
	if err != nil {
		return err
	}
	v := views.FareTypes{Page: page, Said: fareSaid(s.Sessions.PopString(r.Context(), saidKey)), Alert: fareAlert(refused)}
	bad := problems(refused)
	for i, y := range types {
		line := schedule.TypeForm{Code: y.Code, Name: y.Name, Order: strconv.Itoa(i + 1), Retired: y.Retired}
		for _, t := range typed {
			if t.Code == y.Code {
				line = t
			}
		}
		out := typeLine(line, bad)
		beside(refused, &out.Name, y.Name)
		beside(refused, &out.Order, strconv.Itoa(i+1))
		out.Revision, out.Heading, out.Used = strconv.Itoa(y.Revision), y.Name, "In "+format.Count(y.Prices, "price")+" of lists in use"
		v.Lines = append(v.Lines, out)
	}
	fresh := schedule.TypeForm{}
	for _, t := range typed {
		if t.Code == "" {
			fresh = t
		}
	}
	line := typeLine(fresh, bad)
	line.Heading, line.Name.Label, line.Name.Hint = "New ticket type", "New ticket type", "Leave empty for none"
	v.Lines = append(v.Lines, line)
	s.render(w, r, status, views.FareTypesPage(v))
	return nil
}

func typeLine(f schedule.TypeForm, bad schedule.FareProblems) views.FareTypeLine {
	return views.FareTypeLine{
		Code: f.Code, Retired: f.Retired,
		Name:  views.FareField{ID: "name-" + f.Code, Name: "name." + f.Code, Label: "Name", Value: f.Name, Error: bad["name."+f.Code]},
		Order: views.FareField{ID: "order-" + f.Code, Name: "order." + f.Code, Label: "Order", Value: f.Order, Error: bad["order."+f.Code], Mode: "numeric"},
	}
}

// saveTypes stores all ticket types.
func (s *site) saveTypes(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	var lines []schedule.TypeForm
	for _, code := range r.PostForm["code"] {
		get := func(field string) string { return r.PostForm.Get(field + "." + code) }
		lines = append(lines, schedule.TypeForm{Code: code, Revision: revisionOf(get("revision")), Name: get("name"), Order: get("order"), Retired: get("retired") != ""})
	}
	err := s.Schedule.SaveTypes(r.Context(), s.by(r, who), lines)
	if err == nil {
		return s.toFares(w, r, faresURL+"/types", "types saved")
	}
	status, ok := refusedFare(err)
	if !ok {
		return err
	}
	s.note(r, status, err)
	return s.showTypes(w, r, who, status, lines, err)
}
