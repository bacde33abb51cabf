package handlers

import (
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

// changeForm is what was typed into an event's form, and what it means.
type changeForm struct {
	edit                schedule.Edit
	date, clock, ends   string
	web, counter, agent string
	revision, restSum   string
	fold                bool              // asked which of two hours
	wrong               map[string]string // words by field
}

func (f *changeForm) refuse(field, words string) {
	switch field {
	case "missing_hour":
		field = "time"
	case "fold":
		field, f.fold = "time", true
	}
	if _, known := f.wrong[field]; !known {
		f.wrong[field] = words
	}
}

// changeOf is the form as an event fills it.
func changeOf(x schedule.EditScene) changeForm {
	e := x.Event
	start := format.In(e.StartsAt, e.TimeZone)
	return changeForm{
		edit: schedule.Edit{EventID: e.ID, Revision: e.Revision, RestSum: x.RestSum, ResourceID: e.ResourceID, TariffID: e.TariffID, FilmID: e.FilmID},
		date: start.Format(time.DateOnly), clock: format.Clock(start), ends: format.Clock(format.In(e.EndsAt, e.TimeZone)),
		web: optional(e.SalesCloseMinutes), counter: optional(e.SalesCloseCounter), agent: optional(e.SalesCloseAgent),
		revision: strconv.Itoa(e.Revision), restSum: strconv.Itoa(x.RestSum), wrong: map[string]string{},
	}
}

func optional(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

func readChange(typed url.Values, x schedule.EditScene) changeForm {
	get := func(name string) string { return strings.TrimSpace(typed.Get(name)) }
	number := func(name string) int64 { n, _ := strconv.ParseInt(get(name), 10, 64); return max(n, 0) } // 0 is refused as not chosen
	f := changeForm{
		date: get("date"), clock: get("time"), ends: get("ends"), web: get("web"), counter: get("counter"), agent: get("agent"),
		revision: get("revision"), restSum: get("rest_sum"), fold: get("fold") != "", wrong: map[string]string{},
	}
	w := &f.edit
	w.EventID, w.Rest, w.Sure, w.Fold = x.Event.ID, get("rest") != "", get("sure") != "", get("fold")
	w.Revision, w.RestSum = int(number("revision")), int(number("rest_sum"))
	w.ResourceID, w.TariffID, w.FilmID = number("resource"), number("tariff"), number("film")
	if day, err := date(f.date); err != nil || day == nil {
		f.refuse("date", "Please say on which day.")
	} else {
		w.Date = *day
	}
	var ok bool
	if w.Clock, ok = schedule.ParseClock(f.clock); !ok {
		f.refuse("time", "Please write a time like 19:30.")
	}
	f.readEnds(x.Event)
	for name, field := range map[string]**int{"web": &w.CloseWeb, "counter": &w.CloseDesk, "agent": &w.CloseAgent} {
		text := strings.ReplaceAll(get(name), "−", "-")
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < -1440 || n > 14400 {
			f.refuse(name, "Please write minutes, from -1440 to 14400, or leave it empty.")
			continue
		}
		*field = &n
	}
	return f
}

// readEnds reads the end. As it was, or empty, it follows the start.
func (f *changeForm) readEnds(e domain.Event) {
	if e.Kind == domain.Trip || f.ends == "" {
		return
	}
	m, ok := schedule.ParseClock(f.ends)
	if !ok {
		f.refuse("ends", "Please write a time like 22:00, or leave it empty.")
		return
	}
	if schedule.ShowClock(m) != format.Clock(format.In(e.EndsAt, e.TimeZone)) {
		f.edit.Ends = &m
	}
}

func (s *site) showChange(w http.ResponseWriter, r *http.Request, who access.Staff, x schedule.EditScene, f changeForm, status int, alert *views.Note) error {
	e := x.Event
	page, set, err := s.staffPage(r, who, "Change "+eventName(e), scheduleMenu)
	if err != nil {
		return err
	}
	field := func(name, value string) views.Field { return views.Field{Value: value, Error: f.wrong[name]} }
	if status == http.StatusConflict { // what is sent next is about what is stored now
		f.revision, f.restSum = strconv.Itoa(e.Revision), strconv.Itoa(x.RestSum)
	}
	base := "/staff" + eventURL(e.ID)
	v := views.StaffEdit{
		Page: page, Title: eventName(e), Facts: []string{eventWhen(e.StartsAt, e.TimeZone)}, Alert: alert, Action: base + "/edit", BackURL: base,
		Revision: f.revision, RestSum: f.restSum, Trip: e.Kind == domain.Trip,
		Date: field("date", f.date), Clock: field("time", f.clock), Ends: field("ends", f.ends), EndsHint: "Left as it is, it follows the start.",
		FilmError: f.wrong["film"], HallError: f.wrong["resource"], TariffError: f.wrong["tariff"],
		Web: field("web", f.web), Counter: field("counter", f.counter), Agent: field("agent", f.agent),
		WebHint: closeHint(set.SalesCloseMinutes), CounterHint: closeHint(set.SalesCloseCounter), AgentHint: closeHint(set.SalesCloseAgent),
		Rest: x.Rest, RestOn: f.edit.Rest, Fold: f.fold, FoldFirst: f.edit.Fold != schedule.SecondOfTwo, FoldSecond: f.edit.Fold == schedule.SecondOfTwo,
	}
	if x.Rest > 0 {
		v.RestWords = "Change the " + format.Count(x.Rest, "event") + " that follow too: the same clock, moved by as many days, and the same hall, prices and closes"
		if x.Rest == 1 {
			v.RestWords = "Change the one event that follows too: the same clock, moved by as many days, and the same hall, prices and closes"
		}
	}
	if x.Use.Sold+x.Use.Held > 0 {
		v.Stays = "Customers have seats already, so " + staysWords(e) + "."
	}
	if x.Use.Bookings > 0 {
		v.Mails = format.Count(x.Use.Bookings, "booking") + ": a new time is shown to you first, then mailed to everybody."
	}
	changeOptions(&v, x, f)
	s.render(w, r, status, views.StaffEditPage(v))
	return nil
}

func staysWords(e domain.Event) string {
	if e.Kind == domain.Trip {
		return "the coach stays " + e.Resource
	}
	return "the film and " + e.Resource + " stay"
}

func closeHint(minutes int) string {
	if minutes < 0 {
		return fmt.Sprintf("Empty: %d minutes after.", -minutes)
	}
	return fmt.Sprintf("Empty: %d minutes before.", minutes)
}

// changeOptions offers what is in use and, though it was put away, what the event has.
func changeOptions(v *views.StaffEdit, x schedule.EditScene, f changeForm) {
	e := x.Event
	own := func(list []views.Option, id int64, name string, chosen int64) []views.Option {
		for _, o := range list {
			if o.Value == strconv.FormatInt(id, 10) {
				return list
			}
		}
		return append([]views.Option{option(id, name, chosen)}, list...)
	}
	for _, c := range x.Choices.Films {
		v.Films = append(v.Films, option(c.ID, c.Title, f.edit.FilmID))
	}
	v.Films = own(v.Films, e.FilmID, e.Film, f.edit.FilmID)
	name := e.Resource
	if e.ResourceID == 0 {
		name = "None yet"
	}
	v.Resources = own(resourceOptions(x.Choices.Resources, f.edit.ResourceID), e.ResourceID, name, f.edit.ResourceID)
	if v.Stays != "" {
		v.Films, v.Resources = only(v.Films), only(v.Resources)
	}
	v.Tariffs = own(tariffOptions(x.Choices.Tariffs, e.RouteID, f.edit.TariffID), e.TariffID, "As it is", f.edit.TariffID)
}

// only is the chosen line alone, where there is nothing to choose.
func only(list []views.Option) []views.Option {
	for _, o := range list {
		if o.Selected {
			return []views.Option{o}
		}
	}
	return list
}
