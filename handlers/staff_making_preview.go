package handlers

import (
	"fmt"
	"net/url"
	"sort"
	"strings"
	"time"

	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

// makingPreview puts a plan into words. typed comes back with every answer; look is the
// address that shows the plan again, and posted to it makes it.
func makingPreview(p schedule.Preview, typed url.Values, halls []schedule.Resource, look string) *views.MakingPreview {
	noun := "screening"
	if len(p.Events) > 0 && p.Events[0].Event.Kind == string(domain.Trip) {
		noun = "trip"
	}
	v := &views.MakingPreview{
		Heading: format.Count(len(p.Events), noun), Words: "All can be made. Nothing is yet.", Look: look + "#preview", Action: look,
		Ready: p.Ready(), Carry: carry(typed), Publish: true,
	}
	names := map[int64]string{}
	for _, h := range halls {
		names[h.ID] = h.Name
	}
	for _, x := range p.Events {
		l := makingLine(x, names)
		if len(l.Bad) > 0 {
			v.LeaveOut = append(v.LeaveOut, views.Hidden{Name: "skip", Value: x.Key})
		}
		v.Lines = append(v.Lines, l)
		if x.Twice && v.Fold == nil {
			fold := typed.Get("fold")
			local := format.In(x.Event.StartsAt, x.Event.TimeZone)
			v.Fold = &views.MakingFold{
				Words: fmt.Sprintf("On %s the clock shows %s twice, because it goes back an hour. Which one is meant?", format.LongDay(local), format.Clock(local)),
				Said:  fold != "", First: fold == schedule.FirstOfTwo,
			}
		}
	}
	bad := len(v.LeaveOut)
	switch {
	case bad > 0:
		v.Words = fmt.Sprintf("%d cannot be as it is. Change the form above or leave it out; nothing is made before all can be.", bad)
		if bad > 1 {
			v.Words = fmt.Sprintf("%d cannot be as they are. Change the form above or leave them out; nothing is made before all can be.", bad)
		}
		v.Leave = "Leave it out"
		if bad > 1 {
			v.Leave = fmt.Sprintf("Leave these %d out", bad)
		}
		if bad == len(p.Events) {
			v.LeaveOut = nil // nothing would be left
		}
	case p.Twice:
		v.Words = "One answer is missing."
	}
	if n := len(p.Skipped); n > 0 {
		v.Skipped = format.Count(n, "time") + " left out."
	}
	return v
}

func makingLine(x schedule.Planned, halls map[int64]string) views.MakingLine {
	start := format.In(x.Event.StartsAt, x.Event.TimeZone)
	l := views.MakingLine{Day: format.Day(start), Time: format.Clock(start), Title: x.Title}
	if x.Event.ResourceID != nil {
		l.Where = halls[*x.Event.ResourceID]
	}
	if x.Problem != "" {
		if date, clock, ok := strings.Cut(x.Key, "T"); ok { // no instant has this wall clock
			day, err := time.Parse(time.DateOnly, date)
			if err == nil && len(clock) >= 5 {
				l.Day, l.Time = format.Day(day), clock[:5]
			}
		}
		l.Bad = []string{x.Problem}
		return l
	}
	end := x.Event.EndsAt
	endZone := x.Event.TimeZone
	l.Until = format.Clock(format.In(end, endZone))
	if n := format.DayOff(start, format.In(end, endZone)); n > 0 {
		l.Until += fmt.Sprintf(" +%d", n)
	}
	if format.DayOff(x.Event.BusinessDay, start) > 0 {
		l.Notes = append(l.Notes, "Counts to "+format.ShortDay(x.Event.BusinessDay))
	}
	for _, c := range x.Clashes {
		l.Bad = append(l.Bad, clashWords(c))
	}
	return l
}

func clashWords(c schedule.Clash) string {
	from, until := format.In(c.StartsAt, c.TimeZone), format.In(c.Until, c.TimeZone)
	words := fmt.Sprintf("%s is taken: %s, %s %s to %s", c.Resource, c.Title, format.ShortDay(from), format.Clock(from), format.Clock(until))
	if c.EventID == 0 {
		words += ", of this plan"
	}
	return words + ", turnaround included."
}

// carry is what was typed, in a fixed order.
func carry(typed url.Values) []views.Hidden {
	names := make([]string, 0, len(typed))
	for name := range typed {
		if name != "do" && name != "fold" {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	var out []views.Hidden
	for _, name := range names {
		for _, value := range typed[name] {
			out = append(out, views.Hidden{Name: name, Value: value})
		}
	}
	return out
}
