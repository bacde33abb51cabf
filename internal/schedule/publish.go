package schedule

import (
	"context"
	"fmt"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// NoPriceError refuses an event whose price list lacks a price that it needs.
type NoPriceError struct {
	TariffID int64 // the list
	Rule     *domain.RuleError
}

func (e *NoPriceError) Error() string { return e.Rule.Error() }
func (e *NoPriceError) Unwrap() error { return e.Rule }

// publishable refuses, in words that name the event, what may not go on sale: it has
// begun, or a price is missing or in another currency than the house's.
func publishable(ctx context.Context, t *db.Tx, ids []int64, set domain.Settings) error {
	events, err := t.EventsByID(ctx, ids)
	if err != nil {
		return err
	}
	for _, e := range events {
		if !e.StartsAt.After(e.Now) {
			return &domain.RuleError{Code: "begun", Words: name(e) + " has begun. It cannot be put on sale."}
		}
		if e.Currency != set.Currency {
			return &domain.RuleError{Code: "tariff", Words: fmt.Sprintf("The prices of %s are in %s, and the house sells in %s. Please choose another price list.", name(e), e.Currency, set.Currency)}
		}
		zones, err := t.MissingFares(ctx, e.ID)
		if err != nil {
			return err
		}
		if len(zones) > 0 {
			words := fmt.Sprintf("%s has no price for the zone %s. Please add it to its price list, or choose another list.", name(e), zones[0])
			return &NoPriceError{e.TariffID, &domain.RuleError{Code: "tariff", Words: words}}
		}
	}
	return nil
}

// title is the film or the route.
func title(e domain.Event) string {
	if e.Kind == domain.Trip {
		return e.Route
	}
	return e.Film
}

// name says which event: "Salt Road, Sat 5 Dec 19:30".
func name(e domain.Event) string {
	at := e.StartsAt.UTC()
	if zone, err := time.LoadLocation(e.TimeZone); err == nil {
		at = at.In(zone)
	}
	return title(e) + ", " + at.Format("Mon 2 Jan 15:04")
}

// lockOne locks an event that staff want to change: one that is cancelled or has begun
// is refused in words, another revision is domain.ErrStale.
func lockOne(ctx context.Context, t *db.Tx, id int64, revision int) (domain.Event, error) {
	list, err := t.LockEvents(ctx, id)
	if err != nil {
		return domain.Event{}, err
	}
	if len(list) == 0 {
		return domain.Event{}, domain.ErrNotFound
	}
	if err := Changeable(list[0]); err != nil {
		return list[0], err
	}
	if list[0].Revision != revision {
		return list[0], domain.ErrStale
	}
	return list[0], nil
}

// Changeable refuses what may not be changed any more, in words.
func Changeable(e domain.Event) error {
	switch {
	case e.Status == "cancelled":
		return &domain.RuleError{Code: "cancelled", Words: name(e) + " is cancelled. A cancelled event cannot be changed; make a new one instead."}
	case !e.StartsAt.After(e.Now):
		return &domain.RuleError{Code: "begun", Words: name(e) + " has begun. It cannot be changed any more."}
	}
	return nil
}

// Publish puts a draft on sale. Doing it again changes nothing.
func (s *Service) Publish(ctx context.Context, by domain.By, id int64, revision int, set domain.Settings) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		e, err := lockOne(ctx, t, id, revision)
		if err != nil || e.Status == "published" {
			return err
		}
		return publish(ctx, t, by, []int64{id}, set)
	})
}

// PublishDrafts puts every draft of a kind on business days on sale, all or none, and
// tells how many.
func (s *Service) PublishDrafts(ctx context.Context, by domain.By, kind domain.EventKind, from, to time.Time, set domain.Settings) (n int, err error) {
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		found, err := t.DraftsOfDays(ctx, kind, from, to)
		if err != nil {
			return err
		}
		locked, err := t.LockEvents(ctx, found...)
		if err != nil {
			return err
		}
		var ids []int64
		for _, e := range locked {
			if e.Status == "draft" && e.StartsAt.After(e.Now) { // a draft that has begun stays one
				ids = append(ids, e.ID)
			}
		}
		if n = len(ids); n == 0 {
			return nil
		}
		return publish(ctx, t, by, ids, set)
	})
	return n, err
}

func publish(ctx context.Context, t *db.Tx, by domain.By, ids []int64, set domain.Settings) error {
	if err := publishable(ctx, t, ids, set); err != nil {
		return err
	}
	if err := t.SetEventsStatus(ctx, ids, "published"); err != nil {
		return err
	}
	return logStatus(ctx, t, by, "event_published", ids, "draft", "published")
}

func logStatus(ctx context.Context, t *db.Tx, by domain.By, action string, ids []int64, was, is string) error {
	for _, id := range ids {
		if err := t.Log(ctx, by, action, fmt.Sprintf("event:%d", id), map[string]string{"status": was}, map[string]string{"status": is}); err != nil {
			return err
		}
	}
	return nil
}

// Unpublish makes a draft of an event again; refused while a seat is sold or held.
func (s *Service) Unpublish(ctx context.Context, by domain.By, id int64, revision int) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		e, err := lockOne(ctx, t, id, revision)
		if err != nil || e.Status == "draft" {
			return err
		}
		if err := unused(ctx, t, e, "Taking it off sale would leave them without an event. Cancel it instead: everybody gets the money back and a mail."); err != nil {
			return err
		}
		if err := t.SetEventsStatus(ctx, []int64{id}, "draft"); err != nil {
			return err
		}
		return logStatus(ctx, t, by, "event_unpublished", []int64{id}, "published", "draft")
	})
}

// unused refuses when customers have seats of a locked event; advice says what to do.
func unused(ctx context.Context, t *db.Tx, e domain.Event, advice string) error {
	uses, err := t.EventUses(ctx, e.ID)
	if err != nil {
		return err
	}
	if u := uses[0]; u.Sold > 0 || u.Held > 0 {
		return &domain.RuleError{Code: "in_use", Words: fmt.Sprintf("%s: %s. %s", name(e), inUse(u), advice)}
	}
	return nil
}

// inUse is "12 seats are sold and 2 are held".
func inUse(u db.EventUse) string {
	switch {
	case u.Held == 0:
		return seats(u.Sold) + " sold"
	case u.Sold == 0:
		return seats(u.Held) + " held right now"
	}
	return fmt.Sprintf("%s sold and %d held right now", seats(u.Sold), u.Held)
}

func seats(n int) string {
	if n == 1 {
		return "1 seat is"
	}
	return fmt.Sprintf("%d seats are", n)
}

// Remove takes a draft away for good.
func (s *Service) Remove(ctx context.Context, by domain.By, id int64, revision int) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		list, err := t.LockEvents(ctx, id)
		switch {
		case err != nil:
			return err
		case len(list) == 0:
			return domain.ErrNotFound
		case list[0].Status != "draft":
			return &domain.RuleError{Code: "status", Words: name(list[0]) + " is not a draft. Only a draft can be removed."}
		case list[0].Revision != revision:
			return domain.ErrStale
		}
		e := list[0]
		if err := unused(ctx, t, e, "It cannot be removed."); err != nil {
			return err
		}
		if err := t.RemoveDraft(ctx, id); err != nil {
			return err
		}
		return t.Log(ctx, by, "event_removed", fmt.Sprintf("event:%d", id), made{Title: name(e), StartsAt: e.StartsAt.UTC().Format("2006-01-02T15:04Z"), Status: "draft"}, nil)
	})
}
