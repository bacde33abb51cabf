package schedule

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"holdfast/db"
	"holdfast/internal/domain"
)

// ListForm is a price list's head as typed.
type ListForm struct {
	Name     string
	Tax      string // "22 %"
	Currency string // of a new one: what the form said the house sells in
	For      string // "screening", "route:<id>" or "stops"
	Stops    string // how many, for "stops"
}

const (
	longestName = 80 // letters of a list, a band or a ticket type
	mostStops   = 40
)

// listLog is what the log of changes keeps of a list's head.
type listLog struct {
	Name     string `json:"name"`
	TaxBP    int    `json:"tax_bp"`
	Currency string `json:"currency"`
	Route    *int64 `json:"route"`
	LastStop int    `json:"last_stop"`
	Archived bool   `json:"archived"`
}

func logged(x Tariff) listLog {
	return listLog{x.Name, x.TaxBP, x.Currency, x.RouteID, x.LastStop, x.Archived}
}

func subjectOf(tariff int64) string { return fmt.Sprintf("tariff:%d", tariff) }

// NewList makes an empty price list in the house's currency and answers its id. The first
// list of a house brings its first ticket type with it, so that there is something to price.
// FareProblems: what was typed cannot be used.
func (s *Service) NewList(ctx context.Context, by domain.By, f ListForm) (id int64, err error) {
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		x, bad, err := readList(ctx, t.Queries, f)
		if err != nil {
			return err
		}
		house, err := houseCurrency(ctx, t.Queries)
		if err != nil {
			return err
		}
		if f.Currency != house.Code {
			bad["currency"] = "The house sells in " + house.Code + ", so a new price list is in " + house.Code + ". The owner changes that in the settings."
		}
		if len(bad) > 0 {
			return bad
		}
		if err := firstType(ctx, t, by); err != nil {
			return err
		}
		x.Currency = house.Code
		if id, err = t.InsertTariff(ctx, x); err != nil {
			return err
		}
		return t.Log(ctx, by, "price_list_made", subjectOf(id), nil, logged(x))
	})
	return id, nameTaken(err)
}

// nameTaken is the refusal of a name that another list has: the one constraint that a
// checked form can meet.
func nameTaken(err error) error {
	if errors.Is(err, domain.ErrConflict) {
		return FareProblems{"name": "There is another with this name. Please choose a different one."}
	}
	return err
}

// CopyList makes a new list with all prices and bands of another.
func (s *Service) CopyList(ctx context.Context, by domain.By, tariff int64, name string) (id int64, err error) {
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		x, err := t.Tariff(ctx, tariff)
		if err != nil {
			return err
		}
		house, err := houseCurrency(ctx, t.Queries)
		if err != nil {
			return err
		}
		bad := FareProblems{}
		x.Name, x.Archived = readName(name, bad), false
		if x.Currency != house.Code {
			bad["name"] = "This list is in " + x.Currency + " and the house sells in " + house.Code + ": its prices cannot be copied."
		}
		if len(bad) > 0 {
			return bad
		}
		if id, err = t.InsertTariff(ctx, x); err != nil {
			return err
		}
		if err := t.CopyPrices(ctx, tariff, id); err != nil {
			return err
		}
		return t.Log(ctx, by, "price_list_made", subjectOf(id), map[string]int64{"copy_of": tariff}, logged(x))
	})
	return id, nameTaken(err)
}

// EditList stores a list's head. What it is for stays when it has prices: they would
// come to mean other stops.
func (s *Service) EditList(ctx context.Context, by domain.By, tariff int64, revision int, f ListForm) error {
	return nameTaken(s.changeList(ctx, by, tariff, revision, func(t *db.Tx, x *Tariff) error {
		typed, bad, err := readList(ctx, t.Queries, f)
		if err != nil {
			return err
		}
		if x.Prices > 0 {
			delete(bad, "for")
			delete(bad, "stops")
			typed.RouteID, typed.LastStop = x.RouteID, x.LastStop
		}
		if len(bad) > 0 {
			return bad
		}
		x.Name, x.TaxBP, x.RouteID, x.LastStop = typed.Name, typed.TaxBP, typed.RouteID, typed.LastStop
		return nil
	}))
}

// ArchiveList takes a list out of those that new events can have, or back in. Events
// that have it keep it.
func (s *Service) ArchiveList(ctx context.Context, by domain.By, tariff int64, revision int, archived bool) error {
	return s.changeList(ctx, by, tariff, revision, func(_ *db.Tx, x *Tariff) error {
		x.Archived = archived
		return nil
	})
}

func (s *Service) changeList(ctx context.Context, by domain.By, tariff int64, revision int, change func(*db.Tx, *Tariff) error) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		x, err := t.Tariff(ctx, tariff)
		if err != nil {
			return err
		}
		before := logged(x)
		x.Revision = revision
		if err := change(t, &x); err != nil {
			return err
		}
		if err := t.UpdateTariff(ctx, x); err != nil {
			return err
		}
		return t.Log(ctx, by, "price_list_changed", subjectOf(tariff), before, logged(x))
	})
}

func readName(text string, bad FareProblems) string {
	name := strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	switch {
	case name == "":
		bad["name"] = "Please give it a name."
	case len([]rune(name)) > longestName:
		bad["name"] = fmt.Sprintf("Please use at most %d letters.", longestName)
	}
	return name
}

// readList reads a list's head; the problems are never nil.
func readList(ctx context.Context, q db.Queries, f ListForm) (x Tariff, bad FareProblems, err error) {
	bad = FareProblems{}
	x.Name, x.LastStop = readName(f.Name, bad), 1
	if strings.TrimSpace(f.Tax) != "" {
		if x.TaxBP, err = domain.ParseRate(f.Tax); err != nil {
			bad["tax"] = ruleWords(err)
		} else if x.TaxBP > 10000 {
			bad["tax"] = "Tax is at most 100 %."
		}
	}
	kind, id, _ := strings.Cut(f.For, ":")
	switch kind {
	case "screening":
		return x, bad, nil
	case "stops":
		n, err := strconv.Atoi(strings.TrimSpace(f.Stops))
		if err != nil || n < 2 || n > mostStops {
			bad["stops"] = fmt.Sprintf("Please give a number of stops from 2 to %d.", mostStops)
		}
		x.LastStop = n - 1
		return x, bad, nil
	case "route":
		routes, err := q.TariffRoutes(ctx)
		for _, r := range routes {
			if strconv.FormatInt(r.ID, 10) == id {
				x.RouteID, x.LastStop = &r.ID, r.LastStop
				return x, bad, err
			}
		}
		if err != nil {
			return x, bad, err
		}
	}
	bad["for"] = "Please choose what the list is for."
	return x, bad, nil
}
