package waitroom_test

import (
	"testing"
	"time"

	"holdfast/internal/waitroom"
)

func TestEstimate(t *testing.T) {
	t.Parallel()
	r := waitroom.Room{MaxActive: 50, PerSecond: 0.5, TurnSeconds: 300}
	for _, c := range []struct {
		name          string
		ahead, recent int
		open          time.Duration
		low, high     time.Duration
	}{
		{"next, at once", 0, 0, 0, 2 * time.Second, 2 * time.Second},
		{"in the first round, by the pace", 29, 0, 0, time.Minute, time.Minute},
		{"two rounds behind: a quarter of the turns to all of them", 100, 0, 0, 202 * time.Second, 600 * time.Second},
		{"by what was seen: 50 in 5 minutes", 99, 50, time.Hour, 6 * time.Minute, 15 * time.Minute},
		{"never faster than the pace", 149, 5000, time.Hour, 5 * time.Minute, 5 * time.Minute},
		{"a minute open: what was seen in it", 19, 10, time.Minute, 72 * time.Second, 180 * time.Second},
	} {
		if low, high := waitroom.Estimate(r, c.ahead, c.recent, c.open); low.Round(time.Second) != c.low || high.Round(time.Second) != c.high {
			t.Errorf("%s: %v to %v, want %v to %v", c.name, low, high, c.low, c.high)
		}
	}
	if low, high := waitroom.Estimate(waitroom.Room{}, 5, 0, 0); low != 0 || high != 0 {
		t.Errorf("without numbers nobody knows: %v to %v", low, high)
	}
}
