package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

// editEvent is the form of an event that stands.
func (s *site) editEvent(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	x, err := s.Schedule.EditScene(r.Context(), id)
	if err != nil {
		return err
	}
	if err := schedule.Changeable(x.Event); err != nil {
		return s.noChange(w, r, who, id, err)
	}
	return s.showChange(w, r, who, x, changeOf(x), http.StatusOK, nil)
}

// noChange tells why an event cannot be changed any more.
func (s *site) noChange(w http.ResponseWriter, r *http.Request, who access.Staff, id int64, why error) error {
	var rule *domain.RuleError
	if !errors.As(why, &rule) {
		return why
	}
	page, _, err := s.staffPage(r, who, "Cannot be changed", scheduleMenu)
	if err != nil {
		return err
	}
	s.note(r, http.StatusConflict, why)
	s.render(w, r, http.StatusConflict, views.StaffNoticePage(views.StaffNotice{
		Page: page, Heading: "This event cannot be changed any more", Lede: rule.Words, Note: &views.Note{Tone: "ok", Title: "Nothing was changed"},
		Links: []views.Link{{Text: "Back to the event", URL: "/staff" + eventURL(id)}, {Text: "Schedule", URL: scheduleMenu}},
	}))
	return nil
}

// saveEvent changes an event, once what it does to customers was agreed to.
func (s *site) saveEvent(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	x, err := s.Schedule.EditScene(r.Context(), id)
	if err != nil {
		return err
	}
	if err := schedule.Changeable(x.Event); err != nil {
		return s.noChange(w, r, who, id, err)
	}
	f := readChange(r.PostForm, x)
	if len(f.wrong) > 0 {
		s.note(r, http.StatusUnprocessableEntity, errBadRequest)
		return s.showChange(w, r, who, x, f, http.StatusUnprocessableEntity, refusal("Nothing was saved", "Please look at the fields marked below."))
	}
	set, err := s.Booking.Settings(r.Context())
	if err != nil {
		return err
	}
	effect, err := s.Schedule.Edit(r.Context(), s.by(r, who), f.edit, set)
	var ask *schedule.AskError
	var rule *domain.RuleError
	var clash *schedule.ClashError
	switch {
	case errors.As(err, &ask):
		return s.askMove(w, r, who, x, ask.Effect)
	case errors.Is(err, domain.ErrStale):
		s.note(r, http.StatusConflict, err)
		return s.showChange(w, r, who, x, f, http.StatusConflict, staleEvent(x))
	case errors.As(err, &clash):
		s.note(r, http.StatusConflict, err)
		return s.showChange(w, r, who, x, f, http.StatusConflict, refusal("Nothing was saved", clashesWords(clash.Preview)))
	case errors.As(err, &rule):
		s.note(r, http.StatusUnprocessableEntity, err)
		f.refuse(rule.Code, rule.Words)
		return s.showChange(w, r, who, x, f, http.StatusUnprocessableEntity, refusal("Nothing was saved", rule.Words))
	case err != nil:
		return err
	}
	said := "event changed"
	if effect.Mails > 0 {
		said = "event moved " + strconv.Itoa(effect.Mails)
	}
	return s.toEvent(w, r, id, said)
}

func clashesWords(p schedule.Preview) string {
	var out []string
	for _, x := range p.Events {
		for _, c := range x.Clashes {
			out = append(out, clashWords(c))
		}
	}
	return strings.Join(out[:min(len(out), 5)], " ")
}

// staleEvent tells what is stored now: what was typed stays in the form under it.
func staleEvent(x schedule.EditScene) *views.Note {
	e := x.Event
	now := "Now it is: " + format.LongDay(format.In(e.StartsAt, e.TimeZone)) + ", " + format.Clock(format.In(e.StartsAt, e.TimeZone)) + " to " + format.Clock(format.In(e.EndsAt, e.TimeZone))
	if e.Resource != "" {
		now += ", " + e.Resource
	}
	return &views.Note{Tone: "bad", Alert: true, Title: "Somebody else changed this meanwhile", Text: []string{
		now + ".", "The form below has what you typed. Saving it now puts yours in the place of theirs.",
	}}
}

// askMove shows what a new time does to customers, before anything is done.
func (s *site) askMove(w http.ResponseWriter, r *http.Request, who access.Staff, x schedule.EditScene, effect schedule.Effect) error {
	page, _, err := s.staffPage(r, who, "Move?", scheduleMenu)
	if err != nil {
		return err
	}
	base := "/staff" + eventURL(x.Event.ID)
	v := views.StaffMove{
		Page: page, Title: "Move " + eventName(x.Event) + "?", Action: base + "/edit", BackURL: base + "/edit", Carry: carryAll(r.PostForm),
		Words: fmt.Sprintf("%s with %s %s for the time that would change.", format.Count(effect.Bookings, "booking"), format.Count(effect.Tickets, "ticket"), toBe(effect.Bookings)),
		Mails: "Nobody left an e-mail address, so please tell them yourself.", Button: "Move it",
	}
	if effect.Mails > 0 {
		v.Button = "Move it and tell everybody"
	}
	switch n := effect.Mails; {
	case n == effect.Bookings && n == 1:
		v.Mails = "The customer gets a mail with the new time."
	case n == effect.Bookings:
		v.Mails = "Each of them gets a mail with the new time."
	case n > 0:
		v.Mails = fmt.Sprintf("%d of them get a mail with the new time; the others left no address, so please tell them yourself.", n)
	}
	for _, m := range effect.Moved {
		v.Lines = append(v.Lines, views.MoveLine{Title: m.Title, Was: eventWhen(m.Was, m.TimeZone), Is: eventWhen(m.Is, m.TimeZone)})
	}
	s.render(w, r, http.StatusOK, views.StaffMovePage(v))
	return nil
}

func toBe(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func eventName(e domain.Event) string {
	if e.Kind == domain.Trip {
		return e.Route
	}
	return e.Film
}

func carryAll(typed url.Values) []views.Hidden {
	out := carry(typed)
	if fold := typed.Get("fold"); fold != "" {
		out = append(out, views.Hidden{Name: "fold", Value: fold})
	}
	return out
}
