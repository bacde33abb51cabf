package gtfs

import (
	"archive/zip"
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// files is a small feed: one coach from A by B to C at 8:00 on every day of December 2026.
func files(change map[string]string) map[string]string {
	f := map[string]string{
		"agency.txt":     "agency_id,agency_name,agency_url,agency_timezone\nX,Coaches,https://x.example,Europe/Berlin\n",
		"stops.txt":      "stop_id,stop_name,stop_lat,stop_lon\nA,Aachen,50.1,6.1\nB,\"Bonn, ZOB\",50.2,6.2\nC,Celle,50.3,6.3\n",
		"routes.txt":     "route_id,agency_id,route_short_name,route_long_name,route_type\nR,X,12,Coast Line,3\n",
		"trips.txt":      "route_id,service_id,trip_id\nR,S,T\n",
		"stop_times.txt": "trip_id,arrival_time,departure_time,stop_id,stop_sequence\nT,8:00:00,8:00:00,A,1\nT,9:00:00,9:10:00,B,2\nT,10:00:00,10:00:00,C,3\n",
		"calendar.txt":   "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\nS,1,1,1,1,1,1,1,20261201,20261231\n",
	}
	for name, text := range change {
		if f[name] = text; text == "-" {
			delete(f, name)
		}
	}
	return f
}

func pack(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(files[name]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(t testing.TB, zip []byte) *Feed {
	t.Helper()
	f, err := Read(t.Context(), bytes.NewReader(zip), int64(len(zip)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func day(t testing.TB, text string) time.Time {
	t.Helper()
	d, err := time.Parse("2006-01-02", text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// told is the report in one text.
func told(f *Feed) string {
	var b strings.Builder
	for _, p := range f.Report.Problems() {
		b.WriteString(strings.Repeat("!", int(p.Level)) + p.File + ": " + p.Words)
		for _, x := range p.Examples {
			b.WriteString(" [" + x.Text + "]")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// starts are the wall clocks of a day's departures at their first stop.
func starts(t testing.TB, f *Feed, date string) []string {
	t.Helper()
	var out []string
	for _, d := range f.Plan(0, day(t, date), day(t, date), 1000).Departures {
		calls := f.Calls(d)
		zone, err := time.LoadLocation(f.ZoneOf(calls[0].Stop, 0))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f.Trips[d.Trip].ID+" "+calls[0].Departs.In(zone).Format("02 15:04"))
	}
	return out
}

const week = "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\n"

func TestFeedRules(t *testing.T) {
	t.Parallel()
	const header = "trip_id,arrival_time,departure_time,stop_id,stop_sequence"
	for name, test := range map[string]struct {
		change  map[string]string
		want    []string // departures on 7 December
		says    string
		stopped bool
	}{
		"plain":             {nil, []string{"T 07 08:00"}, "", false},
		"byte order marks":  {map[string]string{"stops.txt": "\xEF\xBB\xBFstop_id,stop_name\nA,Aachen\nB,Bonn\nC,Celle\n", "trips.txt": "\xEF\xBB\xBFroute_id,service_id,trip_id\nR,S,T\n"}, []string{"T 07 08:00"}, "", false},
		"spaces":            {map[string]string{"trips.txt": "route_id, service_id , trip_id\nR,  S, T \n"}, []string{"T 07 08:00"}, "", false},
		"unknown things":    {map[string]string{"shapes.txt": "\x00\x00", "trips.txt": "route_id,service_id,trip_id,fancy\nR,S,T,x\n"}, []string{"T 07 08:00"}, "", false},
		"capital names":     {map[string]string{"stops.txt": "-", "STOPS.TXT": "STOP_ID,Stop_Name\nA,a\nB,b\nC,c\n"}, []string{"T 07 08:00"}, "", false},
		"doubled header":    {map[string]string{"trips.txt": "route_id,service_id,trip_id,trip_id\nR,S,T,U\n"}, []string{"T 07 08:00"}, "agency.txt" /* see below */, false},
		"NUL":               {map[string]string{"stops.txt": "stop_id,stop_name\nA,Aa\x00chen\nB,b\nC,c\n"}, nil, "!!stops.txt: A row cannot be read. [it has a NUL byte", true},
		"Latin 1":           {map[string]string{"stops.txt": "stop_id,stop_name\nA,K\xF6ln\nB,b\nC,c\n"}, nil, "!!stops.txt: A row cannot be read. [it is not UTF-8", true},
		"open quote":        {map[string]string{"stops.txt": "stop_id,stop_name\nA,\"Aachen\nB,b\nC,c\n"}, nil, "quotation mark is out of place", true},
		"empty file":        {map[string]string{"stops.txt": ""}, nil, "it is empty", true},
		"missing file":      {map[string]string{"stops.txt": "-"}, nil, "!!stops.txt: The file is missing", true},
		"missing column":    {map[string]string{"trips.txt": "route_id,trip_id\nR,T\n"}, nil, "[service_id]", true},
		"no calendar":       {map[string]string{"calendar.txt": "-"}, nil, "calendar_dates.txt", true},
		"dates alone":       {map[string]string{"calendar.txt": "-", "calendar_dates.txt": "service_id,date,exception_type\nS,20261207,1\n"}, []string{"T 07 08:00"}, "", false},
		"exception removes": {map[string]string{"calendar_dates.txt": "service_id,date,exception_type\nS,20261207,2\n"}, nil, "", false},
		"exception adds":    {map[string]string{"calendar.txt": week + "S,0,0,0,0,0,0,0,20261201,20261231\n", "calendar_dates.txt": "service_id,date,exception_type\nS,20261207,1\n"}, []string{"T 07 08:00"}, "", false},
		"inverted":          {map[string]string{"calendar.txt": week + "S,1,1,1,1,1,1,1,22120101,19001231\n"}, nil, "ends before it begins", false},
		"bad date":          {map[string]string{"calendar.txt": week + "S,1,1,1,1,1,1,1,2007.01.01,20261231\n"}, nil, "[service S, start_date 2007.01.01]", true},
		"bad exception":     {map[string]string{"calendar_dates.txt": "service_id,date,exception_type\nS,2007-06-04,2\n"}, nil, "[service S, date 2007-06-04]", true},
		"duplicate stop":    {map[string]string{"stops.txt": "stop_id,stop_name\nA,a\nB,b\nC,c\nA,again\n"}, nil, "[stop_id A, also in row 2]", true},
		"twins":             {map[string]string{"stops.txt": "stop_id,stop_name,stop_lat,stop_lon\nA,a,50.000001,6\nB,b,50.000002,6\nC,c,51,7\n"}, []string{"T 07 08:00"}, "[stop_id B and A in row 2]", false},
		"unsorted":          {map[string]string{"stop_times.txt": header + "\nT,10:00:00,10:00:00,C,30\nT,8:00:00,8:00:00,A,4\nT,9:00:00,9:00:00,B,5\n"}, []string{"T 07 08:00"}, "", false},
		"backwards":         {map[string]string{"stop_times.txt": header + "\nT,8:00:00,8:00:00,A,1\nT,7:59:00,9:00:00,B,2\n"}, nil, "run backwards: the trip is left out. [trip T, stop B]", true},
		"arrives late":      {map[string]string{"stop_times.txt": header + "\nT,8:00:00,8:00:00,A,1\nT,9:10:00,9:00:00,B,2\n"}, nil, "run backwards", true},
		"unknown stop":      {map[string]string{"stop_times.txt": header + "\nT,8:00:00,8:00:00,A,1\nT,9:00:00,9:00:00,Z,2\n"}, nil, "stops.txt does not have are left out. [trip T, stop Z]", true},
		"one stop":          {map[string]string{"stop_times.txt": header + "\nT,8:00:00,8:00:00,A,1\n"}, nil, "fewer than two stops", true},
		"no stops":          {map[string]string{"stop_times.txt": header + "\n"}, nil, "[trip T, 0 stops]", true},
		"sequence twice":    {map[string]string{"stop_times.txt": header + "\nT,8:00:00,8:00:00,A,1\nT,9:00:00,9:00:00,B,1\n"}, nil, "twice in a trip", true},
		"no time":           {map[string]string{"stop_times.txt": header + "\nT,8:00:00,8:00:00,A,1\nT,,,B,2\n"}, nil, "has no time", true},
		"bad time":          {map[string]string{"stop_times.txt": header + "\nT,8:00:00,8:00:00,A,1\nT,9:61:00,9:00:00,B,2\n"}, nil, "not like 08:15:00", true},
		"no duration":       {map[string]string{"stop_times.txt": header + "\nT,8:00:00,8:00:00,A,1\nT,8:00:00,8:00:00,B,2\n"}, nil, "take no time", true},
		"nobody boards":     {map[string]string{"stop_times.txt": header + ",pickup_type,drop_off_type\nT,8:00:00,8:00:00,A,1,1,0\nT,9:00:00,9:00:00,B,2,0,0\n"}, nil, "nobody may get on", true},
		"on demand":         {map[string]string{"stop_times.txt": header + ",location_id\nT,,,,1,zone\nT,,,,2,zone\n"}, nil, "not sellable by seat", true},
		"station":           {map[string]string{"stops.txt": "stop_id,stop_name,location_type\nA,a,0\nB,b,1\nC,c,\n"}, nil, "nobody boards at", true},
		"zone on Mars":      {map[string]string{"stops.txt": "stop_id,stop_name,stop_timezone\nA,a,Mars/Pluto\nB,b,\nC,c,\n"}, nil, "[stop A, Mars/Pluto]", true},
		"agency on Mars":    {map[string]string{"agency.txt": "agency_id,agency_name,agency_timezone\nX,x,Mars/Pluto\n"}, nil, "Mars/Pluto", true},
		"no agency id":      {map[string]string{"agency.txt": "agency_name,agency_timezone\nx,Europe/Berlin\n", "routes.txt": "route_id,route_long_name\nR,r\n"}, []string{"T 07 08:00"}, "", false},
		"unknown route":     {map[string]string{"trips.txt": "route_id,service_id,trip_id\nQ,S,T\n"}, nil, "[trip T, route Q]", true},
		"unknown service":   {map[string]string{"trips.txt": "route_id,service_id,trip_id\nR,Q,T\n"}, nil, "[trip T, service Q]", true},
		"old line ends":     {map[string]string{"trips.txt": "route_id,service_id,trip_id\rR,S,T\r"}, []string{"T 07 08:00"}, "", false},
		"exact headway":     {map[string]string{"frequencies.txt": "trip_id,start_time,end_time,headway_secs,exact_times\nT,07:30:00,15:30:00,10800,1\nT,15:30:00,16:30:00,3600,1\nT,15:30:00,16:30:00,3600,1\n"}, []string{"T 07 07:30", "T 07 10:30", "T 07 13:30", "T 07 15:30"}, "", false},
		"headway":           {map[string]string{"frequencies.txt": "trip_id,start_time,end_time,headway_secs\nT,07:30:00,15:30:00,1800\n"}, nil, "Headways without exact times", true},
		"headway 0":         {map[string]string{"frequencies.txt": "trip_id,start_time,end_time,headway_secs,exact_times\nT,07:30:00,15:30:00,0,1\n"}, nil, "headway_secs 0]", true},
		"headway -600":      {map[string]string{"frequencies.txt": "trip_id,start_time,end_time,headway_secs,exact_times\nT,07:30:00,15:30:00,-600,1\n"}, nil, "headway_secs -600]", true},
		"endless headway":   {map[string]string{"frequencies.txt": "trip_id,start_time,end_time,headway_secs,exact_times\nT,07:30:00,15:30:00,2147483647,1\n"}, []string{"T 07 07:30"}, "", false},
		"past midnight":     {map[string]string{"stop_times.txt": header + "\nT,31:55:00,31:55:00,A,1\nT,32:10:00,32:10:00,B,2\n"}, []string{"T 08 07:55"}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := read(t, pack(t, files(test.change)))
			if f.Report.Stopped() != test.stopped {
				t.Fatalf("stopped is %v:\n%s", f.Report.Stopped(), told(f))
			}
			if name == "doubled header" {
				test.says = "[trip_id]"
			}
			if !strings.Contains(told(f), test.says) || test.says == "" && len(f.Report.Problems()) > 0 {
				t.Errorf("says\n%s\nwant %q", told(f), test.says)
			}
			if test.stopped {
				return
			}
			if got := starts(t, f, "2026-12-07"); !slices.Equal(got, test.want) {
				t.Errorf("departs %q, want %q", got, test.want)
			}
		})
	}
}

// Times count from noon minus twelve hours: in the night when clocks go forward the coach
// of 30:00 arrives at 7 in the morning, as much later as it is on the road.
func TestFeedClockChange(t *testing.T) {
	t.Parallel()
	f := read(t, pack(t, files(map[string]string{
		"calendar.txt":   week + "S,1,1,1,1,1,1,1,20270101,20271231\n",
		"stop_times.txt": "trip_id,arrival_time,departure_time,stop_id,stop_sequence\nT,22:30:00,22:30:00,A,1\nT,30:00:00,30:00:00,B,2\n",
	})))
	for date, want := range map[string]string{
		"2027-03-26": "26 22:30 CET, 27 06:00 CET", "2027-03-27": "27 22:30 CET, 28 07:00 CEST", "2027-03-28": "28 22:30 CEST, 29 06:00 CEST",
		"2027-10-30": "30 22:30 CEST, 31 05:00 CET", "2027-10-31": "31 22:30 CET, 01 06:00 CET",
	} {
		d := f.Plan(0, day(t, date), day(t, date), 9).Departures
		if len(d) != 1 {
			t.Fatalf("%s: %d departures", date, len(d))
		}
		calls := f.Calls(d[0])
		zone, err := time.LoadLocation("Europe/Berlin")
		if err != nil {
			t.Fatal(err)
		}
		got := calls[0].Departs.In(zone).Format("02 15:04 MST") + ", " + calls[1].Arrives.In(zone).Format("02 15:04 MST")
		if got != want {
			t.Errorf("%s: %s, want %s", date, got, want)
		}
	}
}

func TestFeedInterpolates(t *testing.T) {
	t.Parallel()
	const stops = "stop_id,stop_name\nA,a\nB,b\nC,c\nD,d\n"
	times := func(f *Feed) (out []string) {
		for _, c := range f.Patterns(0)[0].Calls {
			out = append(out, (time.Duration(c.ArriveAfter) * time.Second).String())
		}
		return out
	}
	even := read(t, pack(t, files(map[string]string{"stops.txt": stops,
		"stop_times.txt": "trip_id,arrival_time,departure_time,stop_id,stop_sequence\nT,8:00:00,8:00:00,A,1\nT,,,B,2\nT,,,C,3\nT,9:30:00,9:30:00,D,4\n"})))
	if got := times(even); !slices.Equal(got, []string{"0s", "30m0s", "1h0m0s", "1h30m0s"}) {
		t.Errorf("evenly: %v", got)
	}
	far := read(t, pack(t, files(map[string]string{"stops.txt": stops,
		"stop_times.txt": "trip_id,arrival_time,departure_time,stop_id,stop_sequence,shape_dist_traveled\nT,8:00:00,8:00:00,A,1,0\nT,,,B,2,10\nT,,,C,3,90\nT,9:40:00,9:40:00,D,4,100\n"})))
	if got := times(far); !slices.Equal(got, []string{"0s", "10m0s", "1h30m0s", "1h40m0s"}) {
		t.Errorf("by distance: %v", got)
	}
}

// A stop shows its station's zone, else its own, else the agency's.
func TestFeedZones(t *testing.T) {
	t.Parallel()
	f := read(t, pack(t, files(map[string]string{
		"stops.txt": "stop_id,stop_name,location_type,parent_station,stop_timezone\nA,a,0,P,Europe/Rome\nB,b,0,,Europe/London\nC,c,,,\nP,station,1,,Europe/Paris\n",
	})))
	var got []string
	for _, c := range f.Patterns(0)[0].Calls {
		got = append(got, f.ZoneOf(c.Stop, 0))
	}
	if !slices.Equal(got, []string{"Europe/Paris", "Europe/London", "Europe/Berlin"}) {
		t.Errorf("zones %v", got)
	}
}

// Thousands of equal problems are one line with a count and a few examples.
func TestFeedGroupsProblems(t *testing.T) {
	t.Parallel()
	f := read(t, pack(t, files(map[string]string{"frequencies.txt": "trip_id,start_time,end_time,headway_secs\n" + strings.Repeat("Q,1:00:00,2:00:00,5\n", 5000)})))
	p := f.Report.Problems()
	if len(p) != 1 || p[0].Count != 5000 || len(p[0].Examples) != 5 || p[0].Examples[0].Row != 2 {
		t.Errorf("%+v", p)
	}
}

func TestFeedAgencies(t *testing.T) {
	t.Parallel()
	f := read(t, pack(t, files(map[string]string{
		"agency.txt":     "agency_id,agency_name,agency_timezone\nX,x,Europe/Berlin\nY,y,Asia/Colombo\n",
		"routes.txt":     "route_id,agency_id,route_long_name\nR,X,r\nQ,Y,q\n",
		"trips.txt":      "route_id,service_id,trip_id\nR,S,T\nQ,S,U\n",
		"stop_times.txt": "trip_id,arrival_time,departure_time,stop_id,stop_sequence\nT,8:00:00,8:00:00,A,1\nT,9:00:00,9:00:00,B,2\nU,8:00:00,8:00:00,B,1\nU,9:00:00,9:00:00,C,2\n",
	})))
	for agency, want := range map[int]string{0: "2026-12-07T07:00:00Z", 1: "2026-12-07T02:30:00Z"} {
		d := f.Plan(agency, day(t, "2026-12-07"), day(t, "2026-12-07"), 9).Departures
		if len(d) != 1 || f.Calls(d[0])[0].Departs.UTC().Format(time.RFC3339) != want {
			t.Errorf("agency %d: %v", agency, d)
		}
	}
}

// A pattern's key is of ids alone: it survives new times, names and another order.
func TestPatternKeyStays(t *testing.T) {
	t.Parallel()
	a := read(t, pack(t, files(nil))).Patterns(0)[0].Key
	b := read(t, pack(t, files(map[string]string{
		"stops.txt":      "stop_name,stop_id\nNew,C\nNames,B\nHere,A\n",
		"stop_times.txt": "trip_id,arrival_time,departure_time,stop_id,stop_sequence\nT,11:00:00,11:00:00,C,9\nT,7:00:00,7:00:00,A,1\nT,9:00:00,9:10:00,B,2\n",
	}))).Patterns(0)[0].Key
	c := read(t, pack(t, files(map[string]string{
		"stop_times.txt": "trip_id,arrival_time,departure_time,stop_id,stop_sequence\nT,8:00:00,8:00:00,A,1\nT,9:00:00,9:10:00,C,2\n",
	}))).Patterns(0)[0].Key
	if a != b || a == c {
		t.Errorf("keys %s %s %s", a, b, c)
	}
}
