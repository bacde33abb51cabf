package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

// feedForm is what was typed on the preview: from the address or from the form.
type feedForm struct {
	get     func(string) string
	refused *domain.RuleError
	busy    bool
}

// choice reads which part of the feed. A date that is none is told beside its field.
func (f *feedForm) choice() schedule.FeedChoice {
	c := schedule.FeedChoice{Agency: -1}
	if n, err := strconv.Atoi(f.get("agency")); err == nil {
		c.Agency = n
	}
	for name, to := range map[string]**time.Time{"from": &c.From, "until": &c.Until} {
		day, err := date(f.get(name))
		if err != nil && f.refused == nil {
			f.refused = &domain.RuleError{Code: name, Words: "That is not a date. Please choose it again."}
		}
		*to = day
	}
	return c
}

func (s *site) showFeed(w http.ResponseWriter, r *http.Request, who access.Staff, file schedule.ImportFile, status int, f feedForm) error {
	page, set, err := s.staffPage(r, who, "Timetable from a feed", importURL)
	if err != nil {
		return err
	}
	p, err := s.Schedule.FeedPreview(r.Context(), file.ID, f.choice(), set)
	var rule *domain.RuleError
	if errors.As(err, &rule) && rule.Code == "until" {
		f.refused = rule // shown with the usual days
		p, err = s.Schedule.FeedPreview(r.Context(), file.ID, schedule.FeedChoice{Agency: f.choice().Agency}, set)
	}
	if err != nil {
		return err
	}
	if f.refused != nil {
		status = http.StatusUnprocessableEntity
	}
	s.render(w, r, status, views.StaffFeedPage(feedView(page, p, f)))
	return nil
}

func feedView(page views.StaffPage, p schedule.FeedPreview, f feedForm) views.StaffFeed {
	v := views.StaffFeed{
		Page: page, File: p.File.Name, Lede: "Nothing is changed yet.", Stopped: p.Stopped, Action: importFileURL(p.File.ID), Back: importURL,
		Problems: problemRows(p.Problems),
	}
	if p.Stopped {
		v.Said = &views.Note{Tone: "bad", Title: "Nothing of this feed can be imported yet", Text: []string{"What stops it stands first in the list below. Nothing was changed. Ask whoever made the feed to mend it, then send it again."}}
		return v
	}
	v.Agency, v.From, v.Until = strconv.Itoa(p.Agency), p.From.Format("2006-01-02"), p.Until.Format("2006-01-02")
	for i, name := range p.Agencies {
		v.Agencies = append(v.Agencies, views.Option{Value: strconv.Itoa(i), Text: name, Selected: i == p.Agency})
	}
	v.Said = feedSaid(p, f)
	feedErrors(&v, f)
	feedFacts(&v, p)
	v.Kept, v.KeptMore = keptRows(p.Changes)
	feedChoices(&v, p, f)
	return v
}

// feedSaid is the one thing to know first.
func feedSaid(p schedule.FeedPreview, f feedForm) *views.Note {
	switch {
	case f.busy:
		return &views.Note{Tone: "warn", Title: "Somebody is buying on one of these departures right now", Alert: true, Text: []string{"Nothing was changed. Please press Import again in a moment."}}
	case f.refused != nil:
		return &views.Note{Tone: "bad", Title: f.refused.Words, Alert: true}
	case p.Departures == 0 && p.Last.IsZero():
		return &views.Note{Tone: "warn", Title: "0 departures: this company’s trips run on no day at all", Text: []string{"Routes and stops can be imported all the same."}}
	case p.Departures == 0 && p.Last.Before(p.From):
		return &views.Note{Tone: "warn", Title: "0 departures: the service of this feed is over", Text: []string{
			"It ran from " + format.Day(p.First) + " to " + format.Day(p.Last) + ". Routes and stops can be imported all the same; ask for the newest edition of the feed to have departures."}}
	case p.Departures == 0:
		return &views.Note{Tone: "warn", Title: "0 departures between these days", Text: []string{"The feed has service from " + format.Day(p.First) + " to " + format.Day(p.Last) + ", but none on the days chosen."}}
	case p.TooMany:
		return &views.Note{Tone: "warn", Title: "These are too many departures for one import", Text: []string{"Please choose fewer days and import the rest afterwards."}}
	}
	return nil
}

func feedErrors(v *views.StaffFeed, f feedForm) {
	if f.refused == nil {
		return
	}
	switch f.refused.Code {
	case "layout":
		v.Errors.Layout = f.refused.Words
	case "tariff":
		v.Errors.Tariff = f.refused.Words
	case "from":
		v.Errors.From = f.refused.Words
	case "until":
		v.Errors.Until = f.refused.Words
	}
}

const daysShown = 62

func feedFacts(v *views.StaffFeed, p schedule.FeedPreview) {
	trips := 0
	for _, r := range p.Routes {
		trips += r.Trips
	}
	left := ""
	if p.TripRows != trips && len(p.Agencies) == 1 {
		left = fmt.Sprintf("of %d in the feed", p.TripRows)
	}
	v.Tiles = []views.StaffTile{
		{Name: "Routes", Value: strconv.Itoa(p.FeedRoutes), Small: fmt.Sprintf("%s to go, each a route here", format.Count(len(p.Routes), "way"))},
		{Name: "Stops", Value: strconv.Itoa(p.Stops + p.Unused), Small: usedWords(p)},
		{Name: "Trips", Value: strconv.Itoa(trips), Small: left},
		{Name: "Departures", Value: atMost(p.Departures), Small: changesWords(p.Changes)},
	}
	if len(p.Agencies) > 1 { // the unused ones are not known by company
		v.Tiles[1] = views.StaffTile{Name: "Stops", Value: strconv.Itoa(p.Stops)}
	}
	v.Zones = zoneWords(p)
	for i, d := range p.Days {
		if i == daysShown {
			v.DaysNote = fmt.Sprintf("And %d more days.", len(p.Days)-i)
			break
		}
		v.Days = append(v.Days, views.FeedDay{Day: format.Day(d.Day), Departures: strconv.Itoa(d.Departures), LeftOut: strconv.Itoa(d.LeftOut)})
	}
}

func usedWords(p schedule.FeedPreview) string {
	if p.Unused == 0 {
		return "all are used"
	}
	return fmt.Sprintf("%d used, %d unused and left out", p.Stops, p.Unused)
}

func atMost(n int) string {
	if n >= 100_000 {
		return "over 100,000"
	}
	return strconv.Itoa(n)
}

func changesWords(c schedule.FeedChanges) string {
	var out []string
	for _, x := range []struct {
		n     int
		words string
	}{{c.New, "new"}, {c.Same, "there already"}, {c.Moved, "changed"}, {c.Dropped, "no longer in the feed"}, {len(c.Kept), "left as they were"}, {c.Past, "have left"}} {
		if x.n > 0 {
			out = append(out, strconv.Itoa(x.n)+" "+x.words)
		}
	}
	return strings.Join(out, ", ")
}

func zoneWords(p schedule.FeedPreview) string {
	var list []string
	for _, z := range p.Zones[:min(len(p.Zones), 6)] {
		list = append(list, fmt.Sprintf("%s (%s, %s)", format.Zone(z.Name), z.Name, format.Count(z.Stops, "stop")))
	}
	if len(p.Zones) > 6 {
		list = append(list, fmt.Sprintf("%d more", len(p.Zones)-6))
	}
	words := "Each stop shows its own time: " + format.List(list) + "."
	if p.FareZones > 0 {
		words += " The stops are in " + format.Count(p.FareZones, "fare zone") + "."
	}
	return words
}

// keptOnPage is how many departures a page lists that stay as they were.
const keptOnPage = 50

func keptRows(c schedule.FeedChanges) (list []views.KeptDeparture, more string) {
	for _, k := range c.Kept[:min(len(c.Kept), keptOnPage)] {
		at := format.In(k.StartsAt, k.TimeZone)
		why := "Changed in the feed, left as it was: "
		if k.Gone {
			why = "No longer in the feed, left as it was: "
		}
		if k.Tickets > 0 {
			why += format.Count(k.Tickets, "ticket")
		} else {
			why += k.Why
		}
		list = append(list, views.KeptDeparture{
			Title: k.Route, URL: "/staff" + eventURL(k.EventID), When: format.Day(at) + ", " + format.Clock(at) + ", " + format.Zone(k.TimeZone), Why: why + ".",
		})
	}
	if n := c.KeptCount - len(list); n > 0 {
		more = fmt.Sprintf("And %d more.", n)
	}
	return list, more
}

// feedChoices fills the form that does the import.
func feedChoices(v *views.StaffFeed, p schedule.FeedPreview, f feedForm) {
	v.Button, v.Publish = "Import", f.get("publish") == "yes"
	if p.Departures > 0 && len(p.Layouts) == 0 {
		v.Needs = &views.Note{Tone: "warn", Title: "There is no coach plan yet", Text: []string{"Departures get their seats from a plan. Draw one first; the file stays here for a day."}, Links: []views.Link{{Text: "Plans", URL: "/staff/layouts"}}}
		return
	}
	if p.Departures > 0 && len(p.Tariffs) == 0 {
		v.Needs = &views.Note{Tone: "warn", Title: "There is no price list yet", Text: []string{"Departures are sold by a price list. Make one first; the file stays here for a day."}, Links: []views.Link{{Text: "Prices", URL: "/staff/fares"}}}
		return
	}
	layout, tariff := f.get("layout"), f.get("tariff")
	for i, l := range p.Layouts {
		o := views.Option{Value: strconv.FormatInt(l.VersionID, 10), Text: l.Name + ", " + format.Count(l.Seats, "seat")}
		o.Selected = o.Value == layout || layout == "" && i == 0
		v.Layouts = append(v.Layouts, o)
	}
	chosen := widest(p)
	for i, t := range p.Tariffs {
		o := views.Option{Value: strconv.FormatInt(t.ID, 10), Text: t.Name + ", " + t.Currency}
		if o.Value == tariff {
			chosen = i
		}
		v.Tariffs = append(v.Tariffs, o)
	}
	if chosen < len(v.Tariffs) {
		v.Tariffs[chosen].Selected = true
	}
	v.Prices = feedRoutes(v, p, f, chosen)
}

// widest is the price list that has prices for the longest way.
func widest(p schedule.FeedPreview) int {
	best := 0
	for i, t := range p.Tariffs {
		if len(t.Rides) > len(p.Tariffs[best].Rides) {
			best = i
		}
	}
	return best
}

// feedRoutes lists the routes with their own choices, and says where prices are missing.
func feedRoutes(v *views.StaffFeed, p schedule.FeedPreview, f feedForm, chosen int) string {
	lacking := 0
	for _, r := range p.Routes {
		x := views.FeedRoute{
			Key: r.Key, Name: r.Name, New: !r.Known,
			Facts: fmt.Sprintf("%s, %s, %s", format.Count(r.Stops, "stop"), format.Count(r.Trips, "trip"), format.Count(r.Departures, "departure")),
		}
		own := f.get("layout." + r.Key)
		x.Layouts = append(x.Layouts, views.Option{Text: "As for all"}, views.Option{Value: "none", Text: "No departures", Selected: own == "none"})
		for _, o := range v.Layouts {
			x.Layouts = append(x.Layouts, views.Option{Value: o.Value, Text: o.Text, Selected: o.Value == own})
		}
		list := chosen
		own = f.get("tariff." + r.Key)
		x.Tariffs = append(x.Tariffs, views.Option{Text: "As for all"})
		for i, t := range p.Tariffs {
			o := views.Option{Value: v.Tariffs[i].Value, Text: v.Tariffs[i].Text}
			if o.Selected = o.Value == own || own == "" && r.ID != 0 && t.RouteID != nil && *t.RouteID == r.ID; o.Selected {
				list = i
			}
			x.Tariffs = append(x.Tariffs, o)
		}
		if len(p.Tariffs) > 0 && r.Departures > 0 && slices.ContainsFunc(r.Rides, func(ride string) bool { return !slices.Contains(p.Tariffs[list].Rides, ride) }) {
			lacking++
		}
		v.Routes = append(v.Routes, x)
	}
	if lacking == 0 {
		return ""
	}
	return fmt.Sprintf("On %s the price list lacks prices for some rides; those are not sold. Departures whose whole way has no price stay drafts.", format.Count(lacking, "route"))
}

func (s *site) importFeed(w http.ResponseWriter, r *http.Request, who access.Staff, file schedule.ImportFile) error {
	set, err := s.Booking.Settings(r.Context())
	if err != nil {
		return err
	}
	f := feedForm{get: r.PostForm.Get}
	o := schedule.FeedOrder{FeedChoice: f.choice(), Publish: r.PostForm.Get("publish") == "yes", Routes: map[string]schedule.RouteOrder{}}
	if f.refused != nil {
		return s.showFeed(w, r, who, file, http.StatusUnprocessableEntity, f)
	}
	o.Layout, o.Tariff = formID(r.PostForm.Get("layout")), formID(r.PostForm.Get("tariff"))
	for name := range r.PostForm {
		if key, ok := strings.CutPrefix(name, "layout."); ok {
			own := r.PostForm.Get(name)
			o.Routes[key] = schedule.RouteOrder{Skip: own == "none", Layout: formID(own), Tariff: formID(r.PostForm.Get("tariff." + key))}
		}
	}
	_, err = s.Schedule.ImportFeed(r.Context(), s.by(r, who), file.ID, o, set)
	var rule *domain.RuleError
	switch {
	case errors.As(err, &rule) && rule.Code != schedule.ImportGone:
		f.refused = rule
		return s.showFeed(w, r, who, file, http.StatusUnprocessableEntity, f)
	case errors.Is(err, domain.ErrBusy):
		f.busy = true
		return s.showFeed(w, r, who, file, http.StatusConflict, f)
	case err != nil:
		return err
	}
	return seeOther(w, r, importFileURL(file.ID)+"/done")
}

// formID is an id of a select, 0 for what is none.
func formID(text string) int64 {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return id
}

func feedDone(v *views.StaffImportDone, x schedule.FeedResult) {
	c := x.Changes
	v.Said = views.Note{Tone: "ok", Title: "Imported", Text: []string{"Everything stands below. Sending a newer edition of the feed changes what changed and doubles nothing."}}
	if c.New > 0 && !x.Published {
		v.Said.Text = append(v.Said.Text, "The new departures are drafts: nobody sees them before you put them on sale.")
	}
	if x.Unpriced > 0 {
		v.Said.Tone = "warn"
		v.Said.Text = append(v.Said.Text, fmt.Sprintf("%s stay drafts, because their price list has no price for the whole way: %s.", format.Count(x.Unpriced, "departure"), format.List(shorten(x.UnpricedRoutes, 5))))
	}
	if len(x.KeptZones) > 0 {
		v.Said.Text = append(v.Said.Text, "The time zone of these stops is another in the feed and was left as it was, because tickets are sold there: "+format.List(shorten(x.KeptZones, 8))+".")
	}
	v.Tiles = []views.StaffTile{
		{Name: "New departures", Value: strconv.Itoa(c.New)}, {Name: "There already", Value: strconv.Itoa(c.Same)}, {Name: "Changed", Value: strconv.Itoa(c.Moved)},
		{Name: "Removed", Value: strconv.Itoa(c.Dropped), Small: "no longer in the feed, nobody had seats"},
		{Name: "New routes", Value: strconv.FormatInt(x.Routes, 10)}, {Name: "New stops", Value: strconv.FormatInt(x.Places, 10), Small: strconv.FormatInt(x.PlacesChanged, 10) + " changed"},
	}
	v.Kept, v.More = keptRows(c)
}

// shorten keeps the first of many names.
func shorten(names []string, most int) []string {
	if len(names) <= most {
		return names
	}
	return append(append([]string{}, names[:most]...), fmt.Sprintf("%d more", len(names)-most))
}
