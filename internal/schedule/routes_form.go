package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"holdfast/internal/domain"
)

// RouteForm is a route as typed.
type RouteForm struct {
	Name     string
	Stops    []StopForm
	Revision int
}

// StopForm is a stop as typed. Arrive and Depart are times after the first departure,
// not asked of the first stop; Depart empty means at once, at the last stop never.
type StopForm struct {
	Place, Arrive, Depart, Use, Note, Zone string
}

// What passengers may do at a stop, StopForm.Use.
const (
	UseBoth   = "both"
	UseBoard  = "board"
	UseAlight = "alight"
	UseNone   = "none" // a break, a border
)

// RouteFormOf is the form of a route as it is stored.
func RouteFormOf(r Route, stops []RouteStop) RouteForm {
	f := RouteForm{Name: r.Name, Revision: r.Revision}
	for i, x := range stops {
		s := StopForm{Place: strconv.FormatInt(x.PlaceID, 10), Use: UseNone, Note: x.Note, Zone: x.Zone}
		switch {
		case x.MayBoard && x.MayAlight, i == 0 && x.MayBoard, i == len(stops)-1 && x.MayAlight:
			s.Use = UseBoth
		case x.MayBoard:
			s.Use = UseBoard
		case x.MayAlight:
			s.Use = UseAlight
		}
		if i > 0 {
			s.Arrive = domain.ShowOffset(x.ArriveAfter)
		}
		if i > 0 && i < len(stops)-1 && x.DepartAfter != x.ArriveAfter {
			s.Depart = domain.ShowOffset(x.DepartAfter)
		}
		f.Stops = append(f.Stops, s)
	}
	return f
}

// Fields are the form's fields by name, a stop in one line.
func (f RouteForm) Fields() map[string]string {
	out := map[string]string{"name": f.Name}
	for i, s := range f.Stops {
		out[fmt.Sprintf("stop %d", i+1)] = strings.Join([]string{"place " + s.Place, s.Arrive, s.Depart, s.Use, s.Note, s.Zone}, "; ")
	}
	return out
}

// read checks what was typed. Problems of a stop are under "arrive.2", counted from 0.
func (f RouteForm) read() (string, []RouteStop, error) {
	var bad InvalidForm
	name := bad.text("name", f.Name, 200, "Please write the route’s name, like “Trieste – Zagreb”.")
	switch n := len(f.Stops); {
	case n < 2:
		bad.wrong("stops", "A route needs two stops at least. Add stops below.")
	case n > MostStops:
		bad.wrong("stops", "A route can have "+strconv.Itoa(MostStops)+" stops at most.")
		return name, nil, bad.err()
	}
	stops := make([]RouteStop, len(f.Stops))
	left := 0 // minutes when the stop before is left
	for i, s := range f.Stops {
		stops[i] = s.read(&bad, i, len(f.Stops)-1, left)
		left = max(left, stops[i].DepartAfter)
		if i > 0 && stops[i].PlaceID != 0 && stops[i].PlaceID == stops[i-1].PlaceID {
			bad.wrong("place."+strconv.Itoa(i), "This is the stop before. Please choose another place.")
		}
	}
	return name, stops, bad.err()
}

func (s StopForm) read(bad *InvalidForm, i, last, left int) RouteStop {
	at := func(field string) string { return field + "." + strconv.Itoa(i) }
	x := RouteStop{
		Note: bad.text(at("note"), s.Note, 200, ""), Zone: bad.text(at("zone"), s.Zone, 40, ""),
		MayBoard:  i < last && (s.Use == UseBoth || s.Use == UseBoard),
		MayAlight: i > 0 && (s.Use == UseBoth || s.Use == UseAlight),
	}
	if !slices.Contains([]string{UseBoth, UseBoard, UseAlight, UseNone}, s.Use) {
		bad.wrong(at("use"), "Please choose what passengers may do here.")
	}
	place, err := strconv.ParseInt(s.Place, 10, 64)
	if err != nil || place < 1 {
		bad.wrong(at("place"), "Please choose a place.")
	}
	x.PlaceID = max(place, 0)
	if i == 0 {
		return x
	}
	x.ArriveAfter = s.offset(bad, at("arrive"), s.Arrive, left, "This is before the coach leaves the stop before, "+domain.ShowOffset(left)+".")
	x.DepartAfter = x.ArriveAfter
	if i < last && line(s.Depart) != "" {
		x.DepartAfter = s.offset(bad, at("depart"), s.Depart, x.ArriveAfter, "This is before the coach arrives, "+domain.ShowOffset(x.ArriveAfter)+".")
	}
	if i == last && x.ArriveAfter == 0 && line(s.Arrive) != "" && last > 0 {
		bad.wrong(at("arrive"), "The last stop must be later than the first.")
	}
	return x
}

// offset reads minutes after the first departure that are not before low.
func (s StopForm) offset(bad *InvalidForm, field, typed string, low int, early string) int {
	n, err := domain.ParseOffset(typed)
	switch {
	case line(typed) == "":
		bad.wrong(field, "Please write when, counted from the first departure, like 2:30.")
	case err != nil:
		bad.wrong(field, "Please write hours and minutes, like 2:30, or minutes, like 150. A week is the most.")
	case n < low:
		bad.wrong(field, early)
	default:
		return n
	}
	return low
}
