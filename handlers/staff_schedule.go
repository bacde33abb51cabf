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
	"holdfast/views"
)

const scheduleMenu = "/staff/schedule"

// staffSchedule shows a business week.
func (s *site) staffSchedule(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	date, err := date(r.URL.Query().Get("week"))
	if err != nil {
		s.note(r, http.StatusUnprocessableEntity, err)
		return s.showSchedule(w, r, who, nil, http.StatusUnprocessableEntity, refusal("There is no such day", "Here is the week of today."))
	}
	said := scheduleSaid(s.Sessions.PopString(r.Context(), saidKey))
	return s.showSchedule(w, r, who, date, http.StatusOK, said)
}

func (s *site) showSchedule(w http.ResponseWriter, r *http.Request, who access.Staff, date *time.Time, status int, said *views.Note) error {
	page, set, err := s.staffPage(r, who, "Schedule", scheduleMenu)
	if err != nil {
		return err
	}
	week, err := s.Schedule.Timetable(r.Context(), date, set)
	if err != nil {
		return err
	}
	t := timetable{week, set}
	v := views.StaffSchedule{
		Page: page, Heading: weekName(week.Monday, week.Today), Lede: t.lede(), Said: said, Jumps: t.jumps(), Days: t.list(),
		PreviousURL: weekURL(week.Monday.AddDate(0, 0, -7)), NextURL: weekURL(week.Monday.AddDate(0, 0, 7)),
	}
	if !week.Monday.Equal(mondayOf(week.Today)) {
		v.TodayURL = scheduleMenu
	}
	for _, kind := range t.kinds() {
		v.Grids = append(v.Grids, t.grid(kind))
		first := later(week.Monday, week.Today)
		v.Adds = append(v.Adds, views.Link{Text: "Add " + kindNames(kind), URL: makingURL(kind, 0, 0, &first)})
	}
	s.render(w, r, status, views.StaffSchedulePage(v))
	return nil
}

func weekURL(monday time.Time) string {
	return scheduleMenu + "?week=" + monday.Format(time.DateOnly)
}

func mondayOf(day time.Time) time.Time { return day.AddDate(0, 0, -(int(day.Weekday())+6)%7) }

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// weekName is "30 November to 6 December", with the year where it is not today's.
func weekName(monday, today time.Time) string {
	sunday := monday.AddDate(0, 0, 6)
	last := "2 January"
	if sunday.Year() != today.Year() || monday.Year() != today.Year() {
		last += " 2006"
	}
	switch {
	case monday.Year() != sunday.Year():
		return monday.Format(last) + " to " + sunday.Format(last)
	case monday.Month() == sunday.Month():
		return monday.Format("2") + " to " + sunday.Format(last)
	}
	return monday.Format("2 January") + " to " + sunday.Format(last)
}

func kindNames(kind domain.EventKind) string {
	if kind == domain.Trip {
		return "trips"
	}
	return "screenings"
}

// makingURL is the form of new events, with what is known already filled in.
func makingURL(kind domain.EventKind, resource, route int64, day *time.Time) string {
	q := url.Values{"kind": {string(kind)}}
	if resource != 0 {
		q.Set("resource", strconv.FormatInt(resource, 10))
	}
	if route != 0 {
		q.Set("route", strconv.FormatInt(route, 10))
	}
	if day != nil {
		q.Set("first", day.Format(time.DateOnly))
	}
	return scheduleMenu + "/new?" + q.Encode()
}

// scheduleKind reads which kind of event a form is about.
func scheduleKind(text string) (domain.EventKind, error) {
	switch k := domain.EventKind(text); k {
	case domain.Screening, domain.Trip:
		return k, nil
	case "":
		return domain.Screening, nil
	}
	return "", errBadRequest
}

func scheduleSaid(what string) *views.Note {
	count, act, ok := strings.Cut(what, " ")
	n, err := strconv.Atoi(count)
	if !ok || err != nil {
		if what == "draft removed" {
			return &views.Note{Tone: "ok", Alert: true, Title: "The draft is removed"}
		}
		return nil
	}
	note := &views.Note{Tone: "ok", Alert: true}
	switch act {
	case "published":
		note.Title, note.Text = format.Count(n, "event")+" now on sale", []string{"Customers can find and book them from this moment."}
	case "drafted":
		note.Title, note.Text = format.Count(n, "draft")+" made", []string{"Only staff see drafts. Put them on sale when they are right."}
	case "nothing":
		note.Tone, note.Title = "", "There was no draft to put on sale"
	default:
		return nil
	}
	return note
}

// publishDrafts puts all drafts of a week on sale.
func (s *site) publishDrafts(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	kind, err := scheduleKind(r.PostForm.Get("kind"))
	if err != nil {
		return err
	}
	day, err := date(r.PostForm.Get("week"))
	if err != nil || day == nil {
		return errors.Join(errBadRequest, err)
	}
	set, err := s.Booking.Settings(r.Context())
	if err != nil {
		return err
	}
	monday := mondayOf(*day)
	n, err := s.Schedule.PublishDrafts(r.Context(), s.by(r, who), kind, monday, monday.AddDate(0, 0, 6), set)
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		s.note(r, http.StatusUnprocessableEntity, err)
		return s.showSchedule(w, r, who, &monday, http.StatusUnprocessableEntity, notOnSale("Nothing was put on sale", err, rule))
	}
	if err != nil {
		return err
	}
	act := "published"
	if n == 0 {
		act = "nothing"
	}
	s.Sessions.Put(r.Context(), saidKey, fmt.Sprintf("%d %s", n, act))
	return seeOther(w, r, weekURL(monday))
}
