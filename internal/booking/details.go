package booking

import (
	"context"
	"fmt"
	"net/mail"
	"strings"
	"unicode/utf8"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Details is what the visitor typed on the hold page.
type Details struct {
	Name, Email, Phone string
	Types              map[string]string // by seat_no; missing: as it was
	Passengers         map[string]string // by seat_no; trips only
	Women              map[string]bool   // by seat_no: a woman travels there
}

// FieldError is one thing to mend, by the field's name in the form.
type FieldError struct{ Field, Words string }

// InvalidDetails lists everything to mend. What was typed is stored all the same, so
// that nothing is lost.
type InvalidDetails []FieldError

func (e InvalidDetails) Error() string { return fmt.Sprintf("%d fields need mending", len(e)) }

// SetDetails stores names, contact and ticket types; the total follows from the prices
// of the hold. An open payment page is closed first when the total changes.
//
// Errors: InvalidDetails, ErrHoldEnded, ErrAlreadyPaid, ErrGateway.
func (s *Service) SetDetails(ctx context.Context, holder domain.Holder, holdID string, d Details) error {
	h, err := s.own(ctx, s.db, holder, holdID)
	if err != nil {
		return err
	}
	if err := alive(h); err != nil {
		return err
	}
	e, err := s.db.Event(ctx, h.EventID)
	if err != nil {
		return err
	}
	ask, err := s.asksFor(ctx, s.db.Queries, e, h)
	if err != nil {
		return err
	}
	before := h.Total
	wrong := fill(h, d, ask)
	// A page that is open would be paid for the old total, or book without an address.
	if h.Total != before || len(wrong) > 0 {
		if settled, err := s.closeLive(ctx, h.ID); err != nil || settled == Booked {
			return firstOf(err, domain.ErrAlreadyPaid)
		}
	}
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.LockHold(ctx, h.ID); err != nil {
			return err
		}
		now, err := t.Hold(ctx, h.ID)
		if err != nil {
			return err
		}
		if err := alive(now); err != nil {
			return err
		}
		if ask, err = s.asksFor(ctx, t.Queries, e, now); err != nil {
			return err
		}
		total := now.Total
		wrong = fill(now, d, ask)
		if now.PaymentState.Live() && (now.Total != total || len(wrong) > 0) {
			return domain.ErrBusy // another tab changed the order or pressed Pay since
		}
		if err := t.SetHoldDetails(ctx, now, len(wrong) == 0); err != nil {
			return endedIf(err)
		}
		return t.PutHoldSeats(ctx, now.EventID, now.ID, now.Seats)
	})
	if err == nil && len(wrong) > 0 {
		return wrong
	}
	return err
}

// asks is what a hold's details must say beyond name and address.
type asks struct {
	names    bool            // of passengers
	forWomen map[string]bool // seats that only women may take
	beside   bool            // a woman alone may ask that the seat beside her be kept
}

// asksFor reads it for a hold. That a seat beside has been kept for women meanwhile is
// seen until the details are right; who is through with them keeps what they were sold.
func (s *Service) asksFor(ctx context.Context, q db.Queries, e domain.Event, h *domain.Hold) (asks, error) {
	a := asks{names: e.Kind == domain.Trip}
	set, err := s.readSettings(ctx, q)
	if err != nil || set.LadiesRule == "off" {
		return a, err
	}
	l, err := s.layout(ctx, q, e.LayoutVersionID)
	if err != nil {
		return a, err
	}
	o := Offer{Event: e, Layout: l, Settings: set}
	a.beside = o.MayKeepBeside(h)
	a.forWomen, err = s.forWomen(ctx, q, e, l, h.Ride, set.LadiesRule)
	return a, err
}

func firstOf(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

// fill puts what was typed into the hold and says what is wrong with it. Refused
// ticket types leave the seat's as it was.
func fill(h *domain.Hold, d Details, ask asks) (wrong InvalidDetails) {
	h.Name, h.Email, h.Phone = tidyText(d.Name, 200), tidyText(d.Email, 254), tidyText(d.Phone, 40)
	h.Total = 0
	for i := range h.Seats {
		seat := &h.Seats[i]
		if want, given := d.Types[seat.SeatNo]; given {
			if f, ok := h.Fares.Price(seat.Zone, want); ok {
				seat.Type, seat.Price = f.Type, f.Price
			} else {
				wrong = append(wrong, FieldError{"type." + seat.SeatNo, "Please choose one of the tickets of the list."})
			}
		}
		h.Total += seat.Price
		seat.Woman = d.Women[seat.SeatNo] && (ask.beside || ask.forWomen[seat.SeatNo]) // kept only where it is needed
		if ask.forWomen[seat.SeatNo] && !seat.Woman {
			wrong = append(wrong, FieldError{"woman." + seat.SeatNo, seat.SeatNo + " is kept for women. Please say that a woman travels there, or change your seats."})
		}
		if !ask.names {
			continue
		}
		if name, given := d.Passengers[seat.SeatNo]; given {
			seat.Passenger = tidyText(name, 200)
		}
		if seat.Passenger == "" {
			wrong = append(wrong, FieldError{"passenger." + seat.SeatNo, "Please give the name of the passenger in seat " + seat.SeatNo + "."})
		}
	}
	if h.Name == "" {
		wrong = append(wrong, FieldError{"name", "Please give your name."})
	}
	if words := EmailProblem(h.Email); words != "" {
		wrong = append(wrong, FieldError{"email", words})
	}
	if digits := strings.Count(strings.Map(digitsOnly, h.Phone), "0"); h.Phone != "" && digits < 5 {
		wrong = append(wrong, FieldError{"phone", "This phone number looks too short. Leave it empty if you like."})
	}
	return wrong
}

func digitsOnly(r rune) rune {
	if r >= '0' && r <= '9' {
		return '0'
	}
	return -1
}

// EmailProblem says in words what is wrong with an e-mail address, "" for nothing.
func EmailProblem(s string) string {
	switch at := strings.LastIndexByte(s, '@'); {
	case s == "":
		return "Please give your e-mail address: your tickets go there."
	case at < 0:
		return "An @ is missing. Example: name@example.com"
	case at == 0 || !strings.Contains(s[at:], ".") || strings.HasSuffix(s, "."):
		return "This is not a whole e-mail address. Example: name@example.com"
	}
	if a, err := mail.ParseAddress(s); err != nil || a.Address != s {
		return "This e-mail address cannot be right. Example: name@example.com"
	}
	return ""
}

// tidyText makes one line of what was typed, without control characters, cut to the
// longest a field may be.
func tidyText(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most])
	}
	return s
}
