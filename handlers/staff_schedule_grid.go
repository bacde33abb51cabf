package handlers

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

// timetable is a week on its way to words.
type timetable struct {
	w   schedule.Timetable
	set domain.Settings
}

// kinds are what the house sells, and what the week has all the same.
func (t timetable) kinds() []domain.EventKind {
	var out []domain.EventKind
	for _, x := range []struct {
		kind domain.EventKind
		sold string
	}{{domain.Screening, "cinema"}, {domain.Trip, "bus"}} {
		if t.set.Kind == x.sold || t.set.Kind == "both" || t.count(x.kind, "") > 0 {
			out = append(out, x.kind)
		}
	}
	return out
}

// count counts the week's events of a kind, of one status or of all.
func (t timetable) count(kind domain.EventKind, status string) (n int) {
	for _, e := range t.w.Events {
		if e.Kind == kind && (status == "" || e.Status == status) {
			n++
		}
	}
	return n
}

func (t timetable) lede() string {
	_, week := t.w.Monday.ISOWeek()
	parts := []string{}
	drafts := 0
	for _, kind := range t.kinds() {
		n := t.count(kind, "published") + t.count(kind, "draft")
		parts = append(parts, format.Count(n, strings.TrimSuffix(kindNames(kind), "s")))
		drafts += t.count(kind, "draft")
	}
	if drafts > 0 {
		parts = append(parts, format.Count(drafts, "draft")+" among them")
	}
	return fmt.Sprintf("Week %d. %s.", week, strings.Join(parts, ", "))
}

func (t timetable) days() []time.Time {
	out := make([]time.Time, 7)
	for i := range out {
		out[i] = t.w.Monday.AddDate(0, 0, i)
	}
	return out
}

func (t timetable) grid(kind domain.EventKind) views.ScheduleGrid {
	g := views.ScheduleGrid{ID: string(kind), Name: "Screenings", Corner: "Hall"}
	if kind == domain.Trip {
		g.Name, g.Corner = "Trips", "Route"
	}
	for _, d := range t.days() {
		g.Days = append(g.Days, views.ScheduleHead{Text: format.ShortDay(d), Today: d.Equal(t.w.Today)})
	}
	if kind == domain.Trip {
		t.routes(&g)
	} else {
		t.halls(&g)
	}
	if len(g.Rows) == 0 {
		g.None, g.NoneLink = "There is no hall yet.", views.Link{Text: "Add a hall", URL: "/staff/resources/new?kind=hall"}
		if kind == domain.Trip {
			g.None, g.NoneLink = "There is no route yet.", views.Link{Text: "Add a route", URL: "/staff/routes/new"}
		}
	}
	week := t.w.Monday.Format(time.DateOnly)
	if n := t.count(kind, "draft"); n > 0 {
		g.Publish = &views.SchedulePublish{Kind: string(kind), Week: week, Button: "Put " + format.Count(n, "draft") + " on sale"}
	}
	if t.count(kind, "published")+t.count(kind, "draft") > 0 {
		g.Copy = &views.ScheduleCopy{Kind: string(kind), Week: week, To: t.w.Monday.AddDate(0, 0, 7).Format(time.DateOnly), What: t.copies()}
	}
	return g
}

func (t timetable) copies() []views.Option {
	out := []views.Option{{Value: "week", Text: "Of the whole week"}}
	for _, d := range t.days() {
		out = append(out, views.Option{Value: d.Format(time.DateOnly), Text: "Of " + d.Format("Monday 2 January")})
	}
	return out
}

// halls are the rows of screenings; one without a hall, or in a hall that is put away,
// has a row too.
func (t timetable) halls(g *views.ScheduleGrid) {
	shown := map[int64]bool{}
	row := func(id int64, name, small string, open bool) {
		shown[id] = true
		r := views.ScheduleRow{Name: name, Small: small}
		for _, d := range t.days() {
			c := t.cell(d, func(e schedule.TimetableEvent) bool { return e.Kind == domain.Screening && e.ResourceID == id })
			if open && !d.Before(t.w.Today) {
				c.AddURL, c.AddName = makingURL(domain.Screening, id, 0, &d), "Add to "+name+" on "+d.Format("Monday 2 January")
			}
			r.Cells = append(r.Cells, c)
		}
		g.Rows = append(g.Rows, r)
	}
	for _, h := range t.w.Resources {
		if h.Kind == "hall" {
			row(h.ID, h.Name, format.Count(h.Seats, "seat"), true)
		}
	}
	for _, e := range t.w.Events {
		if e.Kind == domain.Screening && !shown[e.ResourceID] {
			name := e.Resource
			if name == "" {
				name = "No hall"
			}
			row(e.ResourceID, name, "", false)
		}
	}
}

func (t timetable) routes(g *views.ScheduleGrid) {
	shown := map[int64]bool{}
	row := func(id int64, name string, open bool) {
		shown[id] = true
		r := views.ScheduleRow{Name: name}
		for _, d := range t.days() {
			c := t.cell(d, func(e schedule.TimetableEvent) bool { return e.Kind == domain.Trip && e.RouteID == id })
			for i := range c.Shows {
				c.Shows[i].Title = c.Shows[i].Where // the row says the route
			}
			if open && !d.Before(t.w.Today) {
				c.AddURL, c.AddName = makingURL(domain.Trip, 0, id, &d), "Add to "+name+" on "+d.Format("Monday 2 January")
			}
			r.Cells = append(r.Cells, c)
		}
		g.Rows = append(g.Rows, r)
	}
	for _, x := range t.w.Routes {
		row(x.ID, x.Name, true)
	}
	for _, e := range t.w.Events {
		if e.Kind == domain.Trip && !shown[e.RouteID] {
			row(e.RouteID, e.Title, false)
		}
	}
}

func (t timetable) cell(day time.Time, mine func(schedule.TimetableEvent) bool) views.ScheduleCell {
	c := views.ScheduleCell{Today: day.Equal(t.w.Today)}
	for _, e := range t.w.Events {
		if e.BusinessDay.Equal(day) && mine(e) {
			c.Shows = append(c.Shows, t.show(e))
		}
	}
	return c
}

func (t timetable) show(e schedule.TimetableEvent) views.ScheduleShow {
	local := format.In(e.StartsAt, e.TimeZone)
	v := views.ScheduleShow{
		ID: strconv.FormatInt(e.ID, 10), URL: "/staff" + eventURL(e.ID), Time: format.Clock(local), Title: e.Title, Where: e.Resource,
		Count: fmt.Sprintf("%d/%d", e.Sold, e.Capacity), Sold: " sold", Class: "show",
	}
	if format.DayOff(e.BusinessDay, local) > 0 {
		v.Plus = "+1"
	}
	switch {
	case e.Status == "draft":
		v.Count, v.Sold, v.Class = "draft", "", "show draft"
	case e.Status == "cancelled":
		v.Count, v.Sold, v.Class = "cancelled", "", "show off"
	case e.Sold == e.Capacity && e.Capacity > 0:
		v.Count, v.Sold = "sold out", ""
	}
	return v
}

// list is the week for a phone, day by day.
func (t timetable) list() []views.ScheduleDay {
	var out []views.ScheduleDay
	for _, d := range t.days() {
		day := views.ScheduleDay{ID: dayID(d), Name: d.Format("Monday 2 January"), Today: d.Equal(t.w.Today)}
		day.Shows = t.cell(d, func(schedule.TimetableEvent) bool { return true }).Shows
		if kinds := t.kinds(); len(kinds) > 0 && !d.Before(t.w.Today) {
			day.AddURL = makingURL(kinds[0], 0, 0, &d)
		}
		out = append(out, day)
	}
	return out
}

// jumps lead to the days of a phone's list.
func (t timetable) jumps() []views.DayLink {
	out := make([]views.DayLink, 7)
	for i, d := range t.days() {
		none := len(t.cell(d, func(schedule.TimetableEvent) bool { return true }).Shows) == 0
		out[i] = views.DayLink{URL: "#" + dayID(d), Word: d.Format("Mon"), Number: d.Format("2"), Rest: d.Format("January"), Current: d.Equal(t.w.Today), None: none}
	}
	return out
}

func dayID(day time.Time) string { return "day-" + day.Format(time.DateOnly) }
