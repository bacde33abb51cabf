package schedule

import (
	"slices"
	"strconv"
	"strings"

	"holdfast/internal/domain"
)

// ParallelStops makes stops of a form's repeated fields, which must be equally many.
func ParallelStops(places, arrive, depart, use, note, zone []string) ([]StopForm, error) {
	out := make([]StopForm, len(places))
	for _, list := range [][]string{arrive, depart, use, note, zone} {
		if len(list) != len(places) {
			return nil, errStopFields
		}
	}
	for i := range out {
		out[i] = StopForm{places[i], arrive[i], depart[i], use[i], note[i], zone[i]}
	}
	return out, nil
}

// Rearrange changes the typed list of stops by one act, "up.2", "down.2", "remove.2",
// "insert.2" (before the stop) or "add" (after the last), counted from 0; nothing is
// stored. Stops that change places leave their times where they are, so that the list
// stays in order. It answers the stop to look at, false for what is no act.
func (f *RouteForm) Rearrange(act string) (int, bool) {
	verb, number, _ := strings.Cut(act, ".")
	i, err := strconv.Atoi(number)
	n := len(f.Stops)
	if verb == "add" && number == "" {
		i, err = n, nil
		verb = "insert"
	} else if err != nil || i < 0 || i >= n {
		return 0, false
	}
	switch verb {
	case "insert":
		if n < MostStops {
			f.Stops = slices.Insert(f.Stops, i, StopForm{Use: UseBoth})
		}
		return min(i, len(f.Stops)-1), true
	case "remove":
		f.Stops = slices.Delete(f.Stops, i, i+1)
		if i == 0 {
			f.rebase()
		}
		return max(0, min(i, len(f.Stops)-1)), true
	case "up", "down":
		j := i - 1
		if verb == "down" {
			j = i + 1
		}
		if j < 0 || j >= n {
			return i, true
		}
		a, b := &f.Stops[i], &f.Stops[j]
		*a, *b = *b, *a
		a.Arrive, b.Arrive = b.Arrive, a.Arrive
		a.Depart, b.Depart = b.Depart, a.Depart
		return j, true
	}
	return 0, false
}

// rebase counts the times anew from the stop that is the first now, where they can be
// read.
func (f *RouteForm) rebase() {
	if len(f.Stops) == 0 {
		return
	}
	first := &f.Stops[0]
	zero, err := domain.ParseOffset(first.Depart)
	if err != nil {
		zero, err = domain.ParseOffset(first.Arrive)
	}
	first.Arrive, first.Depart = "", ""
	if err != nil {
		return
	}
	for i := range f.Stops[1:] {
		s := &f.Stops[i+1]
		for _, typed := range []*string{&s.Arrive, &s.Depart} {
			if n, err := domain.ParseOffset(*typed); err == nil && n >= zero {
				*typed = domain.ShowOffset(n - zero)
			}
		}
	}
}
