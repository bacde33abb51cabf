package schedule

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"holdfast/db"
	"holdfast/internal/domain"
)

// PriceChange is a sheet as somebody filled it in.
type PriceChange struct {
	Tariff   int64
	Band     int64 // 0: the list itself
	Revision int   // of the list when the form was opened
	Typed    map[PriceKey]string
	Free     bool // prices of 0 are meant
}

// ReadPrices turns what was typed into prices: empty is not sold. Problems are
// by field; nil when all of it can be read and may be asked for.
func (s *Sheet) ReadPrices(typed map[PriceKey]string) (Prices, FareProblems) {
	out, bad := Prices{}, FareProblems{}
	for k, text := range typed {
		if strings.TrimSpace(text) == "" {
			continue
		}
		price, err := s.Money.ParsePrice(text)
		if err == nil {
			err = s.Money.CheckPrice(price)
		}
		if err != nil {
			bad[k.Field()] = ruleWords(err)
			continue
		}
		out[k] = price
	}
	if len(bad) == 0 {
		return out, nil
	}
	return out, bad
}

func ruleWords(err error) string {
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		return rule.Words
	}
	return err.Error()
}

// errNothing ends a transaction that would change nothing.
var errNothing = errors.New("nothing to change")

// SavePrices stores a sheet and notes which prices changed. What the form had no field
// for stays. FareProblems: a price cannot be read or no card could pay it;
// domain.ErrStale: the list changed since the form was opened; *domain.RuleError: a
// price of 0 that nobody said is meant, or a band's difference that would no longer work.
func (s *Service) SavePrices(ctx context.Context, by domain.By, c PriceChange) error {
	err := s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.TouchTariff(ctx, c.Tariff, c.Revision); err != nil {
			return staleOrGone(ctx, t, c.Tariff, err)
		}
		x, err := readSheet(ctx, t.Queries, c.Tariff, c.Band)
		if err != nil {
			return err
		}
		if x.Band != nil && x.Band.Rule != "own" {
			return domain.ErrStale
		}
		want, bad := x.ReadPrices(c.Typed)
		if bad != nil {
			return bad
		}
		d := x.difference(c.Typed, want)
		if len(d.before) == 0 {
			return errNothing
		}
		if len(d.free) > 0 && !c.Free {
			return &domain.RuleError{Code: "free", Words: "A price of 0 gives tickets away: " + few(d.free) + ". Tick that this is meant, or leave the field empty so that nothing is sold there."}
		}
		return s.store(ctx, t, by, x, d)
	})
	if errors.Is(err, errNothing) {
		return nil
	}
	return err
}

func (s *Service) store(ctx context.Context, t *db.Tx, by domain.By, x *Sheet, d difference) error {
	band := int64(0)
	subject := fmt.Sprintf("tariff:%d", x.List.ID)
	if x.Band != nil {
		band = x.Band.ID
		subject += fmt.Sprintf(":band:%d", band)
	}
	if err := t.DropPrices(ctx, x.List.ID, band, d.drop); err != nil {
		return err
	}
	if err := t.SetPrices(ctx, x.List.ID, band, d.set); err != nil {
		return err
	}
	if err := checkBands(ctx, t, x); err != nil {
		return err
	}
	return t.Log(ctx, by, "prices_changed", subject, d.before, d.after)
}

// difference is what a form changes.
type difference struct {
	set, drop []db.Price
	free      []string // names of what would newly be free
	// before and after have the changed prices alone, nil for what is not sold.
	before, after map[string]*int64
}

func (s *Sheet) difference(typed map[PriceKey]string, want Prices) difference {
	d := difference{before: map[string]*int64{}, after: map[string]*int64{}}
	for _, k := range s.Keys() {
		if _, asked := typed[k]; !asked {
			continue
		}
		was, had := s.Prices[k]
		now, has := want[k]
		if had == has && was == now {
			continue
		}
		row := db.Price{Zone: k.Zone, Type: k.Type, From: k.From, To: k.To, Price: now}
		name := fmt.Sprintf("zone %d, %s, %d-%d", k.Zone, k.Type, k.From, k.To)
		d.before[name], d.after[name] = nil, nil
		if had {
			d.before[name] = &was
		}
		if !has {
			d.drop = append(d.drop, row)
			continue
		}
		d.after[name] = &now
		d.set = append(d.set, row)
		if now == 0 {
			d.free = append(d.free, s.Names(k))
		}
	}
	return d
}

// few lists the first names of many.
func few(names []string) string {
	if len(names) > 3 {
		return strings.Join(names[:3], "; ") + fmt.Sprintf("; and %d more", len(names)-3)
	}
	return strings.Join(names, "; ")
}

// checkBands refuses prices that a band's difference would make unpayable, or free.
func checkBands(ctx context.Context, t *db.Tx, x *Sheet) error {
	list, err := readPrices(ctx, t.Queries, x.List.ID, 0)
	if err != nil {
		return err
	}
	bands, err := t.Bands(ctx, x.List.ID)
	if err != nil {
		return err
	}
	for _, b := range bands {
		if b.Rule == "own" {
			continue
		}
		made, err := t.TariffPrices(ctx, x.List.ID, b.ID)
		if err != nil {
			return err
		}
		for _, p := range made {
			k := PriceKey{p.Zone, p.Type, p.From, p.To}
			if err := x.madePrice(list[k], p.Price); err != nil {
				return &domain.RuleError{Code: "band", Words: fmt.Sprintf("With “%s” the price of %s would not work: %s", b.Name, x.Names(k), ruleWords(err))}
			}
		}
	}
	return nil
}

// madePrice checks what a difference makes of a price.
func (s *Sheet) madePrice(list, made int64) error {
	if list > 0 && made <= 0 {
		return &domain.RuleError{Code: "band", Words: fmt.Sprintf("%s %s would become %s %s. A difference never makes a ticket free; give these times their own prices instead.",
			s.Money.Code, s.Money.Plain(list), s.Money.Code, s.Money.Plain(made))}
	}
	return s.Money.CheckPrice(made)
}

// staleOrGone tells a list that changed from one that never was.
func staleOrGone(ctx context.Context, t *db.Tx, tariff int64, stale error) error {
	if !errors.Is(stale, domain.ErrStale) {
		return stale
	}
	if _, err := t.Tariff(ctx, tariff); err != nil {
		return err
	}
	return stale
}
