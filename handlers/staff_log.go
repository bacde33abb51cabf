package handlers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

const (
	logURL       = "/staff/log"
	linesOnPage  = 50
	longestValue = 200 // letters of a value that the log shows
)

// staffLog is who changed what when, newest first.
func (s *site) staffLog(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	page, set, err := s.staffPage(r, who, "Change log", logURL)
	if err != nil {
		return err
	}
	typed := r.URL.Query()
	v := views.StaffLog{Page: page, Action: logURL, Text: strings.TrimSpace(typed.Get("q")), From: typed.Get("from"), To: typed.Get("to")}
	q := access.LogSearch{Text: v.Text, Actor: typed.Get("who")}
	q.Below, _ = strconv.ParseInt(typed.Get("before"), 10, 64) // what is no number is the first page
	status := http.StatusOK
	if q.From, v.FromError = logDay(v.From, set, 0); v.FromError != "" {
		status = http.StatusUnprocessableEntity
	}
	if q.To, v.ToError = logDay(v.To, set, 1); v.ToError != "" {
		status = http.StatusUnprocessableEntity
	}
	if v.People, err = s.logPeople(r, q.Actor); err != nil {
		return err
	}
	if status == http.StatusOK {
		if err := s.logLines(r, who.Role, &v, q, set); err != nil {
			return err
		}
	}
	s.render(w, r, status, views.StaffLogPage(v))
	return nil
}

func (s *site) logLines(r *http.Request, role access.Role, v *views.StaffLog, q access.LogSearch, set domain.Settings) error {
	lines, err := s.Access.Log(r.Context(), q, linesOnPage+1)
	if err != nil {
		return err
	}
	next := r.URL.Query()
	next.Del("before")
	v.Searched = q.Text != "" || q.Actor != "" || q.From != nil || q.To != nil
	if q.Below > 0 {
		v.NewestURL = strings.TrimSuffix(logURL+"?"+next.Encode(), "?")
	}
	if len(lines) > linesOnPage {
		lines = lines[:linesOnPage]
		next.Set("before", strconv.FormatInt(lines[len(lines)-1].ID, 10))
		v.OlderURL = logURL + "?" + next.Encode()
	}
	for _, l := range lines {
		v.Lines = append(v.Lines, logLine(l, role, set))
	}
	return nil
}

// logDay is the instant that a day, as typed, begins in the house's zone, plus days.
func logDay(text string, set domain.Settings, days int) (*time.Time, string) {
	d, err := date(text)
	if err != nil {
		return nil, badDay
	}
	if d == nil {
		return nil, ""
	}
	at := time.Date(d.Year(), d.Month(), d.Day()+days, 0, 0, 0, 0, format.In(*d, set.TimeZone).Location())
	return &at, ""
}

func (s *site) logPeople(r *http.Request, chosen string) ([]views.Option, error) {
	people, err := s.Access.People(r.Context())
	if err != nil {
		return nil, err
	}
	out := []views.Option{{Value: "", Text: "Everybody", Selected: chosen == ""}}
	for _, p := range people {
		out = append(out, views.Option{Value: p.Actor, Text: p.Name, Selected: p.Actor == chosen})
	}
	for _, a := range []string{"system", "web", "command line"} {
		out = append(out, views.Option{Value: a, Text: actorName(a, ""), Selected: a == chosen})
	}
	return out, nil
}

func logLine(l access.LogLine, role access.Role, set domain.Settings) views.LogLine {
	at := format.In(l.At, set.TimeZone)
	subject, link := subjectOf(l, role)
	return views.LogLine{
		ID: strconv.FormatInt(l.ID, 10), When: format.Day(at) + ", " + at.Format("15:04:05"), What: logAction(l.Action), Who: actorName(l.Actor, l.Who),
		Address: l.Address, Subject: subject, SubjectURL: link, Changes: changed(l.Before, l.After),
	}
}

// actorName is who an actor of the log is in words.
func actorName(actor, name string) string {
	switch {
	case name != "":
		return name
	case actor == "system":
		return "The program"
	case actor == "web":
		return "A customer"
	case strings.HasPrefix(actor, "staff:"):
		return "Staff " + strings.TrimPrefix(actor, "staff:") + " (account removed)"
	}
	return spoken(actor)
}

// spoken turns "task_done" into "Task done".
func spoken(name string) string {
	words := strings.ReplaceAll(name, "_", " ")
	if words == "" {
		return "Something"
	}
	return strings.ToUpper(words[:1]) + words[1:]
}

// logWords are what people call the things of the log that the database calls otherwise.
func logWords(kind string) string {
	words := map[string]string{"resource": "hall or coach", "layout": "seat plan", "tariff": "price list", "waitroom": "waiting room"}
	return cmp.Or(words[kind], kind)
}

// logAction is "Hall or coach archived" for "resource_archived".
func logAction(action string) string {
	kind, act, _ := strings.Cut(action, "_")
	return spoken(strings.TrimSpace(logWords(kind) + " " + act))
}

// subjectOf is what a line is about, and the page of the staff menu that shows it, where
// the role may open that.
func subjectOf(l access.LogLine, role access.Role) (words, link string) {
	kind, id, numbered := strings.Cut(l.Subject, ":")
	words = strings.TrimSpace(spoken(logWords(kind)) + " " + id)
	switch {
	case kind == "booking" && numbered:
		return "Booking " + cmp.Or(domain.ShowReference(l.About), id), "/staff/bookings/" + id
	case kind == "event" && numbered:
		return strings.TrimSuffix(words+", "+l.About, ", "), "/staff/events/" + id
	case kind == "staff" && l.About != "":
		words = l.About
	}
	lists := map[string]string{
		"settings": settingsURL, "setting": settingsURL, "staff": "/staff/accounts", "film": "/staff/films", "route": "/staff/routes", "place": "/staff/places",
		"resource": "/staff/resources", "layout": plansURL, "tariff": faresURL, "ticket_type": faresURL + "/types", "task": "/staff/status", "refund": "/staff/status",
	}
	list := lists[kind]
	if mayOpen(role, strings.TrimSuffix(list, "/types")) {
		return words, list
	}
	return words, ""
}

// changed lists what is not the same before and after. Older lines may be of any form;
// what is no object is one value without a name.
func changed(before, after []byte) (out []views.LogChange) {
	a, b := fields(before), fields(after)
	keys := slices.Sorted(maps.Keys(a))
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		was, is := logValue(a[k]), logValue(b[k])
		if was != is {
			out = append(out, views.LogChange{Name: spoken(k), Was: was, Is: is})
		}
	}
	return out
}

func fields(text []byte) map[string]json.RawMessage {
	var out map[string]json.RawMessage
	if len(text) == 0 || bytes.Equal(text, []byte("null")) {
		return nil
	}
	if json.Unmarshal(text, &out) != nil {
		return map[string]json.RawMessage{"value": text}
	}
	return out
}

// logValue is one value as people read it.
func logValue(raw json.RawMessage) string {
	var text string
	var words string
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return ""
	case json.Unmarshal(raw, &text) == nil:
		words = text
	default:
		words = string(raw)
	}
	if letters := []rune(words); len(letters) > longestValue {
		words = string(letters[:longestValue]) + "…"
	}
	return words
}
