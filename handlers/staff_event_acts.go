package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

// eventActs are what staff can do with an event now.
func eventActs(e domain.Event) views.EventActs {
	base := "/staff" + eventURL(e.ID)
	v := views.EventActs{Revision: strconv.Itoa(e.Revision)}
	if e.Status == "draft" {
		v.Remove = base + "/remove"
	}
	if e.Status != "cancelled" && e.EndsAt.After(e.Now) {
		v.SwapURL, v.SwapText = base+"/swap", swapTitle(e)
		v.WaitURL = base + "/waiting"
	}
	if err := schedule.Changeable(e); err != nil {
		if e.Status == "published" {
			v.Words = "It has begun: time, hall and prices stay as they are."
		}
		return v
	}
	v.EditURL, v.BlocksURL = base+"/edit", base+"/blocks"
	if e.Status == "draft" {
		v.Publish = base + "/publish"
		return v
	}
	v.Unpublish = base + "/unpublish"
	return v
}

type eventAct func(ctx context.Context, id int64, revision int) error

// act does one thing to an event by its revision and goes back to it.
func (s *site) act(w http.ResponseWriter, r *http.Request, who access.Staff, said string, do eventAct) error {
	return s.actThen(w, r, who, do, func() error {
		id, err := pathID(r, "event")
		if err != nil {
			return err
		}
		return s.toEvent(w, r, id, said)
	})
}

// actThen does one thing to an event and goes on; a refusal stands on the event's page.
func (s *site) actThen(w http.ResponseWriter, r *http.Request, who access.Staff, do eventAct, then func() error) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	err = do(r.Context(), id, revision(r.PostForm))
	var rule *domain.RuleError
	switch {
	case errors.As(err, &rule):
		s.note(r, http.StatusUnprocessableEntity, err)
		return s.showEventWith(w, r, who, id, http.StatusUnprocessableEntity, views.EventCancel{}, notOnSale("Nothing was changed", err, rule))
	case errors.Is(err, domain.ErrStale):
		s.note(r, http.StatusConflict, err)
		return s.showEventWith(w, r, who, id, http.StatusConflict, views.EventCancel{}, refusal("Somebody else changed this meanwhile", "Below it is as it is now. Nothing was overwritten; please look, and do it again if it is still right."))
	case err != nil:
		return err
	}
	return then()
}

func (s *site) publishEvent(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.act(w, r, who, "event published", func(ctx context.Context, id int64, revision int) error {
		set, err := s.Booking.Settings(ctx)
		if err != nil {
			return err
		}
		return s.Schedule.Publish(ctx, s.by(r, who), id, revision, set)
	})
}

func (s *site) unpublishEvent(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.act(w, r, who, "event unpublished", func(ctx context.Context, id int64, revision int) error {
		return s.Schedule.Unpublish(ctx, s.by(r, who), id, revision)
	})
}

// removeDraft takes a draft away and goes back to its week.
func (s *site) removeDraft(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	o, err := s.Booking.Scene(r.Context(), id, nil)
	if err != nil {
		return err
	}
	return s.actThen(w, r, who, func(ctx context.Context, id int64, revision int) error {
		return s.Schedule.Remove(ctx, s.by(r, who), id, revision)
	}, func() error {
		s.Sessions.Put(r.Context(), saidKey, "draft removed")
		return seeOther(w, r, weekURL(mondayOf(o.Event.BusinessDay)))
	})
}

// eventSaidNow is eventSaid for what the timetable does.
func eventSaidNow(what string) *views.Note {
	ok := func(title string, text ...string) *views.Note {
		return &views.Note{Tone: "ok", Alert: true, Title: title, Text: text}
	}
	switch what {
	case "event published":
		return ok("It is on sale", "Customers can find and book it from this moment.")
	case "event unpublished":
		return ok("It is off sale", "It is a draft again, which only staff see.")
	case "event changed":
		return ok("The change is saved")
	}
	if n, moved := strings.CutPrefix(what, "event moved "); moved {
		if n == "1" {
			return ok("It is moved", "One mail with the new time is on its way.")
		}
		return ok("It is moved", n+" mails with the new time are on their way.")
	}
	return nil
}

// timetableChange says what a line of the log of an event tells.
func timetableChange(a booking.AuditLine) string {
	var x struct {
		StartsAt string   `json:"starts_at"`
		Copied   int64    `json:"copied_from"`
		Seats    []string `json:"seats"`
		Reason   string   `json:"reason"`
	}
	line := a.After
	if a.Action == "seats_unblocked" {
		line = a.Before
	}
	_ = json.Unmarshal(line, &x) // an older line of another form: only the act is named
	switch a.Action {
	case "event_published":
		return "Put it on sale"
	case "event_unpublished":
		return "Took it off sale"
	case "seats_blocked":
		return "Blocked " + format.List(x.Seats) + ": " + x.Reason
	case "seats_unblocked":
		return "Lifted the block of " + format.List(x.Seats) + ": " + x.Reason
	case "event_changed":
		if x.StartsAt != "" {
			return "Moved it to another time"
		}
		return "Changed it"
	}
	if x.Copied != 0 {
		return "Copied it from another event"
	}
	return "Made it"
}
