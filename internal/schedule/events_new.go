package schedule

import (
	"context"
	"fmt"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Make makes a wish's events, all or none, as drafts or at once on sale, and returns
// their ids. A ClashError has the plan with what is in its way.
func (s *Service) Make(ctx context.Context, by domain.By, w Wish, publish bool, set domain.Settings) ([]int64, error) {
	plan := func(q db.Queries) (Preview, error) { return preview(ctx, q, w, set) }
	return s.make(ctx, by, plan, publish, set)
}

func (s *Service) make(ctx context.Context, by domain.By, plan func(db.Queries) (Preview, error), publish bool, set domain.Settings) ([]int64, error) {
	var ids []int64
	err := s.db.InTx(ctx, func(t *db.Tx) error {
		p, err := plan(t.Queries)
		if err != nil {
			return err
		}
		if err := p.refusal(); err != nil {
			return err
		}
		if ids, err = store(ctx, t, p); err != nil {
			return err
		}
		if publish {
			if err := publishable(ctx, t, ids, set); err != nil {
				return err
			}
			if err := t.SetEventsStatus(ctx, ids, "published"); err != nil {
				return err
			}
		}
		return logMade(ctx, t, by, p, ids, publish)
	})
	if err != nil {
		return nil, s.told(ctx, err, func() (Preview, error) { return plan(s.db.Queries) })
	}
	return ids, nil
}

func store(ctx context.Context, t *db.Tx, p Preview) ([]int64, error) {
	list := make([]db.NewEvent, len(p.Events))
	var series *int64
	if p.Rule != "" && len(p.Events) > 1 {
		id, err := t.InsertSeries(ctx, p.Rule)
		if err != nil {
			return nil, err
		}
		series = &id
	}
	for i, x := range p.Events {
		list[i] = x.Event
		list[i].SeriesID = series
	}
	return t.InsertEvents(ctx, list)
}

type made struct {
	Title    string `json:"title"`
	StartsAt string `json:"starts_at"`
	Copied   int64  `json:"copied_from,omitempty"`
	Status   string `json:"status"`
}

func logMade(ctx context.Context, t *db.Tx, by domain.By, p Preview, ids []int64, publish bool) error {
	for i, x := range p.Events {
		m := made{Title: x.Title, StartsAt: x.Event.StartsAt.UTC().Format("2006-01-02T15:04Z"), Copied: x.Copied, Status: "draft"}
		if publish {
			m.Status = "published"
		}
		if err := t.Log(ctx, by, "event_made", fmt.Sprintf("event:%d", ids[i]), nil, m); err != nil {
			return err
		}
	}
	return nil
}
