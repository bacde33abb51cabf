package schedule

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// BandForm is a band as typed.
type BandForm struct {
	Name     string
	Days     []int  // 0 Monday … 6 Sunday
	From, To string // "17:00", "" for open
	Rule     string // own, percent, amount
	Percent  string
	Amount   string // "-1.50" is less
	Step     string // for percent: what prices are rounded to, "" for the smallest unit
}

// bandLog is what the log of changes keeps of a band.
type bandLog struct {
	Name  string `json:"name"`
	Days  int    `json:"days"`
	From  *int   `json:"from_minute"`
	To    *int   `json:"to_minute"`
	Rule  string `json:"rule"`
	Value int64  `json:"value"`
	Step  int64  `json:"step"`
}

func loggedBand(b Band) bandLog {
	return bandLog{b.Name, b.Days, b.FromMinute, b.ToMinute, b.Rule, b.Value, b.Step}
}

// SaveBand stores a band, a new one for id 0, and answers its id. One that comes to have
// prices of its own begins with what it cost before. FareProblems, domain.ErrStale and
// *domain.RuleError as for SavePrices.
func (s *Service) SaveBand(ctx context.Context, by domain.By, tariff int64, revision int, id int64, f BandForm) (int64, error) {
	err := s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.TouchTariff(ctx, tariff, revision); err != nil {
			return staleOrGone(ctx, t, tariff, err)
		}
		x, err := readSheet(ctx, t.Queries, tariff, id)
		if err != nil {
			return err
		}
		b, bad := x.readBand(f)
		if len(bad) > 0 {
			return bad
		}
		b.TariffID, b.ID = tariff, id
		var before any
		if x.Band != nil {
			before = loggedBand(*x.Band)
		}
		if id, err = storeBand(ctx, t, b, x.Band); err != nil {
			return err
		}
		if err := checkBands(ctx, t, x); err != nil {
			return err
		}
		return t.Log(ctx, by, "price_band_saved", fmt.Sprintf("tariff:%d:band:%d", tariff, id), before, loggedBand(b))
	})
	return id, nameTaken(err)
}

func storeBand(ctx context.Context, t *db.Tx, b Band, was *Band) (int64, error) {
	source := int64(0)
	if was != nil {
		source = was.ID
	}
	if was == nil {
		id, err := t.InsertBand(ctx, b)
		if err != nil {
			return 0, err
		}
		b.ID = id
	}
	if b.Rule == "own" && (was == nil || was.Rule != "own") {
		if err := t.FillBand(ctx, b.TariffID, b.ID, source); err != nil {
			return 0, err
		}
	}
	if was == nil {
		return b.ID, nil
	}
	return b.ID, t.UpdateBand(ctx, b)
}

// DeleteBand takes a band away with its own prices.
func (s *Service) DeleteBand(ctx context.Context, by domain.By, tariff int64, revision int, id int64) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.TouchTariff(ctx, tariff, revision); err != nil {
			return staleOrGone(ctx, t, tariff, err)
		}
		x, err := readSheet(ctx, t.Queries, tariff, id)
		if err != nil {
			return err
		}
		if err := t.DeleteBand(ctx, tariff, id); err != nil {
			return err
		}
		return t.Log(ctx, by, "price_band_deleted", fmt.Sprintf("tariff:%d:band:%d", tariff, id), loggedBand(*x.Band), nil)
	})
}

// RaiseBand has a band asked before the one above it. The first stays where it is.
func (s *Service) RaiseBand(ctx context.Context, by domain.By, tariff int64, revision int, id int64) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.TouchTariff(ctx, tariff, revision); err != nil {
			return staleOrGone(ctx, t, tariff, err)
		}
		bands, err := t.Bands(ctx, tariff)
		if err != nil {
			return err
		}
		var ids []int64
		for _, b := range bands {
			ids = append(ids, b.ID)
		}
		before := slices.Clone(ids)
		i := slices.Index(ids, id)
		if i < 0 {
			return domain.ErrNotFound
		}
		if i > 0 {
			ids[i-1], ids[i] = ids[i], ids[i-1]
		}
		if err := t.OrderBands(ctx, tariff, ids); err != nil {
			return err
		}
		return t.Log(ctx, by, "price_bands_ordered", subjectOf(tariff), before, ids)
	})
}

// readBand reads a form; the problems are never nil.
func (s *Sheet) readBand(f BandForm) (Band, FareProblems) {
	bad := FareProblems{}
	b := Band{Name: readName(f.Name, bad), Rule: f.Rule, Step: 1}
	for _, d := range f.Days {
		if d >= 0 && d < 7 {
			b.Days |= 1 << d
		}
	}
	if b.Days == 0 {
		bad["days"] = "Please tick at least one day."
	}
	b.FromMinute, b.ToMinute = readMinute("from", f.From, bad), readMinute("to", f.To, bad)
	if b.FromMinute != nil && b.ToMinute != nil && *b.FromMinute == *b.ToMinute {
		bad["to"] = "These times are the same. Leave both empty for the whole day."
	}
	switch f.Rule {
	case "own":
	case "percent":
		s.readPercent(f, &b, bad)
	case "amount":
		b.Value = s.readDifference(f.Amount, bad)
	default:
		bad["rule"] = "Please choose what these times cost."
	}
	return b, bad
}

func (s *Sheet) readPercent(f BandForm, b *Band, bad FareProblems) {
	points, err := domain.ParseRate(f.Percent)
	switch {
	case err != nil:
		bad["percent"] = ruleWords(err)
	case points == 0 || points > 100000:
		bad["percent"] = "Please give a percentage above 0, at most 1000."
	}
	b.Value = int64(points)
	if b.Step = s.smallestStep(); strings.TrimSpace(f.Step) != "" {
		if b.Step, err = s.Money.ParsePrice(f.Step); err != nil {
			bad["step"] = ruleWords(err)
		} else if b.Step == 0 || s.Money.CheckStep(b.Step) != nil {
			bad["step"] = "Prices in " + s.Money.Code + " cannot be rounded to that."
		}
	}
}

// smallestStep is the smallest difference between two prices.
func (s *Sheet) smallestStep() int64 {
	for step := int64(1); ; step *= 10 {
		if s.Money.CheckStep(step) == nil {
			return step
		}
	}
}

func (s *Sheet) readDifference(text string, bad FareProblems) int64 {
	text = strings.TrimSpace(text)
	number := strings.TrimLeft(text, "+-−")
	amount, err := s.Money.ParsePrice(number)
	switch {
	case err != nil:
		bad["amount"] = ruleWords(err)
	case amount == 0:
		bad["amount"] = "Please give a difference: 1.50 for more, -1.50 for less."
	case len([]rune(text))-len([]rune(number)) > 1:
		bad["amount"] = "Please use one sign at most."
	}
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "−") {
		return -amount
	}
	return amount
}

// readMinute reads a time of day; nil when empty.
func readMinute(field, text string, bad FareProblems) *int {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	at, err := time.Parse("15:04", text)
	if err != nil {
		bad[field] = "Please give a time like 17:00, or leave it empty."
		return nil
	}
	return new(at.Hour()*60 + at.Minute())
}
