package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

// planEvents is the form of new events; with look=1 it also shows what it would make.
func (s *site) planEvents(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	f, err := readMaking(r.URL.Query())
	if err != nil {
		return err
	}
	if r.URL.Query().Get("look") == "" || f.wrong != nil {
		return s.showMaking(w, r, who, f, nil)
	}
	set, err := s.Booking.Settings(r.Context())
	if err != nil {
		return err
	}
	p, err := s.Schedule.Preview(r.Context(), f.wish, set)
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		f.wrong = append(f.wrong, rule)
		return s.showMaking(w, r, who, f, nil)
	}
	if err != nil {
		return err
	}
	return s.showMaking(w, r, who, f, &p)
}

// makeEvents makes what was shown, all or nothing.
func (s *site) makeEvents(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	f, err := readMaking(r.PostForm)
	if err != nil {
		return err
	}
	if f.wrong != nil {
		return s.showMaking(w, r, who, f, nil)
	}
	set, err := s.Booking.Settings(r.Context())
	if err != nil {
		return err
	}
	publish := r.PostForm.Get("do") == "publish"
	ids, err := s.Schedule.Make(r.Context(), s.by(r, who), f.wish, publish, set)
	var rule *domain.RuleError
	var clash *schedule.ClashError
	switch {
	case errors.As(err, &clash):
		f.status, f.alert = http.StatusConflict, refusal("Nothing was made", "Somebody used the hall or coach meanwhile: see below.")
		return s.showMaking(w, r, who, f, &clash.Preview)
	case errors.As(err, &rule):
		f.wrong, f.alert = append(f.wrong, rule), notOnSale("Nothing was made", err, rule)
		return s.showMaking(w, r, who, f, nil)
	case err != nil:
		return err
	}
	return s.toWeekOf(w, r, f.wish.Pattern.First, len(ids), publish)
}

func (s *site) toWeekOf(w http.ResponseWriter, r *http.Request, day time.Time, n int, publish bool) error {
	act := "drafted"
	if publish {
		act = "published"
	}
	s.Sessions.Put(r.Context(), saidKey, fmt.Sprintf("%d %s", n, act))
	return seeOther(w, r, weekURL(mondayOf(day)))
}

// makingForm is what was typed, and what it means.
type makingForm struct {
	get    func(string) string
	typed  url.Values
	wish   schedule.Wish
	wrong  []*domain.RuleError // of fields that cannot be read
	status int
	alert  *views.Note
}

func readMaking(typed url.Values) (makingForm, error) {
	f := makingForm{typed: typed, get: func(name string) string { return strings.TrimSpace(typed.Get(name)) }}
	w := &f.wish
	var err error
	if w.Kind, err = scheduleKind(f.get("kind")); err != nil {
		return f, err
	}
	w.FilmID, w.RouteID, w.ResourceID, w.TariffID = f.id("film"), f.id("route"), f.id("resource"), f.id("tariff")
	w.Fold, w.Skip = f.get("fold"), typed["skip"]
	if f.get("look") == "" && f.get("do") == "" {
		return f, nil // an empty form
	}
	first := f.date("first", "Please say on which day.")
	if first != nil {
		w.Pattern.First = *first
	} else {
		f.refuse("first", "Please say on which day.")
	}
	for _, d := range typed["days"] {
		if n, err := strconv.Atoi(d); err == nil && n >= 1 && n <= 7 {
			w.Pattern.Weekdays = append(w.Pattern.Weekdays, time.Weekday(n%7))
		}
	}
	w.Pattern.Last = f.date("last", "This is not a date.")
	clocks, ok := schedule.ParseClocks(f.get("times"))
	if !ok {
		f.refuse("time", "Please write times like 19:30, several with spaces between.")
	}
	w.Clocks = clocks
	if text := f.get("ends"); text != "" && w.Kind == domain.Screening {
		if m, ok := schedule.ParseClock(text); ok {
			w.Ends = &m
		} else {
			f.refuse("ends", "Please write a time like 22:00, or leave it empty.")
		}
	}
	return f, nil
}

func (f *makingForm) refuse(code, words string) {
	for _, w := range f.wrong {
		if w.Code == code {
			return
		}
	}
	f.wrong = append(f.wrong, &domain.RuleError{Code: code, Words: words})
}

func (f *makingForm) id(name string) int64 {
	n, _ := strconv.ParseInt(f.get(name), 10, 64) // what is no number is refused as not chosen
	return max(n, 0)
}

func (f *makingForm) date(name, words string) *time.Time {
	d, err := date(f.get(name))
	if err != nil {
		f.refuse(name, words)
	}
	return d
}

func (s *site) showMaking(w http.ResponseWriter, r *http.Request, who access.Staff, f makingForm, p *schedule.Preview) error {
	kind := f.wish.Kind
	page, set, err := s.staffPage(r, who, "Add "+kindNames(kind), scheduleMenu)
	if err != nil {
		return err
	}
	c, err := s.Schedule.Choices(r.Context(), kind)
	if err != nil {
		return err
	}
	v := views.StaffMaking{
		Page: page, Heading: "Add " + kindNames(kind), Kind: string(kind), Trip: kind == domain.Trip, Alert: f.alert, BackURL: scheduleMenu,
		Lede:  "You see what will be made before anything is.",
		First: views.Field{Value: f.get("first")}, Times: views.Field{Value: f.get("times")}, Ends: views.Field{Value: f.get("ends")}, Last: views.Field{Value: f.get("last")},
		TimesHint: "Several on one day: 14:00 16:45 19:30", Missing: makingLacks(kind, c),
		EndsHint: fmt.Sprintf("Empty: the film’s length and %s.", format.Count(set.ScreeningExtraMin, "minute")),
	}
	if v.Trip {
		v.TimesHint = "On the clock of the first stop. Several: 07:30 13:00"
	}
	makingOptions(&v, c, f)
	if d := f.wish.Pattern.First; !d.IsZero() {
		v.BackURL = weekURL(mondayOf(d))
	}
	status := max(f.status, http.StatusOK)
	for _, wrong := range f.wrong {
		status = http.StatusUnprocessableEntity
		s.note(r, status, wrong)
		makingWrong(&v, wrong)
	}
	if p != nil {
		v.Preview = makingPreview(*p, f.typed, c.Resources, scheduleMenu+"/new")
	}
	s.render(w, r, status, views.StaffMakingPage(v))
	return nil
}

// makingWrong puts a refusal beside its field.
func makingWrong(v *views.StaffMaking, wrong *domain.RuleError) {
	fields := map[string]*string{
		"film": &v.What, "route": &v.What, "resource": &v.Resource, "tariff": &v.Tariff, "first": &v.First.Error, "date": &v.First.Error,
		"time": &v.Times.Error, "missing_hour": &v.Times.Error, "ends": &v.Ends.Error, "days": &v.DaysError, "last": &v.Last.Error,
	}
	if field, ok := fields[wrong.Code]; ok {
		*field = wrong.Words
		return
	}
	v.Alert = refusal("Nothing was made", wrong.Words)
}

// makingLacks says what the house lacks before anything can be planned.
func makingLacks(kind domain.EventKind, c schedule.Choices) *views.Note {
	trip := kind == domain.Trip
	for _, x := range []struct {
		lacks            bool
		title, text, url string
	}{
		{!trip && len(c.Films) == 0, "There is no film yet", "Add a film", "/staff/films/new"},
		{trip && len(c.Routes) == 0, "There is no route yet", "Add a route", "/staff/routes/new"},
		{!trip && len(c.Resources) == 0, "There is no hall yet", "Add a hall", "/staff/resources/new?kind=hall"},
		{trip && len(c.Resources) == 0, "There is no coach yet", "Add a coach", "/staff/resources/new?kind=coach"},
		{len(c.Tariffs) == 0, "There is no price list for " + kindNames(kind) + " yet", "Add a price list", faresURL},
	} {
		if x.lacks {
			return &views.Note{Title: x.title, Text: []string{"It is needed before anything can be put on sale."}, Links: []views.Link{{Text: x.text, URL: x.url}}}
		}
	}
	return nil
}

func makingOptions(v *views.StaffMaking, c schedule.Choices, f makingForm) {
	for _, x := range c.Films {
		v.Films = append(v.Films, option(x.ID, x.Title+", "+format.Span(time.Duration(x.RuntimeMin)*time.Minute), f.wish.FilmID))
	}
	for _, x := range c.Routes {
		v.Routes = append(v.Routes, option(x.ID, x.Name, f.wish.RouteID))
	}
	v.Resources = resourceOptions(c.Resources, f.wish.ResourceID)
	route := f.wish.RouteID
	if route == 0 && len(c.Routes) > 0 {
		route = c.Routes[0].ID // which the form shows as chosen
	}
	v.Tariffs = tariffOptions(c.Tariffs, route, f.wish.TariffID)
	names := []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
	for i, name := range names {
		d := views.MakingDay{Value: strconv.Itoa(i + 1), Name: name, Short: name[:3]}
		for _, on := range f.typed["days"] {
			d.On = d.On || on == d.Value
		}
		v.Days = append(v.Days, d)
	}
}

func option(id int64, text string, chosen int64) views.Option {
	return views.Option{Value: strconv.FormatInt(id, 10), Text: text, Selected: id == chosen}
}

func resourceOptions(list []schedule.Resource, chosen int64) (out []views.Option) {
	for _, x := range list {
		out = append(out, option(x.ID, x.Name+", "+format.Count(x.Seats, "seat"), chosen))
	}
	return out
}

// tariffOptions offers the route's own lists first.
func tariffOptions(list []schedule.TariffChoice, route, chosen int64) (out []views.Option) {
	for _, own := range []bool{true, false} {
		for _, x := range list {
			if (route != 0 && x.RouteID == route) == own {
				out = append(out, option(x.ID, x.Name+", "+x.Currency, chosen))
			}
		}
	}
	return out
}
