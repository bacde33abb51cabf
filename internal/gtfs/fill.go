package gtfs

// fillTimes gives every stop its times: what is missing at one stop is taken from its
// other time, what is missing between two timed stops is interpolated, by the distance
// travelled where the feed tells it, else evenly. Then nothing may run backwards.
func (f *reading) fillTimes(list []stopTime) (words string, row int32, text string) {
	for i := range list {
		x := &list[i]
		if x.arrive == blank {
			x.arrive = x.depart
		}
		if x.depart == blank {
			x.depart = x.arrive
		}
	}
	for _, end := range []stopTime{list[0], list[len(list)-1]} {
		if end.arrive == blank {
			return "The first or the last stop of a trip has no time: the trip is left out.", end.row, "stop " + short(f.Stops[end.stop].ID)
		}
	}
	for i := 0; i < len(list)-1; {
		next := i + 1
		for list[next].arrive == blank {
			next++
		}
		interpolate(list[i : next+1])
		i = next
	}
	for i, x := range list {
		if x.depart < x.arrive || i > 0 && x.arrive < list[i-1].depart {
			return "Times run backwards: the trip is left out.", x.row, "stop " + short(f.Stops[x.stop].ID)
		}
	}
	return f.ridden(list)
}

// interpolate fills the stops between the first and the last of part, in whole minutes
// where that does not run backwards.
func interpolate(part []stopTime) {
	n := len(part) - 1
	from, to := part[0].depart, part[n].arrive
	far := true
	for i, x := range part {
		far = far && x.distance >= 0 && (i == 0 || x.distance >= part[i-1].distance)
	}
	way := float64(part[n].distance) - float64(part[0].distance)
	for i := 1; i < n; i++ {
		share := float64(i) / float64(n)
		if far && way > 0 {
			share = (float64(part[i].distance) - float64(part[0].distance)) / way
		}
		at := from + int32(share*float64(to-from))
		at = max(at-at%60, part[i-1].depart)
		part[i].arrive, part[i].depart = at, at
	}
}

// ridden refuses trips on which nobody can ride.
func (f *reading) ridden(list []stopTime) (words string, row int32, text string) {
	last := list[len(list)-1]
	if last.arrive <= list[0].depart {
		return "Trips that take no time are left out.", last.row, ""
	}
	boarded := false
	for _, x := range list {
		if boarded && x.kind&noAlighting == 0 {
			return "", 0, ""
		}
		boarded = boarded || x.kind&noBoarding == 0
	}
	return "Trips that nobody may get on and off are left out.", list[0].row, ""
}
