package handlers

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/waitroom"
	"holdfast/views"
)

const waitingURL = "/staff/waiting"

func eventWaitingURL(id int64) string { return "/staff" + eventURL(id) + "/waiting" }

// waitRooms lists the rooms, and the times in which every event has one.
func (s *site) waitRooms(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.showWaitRooms(w, r, who, http.StatusOK, waitForm{}, nil)
}

func (s *site) showWaitRooms(w http.ResponseWriter, r *http.Request, who access.Staff, status int, f waitForm, alert *views.Note) error {
	page, set, err := s.staffPage(r, who, "Waiting rooms", waitingURL)
	if err != nil {
		return err
	}
	counts, err := s.Wait.Counts(r.Context())
	if err != nil {
		return err
	}
	windows, err := s.Wait.Windows(r.Context())
	if err != nil {
		return err
	}
	v := views.StaffWaitRooms{Page: page, Said: waitSaid(s.Sessions.PopString(r.Context(), saidKey)), Alert: alert, Setting: byItself(set)}
	for _, c := range counts {
		v.Rooms = append(v.Rooms, waitRow(c))
	}
	for _, x := range windows {
		v.Windows = append(v.Windows, windowRow(x, set))
	}
	if f.typed == nil {
		f = defaultWait()
	}
	v.Form = f.view(format.Zone(set.TimeZone))
	v.Form.Heading, v.Form.Button, v.Form.Action = "Plan a time for every event", "Plan this time", waitingURL+"/windows"
	v.Form.EndsHint = "Then everybody may choose again."
	s.render(w, r, status, views.StaffWaitRoomsPage(v))
	return nil
}

func byItself(set domain.Settings) string {
	if set.WaitroomHolders == 0 {
		return "A room can also begin by itself when many visitors hold seats of one event at once. That is off; the owner switches it on in the settings, “Waiting room by itself”."
	}
	return "A room also begins by itself when " + format.Count(set.WaitroomHolders, "visitor") + " hold seats of one event at once, and ends when nobody has waited for ten minutes. The owner’s settings say so."
}

func waitBadge(p waitroom.Phase) views.Badge {
	switch p {
	case waitroom.Planned:
		return views.Badge{Text: "Planned"}
	case waitroom.Before:
		return views.Badge{Tone: "warn", Text: "People gather"}
	case waitroom.Running:
		return views.Badge{Tone: "ok", Text: "Handing out"}
	case waitroom.Paused:
		return views.Badge{Tone: "warn", Text: "Paused"}
	}
	return views.Badge{Text: "Over"}
}

func waitRow(c waitroom.Count) views.WaitRow {
	opens := format.In(c.OpensAt, c.TimeZone)
	return views.WaitRow{
		Title: c.Title, When: eventWhen(c.StartsAt, c.TimeZone), URL: eventWaitingURL(c.EventID), Badge: waitBadge(waitroom.PhaseAt(c.WaitRoom, c.Now)),
		Opens: format.ShortDay(opens) + ", " + format.Clock(opens), Waiting: strconv.Itoa(c.Waiting), Turns: strconv.Itoa(c.Admitted), Booked: strconv.Itoa(c.Done), Max: strconv.Itoa(c.MaxActive),
	}
}

func windowRow(x waitroom.Window, set domain.Settings) views.WaitWindowRow {
	v := views.WaitWindowRow{
		Words:   shortMoment(x.BeginsAt, set) + " to " + shortMoment(x.EndsAt, set),
		Numbers: "Seats from " + shortMoment(x.OpensAt, set) + ". " + format.Count(x.MaxActive, "turn") + " at a time for each event, " + perMinute(x.PerSecond) + " new per minute, " + format.Count(x.TurnSeconds/60, "minute") + " each.",
		EndURL:  waitingURL + "/windows/" + strconv.FormatInt(x.ID, 10) + "/end", Revision: strconv.Itoa(x.Revision), Name: "the time from " + shortMoment(x.BeginsAt, set),
		Badge: views.Badge{Text: "Planned"},
	}
	if !x.Now.Before(x.BeginsAt) {
		v.Badge = views.Badge{Tone: "ok", Text: "Runs now"}
	}
	return v
}

// planWindow plans a time in which every event has a room.
func (s *site) planWindow(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	set, err := s.Booking.Settings(r.Context())
	if err != nil {
		return err
	}
	f := readWait(r.PostForm, set.TimeZone)
	if len(f.wrong) == 0 {
		err = s.Wait.PutWindow(r.Context(), s.by(r, who), f.plan)
	}
	if f.refused(err) {
		s.note(r, http.StatusUnprocessableEntity, errBadRequest)
		return s.showWaitRooms(w, r, who, http.StatusUnprocessableEntity, f, refusal("Nothing was planned", "Please look at the fields marked below."))
	}
	if err != nil {
		return err
	}
	return s.said(w, r, "window planned", waitingURL)
}

func (s *site) endWindow(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "window")
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	err = s.Wait.EndWindow(r.Context(), s.by(r, who), id, revision(r.PostForm))
	if errors.Is(err, domain.ErrStale) {
		s.note(r, http.StatusConflict, err)
		return s.showWaitRooms(w, r, who, http.StatusConflict, waitForm{}, refusal("This time has ended already", "Below it is as it is now."))
	}
	if err != nil {
		return err
	}
	return s.said(w, r, "window ended", waitingURL)
}

func (s *site) said(w http.ResponseWriter, r *http.Request, what, to string) error {
	s.Sessions.Put(r.Context(), saidKey, what)
	return seeOther(w, r, to)
}

// waitRoom is the page of one event's room.
func (s *site) waitRoom(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.showWaitRoom(w, r, who, http.StatusOK, waitForm{}, nil)
}

func (s *site) showWaitRoom(w http.ResponseWriter, r *http.Request, who access.Staff, status int, f waitForm, alert *views.Note) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	o, err := s.Booking.Scene(r.Context(), id, nil)
	if err != nil {
		return err
	}
	e := o.Event
	page, _, err := s.staffPage(r, who, "Waiting room, "+eventName(e), waitingURL)
	if err != nil {
		return err
	}
	page.Page.JS = append(page.Page.JS, s.Assets.URL("js/staff_wait.js"))
	v := views.StaffWaitRoom{
		Page: page, Title: eventName(e), Facts: []string{eventName(e) + ", " + eventWhen(e.StartsAt, e.TimeZone)}, BackURL: "/staff" + eventURL(id),
		Said: waitSaid(s.Sessions.PopString(r.Context(), saidKey)), Alert: alert, SeeURL: eventURL(id) + "/wait",
	}
	phase := waitroom.Over
	c, err := s.Wait.CountOf(r.Context(), id)
	switch {
	case errors.Is(err, domain.ErrNotFound):
	case err != nil:
		return err
	default:
		phase = waitroom.PhaseAt(c.WaitRoom, c.Now)
		badge, counts := waitBadge(phase), waitCounts(c, phase)
		v.Badge, v.Counts, v.Acts, v.Why = &badge, &counts, waitActs(c, phase), waitWhy(c, phase)
	}
	if f.typed == nil {
		f = waitOf(c, phase)
	}
	if status == http.StatusConflict || f.revision == "" {
		f.revision = strconv.Itoa(c.Revision)
	}
	v.Form = f.view(format.Zone(e.TimeZone))
	v.Form.Action, v.Form.Heading, v.Form.Button = eventWaitingURL(id), "Change it", "Save"
	v.Form.EndsHint = "Empty: when you end it."
	if phase == waitroom.Over {
		v.Form.Heading, v.Form.Button = "Plan a waiting room", "Plan it"
	}
	if !o.OpenAtCounter() && e.Status != "draft" {
		v.Closed = &views.Note{Title: "No room can be planned here any more", Text: []string{"Sales of this event are over, or it was cancelled."}}
	}
	s.render(w, r, status, views.StaffWaitRoomPage(v))
	return nil
}

// waitWhy says since when and why there is a room.
func waitWhy(c waitroom.Count, p waitroom.Phase) string {
	moment := func(t time.Time) string {
		at := format.In(t, c.TimeZone)
		return format.ShortDay(at) + ", " + format.Clock(at)
	}
	switch p {
	case waitroom.Over:
		return "The last room of this event is over: everybody may choose seats."
	case waitroom.Planned:
		return "The line begins " + moment(c.BeginsAt) + ". Until then seats are sold as always. They are handed out from " + moment(c.OpensAt) + "."
	case waitroom.Before:
		return "People gather. Their places are drawn by lot; seats are handed out from " + moment(c.OpensAt) + "."
	}
	words := "Seats are handed out in turn since " + moment(c.OpensAt) + "."
	switch c.Cause {
	case "load":
		words += " It began by itself because many held seats at once."
	case "window":
		words += " It came of a time planned for every event."
	}
	if c.EndsAt != nil {
		words += " It ends " + moment(*c.EndsAt) + "."
	}
	return words
}

func waitCounts(c waitroom.Count, p waitroom.Phase) views.WaitCounts {
	away := ""
	if c.Away > 0 {
		away = "and " + strconv.Itoa(c.Away) + " away"
	}
	return views.WaitCounts{
		URL: eventWaitingURL(c.EventID) + "/counts", At: format.In(c.Now, c.TimeZone).Format("15:04:05"), Running: p != waitroom.Over,
		Sums: format.Count(c.Done, "turn") + " ended with a booking, " + strconv.Itoa(c.Expired) + " without.",
		Tiles: []views.StaffTile{
			{Name: "In line", Value: strconv.Itoa(c.Waiting), Small: away},
			{Name: "Have a turn", Value: strconv.Itoa(c.Admitted), Small: "of " + strconv.Itoa(c.MaxActive)},
			{Name: "New in the last minute", Value: strconv.Itoa(c.LastMin), Small: "at most " + perMinute(c.PerSecond)},
			{Name: "Booked in their turn", Value: strconv.Itoa(c.Done)},
		},
	}
}

func waitActs(c waitroom.Count, p waitroom.Phase) []views.WaitAct {
	base, rev := eventWaitingURL(c.EventID), strconv.Itoa(c.Revision)
	end := views.WaitAct{URL: base + "/end", Revision: rev, Text: "End the waiting room", Hint: "Everybody may choose seats at once. Places in line are gone.", Danger: true}
	switch p {
	case waitroom.Over:
		return nil
	case waitroom.Paused:
		return []views.WaitAct{{URL: base + "/resume", Revision: rev, Text: "Go on handing out", Hint: "It goes on where it stopped. Everybody has kept their place.", Main: true}, end}
	case waitroom.Planned:
		end.Text, end.Hint = "Drop this plan", "Seats are sold as always."
		return []views.WaitAct{end}
	}
	return []views.WaitAct{{URL: base + "/pause", Revision: rev, Text: "Pause", Hint: "Nobody new gets a turn. Who has one may finish, everybody keeps their place."}, end}
}

// waitCountsPart is what the page asks for again.
func (s *site) waitCountsPart(w http.ResponseWriter, r *http.Request, _ access.Staff) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	c, err := s.Wait.CountOf(r.Context(), id)
	if err != nil {
		return err
	}
	s.render(w, r, http.StatusOK, views.StaffWaitCounts(waitCounts(c, waitroom.PhaseAt(c.WaitRoom, c.Now))))
	return nil
}

// planRoom plans an event's room, or changes its numbers.
func (s *site) planRoom(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	o, err := s.Booking.Scene(r.Context(), id, nil)
	if err != nil {
		return err
	}
	if !o.OpenAtCounter() && o.Event.Status != "draft" {
		return s.showWaitRoom(w, r, who, http.StatusConflict, waitForm{}, nil)
	}
	f := readWait(r.PostForm, o.Event.TimeZone)
	if len(f.wrong) == 0 {
		err = s.Wait.Put(r.Context(), s.by(r, who), id, f.plan)
	}
	switch {
	case f.refused(err):
		s.note(r, http.StatusUnprocessableEntity, errBadRequest)
		return s.showWaitRoom(w, r, who, http.StatusUnprocessableEntity, f, refusal("Nothing was saved", "Please look at the fields marked below."))
	case errors.Is(err, domain.ErrStale):
		s.note(r, http.StatusConflict, err)
		return s.showWaitRoom(w, r, who, http.StatusConflict, f, refusal("Somebody else changed this meanwhile", "The figures above are as it is now; below is what you typed. Nothing was overwritten. If yours is still right, save it."))
	case err != nil:
		return err
	}
	return s.said(w, r, "room saved", eventWaitingURL(id))
}

// setRoom pauses, resumes or ends a room.
func (s *site) setRoom(said string, do func(*waitroom.Service, context.Context, domain.By, int64, int) error) staffAction {
	return func(w http.ResponseWriter, r *http.Request, who access.Staff) error {
		id, err := pathID(r, "event")
		if err != nil {
			return err
		}
		if err := parseForm(r); err != nil {
			return err
		}
		err = do(s.Wait, r.Context(), s.by(r, who), id, revision(r.PostForm))
		if errors.Is(err, domain.ErrStale) {
			s.note(r, http.StatusConflict, err)
			return s.showWaitRoom(w, r, who, http.StatusConflict, waitForm{}, refusal("Somebody else changed this meanwhile", "Below it is as it is now. Nothing was overwritten; please look, and do it again if it is still right."))
		}
		if err != nil {
			return err
		}
		return s.said(w, r, said, eventWaitingURL(id))
	}
}

func waitSaid(what string) *views.Note {
	ok := func(title string, text ...string) *views.Note {
		return &views.Note{Tone: "ok", Alert: true, Title: title, Text: text}
	}
	switch what {
	case "room saved":
		return ok("The waiting room is saved", "Customers learn of it within a second.")
	case "room paused":
		return ok("Handing out is paused", "Everybody keeps their place; the page in front of them says so.")
	case "room resumed":
		return ok("It goes on where it stopped")
	case "room ended":
		return ok("There is no waiting room any more", "Everybody may choose seats.")
	case "window planned":
		return ok("The time is planned", "The room of an event begins when the first visitor wants seats of it.")
	case "window ended":
		return ok("This time is over", "Everybody may choose seats, of every event whose room came of it.")
	}
	return nil
}
