package handlers

import (
	"errors"
	"net/http"
	"strconv"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

// sheetForms is what was sent to a list's page and comes back with it; nil where that
// form was not sent.
type sheetForms struct {
	tariff   int64
	err      error // why it was not stored
	head     *schedule.ListForm
	copyName *string
	grid     *gridForm
}

// fareSheet is one price list open for editing.
func (s *site) fareSheet(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	tariff, err := pathID(r, "tariff")
	if err != nil {
		return err
	}
	return s.showSheet(w, r, who, http.StatusOK, sheetForms{tariff: tariff})
}

func (s *site) showSheet(w http.ResponseWriter, r *http.Request, who access.Staff, status int, f sheetForms) error {
	x, err := s.Schedule.Sheet(r.Context(), f.tariff, 0)
	if err != nil {
		return err
	}
	page, _, err := s.staffPage(r, who, x.List.Name, faresURL)
	if err != nil {
		return err
	}
	page.Page.JS = append(page.Page.JS, s.Assets.URL("js/staff_fares.js"))
	v := views.FareSheet{
		Page: page, Heading: x.List.Name, Archived: x.List.Archived, Said: fareSaid(s.Sessions.PopString(r.Context(), saidKey)),
		Facts:   []string{fareFor(x.List), format.TaxRate(x.List.TaxBP) + " tax in the prices", comingWords(x.List)},
		CopyURL: fareURL(f.tariff) + "/copy", ArchURL: fareURL(f.tariff) + "/archive", Revision: strconv.Itoa(x.List.Revision),
		WeekWords: weekWords(x),
	}
	if v.Grid, err = s.grid(r, x, f.grid, f.err); err != nil {
		return err
	}
	if v.Head, err = s.headForm(r, x, f); err != nil {
		return err
	}
	week, err := s.Schedule.Week(r.Context(), x)
	if err != nil {
		return err
	}
	v.Week, v.Bands = fareWeek(x, week), fareBands(x, week)
	if v.Customer, err = s.fareCustomer(r, x); err != nil {
		return err
	}
	v.Copy = copyField(x, f)
	if f.grid == nil && f.head == nil && f.copyName == nil && f.err != nil {
		v.Said = fareAlert(f.err)
	}
	s.render(w, r, status, views.FareSheetPage(v))
	return nil
}

func copyField(x *schedule.Sheet, f sheetForms) views.FareField {
	v := views.FareField{ID: "copy_name", Name: "copy_name", Label: "Name of the copy", Value: x.List.Name + " (copy)"}
	if f.copyName != nil {
		v.Value, v.Error = *f.copyName, problems(f.err)["name"]
	}
	return v
}

// problems are an error's words by field, none when it has none.
func problems(err error) schedule.FareProblems {
	var bad schedule.FareProblems
	_ = errors.As(err, &bad) // otherwise nil, which has no words
	return bad
}

func (s *site) headForm(r *http.Request, x *schedule.Sheet, f sheetForms) (views.FareListForm, error) {
	lists, err := s.Schedule.FareLists(r.Context())
	if err != nil {
		return views.FareListForm{}, err
	}
	form := schedule.ListForm{Name: x.List.Name, Tax: typedRate(x.List.TaxBP), For: "screening"}
	switch {
	case x.List.RouteID != nil:
		form.For = "route:" + strconv.FormatInt(*x.List.RouteID, 10)
	case x.List.LastStop > 1:
		form.For, form.Stops = "stops", strconv.Itoa(x.List.LastStop+1)
	}
	var bad schedule.FareProblems
	if f.head != nil {
		form, bad = *f.head, problems(f.err)
	}
	v := fareListForm(form, bad, lists.Routes)
	v.Action, v.Button, v.Revision, v.Currency = fareURL(x.List.ID), "Save name and tax", strconv.Itoa(x.List.Revision), x.List.Currency
	if f.head != nil {
		v.Alert = fareAlert(f.err)
		beside(f.err, &v.Name, x.List.Name)
		beside(f.err, &v.Tax, typedRate(x.List.TaxBP))
	}
	if x.List.Prices > 0 {
		v.Fixed = "It is for: " + fareFor(x.List) + ". That stays while the list has prices, because they would come to mean other stops."
	}
	return v, nil
}

// typedRate is a tax rate as people type it.
func typedRate(basisPoints int) string {
	return strconv.FormatFloat(float64(basisPoints)/100, 'f', -1, 64)
}

// fareCustomer shows the chosen coming event's prices, the next one's when none is chosen.
func (s *site) fareCustomer(r *http.Request, x *schedule.Sheet) (v views.FareCustomer, err error) {
	v.Action = fareURL(x.List.ID)
	events, err := s.Schedule.ListEvents(r.Context(), x.List.ID)
	if err != nil || len(events) == 0 {
		return v, err
	}
	chosen := events[0]
	for _, e := range events {
		if strconv.FormatInt(e.ID, 10) == r.URL.Query().Get("event") {
			chosen = e
		}
	}
	for _, e := range events {
		v.Events = append(v.Events, views.Option{Value: strconv.FormatInt(e.ID, 10), Text: eventLine(e), Selected: e.ID == chosen.ID})
	}
	asked, err := ride(r.URL.Query().Get)
	if err != nil {
		asked = nil
	}
	c, err := s.Schedule.CustomerView(r.Context(), chosen.ID, asked)
	if err != nil {
		return v, err
	}
	v.Heading, v.Band = eventLine(c.Event), "The list’s own prices count"
	if c.Band != "" {
		v.Band = "The prices of “" + c.Band + "” count"
	}
	if c.Event.Status == "published" {
		v.SeatsURL = eventURL(c.Event.ID)
	}
	for i, st := range c.Stops {
		o := views.Option{Value: strconv.Itoa(st.StopNo), Text: st.Place}
		if i < len(c.Stops)-1 {
			v.From = append(v.From, views.Option{Value: o.Value, Text: o.Text, Selected: c.Ride.From == st.StopNo})
		}
		if i > 0 {
			v.To = append(v.To, views.Option{Value: o.Value, Text: o.Text, Selected: c.Ride.To == st.StopNo})
		}
	}
	v.Columns, v.Rows = shownFares(c)
	return v, nil
}

func eventLine(e domain.Event) string {
	title := e.Film
	if e.Kind == domain.Trip {
		title = e.Route
	}
	at := format.In(e.StartsAt, e.TimeZone)
	line := format.ShortDay(at) + ", " + format.Clock(at) + ", " + title
	if e.Status == "draft" {
		line += " (draft)"
	}
	return line
}

// shownFares lays prices out by zone and ticket type.
func shownFares(c schedule.CustomerView) (columns []string, rows []views.FareShown) {
	at := map[string]int{}
	for _, f := range c.Fares {
		if _, known := at[f.Type]; !known {
			at[f.Type] = len(columns)
			columns = append(columns, f.TypeName)
		}
	}
	for _, z := range c.Zones {
		row := views.FareShown{Zone: z.Name, Prices: make([]string, len(columns))}
		for i := range row.Prices {
			row.Prices[i] = "–"
		}
		for _, f := range c.Fares.OfZone(z.No) {
			row.Prices[at[f.Type]] = freeOr(f.Price, c.Event.Currency)
		}
		if len(columns) > 0 {
			rows = append(rows, row)
		}
	}
	return columns, rows
}

func freeOr(price int64, code string) string {
	if price == 0 {
		return "free"
	}
	return format.Money(price, code)
}
