package handlers

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

// eventBlocks shows an event's plan, to take seats off sale and put them back.
func (s *site) eventBlocks(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	return s.showBlocks(w, r, who, id, http.StatusOK, blockForm{})
}

// blockForm is what was typed, with what is wrong by field.
type blockForm struct {
	seats               []string
	reason, date, clock string
	wrong               *domain.RuleError
	alert               *views.Note
	lost                map[string]bool
}

// blockSeats takes the ticked seats off sale.
func (s *site) blockSeats(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	f, b := readBlock(r, id)
	if f.wrong == nil {
		err = s.Schedule.Block(r.Context(), s.by(r, who), b)
	} else {
		err = f.wrong
	}
	var rule *domain.RuleError
	var conflict *domain.SeatConflict
	switch {
	case errors.As(err, &rule):
		f.wrong = rule
		f.alert = refusal("No seat was blocked", rule.Words)
		s.note(r, http.StatusUnprocessableEntity, err)
		return s.showBlocks(w, r, who, id, http.StatusUnprocessableEntity, f)
	case errors.As(err, &conflict):
		f.lost = map[string]bool{}
		for _, no := range conflict.Lost {
			f.lost[no] = true
		}
		s.note(r, http.StatusConflict, err)
		return s.showBlocks(w, r, who, id, http.StatusConflict, f)
	case err != nil:
		return err
	}
	s.Sessions.Put(r.Context(), saidKey, "blocked "+format.Count(len(b.Seats), "seat"))
	return seeOther(w, r, "/staff"+eventURL(id)+"/blocks")
}

func readBlock(r *http.Request, id int64) (blockForm, schedule.Blocking) {
	get := func(name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }
	f := blockForm{reason: get("reason"), date: get("date"), clock: get("time")}
	seen := map[string]bool{}
	for _, no := range r.PostForm["seat"] {
		if !seen[no] {
			f.seats, seen[no] = append(f.seats, no), true
		}
	}
	b := schedule.Blocking{EventID: id, Seats: f.seats, Reason: f.reason}
	var err error
	if b.Date, err = date(f.date); err != nil {
		f.wrong = &domain.RuleError{Code: "until", Words: "This is not a date."}
	}
	if f.clock != "" {
		m, ok := schedule.ParseClock(f.clock)
		if !ok {
			f.wrong = &domain.RuleError{Code: "clock", Words: "Please write a time like 18:00, or leave it empty."}
		}
		b.Clock = &m
	}
	return f, b
}

// liftBlock puts a block's seats on sale again.
func (s *site) liftBlock(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	block, err := pathID(r, "block")
	if err != nil {
		return err
	}
	if err := s.Schedule.Lift(r.Context(), s.by(r, who), id, block); err != nil {
		return err
	}
	s.Sessions.Put(r.Context(), saidKey, "lifted")
	return seeOther(w, r, "/staff"+eventURL(id)+"/blocks")
}

func blocksSaid(what string) *views.Note {
	if seats, ok := strings.CutPrefix(what, "blocked "); ok {
		return &views.Note{Tone: "ok", Alert: true, Title: seats + " blocked"}
	}
	if what == "lifted" {
		return &views.Note{Tone: "ok", Alert: true, Title: "The block is lifted", Text: []string{"Its seats are on sale again."}}
	}
	return nil
}

func (s *site) showBlocks(w http.ResponseWriter, r *http.Request, who access.Staff, id int64, status int, f blockForm) error {
	x, err := s.Schedule.BlockScene(r.Context(), id)
	if err != nil {
		return err
	}
	e := x.Event
	page, set, err := s.staffPage(r, who, "Blocked seats, "+eventName(e), scheduleMenu)
	if err != nil {
		return err
	}
	page.Page.JS = append(page.Page.JS, s.Assets.URL("js/staff_timetable.js"))
	v := views.StaffBlocks{
		Page: page, Title: "Blocked seats", Facts: []string{eventName(e) + ", " + eventWhen(e.StartsAt, e.TimeZone)}, BackURL: "/staff" + eventURL(id),
		Said: blocksSaid(s.Sessions.PopString(r.Context(), saidKey)), Alert: f.alert, Action: "/staff" + eventURL(id) + "/blocks",
		Reason: views.Field{Value: f.reason}, Date: views.Field{Value: f.date}, Clock: views.Field{Value: f.clock},
	}
	if f.wrong != nil {
		switch f.wrong.Code {
		case "reason":
			v.Reason.Error = f.wrong.Words
		case "until":
			v.Date.Error = f.wrong.Words
		case "clock":
			v.Clock.Error = f.wrong.Words
		}
	}
	if len(f.lost) > 0 {
		v.Alert = refusal("No seat was blocked", seatsInTheWay(x, f))
	}
	for _, b := range x.Blocks {
		v.Blocks = append(v.Blocks, blockLine(x, b, set))
	}
	var rule *domain.RuleError
	if err := schedule.Changeable(e); errors.As(err, &rule) {
		v.Closed = &views.Note{Title: "No more seats can be blocked here", Text: []string{rule.Words}}
	} else {
		v.Map, v.Legend = blocksMap(x, f), blocksLegend(x)
	}
	s.render(w, r, status, views.StaffBlocksPage(v))
	return nil
}

// seatsInTheWay names the seats that somebody has: "A1 is sold. A2 is held."
func seatsInTheWay(x schedule.BlockScene, f blockForm) string {
	by := map[string][]string{}
	for _, no := range f.seats {
		if f.lost[no] {
			by[x.Looks[no]] = append(by[x.Looks[no]], seatRef(x.Layout, no).Name)
		}
	}
	var out []string
	for _, look := range []struct{ state, words string }{
		{"booked", "sold"}, {"held", "held by a customer right now"}, {"blocked", "blocked already"},
	} {
		if seats := by[look.state]; len(seats) > 0 {
			out = append(out, format.List(seats)+" "+toBe(len(seats))+" "+look.words+".")
		}
	}
	return strings.Join(out, " ") + " The others are still ticked."
}

func blockLine(x schedule.BlockScene, b schedule.LiveBlock, set domain.Settings) views.BlockLine {
	x.Layout.SortSeats(b.Seats)
	v := views.BlockLine{Seats: seatRefs(x.Layout, b.Seats), Reason: b.Reason, Until: "Until it is lifted.", LiftURL: "/staff" + eventURL(x.Event.ID) + "/blocks/" + strconv.FormatInt(b.ID, 10) + "/lift"}
	if b.EndsAt != nil {
		v.Until = "Until " + eventWhen(*b.EndsAt, x.Event.TimeZone) + "."
	}
	v.Who = b.Who + ", " + shortMoment(b.CreatedAt, set)
	return v
}

// blocksMap is the customers' map in the dress of staff: who has a seat is seen, no
// price is.
func blocksMap(x schedule.BlockScene, f blockForm) views.SeatMap {
	o := &booking.Offer{Event: x.Event, Layout: x.Layout}
	for _, z := range x.Layout.Zones {
		o.Fares = append(o.Fares, domain.Fare{Zone: z.No})
	}
	chosen := map[string]bool{}
	for _, no := range f.seats {
		chosen[no] = !f.lost[no]
	}
	m := mapView(o, &booking.Seats{}, ticks{chosen: chosen})
	for d := range m.Decks {
		for i := range m.Decks[d].Rows {
			row := &m.Decks[d].Rows[i]
			row.Zone, row.Free = nil, 0
			for c := range row.Cells {
				cell := &row.Cells[c]
				if cell.No == "" {
					continue
				}
				if seat, ok := x.Layout.Seat(cell.No); ok {
					cell.Tail = ", " + zoneName(x.Layout, seat.Zone)
				}
				cell.State = map[string]string{"booked": "taken", "held": "held", "blocked": "blocked"}[x.Looks[cell.No]]
				if cell.State == "" {
					cell.State = "free"
					row.Free++
				}
			}
		}
	}
	return m
}

func blocksLegend(x schedule.BlockScene) []views.LegendItem {
	out := []views.LegendItem{
		{Cell: views.SeatCell{State: "free"}, Name: "Free"}, {Cell: views.SeatCell{State: "taken"}, Name: "Sold"},
		{Cell: views.SeatCell{State: "held"}, Name: "Held"}, {Cell: views.SeatCell{State: "blocked"}, Name: "Blocked"},
	}
	for _, c := range x.Layout.Cells {
		if c.Kind == domain.CellWheelchair {
			return append(out, views.LegendItem{Cell: views.SeatCell{State: "free", Kind: "wheelchair"}, Name: "Wheelchair"})
		}
	}
	return out
}
