package handlers

import (
	"crypto/rand"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/domain"
)

// sellForm is the counter's form as it was sent, and what is wrong with it by field.
type sellForm struct {
	event                                   int64 // 0: the next one
	ride                                    *domain.Ride
	rideWrong                               *domain.RuleError
	date                                    *time.Time
	key, hold                               string
	seats                                   []string
	proposed                                []string // the seats that the house chose, as the page had them
	count                                   map[string]int
	any                                     int // so many tickets of the first type
	before                                  map[string]string
	passengers                              map[string]string
	zone                                    int
	act, quoted, given, split, reason       string
	name, phone, email, label, until, clock string
	sure                                    []string
	wrong                                   map[string]string
	super                                   *superRefusal // nobody confirmed what the person alone may not
}

const mostTickets = 999

// readSell reads the form, or the address of the page.
func readSell(v url.Values) *sellForm {
	get := func(name string) string { return strings.TrimSpace(v.Get(name)) }
	f := &sellForm{
		key: get("key"), hold: get("hold"), act: get("act"), quoted: get("quoted"), given: get("given"), split: get("split"), reason: get("reason"),
		name: get("name"), phone: get("phone"), email: get("email"), label: get("label"), until: get("until"), clock: get("until_time"),
		seats: slices.Clone(v["seat"]), proposed: strings.Fields(v.Get("proposed")), sure: slices.Clone(v["sure"]),
		count: map[string]int{}, before: map[string]string{}, passengers: map[string]string{}, wrong: map[string]string{},
	}
	f.event, _ = strconv.ParseInt(get("event"), 10, 64) // what is no number is no event
	f.zone, _ = strconv.Atoi(get("zone"))               // what is no zone is anywhere
	f.any = howMany(get("n"))
	if ride, err := ride(v.Get); err == nil {
		f.ride = ride
	} else {
		f.rideWrong, _ = err.(*domain.RuleError)
	}
	f.date, _ = date(get("date")) // what is no date is today
	if instead := strings.Fields(v.Get("instead")); len(instead) > 0 {
		f.seats, f.act = instead, "look"
	}
	for name, values := range v {
		if code, ok := strings.CutPrefix(name, "n."); ok {
			if n := howMany(values[0]); n > 0 {
				f.count[code] = n
			}
		}
		if seat, ok := strings.CutPrefix(name, "type."); ok {
			f.before[seat] = values[0]
		}
		if seat, ok := strings.CutPrefix(name, "passenger."); ok {
			f.passengers[seat] = values[0]
		}
	}
	slices.Sort(f.seats)
	f.seats = slices.Compact(f.seats)
	if f.key == "" {
		f.key = rand.Text()
	}
	if !slices.Contains([]string{"10", "30", "phone", "time"}, f.until) {
		f.until = "10"
	}
	return f
}

// howMany reads how many; what is none is 0.
func howMany(text string) int {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		return 0
	}
	return min(max(n, 0), mostTickets)
}

func (f *sellForm) tickets() (n int) {
	for _, x := range f.count {
		n += x
	}
	return n
}

// resume fills the form with a hold that is to be sold.
func (f *sellForm) resume(h *domain.Hold) {
	f.event, f.ride, f.rideWrong = h.EventID, &h.Ride, nil
	f.name, f.phone, f.email = h.Name, h.Phone, h.Email
	for _, x := range h.Seats {
		f.seats = append(f.seats, x.SeatNo)
		f.count[x.Type]++
		f.before[x.SeatNo], f.passengers[x.SeatNo] = x.Type, x.Passenger
	}
}

// choose makes tickets and seats fit where only one of them was given: seats for so many
// tickets, or a ticket of the first type for each seat.
func (f *sellForm) choose(o *booking.Offer, fares domain.Fares, x *booking.CounterMap) (apart bool) {
	types := booking.TicketTypes(fares)
	if f.any > 0 && len(types) > 0 && len(f.count) == 0 {
		f.count[types[0].Code] = f.any
	}
	n := f.tickets()
	if n == 0 && len(types) > 0 && len(f.seats) > 0 {
		f.count[types[0].Code] = len(f.seats)
		return false
	}
	if n == 0 || len(f.seats) > 0 && (len(f.seats) == n || !sameSet(f.seats, f.proposed)) {
		return false
	}
	p := o.Propose(n, f.zone, x.Free(o.Layout))
	f.seats, f.proposed = p.Seats, p.Seats
	return p.Apart && len(p.Seats) > 0
}

func sameSet(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// sale is the form as booking takes it, before its money.
func (f *sellForm) sale(o *booking.Offer, fares domain.Fares) booking.CounterSale {
	c := booking.CounterSale{
		Key: f.key, HoldID: f.hold, Seats: map[string]string{}, Name: f.name, Email: f.email, Phone: f.phone, Passengers: f.passengers,
	}
	types := o.GiveTypes(fares, f.seats, f.count, f.before)
	for _, no := range f.seats {
		c.Seats[no] = types[no]
	}
	return c
}
