package schedule

import (
	"context"
	"slices"
	"time"

	"holdfast/db"
	"holdfast/internal/csvfile"
	"holdfast/internal/domain"
	"holdfast/internal/gtfs"
)

// What one import of a feed may make: it is one transaction, and seats are sold meanwhile.
const (
	maxImportDays   = 366
	maxImportEvents = 5000
	maxImportSeats  = 600_000 // seats × legs
	usualDays       = 30
)

// ImportProblem is a kind of problem in what was sent, grouped.
type ImportProblem = csvfile.Problem

// What a problem means.
const (
	ProblemNote    = csvfile.Note
	ProblemLeftOut = csvfile.LeftOut
	ProblemStops   = csvfile.Stops
)

// FeedDay is a service day with its departures.
type FeedDay = gtfs.DayCount

// LayoutChoice is a coach's plan, RideTariff a price list.
type (
	LayoutChoice = db.LayoutChoice
	RideTariff   = db.RideTariff
)

// FeedChoice says which part of a feed.
type FeedChoice struct {
	Agency      int        // index in the feed; < 0: the only one, or the first with trips
	From, Until *time.Time // service days, midnight UTC; nil: from today, the usual time
}

// FeedPreview is what an import would do. Nothing is changed by it.
type FeedPreview struct {
	File     ImportFile
	Problems []ImportProblem
	Stopped  bool // nothing can be imported; only File and Problems are filled

	Agencies      []string
	Agency        int
	From, Until   time.Time
	First, Last   time.Time // days on which the agency has service; zero when never
	TripRows      int       // trips in the feed
	Stops, Unused int       // of the agency; of the feed
	Zones         []ZoneCount
	FareZones     int
	Routes        []FeedRoute
	FeedRoutes    int // routes of the agency in the feed's own counting
	Days          []FeedDay
	Departures    int
	TooMany       bool // more than one import may make
	Changes       FeedChanges
	Layouts       []LayoutChoice
	Tariffs       []RideTariff
}

// ZoneCount is a time zone with its stops.
type ZoneCount struct {
	Name  string
	Stops int
}

// FeedRoute is one of our routes: the trips of a GTFS route that call at the same stops.
type FeedRoute struct {
	Key        string // for the form
	ID         int64  // 0: not imported before
	Name       string
	Stops      int
	Trips      int
	Departures int      // between the two days
	Known      bool     // imported before
	Rides      []string // "0-2" for each ride somebody can buy
}

// FeedPreview reads a stored feed and says what its import would do.
func (s *Service) FeedPreview(ctx context.Context, id int64, c FeedChoice, set domain.Settings) (FeedPreview, error) {
	p := FeedPreview{}
	f, file, err := s.readFeed(ctx, id)
	p.File = file
	if err != nil {
		return p, err
	}
	p.Problems, p.Stopped, p.TripRows = f.Report.Problems(), f.Report.Stopped(), f.TripRows
	if p.Stopped {
		return p, nil
	}
	if p.Layouts, err = s.db.CoachLayouts(ctx); err != nil {
		return p, err
	}
	if p.Tariffs, err = s.db.RideTariffs(ctx); err != nil {
		return p, err
	}
	job, err := s.feedJob(ctx, f, c, set, p.Layouts)
	if err != nil {
		return p, err
	}
	job.describe(&p)
	known, err := s.db.RoutesByExternal(ctx, job.routeKeys())
	if err != nil {
		return p, err
	}
	for i := range p.Routes {
		p.Routes[i].ID, p.Routes[i].Known = known[job.routes[i].ExternalID]
	}
	diff, err := job.compare(ctx, s.db.Queries)
	p.Changes = diff.told()
	return p, err
}

// readFeed reads one feed at a time: that bounds the memory.
func (s *Service) readFeed(ctx context.Context, id int64) (*gtfs.Feed, ImportFile, error) {
	file, err := s.importFile(ctx, id, "gtfs")
	if err != nil {
		return nil, file, err
	}
	select {
	case s.reading <- struct{}{}:
		defer func() { <-s.reading }()
	case <-ctx.Done():
		return nil, file, ctx.Err()
	}
	f, err := gtfs.Read(ctx, &partsReader{ctx: ctx, db: s.db, file: file}, file.Bytes)
	return f, file, err
}

// feedJob is one agency's part of a feed between two days, in our terms.
type feedJob struct {
	feed   *gtfs.Feed
	agency int
	key    string // the agency's
	now    time.Time
	from   time.Time
	until  time.Time
	plan   gtfs.Plan
	places []db.ImportPlace
	stopAt map[int]int // the feed's stop → index in places
	routes []db.ImportRoute
}

func (s *Service) feedJob(ctx context.Context, f *gtfs.Feed, c FeedChoice, set domain.Settings, layouts []LayoutChoice) (*feedJob, error) {
	now, err := s.db.Now(ctx)
	if err != nil {
		return nil, err
	}
	j := &feedJob{feed: f, agency: c.Agency, now: now}
	if j.agency < 0 || j.agency >= len(f.Agencies) {
		j.agency = busiest(f)
	}
	j.key = agencyKey(f.Agencies[j.agency])
	if err := j.days(c, set, layouts); err != nil {
		return nil, err
	}
	if err := j.namePlaces(ctx, s.db.Queries); err != nil {
		return nil, err
	}
	return j, j.nameRoutes(ctx, s.db.Queries)
}

// busiest is the agency with the most trips, which the page proposes.
func busiest(f *gtfs.Feed) int {
	count := make([]int, len(f.Agencies))
	for _, t := range f.Trips {
		count[f.Routes[t.Route].Agency]++
	}
	return slices.Index(count, slices.Max(count))
}

// days settles the service days: those asked for, or from today as many as one import
// can make, at most the usual number.
func (j *feedJob) days(c FeedChoice, set domain.Settings, layouts []LayoutChoice) error {
	today, err := Today(j.now, set)
	if err != nil {
		return err
	}
	j.from, j.until = today, today.AddDate(0, 0, usualDays-1)
	if c.From != nil {
		j.from, j.until = *c.From, c.From.AddDate(0, 0, usualDays-1)
	}
	if c.Until != nil {
		j.until = *c.Until
	}
	if j.until.Before(j.from) {
		return &domain.RuleError{Code: "until", Words: "The last day is before the first one. Please choose it again."}
	}
	if j.until.Sub(j.from) >= maxImportDays*24*time.Hour {
		return &domain.RuleError{Code: "until", Words: "At most a year at a time can be imported. Please choose an earlier last day."}
	}
	j.plan = j.feed.Plan(j.agency, j.from, j.until, maxImportEvents+1)
	if c.Until == nil {
		if day := j.fitting(layouts); day.Before(j.until) {
			j.until = day
			j.plan = j.feed.Plan(j.agency, j.from, j.until, maxImportEvents+1)
		}
	}
	return nil
}

// fitting is the last day whose departures still fit into one import with the largest
// coach.
func (j *feedJob) fitting(layouts []LayoutChoice) time.Time {
	seats := 60
	for _, l := range layouts {
		seats = max(seats, l.Seats)
	}
	fits, sum := j.from, 0
	for i, d := range j.plan.Departures {
		sum += seats * (len(j.plan.Patterns[d.Pattern].Calls) - 1)
		if sum > maxImportSeats || i >= maxImportEvents {
			return fits
		}
		if next := i + 1; next == len(j.plan.Departures) || j.plan.Departures[next].Day.After(d.Day) {
			fits = d.Day
		}
	}
	return j.until
}

func (j *feedJob) describe(p *FeedPreview) {
	for _, a := range j.feed.Agencies {
		p.Agencies = append(p.Agencies, a.Name)
	}
	p.Agency, p.From, p.Until, p.First, p.Last = j.agency, j.from, j.until, j.plan.First, j.plan.Last
	p.Stops, p.Unused, p.Days, p.Departures = len(j.places), j.feed.Unused, j.plan.Days, j.plan.Count
	p.TooMany = j.plan.Count > maxImportEvents
	zones, fareZones := map[string]int{}, map[string]bool{}
	for _, x := range j.places {
		zones[x.TimeZone]++
	}
	for stop := range j.stopAt {
		if zone := j.feed.Stops[stop].FareZone; zone != "" {
			fareZones[zone] = true
		}
	}
	for name, n := range zones {
		p.Zones = append(p.Zones, ZoneCount{name, n})
	}
	slices.SortFunc(p.Zones, func(a, b ZoneCount) int {
		if a.Stops != b.Stops {
			return b.Stops - a.Stops
		}
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	p.FareZones = len(fareZones)
	for _, r := range j.feed.Routes {
		if r.Agency == j.agency {
			p.FeedRoutes++
		}
	}
	p.Routes = make([]FeedRoute, len(j.routes))
	for i, r := range j.routes {
		x := j.plan.Patterns[i]
		p.Routes[i] = FeedRoute{Key: x.Key, Name: r.Name, Stops: len(x.Calls), Trips: len(x.Trips), Rides: rides(x.Calls)}
	}
	for _, d := range j.plan.Departures {
		p.Routes[d.Pattern].Departures++
	}
}
