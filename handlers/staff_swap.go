package handlers

import (
	"errors"
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

// swapPage proposes who sits where in another hall or coach.
func (s *site) swapPage(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.showSwap(w, r, who, http.StatusOK, r.URL.Query().Get("to"), nil, nil)
}

// showSwap shows the page with a proposal for the target, or with the seating somebody
// made.
func (s *site) showSwap(w http.ResponseWriter, r *http.Request, who access.Staff, status int, target string, typed map[string]string, alert *views.Note) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	x, err := s.Schedule.SwapScene(r.Context(), id)
	if err != nil {
		return err
	}
	e := x.Event
	page, set, err := s.staffPage(r, who, "Another hall or coach, "+eventName(e), scheduleMenu)
	if err != nil {
		return err
	}
	base := "/staff" + eventURL(id)
	v := views.StaffSwap{
		Page: page, Title: swapTitle(e), Facts: []string{eventName(e) + ", " + eventWhen(e.StartsAt, e.TimeZone)}, BackURL: base, Action: base + "/swap",
		Said: swapSaid(s.Sessions.PopString(r.Context(), saidKey)), Alert: alert,
	}
	if e.Resource != "" {
		v.Facts = append(v.Facts, "Now "+e.Resource)
	}
	for _, t := range x.Targets {
		to := strconv.FormatInt(t.ID, 10)
		o := views.Option{Value: to, Text: t.Name + ", " + format.Count(t.Seats, "place"), Selected: to == target}
		if t.Same {
			o.Text += ", the newest plan"
		}
		v.Targets = append(v.Targets, o)
	}
	v.Last = lastSwap(x, base, set)
	v.Seatless = swapNames(x.Seatless)
	switch {
	case e.Status == "cancelled" || !e.EndsAt.After(e.Now):
		v.Closed = &views.Note{Title: "It stays where it is", Text: []string{"This event is over or cancelled."}}
	case len(x.Targets) == 0:
		v.Closed = &views.Note{Title: "There is nothing to go to", Text: []string{"No other hall or coach is in use, and the plan has no newer version."}, Links: []views.Link{{Text: "Add one", URL: "/staff/resources"}}}
	case target != "":
		if err := s.swapPlan(r, &v, x, target, typed, set); err != nil {
			return err
		}
	}
	s.render(w, r, status, views.StaffSwapPage(v))
	return nil
}

func swapTitle(e domain.Event) string {
	if e.Kind == domain.Trip {
		return "Another coach"
	}
	return "Another hall"
}

func swapSaid(what string) *views.Note {
	ok := func(title string, text ...string) *views.Note {
		return &views.Note{Tone: "ok", Alert: true, Title: title, Text: text}
	}
	if n, told := strings.CutPrefix(what, "swap told "); told {
		return ok("The passengers are told", n+" on the way, each with the old and the new seats. This cannot be undone any more.")
	}
	switch what {
	case "swapped":
		return ok("Everybody has the seats of the new plan", "Tickets show them at once, with the codes they had. Nobody was told yet: look it over, then tell them below, or undo it.")
	case "swap undone":
		return ok("It is as it was before", "Every seat is the old one again. Nobody was told anything.")
	}
	return nil
}

// lastSwap is what the newest swap did, with undo and telling until people are told.
func lastSwap(x *schedule.SwapScene, base string, set domain.Settings) *views.SwapLast {
	if x.Last == nil {
		return nil
	}
	n := 0
	for _, m := range x.Moves {
		if m.TicketID != nil {
			n++
		}
	}
	v := &views.SwapLast{Words: "From " + orNone(x.Last.FromName) + " to " + orNone(x.Last.ToName) + ": " + format.Count(n, "ticket") + " with another seat. " + x.Last.Who + ", " + shortMoment(x.Last.At, set) + "."}
	switch {
	case x.Last.ToldAt != nil:
		v.Told = "The passengers were told on " + shortMoment(*x.Last.ToldAt, set) + "."
	case x.Last.EventRevision != x.Event.Revision:
		v.TellURL, v.Told = base+"/swap/tell", "The event was changed since, so this cannot be undone by a press any more."
	default:
		v.TellURL, v.UndoURL = base+"/swap/tell", base+"/swap/undo"
	}
	v.Tell = "Tell the passengers: " + format.Count(x.Mails, "mail")
	return v
}

func orNone(name string) string {
	if name == "" {
		return "none"
	}
	return name
}

func (s *site) swapPlan(r *http.Request, v *views.StaffSwap, x *schedule.SwapScene, target string, typed map[string]string, set domain.Settings) error {
	id, _ := strconv.ParseInt(target, 10, 64) // 0 is not found
	p, err := s.Schedule.PlanSwap(r.Context(), x, id, typed, set)
	if err != nil {
		return err
	}
	plan := &views.SwapPlan{
		To: target, Revision: strconv.Itoa(x.Event.Revision), Name: p.Target.Name, Button: "Seat everybody like this",
		None: swapNames(p.None), Apart: swapNames(p.Apart), Closed: seatRefs(p.Plan, p.Closed),
	}
	moved, all := 0, 0
	for _, party := range x.Parties {
		row := views.SwapParty{Name: partyName(party), Reference: domain.ShowReference(party.Reference)}
		if party.BookingID != 0 {
			row.URL = bookingFileURL(party.BookingID)
		}
		for _, rider := range party.Riders {
			all++
			seat := views.SwapSeat{Key: rider.Key, Was: seatRef(x.Layout, rider.SeatNo).Name, To: p.To[rider.Key], Passenger: rider.Passenger, Err: p.Wrong[rider.Key]}
			if seat.Moved = seat.To != rider.SeatNo; seat.Moved {
				moved++
			}
			row.Seats = append(row.Seats, seat)
		}
		plan.Parties = append(plan.Parties, row)
	}
	plan.Summary = format.Count(all, "seat") + " taken, " + strconv.Itoa(moved) + " change, " + strconv.Itoa(len(p.None)) + " without a seat"
	if len(p.None) > 0 {
		plan.Summary = format.Count(all, "seat") + " taken, " + strconv.Itoa(moved) + " change; " + format.Count(len(p.None), "booking") + " cannot all be seated"
	}
	for _, c := range p.Plan.Cells {
		if c.Kind.Sellable() {
			plan.Places = append(plan.Places, views.Option{Value: c.SeatNo, Text: p.Plan.Where(c)})
		}
	}
	v.Plan = plan
	return nil
}

func partyName(p schedule.Party) string {
	switch {
	case p.Name != "":
		return p.Name
	case p.BookingID == 0:
		return "Somebody who is buying"
	}
	return "No name"
}

// swapNames are people to call.
func swapNames(list []schedule.Party) (out []views.SwapName) {
	for _, p := range list {
		v := views.SwapName{Name: partyName(p), Phone: p.Phone, PhoneURL: telURL(p.Phone), Email: p.Email, Reference: domain.ShowReference(p.Reference)}
		for _, r := range p.Riders {
			v.Seats = append(v.Seats, r.Was)
		}
		if p.BookingID != 0 {
			v.URL = bookingFileURL(p.BookingID)
		}
		out = append(out, v)
	}
	return out
}

// swapTyped reads the seating of the form. Seats may be typed in small letters.
func swapTyped(form url.Values) map[string]string {
	to := map[string]string{}
	for name, values := range form {
		if key, ok := strings.CutPrefix(name, "seat."); ok {
			to[key] = strings.ToUpper(strings.Join(strings.Fields(values[0]), ""))
		}
	}
	return to
}

// swapEvent applies a seating, or with act=check only looks at it.
func (s *site) swapEvent(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	to, target := swapTyped(r.PostForm), r.PostForm.Get("to")
	resource, err := strconv.ParseInt(target, 10, 64)
	if err != nil {
		return errors.Join(errBadRequest, err)
	}
	if r.PostForm.Get("act") == "check" {
		return s.showSwap(w, r, who, http.StatusOK, target, to, nil)
	}
	revision, _ := strconv.Atoi(r.PostForm.Get("revision")) // none is stale
	err = s.Schedule.Swap(r.Context(), s.by(r, who), schedule.Swap{EventID: id, Revision: revision, ResourceID: resource, To: to})
	if err == nil {
		return s.toSwap(w, r, id, "swapped")
	}
	return s.notSwapped(w, r, who, target, to, err)
}

func (s *site) toSwap(w http.ResponseWriter, r *http.Request, id int64, said string) error {
	s.Sessions.Put(r.Context(), saidKey, said)
	return seeOther(w, r, "/staff"+eventURL(id)+"/swap")
}

// notSwapped answers what stood in the way; what was typed stays unless others sit there by
// now.
func (s *site) notSwapped(w http.ResponseWriter, r *http.Request, who access.Staff, target string, to map[string]string, err error) error {
	var rule *domain.RuleError
	status, words := http.StatusConflict, ""
	switch {
	case errors.As(err, &rule):
		status, words = http.StatusUnprocessableEntity, rule.Words
	case errors.Is(err, domain.ErrStale), errors.Is(err, domain.ErrConflict), errors.Is(err, domain.ErrBusy):
		words, to = "Somebody booked, cancelled or changed the event meanwhile. This is a new proposal for how it stands now.", nil
	case errors.Is(err, domain.ErrOverlap):
		words = "That hall or coach is in use at that time, its turnaround included. Please choose another."
	default:
		return err
	}
	s.note(r, status, err)
	return s.showSwap(w, r, who, status, target, to, refusal("Nothing was changed", words))
}

// undoSwap takes the newest swap back while nobody was told.
func (s *site) undoSwap(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	err = s.Schedule.UndoSwap(r.Context(), s.by(r, who), id)
	if err == nil {
		return s.toSwap(w, r, id, "swap undone")
	}
	var rule *domain.RuleError
	status, words := http.StatusConflict, "The passengers were told, or the event was changed since."
	switch {
	case errors.As(err, &rule):
		words = rule.Words
	case errors.Is(err, domain.ErrNotFound):
		words = "There is nothing to undo any more: every seat is as you see it in the event."
	case errors.Is(err, domain.ErrOverlap):
		words = "The old hall or coach is in use at that time by now."
	case !errors.Is(err, domain.ErrStale) && !errors.Is(err, domain.ErrConflict):
		return err
	}
	s.note(r, status, err)
	return s.showSwap(w, r, who, status, "", nil, refusal("Nothing was undone", words))
}

// tellSwap sends everybody whose seat changed a mail.
func (s *site) tellSwap(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	n, err := s.Schedule.TellSwap(r.Context(), s.by(r, who), id)
	if errors.Is(err, domain.ErrConflict) || errors.Is(err, domain.ErrNotFound) {
		s.note(r, http.StatusConflict, err)
		return s.showSwap(w, r, who, http.StatusConflict, "", nil, refusal("Nothing was sent", "The passengers were told already, or it was undone."))
	}
	if err != nil {
		return err
	}
	return s.toSwap(w, r, id, "swap told "+format.Count(n, "mail")+" "+toBe(n))
}

// swapChange says what a line of the log about a swap tells.
func swapChange(action string) string {
	switch action {
	case "event_swapped":
		return "Gave it another hall, coach or plan, with everybody in it"
	case "event_swap_undone":
		return "Took that back"
	}
	return "Told the passengers their new seats"
}
