package domain

import (
	"slices"
	"strings"
	"time"
)

// Passenger is one ticket of an event with its holder, as the door and the manifest list
// it. Cancelled tickets are passengers too: the door must know them.
type Passenger struct {
	TicketID, BookingID int64
	CodeVersion         int
	SeatNo              string
	FromStop, ToStop    int
	Name                string // the passenger's, else the booking's; may be empty
	Phone               string
	TypeName            string
	Reference           string
	Channel             string
	Label               string // that the counter gave the hold: "red jacket"
	TicketState         string
	BookingState        string
	Paid                bool
	MoneyBack, Disputed bool   // see the database's DoorFacts
	Exchanged           bool   // cancelled, because it was exchanged for another
	StaffNote           string // on the booking
	EntryID             int64
	EntryPlace          string
	EntryWho            string
	EntryReason         string
	EntryAt             *time.Time // nil: not in
}

// In says whether the ticket's holder is in.
func (p Passenger) In() bool { return p.Valid() && p.EntryAt != nil }

// Note is what whoever lets in should know: what stops the ticket, what the counter wrote.
func (p Passenger) Note() string {
	var words []string
	switch {
	case !p.Paid:
		words = append(words, "Not paid")
	case p.MoneyBack:
		words = append(words, "Refunded: ask the office")
	case p.Disputed:
		words = append(words, "Disputed: ask the office")
	}
	for _, text := range []string{p.Label, p.StaffNote} {
		if text != "" {
			words = append(words, text)
		}
	}
	return strings.Join(words, "; ")
}

// Valid says whether the ticket counts as sold.
func (p Passenger) Valid() bool { return p.TicketState == "valid" }

// PassengerGroup is who comes in together: a row of a hall, or those who board at a stop.
type PassengerGroup struct {
	Stop         int    // of a trip
	Section, Row string // of a hall
	People       []Passenger
}

// GroupPassengers puts an event's passengers in the order of boarding and then of the
// plan. A trip has a group for each stop where anybody boards, a hall one for each row.
func GroupPassengers(l *Layout, trip bool, list []Passenger) []PassengerGroup {
	place := map[string]int{}
	for i, c := range l.Cells {
		place[c.SeatNo] = i
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Passenger) int {
		if a.FromStop != b.FromStop {
			return a.FromStop - b.FromStop
		}
		return place[a.SeatNo] - place[b.SeatNo]
	})
	var out []PassengerGroup
	for _, p := range list {
		g := PassengerGroup{Stop: p.FromStop}
		if c, ok := l.Seat(p.SeatNo); ok && !trip {
			g.Section, g.Row = c.Section, c.RowLabel
		}
		if n := len(out); n == 0 || out[n-1].Stop != g.Stop || out[n-1].Section != g.Section || out[n-1].Row != g.Row {
			out = append(out, g)
		}
		last := &out[len(out)-1]
		last.People = append(last.People, p)
	}
	return out
}

// DoorCount is how many are in of those that have a ticket.
type DoorCount struct{ In, Sold int }

// Expected is how many are still to come.
func (c DoorCount) Expected() int { return c.Sold - c.In }

// CountPassengers counts a list: what a page shows above it is always what it lists.
func CountPassengers(list []Passenger) (c DoorCount) {
	for _, p := range list {
		if p.Valid() {
			c.Sold++
		}
		if p.In() {
			c.In++
		}
	}
	return c
}

// Found says whether a search by name, seat or reference finds the passenger.
func (p Passenger) Found(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	if ref := ParseReference(text); ref != "" && ref == p.Reference {
		return true
	}
	return strings.EqualFold(p.SeatNo, text) || strings.Contains(strings.ToLower(p.Name), text)
}

// ManifestGroup is who gets on at a stop and how many get off there, or who sits in a row.
type ManifestGroup struct {
	PassengerGroup
	Off int
}

// Manifest lists those with a valid ticket: by row of a hall, or for a trip of so many
// stops by each stop where anybody gets on or off. stops is 0 for a screening.
func Manifest(l *Layout, stops int, list []Passenger) (out []ManifestGroup) {
	var valid []Passenger
	off := make([]int, stops)
	for _, p := range list {
		if !p.Valid() {
			continue
		}
		valid = append(valid, p)
		if p.ToStop < stops {
			off[p.ToStop]++
		}
	}
	groups := GroupPassengers(l, stops > 0, valid)
	if stops == 0 {
		for _, g := range groups {
			out = append(out, ManifestGroup{PassengerGroup: g})
		}
		return out
	}
	for stop := range stops {
		g := ManifestGroup{PassengerGroup: PassengerGroup{Stop: stop}, Off: off[stop]}
		if len(groups) > 0 && groups[0].Stop == stop {
			g.PassengerGroup, groups = groups[0], groups[1:]
		}
		if len(g.People) > 0 || g.Off > 0 {
			out = append(out, g)
		}
	}
	return out
}
