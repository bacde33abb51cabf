package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Wish is what somebody wants to be made.
type Wish struct {
	Kind       domain.EventKind
	FilmID     int64 // of a screening
	RouteID    int64 // of a trip
	ResourceID int64
	TariffID   int64
	Pattern    Pattern
	Clocks     []int // minutes after midnight, on the wall clock of the hall or of the first stop
	Ends       *int  // the same for a screening's end; nil: the film's length and what the house adds
	Fold       string
	Skip       []string // Planned.Key of those to leave out
}

// Planned is an event that would be made.
type Planned struct {
	Event   db.NewEvent
	Key     string // its wall clock, "2026-12-05T19:30"
	Title   string
	Problem string // why this one cannot be: its time is in the past or does not exist; "" when it can
	Twice   bool   // its time happens twice that night
	Copied  int64  // the event it copies, 0 for none
	Clashes []Clash
}

// Clash is what is in the way of an event in its hall or coach.
type Clash struct {
	Resource string
	Title    string
	StartsAt time.Time
	Until    time.Time // turnaround included
	TimeZone string
	EventID  int64 // 0: of the same plan
}

// Preview is what would be made, before anything is.
type Preview struct {
	Events   []Planned
	Rule     string // of the pattern, "" for none
	Problems int    // events that cannot be
	Clashes  int    // events that something is in the way of
	Twice    bool   // some time happens twice and nobody said which is meant
	Skipped  []string
}

// Ready says whether all of it can be made.
func (p Preview) Ready() bool {
	return len(p.Events) > 0 && p.Problems == 0 && p.Clashes == 0 && !p.Twice
}

// refusal is why the plan cannot be made as it is, nil when it can.
func (p Preview) refusal() error {
	for _, x := range p.Events {
		if x.Problem != "" {
			return &domain.RuleError{Code: "time", Words: x.Problem}
		}
	}
	switch {
	case p.Twice:
		return &domain.RuleError{Code: "fold", Words: "A time of this plan happens twice that night, because the clocks go back. Please say which one is meant."}
	case p.Clashes > 0:
		return &ClashError{p}
	}
	return nil
}

// Preview plans a wish. What cannot be is a RuleError whose code names the field; what
// is in the way is told of each event.
func (s *Service) Preview(ctx context.Context, w Wish, set domain.Settings) (Preview, error) {
	return preview(ctx, s.db.Queries, w, set)
}

func preview(ctx context.Context, q db.Queries, w Wish, set domain.Settings) (Preview, error) {
	m, err := readMould(ctx, q, w, set)
	if err != nil {
		return Preview{}, err
	}
	dates, rule, err := w.Pattern.dates()
	if err != nil {
		return Preview{}, err
	}
	if len(w.Clocks) == 0 {
		return Preview{}, &domain.RuleError{Code: "time", Words: "Please say when it starts, for instance 19:30."}
	}
	if len(dates)*len(w.Clocks) > mostAtOnce {
		return Preview{}, tooMany()
	}
	p := Preview{Rule: rule}
	for _, date := range dates {
		for _, clock := range w.Clocks {
			key := localKey(date, clock)
			if slices.Contains(w.Skip, key) {
				p.Skipped = append(p.Skipped, key)
				continue
			}
			x, err := m.cast(date, clock, w)
			if err != nil {
				return Preview{}, err
			}
			p.Events = append(p.Events, x)
		}
	}
	return p, p.finish(ctx, q, w.Fold)
}

// finish sorts the plan and looks what is in its way.
func (p *Preview) finish(ctx context.Context, q db.Queries, fold string) error {
	if len(p.Events) == 0 {
		return &domain.RuleError{Code: "none", Words: "Nothing is left to be made: every time is left out."}
	}
	sort.SliceStable(p.Events, func(i, j int) bool { return p.Events[i].Event.StartsAt.Before(p.Events[j].Event.StartsAt) })
	for _, x := range p.Events {
		p.Twice = p.Twice || x.Twice && fold == ""
		if x.Problem != "" {
			p.Problems++
		}
	}
	return p.clash(ctx, q)
}

// mould is what all events of a wish have in common.
type mould struct {
	base       db.NewEvent
	title      string
	length     time.Duration
	turnaround time.Duration
	stops      []db.WayStop
	now        time.Time
	set        domain.Settings
}

func readMould(ctx context.Context, q db.Queries, w Wish, set domain.Settings) (m mould, err error) {
	m.set = set
	if m.now, err = q.Now(ctx); err != nil {
		return m, err
	}
	r, err := usable(ctx, q, w.ResourceID, w.Kind)
	if err != nil {
		return m, err
	}
	m.turnaround = time.Duration(r.TurnaroundMinutes) * time.Minute
	m.base = db.NewEvent{
		Kind: string(w.Kind), Status: "draft", TimeZone: set.TimeZone, LayoutVersionID: r.LayoutVersionID, ResourceID: &r.ID, TariffID: w.TariffID,
	}
	if w.Kind == domain.Screening {
		if err := m.readFilm(ctx, q, w.FilmID); err != nil {
			return m, err
		}
		return m, usableTariff(ctx, q, w.TariffID, 0, 1)
	}
	if err := m.readWay(ctx, q, w.RouteID); err != nil {
		return m, err
	}
	return m, usableTariff(ctx, q, w.TariffID, w.RouteID, len(m.stops)-1)
}

func usable(ctx context.Context, q db.Queries, id int64, kind domain.EventKind) (db.Resource, error) {
	refuse := &domain.RuleError{Code: "resource", Words: "Please choose a hall."}
	if kind == domain.Trip {
		refuse.Words = "Please choose a coach."
	}
	r, err := q.Resource(ctx, id)
	if errors.Is(err, domain.ErrNotFound) {
		return r, refuse
	}
	if err == nil && (r.Retired || (r.Kind == "hall") != (kind == domain.Screening)) {
		return r, refuse
	}
	return r, err
}

// fits tells whether a list's prices are between the stops of an event. A screening is of
// route 0 and has last stop 1.
func fits(t TariffChoice, route int64, lastStop int) bool {
	return t.RouteID != 0 && t.RouteID == route || t.RouteID == 0 && t.LastStop == lastStop
}

// usableTariff refuses a price list that is put away or does not fit.
func usableTariff(ctx context.Context, q db.Queries, id, route int64, lastStop int) error {
	all, err := q.TariffChoices(ctx)
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.ID != id || t.Archived {
			continue
		}
		if fits(t, route, lastStop) {
			return nil
		}
		return &domain.RuleError{Code: "tariff", Words: "The price list " + t.Name + " is for other stops than these. Please choose another one."}
	}
	return &domain.RuleError{Code: "tariff", Words: "Please choose a price list."}
}

func (m *mould) readFilm(ctx context.Context, q db.Queries, id int64) error {
	f, err := q.Film(ctx, id)
	if errors.Is(err, domain.ErrNotFound) || err == nil && f.Archived {
		return &domain.RuleError{Code: "film", Words: "Please choose a film."}
	}
	if err != nil {
		return err
	}
	m.base.FilmID, m.title = &f.ID, f.Title
	m.length = time.Duration(f.RuntimeMin+m.set.ScreeningExtraMin) * time.Minute
	return nil
}

func (m *mould) readWay(ctx context.Context, q db.Queries, id int64) error {
	r, err := q.Route(ctx, id)
	if errors.Is(err, domain.ErrNotFound) || err == nil && r.Archived {
		return &domain.RuleError{Code: "route", Words: "Please choose a route."}
	}
	if err != nil {
		return err
	}
	if m.stops, err = q.WayStops(ctx, id); err != nil {
		return err
	}
	if len(m.stops) < 2 {
		return &domain.RuleError{Code: "route", Words: "This route has fewer than two stops. Please give it its stops first."}
	}
	last := m.stops[len(m.stops)-1]
	if last.ArriveAfter <= m.stops[0].DepartAfter {
		return &domain.RuleError{Code: "route", Words: "This route arrives before it leaves. Please put the times of its stops right first."}
	}
	m.base.RouteID, m.base.TimeZone, m.title = &r.ID, m.stops[0].TimeZone, r.Name
	m.length = time.Duration(last.ArriveAfter) * time.Minute
	return nil
}

// cast makes one event of a date and a wall clock.
func (m mould) cast(date time.Time, clock int, w Wish) (Planned, error) {
	x := Planned{Event: m.base, Key: localKey(date, clock), Title: m.title}
	at, err := x.begin(date, clock, m.base.TimeZone, w.Fold, m.now)
	if err != nil || x.Problem != "" {
		return x, err
	}
	x.Event.EndsAt = at.Add(m.length)
	if w.Ends != nil && w.Kind == domain.Screening {
		if x.Event.EndsAt, err = endOf(date, clock, *w.Ends, m.base.TimeZone, at); err != nil {
			return x, err
		}
	}
	zone, err := time.LoadLocation(m.base.TimeZone)
	if err != nil {
		return x, err
	}
	x.Event.BusinessDay = domain.BusinessDay(at, zone, m.set)
	for _, s := range m.stops {
		x.Event.Stops = append(x.Event.Stops, db.NewStop{
			PlaceID: s.PlaceID, ArrivesAt: at.Add(time.Duration(s.ArriveAfter) * time.Minute), DepartsAt: at.Add(time.Duration(s.DepartAfter) * time.Minute),
			MayBoard: s.MayBoard, MayAlight: s.MayAlight, Note: s.Note,
		})
	}
	return x, nil
}

// begin puts the event at a wall clock, or notes why it cannot be there.
func (x *Planned) begin(date time.Time, clock int, zoneName, fold string, now time.Time) (time.Time, error) {
	at, twice, err := occasion(date, clock, zoneName, fold)
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		x.Event.StartsAt, x.Problem = date.Add(time.Duration(clock)*time.Minute), rule.Words // near enough to be sorted
		return x.Event.StartsAt, nil
	}
	if err == nil && !at.After(now) {
		x.Problem = fmt.Sprintf("%s at %s is in the past.", date.Format("Monday 2 January 2006"), ShowClock(clock))
	}
	x.Event.StartsAt, x.Twice = at, twice
	return at, err
}

const longest = 20 * time.Hour // a typed end later than this is a slip

// endOf is a typed end: on the same day, or after midnight where it is not later than
// the start.
func endOf(date time.Time, start, end int, zone string, at time.Time) (time.Time, error) {
	if end <= start {
		end += 1440
	}
	ends, _, err := occasion(date, end, zone, SecondOfTwo)
	if err != nil {
		return ends, err
	}
	if length := ends.Sub(at); length <= 0 || length > longest {
		return ends, &domain.RuleError{Code: "ends", Words: fmt.Sprintf("From %s to %s is longer than a screening can be.", ShowClock(start), ShowClock(end))}
	}
	return ends, nil
}
