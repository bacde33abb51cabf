package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// What the status page reads, as the database has it.
type (
	OpenTask         = db.OpenTask
	PaymentsIn       = db.PaymentsIn
	UnfinishedRefund = db.UnfinishedRefund
	Pulse            = db.Pulse
	AuditRun         = db.AuditRun
	SchemaLevel      = db.Level
	Stranded         = db.Stranded
)

// Status is how the shop is, as one look sees it.
type Status struct {
	Tasks         []OpenTask
	Payments      []PaymentsIn
	Refunds       []UnfinishedRefund
	Pulse         Pulse
	Audit         *AuditRun // nil: none was made yet
	Stranded      Stranded
	ClockAhead    time.Duration // of this program before the database
	Schema, Wants SchemaLevel
}

// Status looks at everything that may need a person.
func (s *Service) Status(ctx context.Context) (x Status, err error) {
	audit, err := s.db.LastAudit(ctx)
	switch {
	case err == nil:
		x.Audit = &audit
	case !errors.Is(err, domain.ErrNotFound):
		return x, err
	}
	for _, read := range []func() error{
		func() (err error) { x.Tasks, err = s.db.OpenTasks(ctx); return err },
		func() (err error) { x.Payments, err = s.db.UnfinishedPayments(ctx); return err },
		func() (err error) { x.Refunds, err = s.db.UnfinishedRefunds(ctx); return err },
		func() (err error) { x.Stranded, err = s.db.Stranded(ctx); return err },
		func() (err error) {
			asked := time.Now()
			x.Pulse, err = s.db.Pulse(ctx)
			if x.ClockAhead = asked.Sub(x.Pulse.Now); x.ClockAhead < 0 { // the way there took some of it
				x.ClockAhead = min(0, time.Since(x.Pulse.Now))
			}
			return err
		},
		func() (err error) { x.Schema, err = s.db.SchemaLevel(ctx); return err },
		func() (err error) { x.Wants, err = s.db.WantedLevel(); return err },
	} {
		if err := read(); err != nil {
			return x, err
		}
	}
	return x, nil
}

const longestReason = 500 // letters

// FinishTask takes an entry off the list of what needs a person; doing it again
// changes nothing. With a dispute, staff have decided and the door stops asking;
// with money to give back by hand, it is back.
// domain.ErrNotFound: there never was such an entry.
func (s *Service) FinishTask(ctx context.Context, who Staff, id int64, reason, address string) error {
	letters := []rune(strings.TrimSpace(reason))
	after, err := json.Marshal(map[string]string{"state": "done", "reason": string(letters[:min(len(letters), longestReason)])})
	if err != nil {
		return err
	}
	return s.db.InTx(ctx, func(t *db.Tx) error {
		kind, payment, err := t.FinishTask(ctx, id)
		if errors.Is(err, domain.ErrNotFound) {
			return s.wasTask(ctx, t, id, err)
		}
		if err != nil {
			return err
		}
		if kind == "dispute" && payment != nil {
			if err := t.DecideDisputes(ctx, *payment); err != nil {
				return err
			}
		}
		if kind == "refund_by_hand" && payment != nil {
			if err := t.GivenByHand(ctx, *payment); err != nil {
				return err
			}
		}
		return t.InsertAudit(ctx, db.Audit{
			Actor: who.Actor(), Address: address, Action: "task_done", Subject: fmt.Sprintf("task:%d", id),
			Before: []byte(`{"state":"open"}`), After: after,
		})
	})
}

func (s *Service) wasTask(ctx context.Context, t *db.Tx, id int64, missing error) error {
	was, err := t.TaskExists(ctx, id)
	if err != nil || was {
		return err
	}
	return missing
}
