package handlers

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

// gridForm is the form of prices as it was sent.
type gridForm struct {
	typed   map[schedule.PriceKey]string
	free    bool
	fill    schedule.FillForm
	filled  int  // so many fields were worked out, for the page to say
	filling bool // the button that works prices out was pressed
}

// readGrid reads the form; fields that are no prices are left out.
func readGrid(r *http.Request) *gridForm {
	get := r.PostForm.Get
	g := &gridForm{typed: map[schedule.PriceKey]string{}, free: get("free") != "", filling: get("do") == "fill", fill: schedule.FillForm{
		Method: get("method"), Zone: get("fill_zone"), Type: get("fill_type"), Empty: get("empty") != "", First: get("first"), Further: get("further"),
		Minutes: get("minutes"), FromZone: get("from_zone"), FromType: get("from_type"), FromList: get("from_list"), Percent: get("percent"), Step: get("step"),
	}}
	for field, values := range r.PostForm {
		if k, ok := schedule.ParsePriceKey(field); ok {
			g.typed[k] = values[0]
		}
	}
	return g
}

// grid is the form of a sheet's prices: as typed when it was sent, else as stored.
func (s *site) grid(r *http.Request, x *schedule.Sheet, g *gridForm, refused error) (views.FareGrid, error) {
	v := views.FareGrid{
		Action: fareURL(x.List.ID) + "/prices", Revision: strconv.Itoa(x.List.Revision), Currency: x.Money.Code, Folded: x.Trips(),
		Hint: "In " + x.Money.Code + ". An empty field is not sold.", Example: taxExample(x),
	}
	if x.Band != nil {
		v.Action = bandURL(x.List.ID, x.Band.ID) + "/prices"
	}
	form := gridForm{fill: schedule.FillForm{Method: "percent", Percent: "60"}}
	if x.Trips() || len(x.Prices) == 0 {
		form.fill.Method, form.fill.Percent = "distance", ""
	}
	bad := schedule.FareProblems{}
	if g != nil {
		form = *g
		bad = problems(refused)
		if bad == nil {
			_, bad = x.ReadPrices(g.typed)
		}
		v.Alert, v.AskFree, v.Free = fareAlert(refused), ruleCode(refused) == "free" || g.free, g.free
		if g.filling {
			v.Alert = fillAlert(g, refused)
		}
	}
	lists, err := s.Schedule.FareLists(r.Context())
	if err != nil {
		return v, err
	}
	v.Fill = fillView(x, form, bad, lists.Lists)
	b := gridBuilder{x: x, form: g, bad: bad}
	if x.Trips() {
		v.Parts = b.trips()
	} else {
		v.Parts = []views.FarePart{b.screening()}
	}
	return v, nil
}

func fillAlert(g *gridForm, refused error) *views.Note {
	if refused != nil {
		bad := problems(refused)
		return refusal("Nothing was filled in", cmp.Or(bad["fill"], bad["method"], "Please look at what is marked below. Everything you typed is still here."))
	}
	return &views.Note{Tone: "warn", Alert: true, Title: "Not stored yet: " + format.Count(g.filled, "price") + " worked out", Text: []string{
		"Look at what is marked, change what you like, then save. Leave the page to forget it."}}
}

// taxExample shows the tax in a ticket of the first price.
func taxExample(x *schedule.Sheet) string {
	price := int64(0)
	for _, k := range x.Keys() {
		if price = x.Prices[k]; price > 0 {
			break
		}
	}
	if price == 0 || x.List.TaxBP == 0 {
		return ""
	}
	tax := domain.TaxIncluded(price, x.List.TaxBP)
	code := x.Money.Code
	return fmt.Sprintf("A ticket at %s has %s tax in it (%s), %s without.", format.Money(price, code), format.Money(tax, code), format.TaxRate(x.List.TaxBP), format.Money(price-tax, code))
}

type gridBuilder struct {
	x    *schedule.Sheet
	form *gridForm // nil: as stored
	bad  schedule.FareProblems
}

// screening is zones by ticket types.
func (b gridBuilder) screening() views.FarePart {
	p := views.FarePart{ID: "part", Heading: "Prices by zone and ticket type", Corner: "Zone"}
	for _, y := range b.x.Types {
		p.Columns = append(p.Columns, y.Name)
	}
	for _, z := range b.x.Zones {
		row := views.FareRow{Heading: z.Name}
		for _, y := range b.x.Types {
			row.Cells = append(row.Cells, b.cell(schedule.PriceKey{Zone: z.No, Type: y.Code, From: 0, To: 1}))
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// trips is a table of stops by stops for each zone and ticket type.
func (b gridBuilder) trips() []views.FarePart {
	var parts []views.FarePart
	for _, z := range b.x.Zones {
		for _, y := range b.x.Types {
			parts = append(parts, b.part(z, y))
		}
	}
	if len(parts) > 0 {
		parts[0].Open = true
	}
	return parts
}

func (b gridBuilder) part(z domain.Zone, y schedule.TicketType) views.FarePart {
	p := views.FarePart{ID: fmt.Sprintf("part-%d-%s", z.No, y.Code), Heading: z.Name + ", " + y.Name, Corner: "From, to"}
	last := b.x.List.LastStop
	var ends []int // stops that anybody may get off at
	for to := 1; to <= last; to++ {
		if b.reached(z, y, to) {
			ends = append(ends, to)
			p.Columns = append(p.Columns, b.x.StopName(to))
		}
	}
	fields, filled := 0, 0
	for from := range last {
		row, open := views.FareRow{Heading: b.x.StopName(from)}, 0
		for _, to := range ends {
			k := schedule.PriceKey{Zone: z.No, Type: y.Code, From: from, To: to}
			if !b.x.Has(k) {
				row.Cells = append(row.Cells, views.FareCell{})
				continue
			}
			c := b.cell(k)
			open++
			if strings.TrimSpace(c.Value) != "" {
				filled++
			}
			p.Open = p.Open || c.Error != "" || c.Was != ""
			row.Cells = append(row.Cells, c)
		}
		if fields += open; open > 0 {
			p.Rows = append(p.Rows, row)
		}
	}
	p.Count = fmt.Sprintf("%d of %d prices", filled, fields)
	return p
}

// reached says whether anybody may ride to a stop.
func (b gridBuilder) reached(z domain.Zone, y schedule.TicketType, to int) bool {
	for from := range to {
		if b.x.Has(schedule.PriceKey{Zone: z.No, Type: y.Code, From: from, To: to}) {
			return true
		}
	}
	return false
}

func (b gridBuilder) cell(k schedule.PriceKey) views.FareCell {
	c := views.FareCell{Name: k.Field(), Label: b.x.Names(k), Error: b.bad[k.Field()]}
	stored := ""
	if price, ok := b.x.Prices[k]; ok {
		stored = b.x.Money.Plain(price)
	}
	c.Value = stored
	if b.form == nil {
		return c
	}
	text, sent := b.form.typed[k]
	if !sent {
		return c
	}
	c.Value = text
	if !b.same(text, k) {
		if c.Was = stored; stored == "" {
			c.Was = "not sold"
		}
	}
	return c
}

// same says whether a text means what is stored.
func (b gridBuilder) same(text string, k schedule.PriceKey) bool {
	stored, priced := b.x.Prices[k]
	if strings.TrimSpace(text) == "" {
		return !priced
	}
	price, err := b.x.Money.ParsePrice(text)
	return err == nil && priced && price == stored
}
