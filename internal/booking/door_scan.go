package booking

import (
	"context"
	"errors"
	"fmt"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Scan is CheckIn for a scan that may have waited for a line. letIn says that its door
// has let the holder in already, on the word of the list it had loaded. When the ticket
// turns out not to be good any more, that is kept for staff as a conflict, once per key;
// the verdict says what the ticket is worth.
func (s *Service) Scan(ctx context.Context, a Admission, letIn bool) (Verdict, error) {
	v, err := s.CheckIn(ctx, a)
	unknown := errors.Is(err, domain.ErrNotFound)
	if !letIn || v.Word == DoorIn || err != nil && !unknown {
		return v, err
	}
	if unknown {
		v.Word = DoorUnknown
	}
	return v, errors.Join(err, s.keepConflict(ctx, a, v.Word))
}

func (s *Service) keepConflict(ctx context.Context, a Admission, word DoorVerdict) error {
	staff, err := staffID(a.By)
	if err != nil {
		return err
	}
	return s.db.InTx(ctx, func(t *db.Tx) error {
		e := db.NewEntry{EventID: a.EventID, TicketID: a.TicketID, Key: tidyText(a.Key, 80), StaffID: staff, Place: tidyText(a.Place, 80), At: scannedAt(a.At, time.Now())}
		if _, err := t.InsertConflict(ctx, e, string(word)); err != nil {
			return ignore(err, domain.ErrNotFound)
		}
		x, err := t.Ticket(ctx, a.EventID, a.TicketID)
		if err != nil {
			return err
		}
		words := fmt.Sprintf("Seat %s was let in%s without a line, but the ticket was %s.", x.SeatNo, atPlace(e.Place), conflictWord(word))
		if _, err := t.InsertTask(ctx, db.StaffTask{Kind: "door_conflict", Words: words, BookingID: &x.BookingID, EventID: &a.EventID}); err != nil {
			return err
		}
		return t.Log(ctx, a.By, "door conflict", fmt.Sprintf("booking:%d", x.BookingID), nil, map[string]any{
			"ticket": x.ID, "seat": x.SeatNo, "place": e.Place, "verdict": word,
		})
	})
}

func atPlace(place string) string {
	if place == "" {
		return ""
	}
	return " at " + place
}

func conflictWord(word DoorVerdict) string {
	switch word {
	case DoorAgain:
		return "in already by another door"
	case DoorCancelled, DoorOff:
		return "cancelled"
	case DoorUnpaid, DoorRefunded:
		return "not paid"
	case DoorAsk:
		return "disputed"
	}
	return "not valid any more"
}
