package handlers

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

// routeStops fills the list of stops with what was typed and, by an example's first
// departure today, the wall clock at each.
func routeStops(v *views.StaffRoute, x routeShown, places []schedule.StopPlace) {
	zones := map[string]string{}
	for _, p := range places {
		zones[strconv.FormatInt(p.ID, 10)] = p.TimeZone
	}
	last := len(x.form.Stops) - 1
	start, known := exampleStart(x, zones)
	v.First = start.Format("15:04")
	if known {
		v.Example = "The times below are for a departure on " + format.ShortDay(start) + ", each in the stop’s own zone."
	} else {
		v.Example = "Choose the first stop to see the times in each stop’s own zone."
	}
	for i, stop := range x.form.Stops {
		no := strconv.Itoa(i)
		f := views.RouteStopForm{
			No: no, Title: "Stop " + strconv.Itoa(i+1), First: i == 0, Last: i == last, Arrive: stop.Arrive, Depart: stop.Depart, Note: stop.Note, Zone: stop.Zone,
			Places: stopOptions(places, stop.Place), Uses: useOptions(stop.Use), Focus: i == x.focus,
			PlaceError: x.wrong("place." + no), ArriveError: x.wrong("arrive." + no), DepartError: x.wrong("depart." + no),
			UseError: x.wrong("use." + no), NoteError: x.wrong("note." + no), ZoneError: x.wrong("zone." + no),
		}
		switch i {
		case 0:
			f.Title += ", first departure"
		case last:
			f.Title += ", last"
		}
		if zone := zones[stop.Place]; known && zone != "" {
			f.Shown = stopShown(stop, start, zone, i == 0, i == last)
		}
		v.Stops = append(v.Stops, f)
	}
}

// exampleStart is today at the typed clock in the first stop's zone, 08:00 when nothing
// was typed.
func exampleStart(x routeShown, zones map[string]string) (time.Time, bool) {
	clock, err := time.Parse("15:04", x.first)
	if err != nil {
		clock = time.Date(0, 1, 1, 8, 0, 0, 0, time.UTC)
	}
	zone := "UTC"
	if len(x.form.Stops) > 0 {
		zone = zones[x.form.Stops[0].Place]
	}
	loc, err := time.LoadLocation(zone)
	if zone == "" || err != nil {
		return clock, false
	}
	y, m, d := time.Now().In(loc).Date()
	return time.Date(y, m, d, clock.Hour(), clock.Minute(), 0, 0, loc), true
}

// stopShown is "arrives 10:35, leaves 10:45, Ljubljana time"; "" where no time was typed.
func stopShown(stop schedule.StopForm, start time.Time, zone string, first, last bool) string {
	at := func(typed string) string {
		n, err := domain.ParseOffset(typed)
		if err != nil {
			return ""
		}
		local := start.Add(time.Duration(n) * time.Minute).In(format.In(start, zone).Location())
		if days := format.DayOff(start, local); days != 0 {
			return fmt.Sprintf("%s on %s", format.Clock(local), format.ShortDay(local))
		}
		return format.Clock(local)
	}
	if first {
		return "leaves " + format.Clock(start) + ", " + format.Zone(zone)
	}
	arrives, leaves := at(stop.Arrive), at(stop.Depart)
	switch {
	case arrives == "":
		return ""
	case last:
		return "arrives " + arrives + ", " + format.Zone(zone)
	case leaves == "":
		leaves = "at once"
	}
	return "arrives " + arrives + ", leaves " + leaves + ", " + format.Zone(zone)
}

func stopOptions(places []schedule.StopPlace, chosen string) []views.Option {
	out := []views.Option{{Text: "Choose a place"}}
	for _, p := range places {
		id := strconv.FormatInt(p.ID, 10)
		out = append(out, views.Option{Value: id, Text: p.Name, Selected: id == chosen})
	}
	return out
}

// stopErrors says in the summary which stop a problem is at.
func stopErrors(list []views.FieldError) {
	for i, e := range list {
		_, no, of := strings.Cut(e.ID, ".")
		if n, err := strconv.Atoi(no); of && err == nil {
			list[i].Text = "Stop " + strconv.Itoa(n+1) + ": " + e.Text
		}
	}
}

func useOptions(chosen string) (out []views.Option) {
	for _, o := range []views.Option{
		{Value: schedule.UseBoth, Text: "On and off"}, {Value: schedule.UseBoard, Text: "On only"},
		{Value: schedule.UseAlight, Text: "Off only"}, {Value: schedule.UseNone, Text: "Neither"},
	} {
		o.Selected = o.Value == chosen
		out = append(out, o)
	}
	return out
}

// storedStops names the stops as they are stored now: "Trieste, Ljubljana 1:35".
func storedStops(stops []schedule.StopForm, places []schedule.StopPlace) string {
	var out []string
	for _, stop := range stops {
		for _, p := range places {
			if stop.Place == strconv.FormatInt(p.ID, 10) {
				out = append(out, strings.TrimSpace(p.Name+" "+stop.Arrive))
			}
		}
	}
	return strings.Join(out, ", ")
}
