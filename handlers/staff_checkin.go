package handlers

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
)

const (
	undoOffered = 10 * time.Second // by the button; the service takes it a little later too
	justIn      = 30 * time.Second // a page that shows an entry as new, when it is drawn again
)

// saleOfCode reads the ticket whose code a form or a path carries; the code may be a whole
// address, as a scanner reads it.
func (s *site) saleOfCode(r *http.Request, code string) (*booking.Sale, error) {
	event, id, version, err := s.Signer.ReadTicketCode(bareCode(code))
	if err != nil {
		return nil, err
	}
	return s.Booking.SaleOfTicket(r.Context(), event, id, version)
}

// bareCode is the code of what a scanner read: the code alone or the ticket's address,
// in small letters or in capitals.
func bareCode(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	if i := strings.LastIndex(text, "/t/"); i >= 0 {
		text = text[i+len("/t/"):]
	}
	if i := strings.IndexAny(text, "/?# \t"); i >= 0 {
		text = text[:i]
	}
	return text
}

// checkIn lets the ticket of a code in, once: 303 to the ticket when it is in, 409 with
// the reason when it is not let in.
func (s *site) checkIn(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	x, err := s.saleOfCode(r, r.PostForm.Get("code"))
	if err != nil {
		return err
	}
	door, err := doorEvent(r.PostForm.Get("event"))
	if err != nil {
		return err
	}
	t := x.Tickets[0]
	a := booking.Admission{
		EventID: t.EventID, TicketID: t.ID, CodeVersion: t.CodeVersion, Door: door, Key: r.PostForm.Get("key"), Place: r.PostForm.Get("place"), By: s.by(r, who),
	}
	if a.Place == "" {
		a.Place = s.doorPlace(r, x.Scene)
	}
	_, knowing := r.PostForm["reason"]
	c := checkInPage{s: s, who: who, x: x, door: door, why: r.PostForm.Get("reason")}
	if knowing && who.Role.Covers(access.Manager) {
		if a.Reason = strings.TrimSpace(c.why); a.Reason == "" {
			c.whyError = "Please say why: it stays in the log with your name."
			c.verdict, err = s.Booking.Door(r.Context(), t.EventID, t.ID, door)
			if err != nil {
				return err
			}
			return c.show(w, r, http.StatusUnprocessableEntity)
		}
	}
	if c.verdict, err = s.Booking.CheckIn(r.Context(), a); err != nil {
		return err
	}
	if c.verdict.Word != booking.DoorIn {
		return c.show(w, r, http.StatusConflict)
	}
	return seeOther(w, r, s.ticketURL(t)+"?"+doorQuery(door, c.verdict.Entry.ID))
}

func doorQuery(door, entry int64) string {
	q := url.Values{"entry": {strconv.FormatInt(entry, 10)}}
	if door != 0 {
		q.Set("event", strconv.FormatInt(door, 10))
	}
	return q.Encode()
}

// doorEvent is the event of a door, 0 for none.
func doorEvent(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id <= 0 {
		return 0, errBadRequest
	}
	return id, nil
}

// usualPlace is where a ticket comes in when the door did not say which it is.
func usualPlace(o *booking.Offer) string {
	if len(o.Stops) > 0 {
		return o.Stops[o.Ride.From].Place
	}
	return o.Event.Resource
}

// undoCheckIn takes back what was pressed by mistake.
func (s *site) undoCheckIn(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	x, err := s.saleOfCode(r, r.PostForm.Get("code"))
	if err != nil {
		return err
	}
	entry, err := strconv.ParseInt(r.PostForm.Get("entry"), 10, 64)
	if err != nil {
		return errBadRequest
	}
	t := x.Tickets[0]
	err = s.Booking.UndoCheckIn(r.Context(), t.EventID, t.ID, entry, who.Role.Covers(access.Manager), s.by(r, who))
	if !errors.Is(err, domain.ErrConflict) {
		if err != nil {
			return err
		}
		return seeOther(w, r, s.ticketURL(t))
	}
	c := checkInPage{s: s, who: who, x: x, tooLate: true}
	if c.verdict, err = s.Booking.Door(r.Context(), t.EventID, t.ID, 0); err != nil {
		return err
	}
	return c.show(w, r, http.StatusConflict)
}

// ticketForStaff is what staff see who scanned a code.
func (s *site) ticketForStaff(w http.ResponseWriter, r *http.Request, who access.Staff, x *booking.Sale) error {
	door, err := doorEvent(r.URL.Query().Get("event"))
	if err != nil {
		return err
	}
	t := x.Tickets[0]
	c := checkInPage{s: s, who: who, x: x, door: door}
	if c.verdict, err = s.Booking.Door(r.Context(), t.EventID, t.ID, door); err != nil {
		return err
	}
	e := c.verdict.Entry
	if c.verdict.Word == booking.DoorAgain && r.URL.Query().Get("entry") == strconv.FormatInt(e.ID, 10) && c.verdict.Now.Sub(e.EnteredAt) < justIn {
		c.verdict.Word = booking.DoorIn
	}
	return c.show(w, r, http.StatusOK)
}
