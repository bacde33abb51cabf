package handlers

import (
	"fmt"
	"reflect"
	"strings"

	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

// daysWords puts a set of weekdays into words: "Mon to Thu", "Sat and Sun", "every day".
func daysWords(days int) string {
	weekdays := [7]string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}
	var parts []string
	for d := 0; d < 7; d++ {
		end := d
		for end < 7 && days&(1<<end) != 0 {
			end++
		}
		switch n := end - d; {
		case n == 7:
			return "Every day"
		case n > 2:
			parts = append(parts, weekdays[d]+" to "+weekdays[end-1])
			d = end
		case n > 0:
			parts = append(parts, weekdays[d])
		}
	}
	return format.List(parts)
}

// timesWords puts a band's times into words.
func timesWords(from, to *int) string {
	clock := func(m int) string { return fmt.Sprintf("%02d:%02d", m/60, m%60) }
	switch {
	case from == nil && to == nil:
		return "all day"
	case from == nil:
		return "before " + clock(*to)
	case to == nil:
		return "from " + clock(*from)
	}
	return clock(*from) + " to " + clock(*to)
}

// bandWhen says for which starts a band counts.
func bandWhen(b schedule.Band) string {
	return daysWords(b.Days) + ", " + timesWords(b.FromMinute, b.ToMinute)
}

// bandWhat says what tickets cost in a band.
func bandWhat(x *schedule.Sheet, b schedule.Band) string {
	switch b.Rule {
	case "percent":
		words := format.TaxRate(int(b.Value)) + " of the list’s prices"
		if b.Step > 1 {
			words += ", rounded to " + format.Money(b.Step, x.Money.Code)
		}
		return words
	case "amount":
		if b.Value < 0 {
			return format.Money(-b.Value, x.Money.Code) + " less than the list"
		}
		return format.Money(b.Value, x.Money.Code) + " more than the list"
	}
	return "Prices of their own"
}

// fareBands lists the bands; one that the week never comes to is said to be idle.
func fareBands(x *schedule.Sheet, week [7][]schedule.WeekPart) views.FareBands {
	used := map[string]bool{}
	for _, day := range week {
		for _, p := range day {
			used[p.Band] = true
		}
	}
	v := views.FareBands{AddURL: fareURL(x.List.ID) + "/bands/new", Revision: fmt.Sprint(x.List.Revision)}
	for i, b := range x.Bands {
		line := views.FareBandLine{Name: b.Name, When: bandWhen(b), What: bandWhat(x, b), URL: bandURL(x.List.ID, b.ID)}
		line.Idle = !used[b.Name]
		if i > 0 {
			line.RaiseURL = line.URL + "/raise"
		}
		v.List = append(v.List, line)
	}
	return v
}

// weekWords says of which ticket the week's prices are.
func weekWords(x *schedule.Sheet) string {
	if len(x.Types) == 0 {
		return ""
	}
	words := "A ticket of the first type, " + x.Types[0].Name
	if x.Trips() {
		words += ", from " + x.StopName(0) + " to " + x.StopName(x.List.LastStop)
	}
	return words + ". A start after midnight counts to the day before; the clock is that of the place."
}

// fareWeek writes the week, days that are alike together.
func fareWeek(x *schedule.Sheet, week [7][]schedule.WeekPart) []views.FareWeekLine {
	var out []views.FareWeekLine
	for d := 0; d < 7; {
		end := d + 1
		for end < 7 && reflect.DeepEqual(week[end], week[d]) {
			end++
		}
		set := 0
		for i := d; i < end; i++ {
			set |= 1 << i
		}
		line := views.FareWeekLine{Days: daysWords(set)}
		for _, p := range week[d] {
			part := views.FareWeekPart{Times: p.From + " to " + p.To, Band: p.Band}
			if len(week[d]) == 1 {
				part.Times = "All day"
			}
			for _, f := range p.Prices {
				part.Zones = append(part.Zones, views.FareWeekPrice{Zone: sheetZone(x, f.Zone), Price: money(f.Price, x.Money.Code)})
			}
			line.Parts = append(line.Parts, part)
		}
		out = append(out, line)
		d = end
	}
	return out
}

func sheetZone(x *schedule.Sheet, no int) string {
	for _, z := range x.Zones {
		if z.No == no {
			return strings.TrimSpace(z.Name)
		}
	}
	return fmt.Sprint(no)
}
