package handlers

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/seatmap"
	"holdfast/views"
)

// counterMap draws the map in the dress for staff: held and blocked seats show, and a
// blocked one can be ticked all the same.
func counterMap(c *sellScene, f *sellForm) views.SeatMap {
	t := ticks{chosen: map[string]bool{}}
	for _, no := range f.seats {
		t.chosen[no] = true
	}
	x := &booking.Seats{Taken: map[string]bool{}, Payers: map[string]bool{}, Mine: c.x.Mine, Version: c.x.Version}
	for no, look := range c.x.Looks {
		x.Taken[no], x.Payers[no] = true, look.Payer
	}
	m := mapView(c.o, x, t)
	m.Swipe = false
	for _, d := range m.Decks {
		for i := range d.Rows {
			dress(&d.Rows[i], c, t.chosen)
		}
	}
	return m
}

func dress(row *views.SeatRow, c *sellScene, chosen map[string]bool) {
	for i := range row.Cells {
		cell := &row.Cells[i]
		if cell.No == "" {
			continue
		}
		look, other := c.x.Looks[cell.No]
		_, priced := c.fares.Default(cell.Zone)
		switch {
		case cell.State == "mine":
			cell.State = "free" // of the hold that is being sold
		case !other || !priced || look.Payer:
		case look.State == "held":
			cell.State = "held"
		case look.State == "blocked":
			cell.State, cell.Ask = "blocked", true
			cell.Tail += ", blocked: " + blockReason(look)
		}
		cell.Checked = chosen[cell.No]
	}
}

func blockReason(c booking.CounterSeat) string {
	if c.Reason == "" {
		return "no reason given"
	}
	return c.Reason
}

func counterLegend(o *booking.Offer) []views.LegendItem {
	out := legend(o)
	at := slices.IndexFunc(out, func(i views.LegendItem) bool { return i.Name == "Taken" })
	return slices.Insert(out, at+1,
		views.LegendItem{Cell: views.SeatCell{State: "held"}, Name: "Held"},
		views.LegendItem{Cell: views.SeatCell{State: "blocked"}, Name: "Blocked"})
}

func sellPollURL(c *sellScene) string {
	url := sellURL + "/seats?v=" + strconv.FormatUint(uint64(c.x.Version), 10) + "&event=" + strconv.FormatInt(c.o.Event.ID, 10)
	if c.o.Event.Kind == domain.Trip {
		url += "&from=" + strconv.Itoa(c.o.Ride.From) + "&to=" + strconv.Itoa(c.o.Ride.To)
	}
	if c.hold != nil {
		url += "&hold=" + c.hold.ID
	}
	return url
}

// sellSeats answers a map that is open: 204 when nothing changed, else the changed seats
// and the new proposals.
func (s *site) sellSeats(w http.ResponseWriter, r *http.Request, _ access.Staff) error {
	f := readSell(r.URL.Query())
	c, err := s.sellScene(r, f)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	old, err := strconv.ParseUint(r.URL.Query().Get("v"), 10, 32)
	if err == nil && uint32(old) == c.x.Version {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	key := seatmap.Key{EventID: c.o.Event.ID, Ride: c.o.Ride}
	changed, known := s.counterMaps.Changed(key, uint32(old), c.x.Marks())
	s.counterMaps.Remember(key, c.x.Version, c.x.Marks())
	v := views.SeatUpdatesView{Version: int64(c.x.Version), PollURL: sellPollURL(c)}
	for _, d := range counterMap(c, &sellForm{}).Decks {
		for _, row := range d.Rows {
			touched := !known
			for _, cell := range row.Cells {
				if cell.No != "" && (!known || slices.Contains(changed, cell.No)) {
					v.Cells, touched = append(v.Cells, cell), true
				}
			}
			if touched && row.ID != "" {
				v.Rows = append(v.Rows, row)
			}
		}
	}
	best, err := json.Marshal(bestSeats(c))
	if err != nil {
		return err
	}
	s.render(w, r, http.StatusOK, views.SellUpdates(v, string(best)))
	return nil
}
