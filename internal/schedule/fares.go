package schedule

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"holdfast/db"
	"holdfast/internal/domain"
)

// What price lists are made of, as the database has it.
type (
	Tariff      = db.Tariff
	Band        = db.Band
	TicketType  = db.TicketType
	TariffRoute = db.TariffRoute
	TariffStop  = db.TariffStop
)

// FareProblems are words about what was typed, by the field's name. Nothing was stored.
type FareProblems map[string]string

func (p FareProblems) Error() string {
	return "fields: " + strings.Join(slices.Sorted(maps.Keys(p)), ", ")
}

// PriceKey is what a price is for.
type PriceKey struct {
	Zone     int
	Type     string
	From, To int
}

// Field is the name of the key's field in a form.
func (k PriceKey) Field() string { return fmt.Sprintf("p.%d.%s.%d.%d", k.Zone, k.Type, k.From, k.To) }

// ParsePriceKey reads a field's name; false for other fields.
func ParsePriceKey(field string) (PriceKey, bool) {
	parts := strings.Split(field, ".")
	if len(parts) != 5 || parts[0] != "p" {
		return PriceKey{}, false
	}
	zone, errZ := strconv.Atoi(parts[1])
	from, errF := strconv.Atoi(parts[3])
	to, errT := strconv.Atoi(parts[4])
	k := PriceKey{Zone: zone, Type: parts[2], From: from, To: to}
	return k, errors.Join(errZ, errF, errT) == nil && k.Field() == field
}

// Prices are minor units by what they are for. What has none is not sold.
type Prices map[PriceKey]int64

// Sheet is a price list, or one of its bands, open for editing.
type Sheet struct {
	List   Tariff
	Band   *Band // whose own prices these are; nil: the list's
	Stops  []TariffStop
	Zones  []domain.Zone
	Types  []TicketType // those that are sold, in order
	Bands  []Band
	Prices Prices // also of types that are not sold any more
	Money  domain.Currency
}

// Trips says whether prices are by pairs of stops.
func (s *Sheet) Trips() bool { return s.List.RouteID != nil || s.List.LastStop > 1 }

// Whole is the ride from end to end.
func (s *Sheet) Whole() domain.Ride { return domain.Ride{To: s.List.LastStop} }

// Offers says whether anybody may ride from one stop to the other, by the route.
func (s *Sheet) Offers(from, to int) bool {
	return from >= len(s.Stops) || to >= len(s.Stops) || s.Stops[from].MayBoard && s.Stops[to].MayAlight
}

// Has says whether the sheet has a field for it: a ride that the route offers, or one
// that has a price from before.
func (s *Sheet) Has(k PriceKey) bool {
	_, priced := s.Prices[k]
	return k.From < k.To && (priced || s.Offers(k.From, k.To))
}

// Keys is everything that the sheet has a field for.
func (s *Sheet) Keys() []PriceKey {
	var out []PriceKey
	for _, z := range s.Zones {
		for _, y := range s.Types {
			for from := range s.List.LastStop {
				for to := from + 1; to <= s.List.LastStop; to++ {
					k := PriceKey{z.No, y.Code, from, to}
					if s.Has(k) {
						out = append(out, k)
					}
				}
			}
		}
	}
	return out
}

// Names puts a key into words: "Premium, Child, Rome to Pisa".
func (s *Sheet) Names(k PriceKey) string {
	words := []string{strconv.Itoa(k.Zone), k.Type}
	for _, z := range s.Zones {
		if z.No == k.Zone {
			words[0] = z.Name
		}
	}
	for _, y := range s.Types {
		if y.Code == k.Type {
			words[1] = y.Name
		}
	}
	if s.Trips() {
		words = append(words, s.StopName(k.From)+" to "+s.StopName(k.To))
	}
	return strings.Join(words, ", ")
}

// StopName is the place of a stop, its number where no route tells.
func (s *Sheet) StopName(no int) string {
	if no < len(s.Stops) {
		return s.Stops[no].Place
	}
	return "Stop " + strconv.Itoa(no+1)
}

// Minutes are those that the route takes from one stop to another, 0 when no route tells.
func (s *Sheet) Minutes(from, to int) int {
	if from >= len(s.Stops) || to >= len(s.Stops) {
		return 0
	}
	return max(s.Stops[to].ArriveAfter-s.Stops[from].DepartAfter, 0)
}

// FareLists are all price lists with what a new one may be for.
type FareLists struct {
	Lists  []Tariff
	Routes []TariffRoute
	Money  domain.Currency // of the house: new lists are in it
}

// FareLists reads them.
func (s *Service) FareLists(ctx context.Context) (x FareLists, err error) {
	if x.Lists, err = s.db.Tariffs(ctx); err != nil {
		return x, err
	}
	if x.Routes, err = s.db.TariffRoutes(ctx); err != nil {
		return x, err
	}
	x.Money, err = houseCurrency(ctx, s.db.Queries)
	return x, err
}

func houseCurrency(ctx context.Context, q db.Queries) (domain.Currency, error) {
	set, err := houseSettings(ctx, q)
	if err != nil {
		return domain.Currency{}, err
	}
	return domain.CurrencyOf(set.Currency)
}

// houseSettings are usable also when a stored value is not: whoever serves pages logs
// that.
func houseSettings(ctx context.Context, q db.Queries) (domain.Settings, error) {
	stored, err := q.Settings(ctx)
	if err != nil {
		return domain.Settings{}, err
	}
	set, _ := domain.ParseSettings(stored)
	return set, nil
}

// Sheet opens a price list, or the band of it with this id unless 0;
// domain.ErrNotFound.
func (s *Service) Sheet(ctx context.Context, tariffID, bandID int64) (*Sheet, error) {
	return readSheet(ctx, s.db.Queries, tariffID, bandID)
}

func readSheet(ctx context.Context, q db.Queries, tariffID, bandID int64) (*Sheet, error) {
	list, err := q.Tariff(ctx, tariffID)
	if err != nil {
		return nil, err
	}
	x := &Sheet{List: list, Prices: Prices{}}
	if x.Money, err = domain.CurrencyOf(list.Currency); err != nil {
		return nil, err
	}
	if list.RouteID != nil {
		if x.Stops, err = q.TariffStops(ctx, *list.RouteID); err != nil {
			return nil, err
		}
	}
	if x.Zones, err = q.TariffZones(ctx, list.ID, x.Trips()); err != nil {
		return nil, err
	}
	types, err := q.TicketTypes(ctx)
	if err != nil {
		return nil, err
	}
	x.Types = slices.DeleteFunc(types, func(y TicketType) bool { return y.Retired })
	if x.Bands, err = q.Bands(ctx, list.ID); err != nil {
		return nil, err
	}
	if bandID != 0 {
		i := slices.IndexFunc(x.Bands, func(b Band) bool { return b.ID == bandID })
		if i < 0 {
			return nil, fmt.Errorf("band %d of tariff %d: %w", bandID, tariffID, domain.ErrNotFound)
		}
		x.Band = &x.Bands[i]
	}
	x.Prices, err = readPrices(ctx, q, tariffID, bandID)
	return x, err
}

func readPrices(ctx context.Context, q db.Queries, tariffID, bandID int64) (Prices, error) {
	list, err := q.TariffPrices(ctx, tariffID, bandID)
	out := make(Prices, len(list))
	for _, p := range list {
		out[PriceKey{p.Zone, p.Type, p.From, p.To}] = p.Price
	}
	return out, err
}
