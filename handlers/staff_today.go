package handlers

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

const (
	tasksOnToday = 6
	fewLeft      = 10 // free seats, in percent, that are worth a word
)

// staffToday is where staff come in: the day's events and money, and what needs them.
func (s *site) staffToday(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	date, err := date(r.URL.Query().Get("date"))
	if err != nil {
		return err
	}
	page, set, err := s.staffPage(r, who, "Today", "/staff/today")
	if err != nil {
		return err
	}
	d, err := s.Access.Day(r.Context(), date)
	if err != nil {
		return err
	}
	t := today{look{s: s, set: set, now: d.Counts.Now}, d, who}
	v := views.StaffToday{
		Page: page, Heading: d.Date.Format("Monday 2 January"), Lede: t.lede(), Date: d.Date.Format(time.DateOnly), IsToday: d.Date.Equal(d.Today),
		PreviousURL: dayURL(d.Date.AddDate(0, 0, -1)), NextURL: dayURL(d.Date.AddDate(0, 0, 1)), TodayURL: "/staff/today",
		Needs: t.needs(), NeedsCount: len(d.Tasks), Tiles: t.tiles(), Left: t.left(),
	}
	if len(d.Tasks) > 0 {
		v.NeedsCount = d.Tasks[0].All
	}
	if v.Setup, err = s.setupNote(r, who, set); err != nil {
		return err
	}
	if v.ToClose, err = s.dayToClose(r, who); err != nil {
		return err
	}
	v.Page.Page.Title = v.Heading
	badge(&v.Page, "/staff/today", v.NeedsCount)
	for _, e := range d.Events {
		v.Events = append(v.Events, t.event(e))
	}
	s.render(w, r, http.StatusOK, views.StaffTodayPage(v))
	return nil
}

func dayURL(day time.Time) string { return "/staff/today?date=" + day.Format(time.DateOnly) }

// today is a day on its way to words.
type today struct {
	look
	d   access.Day
	who access.Staff
}

func (t today) lede() string {
	if !t.d.Date.Equal(t.d.Today) {
		return "Today is " + t.d.Today.Format("Monday 2 January") + "."
	}
	words := format.Clock(format.In(t.now, t.set.TimeZone)) + ", " + format.Zone(t.set.TimeZone) + "."
	for _, e := range t.d.Events {
		if e.Status == "published" && e.StartsAt.After(t.now) {
			return words + " Next: " + e.Title + " at " + format.Clock(format.In(e.StartsAt, e.TimeZone)) + "."
		}
	}
	return words
}

func (t today) left() string {
	n := 0
	for _, e := range t.d.Events {
		if e.Status == "published" && e.EndsAt.After(t.now) {
			n++
		}
	}
	if t.d.Date.Equal(t.d.Today) {
		return strconv.Itoa(n) + " still to end"
	}
	return format.Count(len(t.d.Events), "event")
}

// needs is the head of the staff list.
func (t today) needs() (out []views.TodayNeed) {
	for _, x := range t.d.Tasks[:min(len(t.d.Tasks), tasksOnToday)] {
		v := views.TodayNeed{Title: taskTitle(x.Kind), Words: x.Words, Since: "Since " + t.since(x.CreatedAt), Link: views.Link{Text: "Look", URL: "/staff/status"}}
		switch {
		case x.BookingID != nil:
			v.Title += ": " + domain.ShowReference(x.Reference)
			v.Link = views.Link{Text: "Open booking", URL: bookingFileURL(*x.BookingID)}
		case x.Received > 0:
			v.Title += ": " + format.Money(x.Received, x.Currency)
		}
		out = append(out, v)
	}
	return out
}

// tiles are the money of the day by channel and tender, then what is under way.
func (t today) tiles() []views.TodayTile {
	type sum struct{ in, out int64 }
	all, currencies := map[string]sum{}, []string{}
	for _, x := range t.d.Takings {
		if _, seen := all[x.Currency]; !seen {
			currencies = append(currencies, x.Currency)
		}
		all[x.Currency] = sum{all[x.Currency].in + x.Received, all[x.Currency].out + x.Refunded}
	}
	if len(currencies) == 0 {
		currencies = []string{t.set.Currency}
	}
	var out []views.TodayTile
	for i, code := range currencies {
		v := views.TodayTile{Name: "Taken", Money: ptr(money(all[code].in-all[code].out, code))}
		if i == 0 {
			v.Small = format.Count(t.d.Counts.TicketsSold, "ticket") + " sold"
		}
		if all[code].out > 0 {
			v.Small = strings.TrimPrefix(v.Small+", "+format.Money(all[code].out, code)+" went back", ", ")
		}
		out = append(out, v)
	}
	for _, x := range t.d.Takings {
		v := views.TodayTile{Name: takenBy(x.Channel, x.Tender), Money: ptr(money(x.Received-x.Refunded, x.Currency))}
		if total := all[x.Currency].in - all[x.Currency].out; total > 0 && x.Received > x.Refunded {
			v.Small = strconv.FormatInt((x.Received-x.Refunded)*100/total, 10) + " %"
		}
		out = append(out, v)
	}
	return append(out, t.underWay()...)
}

func (t today) underWay() []views.TodayTile {
	c := t.d.Counts
	holds := views.TodayTile{Name: "Open holds", Value: strconv.Itoa(c.Holds)}
	if c.OldestHold != nil {
		holds.Small = format.Count(c.HeldSeats, "seat") + ", oldest " + t.age(*c.OldestHold)
	}
	out := []views.TodayTile{holds}
	for _, x := range []struct {
		count       int
		name, small string
	}{{c.MailsFailed, "Mails failed", "in the last 7 days"}, {c.RefundsStuck, "Refunds stuck", "see the status page"}} {
		if x.count > 0 {
			out = append(out, views.TodayTile{Name: x.name, Value: strconv.Itoa(x.count), Small: x.small, URL: "/staff/status", Bad: true})
		}
	}
	return out
}

func ptr[T any](v T) *T { return &v }

// takenBy names a line of the takings: "Online", "Counter, cash".
func takenBy(channel, tender string) string {
	channels := map[string]string{"web": "Online", "counter": "Counter", "agent": "Agents", "partner": "Partners", "": "Other"}
	tenders := map[string]string{"stripe": "Stripe", "cash": "cash", "terminal": "card", "agent": "account", "comp": "free of charge", "free": "free", "exchange": "exchange"}
	name, how := cmp.Or(channels[channel], channel), cmp.Or(tenders[tender], tender)
	if channel == "web" && tender == "stripe" || how == "" || channel == tender {
		return name
	}
	return name + ", " + how
}

func (t today) event(e access.DayEvent) views.TodayEvent {
	at := format.In(e.StartsAt, e.TimeZone)
	v := views.TodayEvent{
		ID: strconv.FormatInt(e.ID, 10), Time: format.Clock(at), Title: e.Title, Resource: e.Resource, URL: eventURL(e.ID),
		Sold: e.Sold, Held: e.Held, Blocked: e.Blocked, Seats: max(e.Seats, 1), Count: fmt.Sprintf("%d of %d", e.Sold, e.Seats), Past: !e.EndsAt.After(t.now),
	}
	if e.TimeZone != t.set.TimeZone {
		v.Zone = format.Zone(e.TimeZone)
	}
	if at.Format(time.DateOnly) != t.d.Date.Format(time.DateOnly) {
		v.Zone = strings.TrimPrefix(v.Zone+", "+at.Format("Mon 2 Jan"), ", ")
	}
	if t.who.Role.Covers(access.Manager) {
		v.URL = "/staff" + v.URL
	}
	var more []string
	if e.Held > 0 {
		more = append(more, strconv.Itoa(e.Held)+" held")
	}
	if e.Blocked > 0 {
		more = append(more, strconv.Itoa(e.Blocked)+" blocked")
	}
	v.More = strings.Join(more, ", ")
	v.State, v.Tone = t.sales(e)
	if e.Status == "published" && e.EndsAt.After(t.now) { // the counter's page knows until when
		v.SellURL = sellEventURL(e.ID)
	}
	return v
}

// sales is whether an event can be bought now, in two or three words.
func (t today) sales(e access.DayEvent) (words, tone string) {
	minutes := t.set.SalesCloseMinutes
	if e.SalesClose != nil {
		minutes = *e.SalesClose
	}
	closes := e.StartsAt.Add(-time.Duration(minutes) * time.Minute)
	free := e.Seats - e.Sold - e.Held - e.Blocked
	switch {
	case e.Status == "cancelled":
		return "Cancelled", "bad"
	case e.Status == "draft":
		return "Draft, not on sale", "warn"
	case !e.EndsAt.After(t.now):
		return "Over", ""
	case e.Seats > 0 && e.Sold == e.Seats && e.Kind == string(domain.Screening):
		return "Sold out", "full"
	case !closes.After(t.now):
		return "Online sales closed", ""
	case e.Kind == string(domain.Screening) && free*100 <= e.Seats*fewLeft:
		return strconv.Itoa(free) + " left", "few"
	case closes.Sub(t.now) < 2*time.Hour:
		return "Online until " + format.Clock(format.In(closes, e.TimeZone)), ""
	}
	return "Open", ""
}
