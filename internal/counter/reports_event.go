package counter

import (
	"context"
	"fmt"
	"slices"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Events is what was sold of the events of some business days, an event a row, by the
// lines that were entered up to the last day; what was entered in these days about events
// of days before stands apart.
func (s *Reports) Events(ctx context.Context, span Span, house string) (*Sheet, error) {
	r, err := s.start(ctx, span)
	if err != nil {
		return nil, err
	}
	rooms, err := s.db.EventRooms(ctx, span.From, span.To, 0)
	if err != nil {
		return nil, err
	}
	own, err := s.db.EventSums(ctx, span.From, span.To, db.EventFilter{})
	if err != nil {
		return nil, err
	}
	later, err := s.db.EventCorrections(ctx, span.From, span.To, db.EventFilter{})
	if err != nil {
		return nil, err
	}
	for i, code := range currencies(house, slices.Concat(own, later), func(x db.EventSum) string { return x.Currency }) {
		list := rooms
		if i > 0 { // in another currency only what was sold in it
			list = nil
		}
		r.Sections = append(r.Sections, eventsSection(code, list, rooms, in(code, own), in(code, later)))
	}
	return r, nil
}

// eventsSection lists every event of all, and of rooms those with sums.
func eventsSection(code string, all, rooms []db.EventRoom, own, later []db.EventSum) Section {
	by := map[int64]*ticketSum{}
	for _, x := range own {
		if by[x.EventID] == nil {
			by[x.EventID] = &ticketSum{}
		}
		by[x.EventID].take(x)
	}
	t := table("events", "Events", Column{"Event", Words}, Column{"Day", Date}, Column{"Where", Words}, Column{"Seats", Count},
		Column{"Sold", Count}, Column{"Taken back", Count}, Column{"Admits", Count}, Column{"Filled", Percent}, Column{"Free", Count}, Column{"Gross", Amount},
		Column{"Tax", Amount}, Column{"Net", Amount}, Column{"Checked in", Count})
	t.None, t.Chart = "Nothing was on.", 7
	t.Words = "With what was entered up to the last of these days. A trip’s seat can be sold once for each leg, so a trip may be fuller than it looks: the route’s report counts legs."
	var seats, admits int64
	for _, e := range rooms {
		x := by[e.EventID]
		if x == nil {
			if all == nil {
				continue
			}
			x = &ticketSum{}
		}
		seats, admits = seats+int64(e.Seats), admits+int64(x.admits())
		t.add(Cell{Text: e.Title + ", " + clockOf(e.StartsAt, e.TimeZone), EventID: e.EventID}, date(e.Day), says(e.Where), counts(e.Seats), counts(x.sold),
			counts(x.returned), counts(x.admits()), share(int64(x.admits()), int64(e.Seats)), counts(x.free), number(x.gross), number(x.tax), number(x.gross-x.tax), counts(e.CheckedIn))
	}
	t.total("All events")
	if t.Foot != nil {
		t.Foot[7] = share(admits, seats)
	}
	fixed := eventCorrections("correction", "Corrections of events before", later)
	fixed.Words = "Lines that were entered in these days about events that were over: a refund after the show, for example."
	return Section{Currency: code, Tables: []Table{t, fixed}}
}

// clockOf is the wall clock of the place.
func clockOf(at time.Time, zone string) string {
	if loc, err := time.LoadLocation(zone); err == nil {
		at = at.In(loc)
	}
	return at.Format("15:04")
}

// eventCorrections lists lines that came after an event's own report.
func eventCorrections(id, name string, later []db.EventSum) Table {
	t := table(id, name, ticketColumns(Column{"Event", Words}, Column{"Day of the event", Date}, Column{"Entered on", Date}, Column{"Ticket type", Words})...)
	t.None = "None."
	key := func(x db.EventSum) string {
		return fmt.Sprintf("%s\x00%s\x00%012d\x00%06d\x00%s", x.EnteredOn.Format(time.DateOnly), x.Day.Format(time.DateOnly), x.EventID, x.Position, x.TicketType)
	}
	for _, g := range ticketGroups(later, key) {
		t.add(append([]Cell{{Text: g.of.Title + ", " + clockOf(g.of.StartsAt, g.of.TimeZone), EventID: g.of.EventID}, date(g.of.Day), date(*g.of.EnteredOn), says(g.of.Type)}, g.cells()...)...)
	}
	t.total("All corrections")
	return t
}

// farAhead is after every line that the ledger will get.
func farAhead() time.Time { return time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }

// Event is what was sold of one event by ticket type and channel, up to its business day,
// and what was entered later. domain.ErrNotFound: there is no such event, or it was never
// on sale.
func (s *Reports) Event(ctx context.Context, id int64, house string) (*Sheet, error) {
	rooms, err := s.db.EventRooms(ctx, time.Time{}, farAhead(), id)
	if err != nil {
		return nil, err
	}
	if len(rooms) == 0 {
		return nil, domain.ErrNotFound
	}
	room := rooms[0]
	r, err := s.start(ctx, Span{room.Day, room.Day})
	if err != nil {
		return nil, err
	}
	r.Subject = room.Title + ", " + clockOf(room.StartsAt, room.TimeZone)
	f := db.EventFilter{EventID: id}
	own, err := s.db.EventSums(ctx, room.Day, room.Day, f)
	if err != nil {
		return nil, err
	}
	later, err := s.db.EventCorrections(ctx, room.Day.AddDate(0, 0, 1), farAhead(), f)
	if err != nil {
		return nil, err
	}
	let, err := s.db.CheckedInOf(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, code := range currencies(house, slices.Concat(own, later), func(x db.EventSum) string { return x.Currency }) {
		r.Sections = append(r.Sections, eventSection(code, room, in(code, own), in(code, later), let))
	}
	return r, nil
}

func eventSection(code string, room db.EventRoom, own, later []db.EventSum, let []db.CheckedIn) Section {
	var all ticketSum
	for _, x := range own {
		all.take(x)
	}
	filled := Figure{"Filled", share(int64(all.admits()), int64(room.Seats)), Percent, fmt.Sprintf("%d of %d seats", all.admits(), room.Seats)}
	if room.Kind == string(domain.Trip) {
		filled = Figure{"Passengers", counts(all.admits()), Count, fmt.Sprintf("%d seats; the route’s report counts legs", room.Seats)}
	}
	x := Section{Currency: code, Figures: []Figure{
		{"Admits", counts(all.admits()), Count, fmt.Sprintf("%d sold, %d taken back", all.sold, all.returned)}, filled,
		{"Checked in", counts(room.CheckedIn), Count, "at the door"}, {"Gross", number(all.gross), Amount, "tax included"},
	}}
	in := func(match func(db.CheckedIn) bool) (n int) {
		for _, c := range let {
			if match(c) {
				n += c.Count
			}
		}
		return n
	}
	types := table("type", "By ticket type", append(ticketColumns(Column{"Ticket type", Words}), Column{"Checked in", Count})...)
	types.None, types.Chart = "No ticket was sold.", 3
	types.Words = "With what was entered up to the event’s own day. Free are tickets that cost nothing; they are among the admits."
	for _, g := range ticketGroups(own, func(x db.EventSum) string { return fmt.Sprintf("%06d %s", x.Position, x.TicketType) }) {
		n := in(func(c db.CheckedIn) bool { return c.TicketType == g.of.TicketType })
		types.add(append(append([]Cell{says(g.of.Type)}, g.cells()...), counts(n))...)
	}
	types.total("All types")
	channels := table("channel", "By channel", append(ticketColumns(Column{"Channel", Words}), Column{"Checked in", Count})...)
	channels.None = "No ticket was sold."
	for _, g := range ticketGroups(own, func(x db.EventSum) string { return x.Channel }) {
		n := in(func(c db.CheckedIn) bool { return c.Channel == g.of.Channel })
		channels.add(append(append([]Cell{says(ChannelWords(g.of.Channel))}, g.cells()...), counts(n))...)
	}
	channels.total("All channels")
	fixed := eventCorrections("correction", "Entered later", later)
	fixed.Words = "What was entered after the event’s day. It counts to the day on which it was entered."
	x.Tables = []Table{types, channels, fixed}
	return x
}
