package schedule

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"holdfast/db"
	"holdfast/internal/csvfile"
	"holdfast/internal/domain"
)

// A fare is known by its list, zone, ticket type and stops. Lists that are not there yet
// are made; prices that the table does not name stay.
func faresTable() table {
	return table{
		columns: []string{"price_list", "currency", "tax_percent", "zone", "ticket_type", "from_stop", "to_stop", "price"},
		needs:   []string{"price_list", "zone", "ticket_type", "price"},
		example: [][]string{
			{"Standard", "", "", "1", "adult", "0", "1", "1200"},
			{"Standard", "", "", "1", "child", "0", "1", "700"},
			{"Standard", "", "", "2", "adult", "0", "1", "1800"},
		},
		plan:   planFares,
		export: exportFares,
	}
}

// fareTable is a price list while the table is read.
type fareTable struct {
	list  db.Tariff
	isNew bool
	was   map[PriceKey]int64
	set   map[PriceKey]int64
	rows  map[PriceKey]int
}

func planFares(ctx context.Context, q db.Queries, r *csvfile.Reader, set domain.Settings, p *tablePlan) error {
	stored, err := q.Tariffs(ctx)
	if err != nil {
		return err
	}
	types, err := q.TicketTypes(ctx)
	if err != nil {
		return err
	}
	x := &fareReader{q: q, r: r, set: set, types: types, stored: stored, lists: map[string]*fareTable{}}
	if err := p.each(r, func(row int) error { return x.row(ctx, row, p) }); err != nil {
		return err
	}
	p.apply = func(ctx context.Context, t *db.Tx, by domain.By) error { return x.store(ctx, t, by) }
	return nil
}

type fareReader struct {
	q      db.Queries
	r      *csvfile.Reader
	set    domain.Settings
	types  []db.TicketType
	stored []db.Tariff
	lists  map[string]*fareTable
}

func (x *fareReader) row(ctx context.Context, row int, p *tablePlan) error {
	l, err := x.list(ctx)
	if err != nil {
		return err
	}
	k, err := x.key()
	if err != nil {
		return err
	}
	money, err := domain.CurrencyOf(l.list.Currency)
	if err != nil {
		return err
	}
	price, err := money.ParsePrice(x.r.Get("price"))
	if err == nil {
		err = money.CheckPrice(price)
	}
	if err != nil {
		return ruleText(err, cut(x.r.Get("price"), 40))
	}
	if first, twice := l.rows[k]; twice {
		return wrong("A price is there twice.", fmt.Sprintf("also in row %d", first))
	}
	l.rows[k] = row
	was, had := l.was[k]
	text := fmt.Sprintf("%s, zone %d, %s, stops %d–%d: %s %s", l.list.Name, k.Zone, k.Type, k.From, k.To, money.Code, money.Plain(price))
	switch {
	case had && was == price:
		p.Same++
	case had:
		l.set[k] = price
		p.line(row, false, text+", was "+money.Plain(was))
	default:
		l.set[k] = price
		p.line(row, true, text)
	}
	return nil
}

// list finds a row's price list, or begins a new one.
func (x *fareReader) list(ctx context.Context) (*fareTable, error) {
	name := x.r.Get("price_list")
	if name == "" {
		return nil, wrong("A price needs the name of its price_list.", "")
	}
	if err := within(name, 80, "price_list"); err != nil {
		return nil, err
	}
	l := x.lists[key(name)]
	if l == nil {
		l = &fareTable{was: map[PriceKey]int64{}, set: map[PriceKey]int64{}, rows: map[PriceKey]int{}}
		at := slices.IndexFunc(x.stored, func(t db.Tariff) bool { return key(t.Name) == key(name) })
		if at < 0 {
			l.isNew, l.list = true, db.Tariff{Name: name, Currency: x.set.Currency, LastStop: 1}
			if tax := x.r.Get("tax_percent"); tax != "" {
				rate, err := domain.ParseRate(tax)
				if err != nil {
					return nil, ruleText(err, cut(tax, 40))
				}
				l.list.TaxBP = rate
			}
		} else if l.list = x.stored[at]; l.list.Archived {
			return nil, wrong("A price list is put away. Take it back first.", name)
		} else {
			prices, err := x.q.TariffPrices(ctx, l.list.ID, 0)
			if err != nil {
				return nil, err
			}
			for _, y := range prices {
				l.was[PriceKey{y.Zone, y.Type, y.From, y.To}] = y.Price
			}
		}
		x.lists[key(name)] = l
	}
	if code := x.r.Get("currency"); code != "" && code != l.list.Currency {
		return nil, wrong("The currency is not that of the price list.", cut(code, 20)+", the list has "+l.list.Currency)
	}
	if tax := x.r.Get("tax_percent"); tax != "" {
		if rate, err := domain.ParseRate(tax); err != nil || rate != l.list.TaxBP {
			return nil, wrong("The tax_percent is not that of the price list. It is changed on the list’s own page.", cut(tax, 20)+", the list has "+rateText(l.list.TaxBP))
		}
	}
	return l, nil
}

func (x *fareReader) key() (PriceKey, error) {
	k := PriceKey{To: 1}
	var err error
	if k.Zone, err = strconv.Atoi(x.r.Get("zone")); err != nil || k.Zone < 1 || k.Zone > 99 {
		return k, wrong("The zone is not a number from 1 to 99.", cut(x.r.Get("zone"), 40))
	}
	for _, s := range []struct {
		column string
		to     *int
	}{{"from_stop", &k.From}, {"to_stop", &k.To}} {
		if text := x.r.Get(s.column); text != "" {
			if *s.to, err = strconv.Atoi(text); err != nil || *s.to < 0 || *s.to > 99 {
				return k, wrong("The "+s.column+" is not a number: stops count from 0.", cut(text, 40))
			}
		}
	}
	if k.From >= k.To {
		return k, wrong("The from_stop is not before the to_stop.", fmt.Sprintf("%d and %d", k.From, k.To))
	}
	name := key(x.r.Get("ticket_type"))
	at := slices.IndexFunc(x.types, func(t db.TicketType) bool { return t.Code == name })
	if at < 0 {
		at = slices.IndexFunc(x.types, func(t db.TicketType) bool { return key(t.Name) == name })
	}
	if at < 0 || x.types[at].Retired {
		return k, wrong("A ticket type is not known, or not sold any more.", cut(x.r.Get("ticket_type"), 40))
	}
	k.Type = x.types[at].Code
	return k, nil
}

func (x *fareReader) store(ctx context.Context, t *db.Tx, by domain.By) error {
	for _, name := range slices.Sorted(maps.Keys(x.lists)) {
		l := x.lists[name]
		if len(l.set) == 0 {
			continue
		}
		if err := l.store(ctx, t, by); err != nil {
			return err
		}
	}
	return nil
}

func (l *fareTable) store(ctx context.Context, t *db.Tx, by domain.By) error {
	before, after := map[string]int64{}, map[string]int64{}
	var prices []db.Price
	for k, price := range l.set {
		prices = append(prices, db.Price{Zone: k.Zone, Type: k.Type, From: k.From, To: k.To, Price: price})
		name := fmt.Sprintf("zone %d, %s, %d-%d", k.Zone, k.Type, k.From, k.To)
		if after[name] = price; !l.isNew {
			if was, had := l.was[k]; had {
				before[name] = was
			}
		}
		l.list.LastStop = max(l.list.LastStop, k.To)
	}
	if l.isNew {
		id, err := t.InsertTariff(ctx, l.list)
		if err != nil {
			return err
		}
		l.list.ID = id
		if err := t.Log(ctx, by, "price_list_made", subjectOf(id), nil, logged(l.list)); err != nil {
			return err
		}
	} else if err := t.UpdateTariff(ctx, l.list); err != nil {
		return err
	}
	if err := t.SetPrices(ctx, l.list.ID, 0, prices); err != nil {
		return err
	}
	sheet, err := readSheet(ctx, t.Queries, l.list.ID, 0)
	if err != nil {
		return err
	}
	if err := checkBands(ctx, t, sheet); err != nil {
		return err
	}
	return t.Log(ctx, by, "prices_changed", subjectOf(l.list.ID), before, after)
}

func exportFares(ctx context.Context, q db.Queries, _ domain.Settings) ([][]string, error) {
	lists, err := q.Tariffs(ctx)
	if err != nil {
		return nil, err
	}
	var out [][]string
	for _, l := range lists {
		if l.Archived {
			continue
		}
		money, err := domain.CurrencyOf(l.Currency)
		if err != nil {
			return nil, errors.Join(err, fmt.Errorf("price list %q", l.Name))
		}
		prices, err := q.TariffPrices(ctx, l.ID, 0)
		if err != nil {
			return nil, err
		}
		for _, p := range prices {
			out = append(out, []string{l.Name, l.Currency, rateText(l.TaxBP), strconv.Itoa(p.Zone), p.Type, strconv.Itoa(p.From), strconv.Itoa(p.To), money.Plain(p.Price)})
		}
	}
	return out, nil
}

// rateText is a rate as ParseRate reads it: "5.5".
func rateText(points int) string {
	if points%100 == 0 {
		return strconv.Itoa(points / 100)
	}
	return strconv.FormatFloat(float64(points)/100, 'f', -1, 64)
}
