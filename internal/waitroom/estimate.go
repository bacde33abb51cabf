package waitroom

import "time"

// Estimate is the range of time until so many people ahead have had their turn. recent is
// how many were let in during the last five minutes, open for how long the room has been
// handing out. What was seen counts most; before there is anything to see, it is between
// the pace the house wants and the one at which nobody leaves before the turn's end.
func Estimate(r Room, ahead, recent int, open time.Duration) (low, high time.Duration) {
	if r.PerSecond <= 0 || r.MaxActive < 1 {
		return 0, 0
	}
	n := float64(ahead + 1)
	turn := float64(r.TurnSeconds)
	fastest := n / r.PerSecond
	window := min(open.Seconds(), 300)
	if recent > 0 && window >= 60 {
		seen := n / (float64(recent) / window)
		return seconds(max(fastest, seen*0.6)), seconds(max(fastest, seen*1.5))
	}
	rounds := float64(ahead / r.MaxActive) // full turns of others before
	return seconds(max(fastest, rounds*turn/4)), seconds(max(fastest, rounds*turn))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
