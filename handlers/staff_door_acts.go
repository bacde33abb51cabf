package handlers

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/views"
)

// doorIn lets in by a typed code or a press in the list: 303 back to the door when the
// ticket is in, else the door with the reason.
func (s *site) doorIn(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	f := r.PostForm
	d, err := s.doorOf(r, who, f)
	if err != nil {
		return err
	}
	scan := doorScan{Code: f.Get("code"), Key: f.Get("key")}
	if f.Get("ticket") != "" {
		if scan.Ticket, err = strconv.ParseInt(f.Get("ticket"), 10, 64); err != nil {
			return errBadRequest
		}
	}
	if scan.Ticket == 0 && bareCode(scan.Code) == "" {
		d.wrong = "Please scan or type a code; its letters stand in the ticket’s address after /t/."
		return d.show(w, r, http.StatusUnprocessableEntity)
	}
	a, err := s.takeScan(r, who, d.list.Scene.Event.ID, d.stop, scan)
	if err != nil {
		return err
	}
	switch d.answer = &a.DoorAnswer; a.word {
	case booking.DoorIn:
		return seeOther(w, r, d.back(url.Values{"ticket": {a.Ticket}, "entry": {a.Entry}}))
	case booking.DoorUnknown:
		return d.show(w, r, http.StatusNotFound)
	}
	return d.show(w, r, http.StatusConflict)
}

// justIn shows the letting-in that a redirect leads back from.
func (d *door) justIn(r *http.Request) error {
	q := r.URL.Query()
	ticket, _ := strconv.ParseInt(q.Get("ticket"), 10, 64) // 0 is none
	if ticket <= 0 {
		return nil
	}
	x, err := d.s.Booking.SaleOfTicket(r.Context(), d.list.Scene.Event.ID, ticket, 0)
	if err != nil {
		return err
	}
	v, err := d.s.Booking.Door(r.Context(), x.Tickets[0].EventID, ticket, 0)
	if err != nil || v.Word != booking.DoorAgain || strconv.FormatInt(v.Entry.ID, 10) != q.Get("entry") || v.Now.Sub(v.Entry.EnteredAt) > justIn {
		return err
	}
	v.Word = booking.DoorIn
	a := d.s.doorAnswer(checkInPage{s: d.s, who: d.who, x: x, door: d.list.Scene.Event.ID, verdict: v}, d.stop)
	d.answer = &a.DoorAnswer
	return nil
}

// doorUndo takes back what was pressed by mistake.
func (s *site) doorUndo(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	d, err := s.doorOf(r, who, r.PostForm)
	if err != nil {
		return err
	}
	ticket, err := strconv.ParseInt(r.PostForm.Get("ticket"), 10, 64)
	entry, err2 := strconv.ParseInt(r.PostForm.Get("entry"), 10, 64)
	if err != nil || err2 != nil {
		return errBadRequest
	}
	err = s.Booking.UndoCheckIn(r.Context(), d.list.Scene.Event.ID, ticket, entry, who.Role.Covers(access.Manager), s.by(r, who))
	if errors.Is(err, domain.ErrConflict) {
		d.answer = &views.DoorAnswer{Tone: "warn", Icon: "alert", Word: "Too late to undo", Text: []string{"It stays in. A manager can take it back on the ticket’s card."}}
		return d.show(w, r, http.StatusConflict)
	}
	if err != nil {
		return err
	}
	return seeOther(w, r, d.back(nil))
}

// doorScan is one scan or press, as a page sends it.
type doorScan struct {
	Code   string    `json:"code"`   // as it was read; or
	Ticket int64     `json:"ticket"` // the ticket of a press in the list
	Key    string    `json:"key"`
	At     time.Time `json:"at"`
	Place  string    `json:"place"`
	Stop   *int      `json:"stop"`
	LetIn  bool      `json:"let_in"` // the door did, without waiting for this answer
}

// scanAnswer is what a page hears of a scan.
type scanAnswer struct {
	views.DoorAnswer
	Key      string
	State    string // for its row of the list
	Said     string
	Conflict bool // it was let in without a line, and should not have been
	word     booking.DoorVerdict
}

const mostScans = 100 // in one request

// doorScans takes scans in their order, those of a door that had no line among them.
// Each is done once however often its key comes. What is not answered is to be sent again.
func (s *site) doorScans(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	var body struct {
		Scans []doorScan `json:"scans"`
	}
	if _, err := s.Booking.Scene(r.Context(), id, nil); err != nil {
		return err
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return fmt.Errorf("%w: %w", errBadRequest, err)
	}
	answers := []scanAnswer{}
	for _, x := range body.Scans[:min(len(body.Scans), mostScans)] {
		stop := -1
		if x.Stop != nil {
			stop = *x.Stop
		}
		a, err := s.takeScan(r, who, id, stop, x)
		if err != nil && len(answers) == 0 {
			return err
		}
		if err != nil {
			s.note(r, http.StatusOK, err) // the rest comes again
			break
		}
		answers = append(answers, a)
	}
	writeJSON(w, http.StatusOK, map[string]any{"answers": answers})
	return nil
}

// takeScan is one scan at the door of an event. An error is one of ours, never the
// ticket's.
func (s *site) takeScan(r *http.Request, who access.Staff, event int64, stop int, x doorScan) (scanAnswer, error) {
	ticketEvent, ticket, version := event, x.Ticket, 0
	if ticket == 0 {
		var err error
		if ticketEvent, ticket, version, err = s.Signer.ReadTicketCode(bareCode(x.Code)); err != nil {
			return unknownTicket(x), nil
		}
	}
	sale, err := s.Booking.SaleOfTicket(r.Context(), ticketEvent, ticket, 0)
	if errors.Is(err, domain.ErrNotFound) {
		return unknownTicket(x), nil
	}
	if err != nil {
		return scanAnswer{}, err
	}
	a := booking.Admission{
		EventID: ticketEvent, TicketID: ticket, CodeVersion: version, Door: event, Key: x.Key, At: x.At, By: s.by(r, who), Place: strings.TrimSpace(x.Place),
	}
	if a.Place == "" {
		a.Place = s.doorPlace(r, sale.Scene)
	}
	c := checkInPage{s: s, who: who, x: sale, door: event}
	switch c.verdict, err = s.Booking.Scan(r.Context(), a, x.LetIn); {
	case errors.Is(err, domain.ErrNotFound):
		return unknownTicket(x), nil
	case err != nil:
		return scanAnswer{}, err
	}
	if c.next, err = s.Booking.ExchangedFor(r.Context(), sale.Tickets[0]); err != nil {
		return scanAnswer{}, err
	}
	out := s.doorAnswer(c, stop)
	out.Key, out.Conflict = x.Key, x.LetIn && out.word != booking.DoorIn
	return out, nil
}

func unknownTicket(x doorScan) scanAnswer {
	return scanAnswer{Key: x.Key, Conflict: x.LetIn, word: booking.DoorUnknown, DoorAnswer: views.DoorAnswer{
		Tone: "bad", Icon: "cross", Word: "Unknown", Text: []string{"This is no ticket of ours, or it was replaced by a newer one. Ask for the reference and look it up in the list."},
	}}
}

// doorAnswer puts a verdict into words for the door; stop is where the door stands, -1
// when that is not known.
func (s *site) doorAnswer(c checkInPage, stop int) scanAnswer {
	var v views.StaffCheckIn
	manager := c.who.Role.Covers(access.Manager)
	c.judge(&v, manager)
	o, t := c.x.Scene, c.x.Tickets[0]
	out := scanAnswer{word: c.verdict.Word, State: doorState(c.verdict.Word), DoorAnswer: views.DoorAnswer{
		Tone: v.Tone, Icon: v.Icon, Word: v.Word, Text: v.Text, Caution: v.Caution, Ticket: strconv.FormatInt(t.ID, 10), Seat: seatRef(o.Layout, t.SeatNo).Name,
		Who: strings.TrimPrefix(cmp.Or(t.Passenger, c.x.Booking.Name)+", "+t.TypeName, ", "),
	}}
	if out.Ticket == "" || c.verdict.Word == booking.DoorOther {
		out.Ticket, out.State = "", ""
	}
	if c.verdict.Word == booking.DoorIn || c.verdict.Word == booking.DoorAgain {
		out.State, out.Said = "in", onBoard(o, "In ", "On board ")+c.entered()
	}
	if c.verdict.Word == booking.DoorIn {
		out.Entry, out.UndoFor = v.Undo, v.UndoFor
	}
	if manager && (v.Anyway || c.verdict.Word == booking.DoorAgain) {
		out.CardURL = s.ticketURL(t) + "?" + url.Values{"event": {strconv.FormatInt(c.door, 10)}}.Encode()
	}
	if len(o.Stops) > 0 && stop >= 0 && stop != t.FromStop && c.verdict.Word == booking.DoorIn {
		out.Caution = "Boards at " + o.Stops[t.FromStop].Place + ", not here."
	}
	return out
}
