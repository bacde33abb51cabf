package booking

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Entry is one letting-in of a ticket.
type Entry = db.Entry

// DoorVerdict is what a ticket is worth at the door.
type DoorVerdict string

// Verdicts, the ones that weigh more first: a cancelled ticket is cancelled even if
// somebody came in with it before.
const (
	DoorCancelled DoorVerdict = "cancelled" // the ticket
	DoorOff       DoorVerdict = "off"       // the event
	DoorOther     DoorVerdict = "other"     // good, but for another event than this door's
	DoorAgain     DoorVerdict = "again"     // came in before: Entry says when, where and by whom
	DoorUnpaid    DoorVerdict = "unpaid"    // no money came
	DoorRefunded  DoorVerdict = "refunded"  // all the money went back and nobody decided
	DoorAsk       DoorVerdict = "ask"       // a chargeback that staff have not decided
	DoorValid     DoorVerdict = "valid"     // may come in
	DoorIn        DoorVerdict = "in"        // came in by this very act
	DoorUnknown   DoorVerdict = "unknown"   // no ticket of this house, or its code was replaced
)

// Verdict is a ticket's worth with the entry that stands.
type Verdict struct {
	Word  DoorVerdict
	Entry Entry // of "in" and "again"; else empty
	Now   time.Time
}

// Knowingly says whether a manager may let it in all the same.
func (v Verdict) Knowingly() bool {
	return v.Word == DoorAsk || v.Word == DoorUnpaid || v.Word == DoorRefunded
}

// Door judges a ticket without changing anything. door is the event people come in to,
// 0 when that is not known. domain.ErrNotFound: no such ticket.
func (s *Service) Door(ctx context.Context, eventID, ticketID, door int64) (Verdict, error) {
	f, err := s.db.DoorFacts(ctx, eventID, ticketID)
	if err != nil {
		return Verdict{}, err
	}
	return s.judge(ctx, s.db.Queries, f, eventID, ticketID, door)
}

func (s *Service) judge(ctx context.Context, q db.Queries, f db.DoorFacts, eventID, ticketID, door int64) (Verdict, error) {
	v := Verdict{Word: worth(f, eventID, door), Now: f.Now}
	if v.Word != DoorAgain {
		return v, nil
	}
	var err error
	v.Entry, err = q.Entry(ctx, eventID, ticketID)
	return v, ignore(err, domain.ErrNotFound) // undone since
}

func worth(f db.DoorFacts, eventID, door int64) DoorVerdict {
	switch {
	case f.TicketState != "valid" || f.BookingState != "confirmed":
		return DoorCancelled
	case f.EventStatus == "cancelled":
		return DoorOff
	case door != 0 && door != eventID:
		return DoorOther
	case f.IsIn:
		return DoorAgain
	case !f.Paid:
		return DoorUnpaid
	case f.MoneyBack:
		return DoorRefunded
	case f.Disputed:
		return DoorAsk
	}
	return DoorValid
}

// Admission is one press or scan at a door.
type Admission struct {
	EventID, TicketID int64
	CodeVersion       int    // of the scanned code; 0 when the ticket was picked from a list
	Door              int64  // the event people come in to; 0: not known
	Key               string // of the press: sent again it is the same one
	Place             string // the door or the stop, in words; "" is not known
	By                domain.By
	At                time.Time // when it was scanned; zero: now
	// Reason is why a manager lets in what the office has not decided about; the caller
	// has looked at the role. "" for everybody else.
	Reason string
}

// earliest is how old a scan without a line may be when it arrives.
const earliest = 48 * time.Hour

// scannedAt is when a scan that arrives now was made, as far as it can be believed.
func scannedAt(at, now time.Time) time.Time {
	if at.IsZero() || at.After(now) || at.Before(now.Add(-earliest)) {
		return now
	}
	return at
}

// CheckIn lets a ticket in once. The verdict is "in" when it did, also when the same key
// comes again; everything else says why not, and nothing was changed. A key whose entry
// was undone does nothing any more.
//
// domain.ErrNotFound: no such ticket, or its code was replaced. *domain.RuleError: a key
// is missing.
func (s *Service) CheckIn(ctx context.Context, a Admission) (Verdict, error) {
	staff, err := staffID(a.By)
	if err != nil {
		return Verdict{}, err
	}
	if a.Key = tidyText(a.Key, 80); a.Key == "" {
		return Verdict{}, &domain.RuleError{Code: "key", Words: "The form was not complete. Please open the ticket again."}
	}
	a.Reason = tidyText(a.Reason, 500)
	var v Verdict
	try := func() error {
		return s.db.InTx(ctx, func(t *db.Tx) error {
			v, err = s.checkIn(ctx, t, a, staff)
			return err
		})
	}
	if err = try(); errors.Is(err, domain.ErrConflict) { // the same key, twice at the same moment
		err = try()
	}
	return v, err
}

func (s *Service) checkIn(ctx context.Context, t *db.Tx, a Admission, staff int64) (Verdict, error) {
	f, err := t.DoorFacts(ctx, a.EventID, a.TicketID)
	if err != nil {
		return Verdict{}, err
	}
	if a.CodeVersion != 0 && a.CodeVersion != f.CodeVersion {
		return Verdict{}, fmt.Errorf("ticket code of version %d: %w", a.CodeVersion, domain.ErrNotFound)
	}
	switch e, err := t.EntryByKey(ctx, a.EventID, a.TicketID, a.Key); {
	case err == nil && e.UndoneAt == nil && f.TicketState == "valid":
		return Verdict{Word: DoorIn, Entry: e, Now: f.Now}, nil
	case err == nil:
		return s.judge(ctx, t.Queries, f, a.EventID, a.TicketID, a.Door)
	case !errors.Is(err, domain.ErrNotFound):
		return Verdict{}, err
	}
	if a.Door != 0 && a.Door != a.EventID {
		return s.judge(ctx, t.Queries, f, a.EventID, a.TicketID, a.Door)
	}
	_, err = t.CheckIn(ctx, db.NewEntry{
		EventID: a.EventID, TicketID: a.TicketID, Key: a.Key, StaffID: staff, Place: tidyText(a.Place, 80), Reason: a.Reason, Knowing: a.Reason != "", At: scannedAt(a.At, f.Now),
	})
	if errors.Is(err, domain.ErrNotFound) {
		if f, err = t.DoorFacts(ctx, a.EventID, a.TicketID); err != nil { // as it is now that we waited
			return Verdict{}, err
		}
		v, err := s.judge(ctx, t.Queries, f, a.EventID, a.TicketID, a.Door)
		if v.Word == DoorAgain && v.Entry.Key == a.Key {
			v.Word = DoorIn
		}
		return v, err
	}
	if err != nil {
		return Verdict{}, err
	}
	e, err := t.EntryByKey(ctx, a.EventID, a.TicketID, a.Key)
	if err != nil {
		return Verdict{}, err
	}
	note := map[string]any{"ticket": a.TicketID, "seat": f.SeatNo, "place": e.Place}
	if a.Reason != "" {
		note["why"] = a.Reason
	}
	return Verdict{Word: DoorIn, Entry: e, Now: f.Now}, t.Log(ctx, a.By, "check in", fmt.Sprintf("booking:%d", f.BookingID), nil, note)
}

// DoorCount says how many of an event's valid tickets are in, and how many there are.
func (s *Service) DoorCount(ctx context.Context, eventID int64) (in, of int, err error) {
	n, err := s.db.DoorCount(ctx, eventID)
	return n.InNow, n.Of, err
}

// undoSeconds is how long a letting-in can be taken back: the page offers ten seconds,
// the rest is for slow lines.
const undoSeconds = 30

// UndoCheckIn takes one letting-in back; late is a manager, who may always. Done twice it
// is one. domain.ErrConflict: too late, or another entry stands.
func (s *Service) UndoCheckIn(ctx context.Context, eventID, ticketID, entryID int64, late bool, by domain.By) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		f, err := t.DoorFacts(ctx, eventID, ticketID)
		if err != nil {
			return err
		}
		if !f.IsIn {
			return nil
		}
		if err := t.UndoCheckIn(ctx, eventID, ticketID, entryID, undoSeconds, late); err != nil {
			return err
		}
		return t.Log(ctx, by, "undo check-in", fmt.Sprintf("booking:%d", f.BookingID), nil, map[string]any{"ticket": ticketID, "seat": f.SeatNo})
	})
}

// staffID is the number in "staff:7": only people let people in.
func staffID(by domain.By) (int64, error) {
	id, err := strconv.ParseInt(strings.TrimPrefix(by.Actor, "staff:"), 10, 64)
	if err != nil || !strings.HasPrefix(by.Actor, "staff:") {
		return 0, fmt.Errorf("%q cannot let anybody in", by.Actor)
	}
	return id, nil
}
