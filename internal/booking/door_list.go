package booking

import (
	"context"

	"holdfast/db"
	"holdfast/internal/domain"
)

// DoorEvent is an event that people come in to.
type DoorEvent = db.DoorEvent

// DoorConflict is somebody let in without a line whose ticket was not good any more.
type DoorConflict = db.DoorConflict

// DoorEvents lists the events of the house's day and those that still run.
func (s *Service) DoorEvents(ctx context.Context) ([]DoorEvent, error) {
	return s.db.DoorEvents(ctx)
}

// DoorList is everybody with a ticket for an event.
type DoorList struct {
	Scene     *Offer // no fares
	People    []domain.Passenger
	Conflicts []DoorConflict
}

// DoorList reads it; domain.ErrNotFound for what is not an event, and for drafts.
func (s *Service) DoorList(ctx context.Context, eventID int64) (*DoorList, error) {
	o, err := s.Scene(ctx, eventID, nil)
	if err != nil {
		return nil, err
	}
	if o.Event.Status == "draft" {
		return nil, domain.ErrNotFound
	}
	d := &DoorList{Scene: o}
	if d.People, err = s.db.Passengers(ctx, eventID); err != nil {
		return nil, err
	}
	d.Conflicts, err = s.db.DoorConflicts(ctx, eventID)
	return d, err
}

// Worth is what the ticket of one of them is worth at this event's door.
func (d *DoorList) Worth(p domain.Passenger) DoorVerdict {
	return worth(db.DoorFacts{
		TicketState: p.TicketState, BookingState: p.BookingState, EventStatus: d.Scene.Event.Status,
		IsIn: p.In(), Paid: p.Paid, MoneyBack: p.MoneyBack, Disputed: p.Disputed,
	}, d.Scene.Event.ID, 0)
}
