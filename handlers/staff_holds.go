package handlers

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// endedHolds lists holds that ran out and left a contact.
func (s *site) endedHolds(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.showHolds(w, r, who, http.StatusOK, views.StaffHolds{Said: heldAgain(s.Sessions.PopString(r.Context(), saidKey))})
}

func (s *site) showHolds(w http.ResponseWriter, r *http.Request, who access.Staff, status int, v views.StaffHolds) error {
	page, set, err := s.staffPage(r, who, "Ended holds", "/staff/holds")
	if err != nil {
		return err
	}
	list, err := s.Booking.EndedHolds(r.Context())
	if err != nil {
		return err
	}
	v.Page = page
	for _, h := range list {
		v.Holds = append(v.Holds, endedHold(h, set))
	}
	s.render(w, r, status, views.StaffHoldsPage(v))
	return nil
}

func endedHold(h booking.EndedHold, set domain.Settings) views.StaffHold {
	at := format.In(h.StartsAt, h.TimeZone)
	v := views.StaffHold{
		ID: h.ID, Name: h.Name, Phone: h.Phone, PhoneURL: telURL(h.Phone), Email: h.Email, Event: h.Title,
		When: format.Day(at) + ", " + format.Clock(at) + ", " + format.Zone(h.TimeZone), Total: money(h.Total, h.Currency),
		Ended: shortMoment(h.ExpiresAt, set), ReviveURL: "/staff/holds/" + h.ID + "/revive",
	}
	if v.Name == "" {
		v.Name = "No name"
	}
	for _, no := range h.Seats {
		v.Seats = append(v.Seats, views.SeatRef{No: no, Name: no})
	}
	return v
}

const heldUntil = "held until "

// heldAgain answers a hold that runs again, with the end that the page before wrote.
func heldAgain(said string) *views.Note {
	until, ok := strings.CutPrefix(said, heldUntil)
	if !ok {
		return nil
	}
	return &views.Note{Tone: "ok", Alert: true, Title: "Held again until " + until, Text: []string{
		"The customer’s own page works again, with everything typed and the same prices. They can pay there now."}}
}

// reviveHold gives an ended hold its seats again, or says which are gone.
func (s *site) reviveHold(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id := r.PathValue("hold")
	err := s.Booking.ReviveForStaff(r.Context(), id, who.Actor(), s.clientAddress(r))
	var gone *domain.SeatConflict
	v := views.StaffHolds{}
	status := http.StatusConflict
	switch {
	case err == nil:
		h, o, err := s.Booking.LookForStaff(r.Context(), id)
		if err != nil {
			return err
		}
		s.Sessions.Put(r.Context(), saidKey, heldUntil+untilWords(h, o))
		return seeOther(w, r, "/staff/holds")
	case errors.As(err, &gone):
		h, o, err := s.Booking.LookForStaff(r.Context(), id)
		if err != nil {
			return err
		}
		free := slices.DeleteFunc(h.SeatNos(), func(no string) bool { return slices.Contains(gone.Lost, no) })
		v.Gone = &views.StaffGone{Lost: seatRefs(o.Layout, gone.Lost), Free: seatRefs(o.Layout, free), Paying: len(gone.Paying) == len(gone.Lost), OtherURL: seatsURL(h, o)}
	case errors.Is(err, booking.ErrNothingGone):
		v.Said = refusal("This hold cannot be revived", "It runs already, was booked, or the same customer has these seats in a newer hold. Nothing was changed.")
	case errors.Is(err, domain.ErrSalesClosed):
		status = http.StatusUnprocessableEntity
		v.Said = refusal("Sales for this event are closed", "Nothing was changed, nothing is held.")
	default:
		return err
	}
	s.note(r, status, err)
	return s.showHolds(w, r, who, status, v)
}

// eventWhen is an event's start on the clock of its place.
func eventWhen(t time.Time, zone string) string {
	at := format.In(t, zone)
	return format.LongDay(at) + ", " + format.Clock(at) + ", " + format.Zone(zone)
}

func percent(part, of int) string {
	if of == 0 {
		return "100"
	}
	return strconv.Itoa(part * 100 / of)
}
