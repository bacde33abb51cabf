package domain

import (
	"testing"
	"time"
)

// TestT4_WallClock: the clock of the place keeps its hour over a change; the hour that
// is skipped does not exist, the one that is repeated exists twice.
func TestT4_WallClock(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		zone, date string
		clock      [2]int
		want       []string
	}{
		{"Europe/Berlin", "2026-03-28", [2]int{2, 30}, []string{"2026-03-28T01:30:00Z"}},
		{"Europe/Berlin", "2026-03-29", [2]int{1, 59}, []string{"2026-03-29T00:59:00Z"}},
		{"Europe/Berlin", "2026-03-29", [2]int{2, 0}, nil},
		{"Europe/Berlin", "2026-03-29", [2]int{2, 59}, nil},
		{"Europe/Berlin", "2026-03-29", [2]int{3, 0}, []string{"2026-03-29T01:00:00Z"}},
		{"Europe/Berlin", "2026-03-29", [2]int{20, 15}, []string{"2026-03-29T18:15:00Z"}},
		{"Europe/Berlin", "2026-10-24", [2]int{20, 15}, []string{"2026-10-24T18:15:00Z"}},
		{"Europe/Berlin", "2026-10-25", [2]int{1, 59}, []string{"2026-10-24T23:59:00Z"}},
		{"Europe/Berlin", "2026-10-25", [2]int{2, 0}, []string{"2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z"}},
		{"Europe/Berlin", "2026-10-25", [2]int{2, 59}, []string{"2026-10-25T00:59:00Z", "2026-10-25T01:59:00Z"}},
		{"Europe/Berlin", "2026-10-25", [2]int{3, 0}, []string{"2026-10-25T02:00:00Z"}},
		{"Europe/Berlin", "2026-10-25", [2]int{20, 15}, []string{"2026-10-25T19:15:00Z"}},
		{"America/New_York", "2026-03-08", [2]int{2, 30}, nil},
		{"America/New_York", "2026-03-08", [2]int{3, 30}, []string{"2026-03-08T07:30:00Z"}},
		{"America/New_York", "2026-11-01", [2]int{1, 30}, []string{"2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z"}},
		{"America/New_York", "2026-11-01", [2]int{19, 0}, []string{"2026-11-02T00:00:00Z"}},
		{"Asia/Colombo", "2026-03-29", [2]int{2, 30}, []string{"2026-03-28T21:00:00Z"}},
		{"Asia/Colombo", "2026-10-25", [2]int{2, 30}, []string{"2026-10-24T21:00:00Z"}},
		{"Australia/Lord_Howe", "2026-04-05", [2]int{1, 45}, []string{"2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z"}}, // half an hour
		{"Pacific/Apia", "2011-12-30", [2]int{12, 0}, nil},                                                             // a day that was not
		{"Europe/Berlin", "2026-03-28", [2]int{24, 30}, []string{"2026-03-28T23:30:00Z"}},
		{"Europe/Berlin", "2026-03-28", [2]int{26, 30}, nil}, // half past two of the night that follows
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		date, err := time.Parse(time.DateOnly, c.date)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, at := range WallClock(date, c.clock[0]*60+c.clock[1], zone) {
			got = append(got, at.UTC().Format(time.RFC3339))
		}
		if len(got) != len(c.want) {
			t.Errorf("%s %s %v: %v, want %v", c.zone, c.date, c.clock, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s %s %v: %v, want %v", c.zone, c.date, c.clock, got, c.want)
			}
		}
	}
}

func TestBusinessDay(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]string{
		"2026-12-05T23:30:00+01:00": "2026-12-05", "2026-12-06T00:30:00+01:00": "2026-12-05",
		"2026-12-06T04:59:00+01:00": "2026-12-05", "2026-12-06T05:00:00+01:00": "2026-12-06",
	} {
		instant, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := BusinessDay(instant, zone, Settings{BusinessDayStart: "05:00"}).Format(time.DateOnly); got != want {
			t.Errorf("%s counts to %s, want %s", at, got, want)
		}
	}
}

// TestClosesOn: each channel closes by what the event says of it, else by its setting.
func TestClosesOn(t *testing.T) {
	t.Parallel()
	boards := time.Date(2026, 12, 5, 18, 0, 0, 0, time.UTC)
	s := Settings{SalesCloseMinutes: 10, SalesCloseCounter: -15, SalesCloseAgent: 60}
	own := Event{SalesCloseMinutes: new(0), SalesCloseCounter: new(-30), SalesCloseAgent: new(5)}
	for _, c := range []struct {
		channel string
		e       Event
		want    string
	}{
		{ChannelWeb, Event{}, "17:50"}, {ChannelCounter, Event{}, "18:15"}, {ChannelAgent, Event{}, "17:00"}, {ChannelPartner, Event{}, "17:00"},
		{ChannelWeb, own, "18:00"}, {ChannelCounter, own, "18:30"}, {ChannelAgent, own, "17:55"}, {ChannelPartner, own, "17:55"},
	} {
		if got := ClosesOn(c.channel, c.e, boards, s).Format("15:04"); got != c.want {
			t.Errorf("%s closes at %s, want %s", c.channel, got, c.want)
		}
	}
	if !ClosesAt(own, boards, s).Equal(boards) {
		t.Error("customers are the web")
	}
}
