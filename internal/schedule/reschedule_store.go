package schedule

import (
	"context"
	"errors"
	"fmt"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// effect counts what the change does to customers.
func (c *change) effect(ctx context.Context) (Effect, error) {
	x := Effect{Changed: len(c.events)}
	for i, e := range c.events {
		if c.list[i].StartsAt.Equal(e.StartsAt) {
			continue
		}
		x.Moved = append(x.Moved, Moved{Title: title(e), Was: e.StartsAt, Is: c.list[i].StartsAt, TimeZone: e.TimeZone})
		uses, err := c.q.EventUses(ctx, e.ID)
		if err != nil {
			return x, err
		}
		x.Bookings, x.Tickets, x.Mails = x.Bookings+uses[0].Bookings, x.Tickets+uses[0].Tickets, x.Mails+uses[0].Mails
	}
	return x, nil
}

// store writes the change, its log lines and the customers' mails.
func (c *change) store(ctx context.Context, by domain.By) error {
	var replanned []int64
	for i, e := range c.events {
		if c.list[i].LayoutVersionID == e.LayoutVersionID {
			continue
		}
		if err := c.t.DropAllSeats(ctx, e.ID); errors.Is(err, domain.ErrConflict) {
			return &domain.RuleError{Code: "in_use", Words: name(e) + " has blocked seats. Please lift the blocks before it changes its seat plan."}
		} else if err != nil {
			return err
		}
		replanned = append(replanned, e.ID)
	}
	if err := c.t.ChangeEvents(ctx, c.list); err != nil {
		return err
	}
	if len(replanned) > 0 {
		if err := c.t.AddSeatsOf(ctx, replanned); err != nil {
			return err
		}
	}
	var public []int64
	for i, e := range c.events {
		if e.Status == "published" {
			public = append(public, e.ID)
		}
		was, is := edited(e, c.list[i])
		if err := c.t.Log(ctx, by, "event_changed", fmt.Sprintf("event:%d", e.ID), was, is); err != nil {
			return err
		}
	}
	if err := publishable(ctx, c.t, public, c.set); err != nil {
		return err
	}
	return c.mail(ctx)
}

// mail tells the customers of events that begin at another time.
func (c *change) mail(ctx context.Context) error {
	was := map[int64]time.Time{}
	var moved []int64
	for i, e := range c.events {
		if !c.list[i].StartsAt.Equal(e.StartsAt) {
			was[e.ID], moved = e.StartsAt, append(moved, e.ID)
		}
	}
	if len(moved) == 0 {
		return nil
	}
	people, err := c.t.Addressees(ctx, moved...)
	if err != nil {
		return err
	}
	for _, a := range people {
		id, err := c.t.InsertMail(ctx, db.Mail{Kind: "moved", BookingID: &a.BookingID, WasAt: new(was[a.EventID]), ToAddress: a.Email})
		if err != nil {
			return err
		}
		if err := c.t.Enqueue(ctx, domain.MailJob{MailID: id}, time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

// edited is what of an event changes, for the log.
func edited(e domain.Event, n db.EventChange) (was, is map[string]any) {
	was, is = map[string]any{}, map[string]any{}
	put := func(key string, a, b any) {
		if a != b {
			was[key], is[key] = a, b
		}
	}
	at := func(t time.Time) string { return t.UTC().Format("2006-01-02T15:04Z") }
	put("starts_at", at(e.StartsAt), at(n.StartsAt))
	put("ends_at", at(e.EndsAt), at(n.EndsAt))
	put("hall", e.ResourceID, valueOf(n.ResourceID))
	put("price_list", e.TariffID, n.TariffID)
	put("film", e.FilmID, valueOf(n.FilmID))
	put("closes_web", minutes(e.SalesCloseMinutes), minutes(n.SalesCloseMinutes))
	put("closes_counter", minutes(e.SalesCloseCounter), minutes(n.SalesCloseCounter))
	put("closes_agent", minutes(e.SalesCloseAgent), minutes(n.SalesCloseAgent))
	return was, is
}

func valueOf(id *int64) int64 {
	if id == nil {
		return 0
	}
	return *id
}

func minutes(m *int) string {
	if m == nil {
		return "as usual"
	}
	return fmt.Sprint(*m)
}
