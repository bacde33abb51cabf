package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Swap moves an event with everybody in it to another hall or coach, or to the newest
// version of its plan, in one transaction: seats, tickets, holds, revision, log. Tickets
// keep their codes. Who gets no seat keeps a ticket that says so, and a task names them.
// Nobody is told before TellSwap.
//
// domain.ErrStale: the event or who sits in it changed meanwhile; nothing was done.
// *domain.RuleError: the seating cannot be, or the event is over. domain.ErrOverlap: the
// hall or coach is in use then.
func (s *Service) Swap(ctx context.Context, by domain.By, x Swap) error {
	target, err := s.db.Resource(ctx, x.ResourceID)
	if err != nil {
		return err
	}
	return s.inSwap(ctx, x.EventID, func(t *db.Tx, e domain.Event) error {
		if e.Revision != x.Revision {
			return domain.ErrStale
		}
		kind := "hall"
		if e.Kind == domain.Trip {
			kind = "coach"
		}
		if target.Kind != kind || target.Retired {
			return &domain.RuleError{Code: "resource", Words: "This event cannot go there. Nothing was changed."}
		}
		w := db.EventSwap{EventID: e.ID, Who: by.Actor, FromResource: idOrNil(e.ResourceID), ToResource: &target.ID, FromVersion: e.LayoutVersionID, ToVersion: target.LayoutVersionID}
		moves, revision, err := s.reseat(ctx, t, e, w.ToResource, w.ToVersion, x.To)
		if err != nil {
			return err
		}
		w.EventRevision = revision
		id, err := t.InsertSwap(ctx, w)
		if err != nil {
			return err
		}
		if err := t.InsertMoves(ctx, id, e.ID, moves); err != nil {
			return err
		}
		return logSwap(ctx, t, by, "event_swapped", e, w, moves)
	})
}

func idOrNil(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

func logSwap(ctx context.Context, t *db.Tx, by domain.By, action string, e domain.Event, w db.EventSwap, moves []db.SeatMove) error {
	seats := map[string]string{}
	for _, m := range moves {
		seats[m.FromSeat] = m.ToSeat
	}
	before := map[string]any{"hall": valueOf(w.FromResource), "plan": w.FromVersion}
	after := map[string]any{"hall": valueOf(w.ToResource), "plan": w.ToVersion, "seats": seats}
	return t.Log(ctx, by, action, fmt.Sprintf("event:%d", e.ID), before, after)
}

// inSwap locks the event's live holds, then the event, in the house's order, so that
// neither a claim nor a payment is settled beside what do does.
func (s *Service) inSwap(ctx context.Context, eventID int64, do func(t *db.Tx, e domain.Event) error) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		if err := lockHoldsOf(ctx, t, eventID); err != nil {
			return err
		}
		events, err := t.LockEvents(ctx, eventID)
		if err != nil {
			return err
		}
		if len(events) == 0 {
			return domain.ErrNotFound
		}
		e := events[0]
		if e.Status == "cancelled" || !e.EndsAt.After(e.Now) {
			return &domain.RuleError{Code: "over", Words: "This event is over or cancelled: its seats stay as they are."}
		}
		return do(t, e)
	})
}

func lockHoldsOf(ctx context.Context, t *db.Tx, eventID int64) error {
	list, err := t.Seated(ctx, eventID)
	if err != nil {
		return err
	}
	var ids []string
	for _, x := range list {
		if x.HoldID != "" {
			ids = append(ids, x.HoldID)
		}
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if err := t.LockHold(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// reseat gives a locked event another plan and everybody their place of the seating. Every
// rider must be in it: one that is not came meanwhile.
func (s *Service) reseat(ctx context.Context, t *db.Tx, e domain.Event, resourceID *int64, version int64, to map[string]string) ([]db.SeatMove, int, error) {
	old, err := t.Layout(ctx, e.LayoutVersionID)
	if err != nil {
		return nil, 0, err
	}
	plan, err := t.Layout(ctx, version)
	if err != nil {
		return nil, 0, err
	}
	rows, err := t.LockSeatRows(ctx, e.ID)
	if err != nil {
		return nil, 0, err
	}
	all, err := parties(ctx, t.Queries, e, old)
	if err != nil {
		return nil, 0, err
	}
	closed := blockedPlaces(e, rows)
	for no := range closed {
		if _, ok := plan.Seat(no); !ok {
			delete(closed, no)
		}
	}
	if err := complete(all, to); err != nil {
		return nil, 0, err
	}
	if wrong := plan.CheckSeating(seating(old, all), to, closed); len(wrong) > 0 {
		return nil, 0, &domain.RuleError{Code: "seats", Words: "Some places do not do: see the words beside them. Nothing was changed."}
	}
	to = numbered(all, to)
	revision, err := s.write(ctx, t, e, plan, resourceID, version, all, rows, closed, to)
	return movesOf(all, to), revision, err
}

// complete says whether a seating is of exactly these riders.
func complete(all []Party, to map[string]string) error {
	n := 0
	for _, p := range all {
		for _, r := range p.Riders {
			if _, ok := to[r.Key]; !ok {
				return domain.ErrStale
			}
			n++
		}
	}
	if n != len(to) {
		return domain.ErrStale
	}
	return nil
}

// numbered gives those without a place a key of their own each.
func numbered(all []Party, to map[string]string) map[string]string {
	out, n := make(map[string]string, len(to)), 0
	for _, p := range all {
		for _, r := range p.Riders {
			if out[r.Key] = to[r.Key]; out[r.Key] == "" {
				n++
				out[r.Key] = fmt.Sprintf("%s%d", noSeat, n)
			}
		}
	}
	return out
}

func movesOf(all []Party, to map[string]string) (out []db.SeatMove) {
	for _, p := range all {
		for _, r := range p.Riders {
			if to[r.Key] == r.SeatNo {
				continue
			}
			m := db.SeatMove{FromSeat: r.SeatNo, ToSeat: to[r.Key]}
			if r.TicketID != 0 {
				m.TicketID = &r.TicketID
			} else {
				m.HoldID = &r.HoldID
			}
			out = append(out, m)
		}
	}
	return out
}

// write stores it: tickets, seats, holds, legs, the event.
func (s *Service) write(ctx context.Context, t *db.Tx, e domain.Event, plan *domain.Layout, resourceID *int64, version int64, all []Party, rows []db.SeatRow, closed map[string]bool, to map[string]string) (int, error) {
	var tickets []int64
	var seats []string
	for _, p := range all {
		for _, r := range p.Riders {
			if r.TicketID != 0 {
				tickets, seats = append(tickets, r.TicketID), append(seats, to[r.Key])
			}
		}
	}
	if err := t.ReseatTickets(ctx, e.ID, tickets, seats); err != nil {
		return 0, err
	}
	if err := t.ReplaceSeats(ctx, e.ID, version, e.LastStop, takenRows(all, rows, closed, to)); err != nil {
		return 0, err
	}
	if err := t.PutTicketLegs(ctx, e.ID); err != nil {
		return 0, err
	}
	for _, p := range all {
		if err := moveHold(ctx, t, e, plan, p, to); err != nil {
			return 0, err
		}
		if err := taskFor(ctx, t, e, p, to); err != nil {
			return 0, err
		}
	}
	return t.SwapEvent(ctx, e.ID, resourceID, version)
}

// takenRows are the new rows that somebody has: as the old ones of the same rider, and the
// blocked places that the plan still has.
func takenRows(all []Party, rows []db.SeatRow, closed map[string]bool, to map[string]string) (out []db.SeatRow) {
	type at struct {
		seat string
		leg  int
	}
	old := map[at]db.SeatRow{}
	for _, r := range rows {
		old[at{r.SeatNo, r.Leg}] = r
		if closed[r.SeatNo] && r.State == "blocked" {
			out = append(out, r)
		}
	}
	for _, p := range all {
		for _, r := range p.Riders {
			for leg := p.Ride.FirstLeg(); leg <= p.Ride.LastLeg(); leg++ {
				row := old[at{r.SeatNo, leg}]
				row.SeatNo, row.Leg = to[r.Key], leg
				out = append(out, row)
			}
		}
	}
	return out
}

// moveHold writes the new seats into a hold that is still being bought; what was told as
// its price stays.
func moveHold(ctx context.Context, t *db.Tx, e domain.Event, plan *domain.Layout, p Party, to map[string]string) error {
	if p.BookingID != 0 {
		return nil
	}
	h, err := t.Hold(ctx, p.Riders[0].HoldID)
	if err != nil {
		return err
	}
	lines := slices.Clone(h.Seats)
	for i, line := range lines {
		lines[i].SeatNo = cmp.Or(to["h"+h.ID+"."+line.SeatNo], line.SeatNo)
		if c, ok := plan.Seat(lines[i].SeatNo); ok {
			lines[i].Zone = c.Zone
		}
	}
	return t.PutHoldSeats(ctx, e.ID, h.ID, lines)
}

// taskFor names people without a seat to staff.
func taskFor(ctx context.Context, t *db.Tx, e domain.Event, p Party, to map[string]string) error {
	n := 0
	for _, r := range p.Riders {
		if strings.HasPrefix(to[r.Key], noSeat) {
			n++
		}
	}
	if n == 0 || p.BookingID == 0 {
		return nil
	}
	words := fmt.Sprintf("%s has no seat any more for %d of %d: please call and find another seat or another departure, or cancel.", cmp.Or(p.Name, domain.ShowReference(p.Reference)), n, len(p.Riders))
	if p.Phone != "" {
		words += " Phone " + p.Phone + "."
	}
	_, err := t.InsertTask(ctx, db.StaffTask{Kind: "no_seat", Words: words, BookingID: &p.BookingID, EventID: &e.ID})
	return err
}

// UndoSwap takes the newest swap of an event back, while nobody was told and nothing else
// of the event changed. Who booked since keeps the seat where the old plan has it free.
// Errors as Swap.
func (s *Service) UndoSwap(ctx context.Context, by domain.By, eventID int64) error {
	return s.inSwap(ctx, eventID, func(t *db.Tx, e domain.Event) error {
		w, err := t.LastSwap(ctx, eventID)
		if err != nil {
			return err
		}
		if w.ToldAt != nil || w.EventRevision != e.Revision {
			return domain.ErrStale
		}
		moves, err := t.MovesOf(ctx, w.ID)
		if err != nil {
			return err
		}
		plan, err := t.Layout(ctx, e.LayoutVersionID)
		if err != nil {
			return err
		}
		all, err := parties(ctx, t.Queries, e, plan)
		if err != nil {
			return err
		}
		back, _, err := s.reseat(ctx, t, e, w.FromResource, w.FromVersion, before(all, moves))
		var rule *domain.RuleError
		if errors.As(err, &rule) && rule.Code == "seats" {
			return &domain.RuleError{Code: "booked_since", Words: "Somebody booked since, and the old plan has no such seat free. Nothing was undone; please swap back by hand instead."}
		}
		if err != nil {
			return err
		}
		if err := t.UndoneSwap(ctx, w.ID); err != nil {
			return err
		}
		w.FromResource, w.ToResource, w.FromVersion, w.ToVersion = w.ToResource, w.FromResource, w.ToVersion, w.FromVersion
		return logSwap(ctx, t, by, "event_swap_undone", e, w, back)
	})
}

// before is where everybody sat before some moves.
func before(all []Party, moves []db.SeatMove) map[string]string {
	to := map[string]string{}
	for _, p := range all {
		for _, r := range p.Riders {
			seat := r.SeatNo
			for _, m := range moves {
				if m.TicketID != nil && *m.TicketID == r.TicketID || m.HoldID != nil && *m.HoldID == r.HoldID && m.ToSeat == r.SeatNo {
					seat = m.FromSeat
				}
			}
			if strings.HasPrefix(seat, noSeat) {
				seat = ""
			}
			to[r.Key] = seat
		}
	}
	return to
}

// TellSwap sends one mail for each booking whose seats the newest swap changed; from then
// on it cannot be undone. It answers how many go out. domain.ErrConflict: they were told,
// or it was undone.
func (s *Service) TellSwap(ctx context.Context, by domain.By, eventID int64) (mails int, err error) {
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		w, err := t.LastSwap(ctx, eventID)
		if err != nil {
			return err
		}
		if err := t.ToldSwap(ctx, w.ID); err != nil {
			return err
		}
		people, err := t.SwapPeople(ctx, w.ID)
		if err != nil {
			return err
		}
		mails = len(people)
		for _, a := range people {
			id, err := t.InsertMail(ctx, db.Mail{Kind: "seat_changed", BookingID: &a.BookingID, SwapID: &w.ID, ToAddress: a.Email})
			if err != nil {
				return err
			}
			if err := t.Enqueue(ctx, domain.MailJob{MailID: id}, time.Time{}); err != nil {
				return err
			}
		}
		return t.Log(ctx, by, "event_swap_told", fmt.Sprintf("event:%d", eventID), nil, map[string]any{"mails": mails})
	})
	return mails, err
}
