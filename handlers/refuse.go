package handlers

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"holdfast/internal/domain"
	"holdfast/views"
)

// crowdAge is how old a reading may be that refuses a choice. It is short: whoever is
// refused wrongly, because a seat was let go in another process meanwhile, is told "just
// taken" within that time and never later.
const crowdAge = 250 * time.Millisecond

// maxRefusals is how many refused choices of one state of the map are kept drawn.
const maxRefusals = 400

// refuse answers a stranger's choice of seats that are certainly taken, where so many
// choose that the database should not be asked about each. It never grants anything.
// True says that it answered.
func (s *site) refuse(w http.ResponseWriter, r *http.Request, seats []string) bool {
	id, err := pathID(r, "event")
	if err != nil || !s.pressure.Crowded(id) || !s.stranger(r) {
		return false
	}
	k, err := keyOf(id, r.PostForm.Get)
	if err != nil {
		return false
	}
	got, err := s.maps.GetWithin(r.Context(), k, crowdAge, s.readMap(k))
	if err != nil || time.Since(got.At) > 2*crowdAge || s.pressure.FreedSince(id, got.At) {
		return false
	}
	n := got.Value
	o := n.offer.After(time.Since(got.At))
	if o.CheckChoice(&seats) != nil {
		return false
	}
	lost := n.seats.SurelyTaken(o, seats)
	if lost == nil {
		return false
	}
	f, err := s.refusal(n, seats, lost)
	if err != nil {
		return false
	}
	s.Metrics.Claim("lost_early")
	f.refuse(w, r)
	return true
}

// refuseAlike answers a stranger whose choice the database refused with the page that all
// who chose the same get; false when the map that lies ready does not show why.
func (s *site) refuseAlike(w http.ResponseWriter, r *http.Request, seats []string, lost *domain.SeatConflict) bool {
	id, err := pathID(r, "event")
	if err != nil || len(lost.Paying) > 0 || !s.stranger(r) {
		return false
	}
	k, err := keyOf(id, r.PostForm.Get)
	if err != nil {
		return false
	}
	got, err := s.maps.GetWithin(r.Context(), k, crowdAge, s.readMap(k))
	if err != nil {
		return false
	}
	x := got.Value.seats
	for _, no := range lost.Lost {
		if !x.Taken[no] || x.Payers[no] {
			return false
		}
	}
	f, err := s.refusal(got.Value, seats, lost)
	if err != nil {
		return false
	}
	f.refuse(w, r)
	return true
}

// refusal is the page for a refused choice, drawn once for all who choose the same.
func (s *site) refusal(n *snapshot, seats []string, lost *domain.SeatConflict) (*frozen, error) {
	name := strings.Join(seats, " ") + "," + strings.Join(lost.Lost, " ")
	n.drawn.mu.Lock()
	defer n.drawn.mu.Unlock()
	if f, ok := n.drawn.refusals[name]; ok {
		return f, nil
	}
	f, err := freeze(views.Seats(s.seatsView(n.offer, n.seats, lostTicks(seats, lost), conflictAlert(n.offer, n.seats, seats, lost))))
	if err == nil && len(n.drawn.refusals) < maxRefusals {
		n.drawn.refusals[name] = f
	}
	return f, err
}

// lostTicks keeps the choice ticked but for what was lost.
func lostTicks(seats []string, c *domain.SeatConflict) ticks {
	t := ticks{chosen: map[string]bool{}, lost: map[string]bool{}, turn: true}
	for _, no := range seats {
		t.chosen[no] = !slices.Contains(c.Lost, no)
	}
	for _, no := range c.Lost {
		t.lost[no] = true
	}
	return t
}
