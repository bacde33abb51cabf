package handlers

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// proposals are worked out for so many seats at a time; larger groups choose on the map,
// or ask the server.
const mostProposed = 12

// sellView is the form ready to print.
func (s *site) sellView(f *sellForm, c *sellScene) views.SellSale {
	o := c.o
	head := eventHead(o)
	v := views.SellSale{
		Key: f.key, EventID: strconv.FormatInt(o.Event.ID, 10), From: stopNo(o, o.Ride.From), To: stopNo(o, o.Ride.To), Noun: noun(o.Layout),
		Heading: head.Title, When: sellWhen(o, head, c), Stops: stopsForm(o), Map: counterMap(c, f), Legend: counterLegend(o),
		PollURL: sellPollURL(c), Currency: currencyView(o.Event.Currency), Data: sellData(c, f), Types: sellTypes(f, c), Sure: f.sure,
		Trip: o.Event.Kind == domain.Trip, PayOnline: s.Booking.PaysOnline(), Chosen: len(f.seats), Apart: c.apart, Total: money(0, o.Event.Currency),
	}
	if c.hold != nil {
		v.HoldID, v.HoldLabel = c.hold.ID, "Held until "+untilClock(c.hold.ExpiresAt, o.Settings)
	}
	if len(o.Layout.Zones) > 1 {
		v.Zones = []views.Option{{Value: "0", Text: "Anywhere", Selected: f.zone == 0}}
		for _, z := range o.Layout.Zones {
			if fare, ok := c.fares.Default(z.No); ok {
				v.Zones = append(v.Zones, views.Option{Value: strconv.Itoa(z.No), Text: z.Name + ", " + format.Money(fare.Price, o.Event.Currency), Selected: f.zone == z.No})
			}
		}
	}
	if until := o.PhoneUntil(); until.After(o.Event.Now) {
		v.Phone = "By phone: until " + untilClock(until, o.Settings) + ", then free again"
	}
	v.Typed = sellTyped(f)
	s.sellBill(f, c, &v)
	for _, no := range f.seats {
		v.Passengers = append(v.Passengers, views.SellPassenger{No: no, Name: seatRef(o.Layout, no).Name, Value: f.passengers[no]})
	}
	for _, no := range f.seats {
		if code := f.before[no]; code != "" {
			v.Before = append(v.Before, views.Hidden{Name: "type." + no, Value: code})
		}
	}
	if len(f.proposed) > 0 {
		v.Before = append(v.Before, views.Hidden{Name: "proposed", Value: strings.Join(f.proposed, " ")})
	}
	return v
}

func sellWhen(o *booking.Offer, head views.EventHead, c *sellScene) string {
	free := 0
	for _, yes := range c.x.Free(o.Layout) {
		if yes {
			free++
		}
	}
	parts := []string{head.Day + ", " + head.Time}
	if head.Arrive != "" {
		parts[0] += " to " + head.Arrive
	}
	if o.Event.Resource != "" {
		parts = append(parts, o.Event.Resource)
	}
	return strings.Join(append(parts, freeWords(free, o.Layout)), " · ")
}

func sellTyped(f *sellForm) views.SellTyped {
	field := func(name, value string) views.Field { return views.Field{Value: value, Error: f.wrong[name]} }
	t := views.SellTyped{
		Given: field("given", f.given), Split: field("split", f.split), Reason: field("reason", f.reason), Label: field("label", f.label),
		Name: field("name", f.name), Phone: field("phone", f.phone), Email: field("email", f.email), Until: f.until, UntilTime: field("until_time", f.clock),
	}
	t.PayOpen = f.split != "" || f.reason != "" || slices.Contains([]string{"card", "split", "comp", "link"}, f.act)
	t.HoldOpen = f.label != "" || f.act == "hold"
	t.NamesOpen = f.name != "" || f.phone != "" || f.email != "" || len(f.wrong["email"]) > 0
	return t
}

// sellBill prices the choice, or says why it cannot.
func (s *site) sellBill(f *sellForm, c *sellScene, v *views.SellSale) {
	if len(f.seats) == 0 {
		if f.tickets() > 0 {
			v.Problem = "There are not " + format.Count(f.tickets(), v.Noun) + " free."
		}
		return
	}
	if words := f.misfit(v.Noun); words != "" {
		v.Problem = words
		return
	}
	lines, total, err := s.Booking.Quote(c.o, f.sale(c.o, c.fares), c.hold)
	if err != nil {
		v.Problem = "Some of these tickets are not sold for these " + v.Noun + "s."
		return
	}
	v.Total, v.Quoted, v.Lines = money(total, c.o.Event.Currency), strconv.FormatInt(total, 10), billLines(c, lines)
	if c.apart {
		v.Problem = "No " + format.Count(len(f.seats), v.Noun) + " side by side are free: these are the nearest."
	}
}

// misfit says that there are not as many seats as tickets.
func (f *sellForm) misfit(noun string) string {
	switch n := f.tickets() - len(f.seats); {
	case n > 0:
		return "Choose " + strconv.Itoa(n) + " more on the map: " + format.Count(len(f.seats), noun) + " for " + format.Count(f.tickets(), "ticket") + "."
	case n < 0:
		return format.Count(len(f.seats), noun) + " for " + format.Count(f.tickets(), "ticket") + ": leave " + strconv.Itoa(-n) + " out, or add tickets."
	}
	return ""
}

// billLines puts seats of one type together.
func billLines(c *sellScene, lines []domain.HoldSeat) (out []views.SellLine) {
	for _, t := range booking.TicketTypes(c.fares) {
		var seats []string
		var sum int64
		for _, l := range lines {
			if l.Type == t.Code {
				seats, sum = append(seats, seatRef(c.o.Layout, l.SeatNo).Name), sum+l.Price
			}
		}
		if len(seats) > 0 {
			out = append(out, views.SellLine{What: strconv.Itoa(len(seats)) + " × " + t.Name, Seats: format.List(seats), Sum: money(sum, c.o.Event.Currency)})
		}
	}
	return out
}

// typeKeys are the keys of the ticket types: F1 to F4, then a letter of the name that no
// other has.
func typeKeys(types []booking.TicketType) []string {
	out, taken := make([]string, len(types)), map[rune]bool{}
	for i, t := range types {
		if i < 4 {
			out[i] = "F" + strconv.Itoa(i+1)
			continue
		}
		for _, letter := range strings.ToUpper(t.Name) + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" {
			if letter >= 'A' && letter <= 'Z' && !taken[letter] {
				taken[letter], out[i] = true, string(letter)
				break
			}
		}
	}
	return out
}

func sellTypes(f *sellForm, c *sellScene) (out []views.SellType) {
	types := booking.TicketTypes(c.fares)
	keys := typeKeys(types)
	for i, t := range types {
		v := views.SellType{Code: t.Code, Name: t.Name, Price: format.Money(t.Least, c.o.Event.Currency), Key: keys[i], Count: strconv.Itoa(f.count[t.Code])}
		if t.Varies {
			v.Price = "from " + v.Price
		}
		out = append(out, v)
	}
	return out
}

// sellData is what the script prices a choice with. Amounts are minor units.
func sellData(c *sellScene, f *sellForm) string {
	type kind struct {
		Code string `json:"code"`
		Name string `json:"name"`
	}
	data := struct {
		Zones  map[string]int              `json:"zones"`
		Names  map[string]string           `json:"names"` // of seats that are not called by their key
		Fares  map[string]map[string]int64 `json:"fares"`
		Types  []kind                      `json:"types"`
		Best   map[string]map[int][]string `json:"best"` // by zone and number of seats; "apart" among them when they are not side by side
		Notes  []int64                     `json:"notes"`
		Auto   bool                        `json:"auto"` // the seats are those that the house proposed
		Before map[string]string           `json:"before"`
	}{
		Zones: map[string]int{}, Names: map[string]string{}, Fares: map[string]map[string]int64{}, Best: bestSeats(c), Before: f.before,
		Auto: len(f.seats) == 0 || sameSet(f.seats, f.proposed),
	}
	for _, cell := range c.o.Layout.Cells {
		if !cell.Kind.Sellable() {
			continue
		}
		data.Zones[cell.SeatNo] = cell.Zone
		if name := seatRef(c.o.Layout, cell.SeatNo).Name; name != cell.SeatNo {
			data.Names[cell.SeatNo] = name
		}
	}
	for _, x := range c.fares {
		zone := strconv.Itoa(x.Zone)
		if data.Fares[zone] == nil {
			data.Fares[zone] = map[string]int64{}
		}
		data.Fares[zone][x.Type] = x.Price
	}
	for _, t := range booking.TicketTypes(c.fares) {
		data.Types = append(data.Types, kind{t.Code, t.Name})
	}
	for _, p := range domain.Pieces(c.o.Event.Currency) {
		if !p.Coin {
			data.Notes = append(data.Notes, p.Value)
		}
	}
	slices.Reverse(data.Notes)
	text, err := json.Marshal(data)
	if err != nil { // numbers and texts can always be written
		return "{}"
	}
	return string(text)
}

// bestSeats are the house's proposals for every zone and number of seats.
func bestSeats(c *sellScene) map[string]map[int][]string {
	zones := []int{0}
	if len(c.o.Layout.Zones) > 1 {
		for _, z := range c.o.Layout.Zones {
			zones = append(zones, z.No)
		}
	}
	out := map[string]map[int][]string{}
	for _, zone := range zones {
		sets := map[int][]string{}
		for n := 1; n <= mostProposed; n++ {
			p := c.o.Propose(n, zone, c.x.Free(c.o.Layout))
			if p.Seats == nil {
				break
			}
			sets[n] = p.Seats
			if p.Apart {
				sets[n] = append([]string{"apart"}, p.Seats...)
			}
		}
		out[strconv.Itoa(zone)] = sets
	}
	return out
}
