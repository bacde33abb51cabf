// Package seatmap remembers in this process what seat maps looked like a moment ago,
// so that a page that asks again gets the changed seats alone. Nothing depends on it:
// whoever asks about a map that was forgotten gets all of it.
package seatmap

import (
	"slices"
	"sync"

	"holdfast/internal/domain"
)

// Key names one map: an event on one ride.
type Key struct {
	EventID int64
	Ride    domain.Ride
}

const (
	keptVersions = 64   // per map: about as many sales as happen between two looks
	keptMaps     = 2000 // then the memory starts anew
)

type version struct {
	number uint32
	taken  []string // sorted
}

// History is safe for concurrent use.
type History struct {
	mu   sync.Mutex
	maps map[Key][]version
}

// NewHistory makes an empty one.
func NewHistory() *History { return &History{maps: map[Key][]version{}} }

// Remember keeps what was taken when the map had this number.
func (h *History) Remember(k Key, number uint32, taken map[string]bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	kept := h.maps[k]
	for _, v := range kept {
		if v.number == number {
			return
		}
	}
	if len(h.maps) >= keptMaps && kept == nil {
		clear(h.maps)
	}
	if len(kept) >= keptVersions {
		kept = slices.Delete(kept, 0, 1)
	}
	h.maps[k] = append(kept, version{number, sorted(taken)})
}

// Changed names the seats that differ between the numbered version and what is taken
// now; false when that version is not remembered.
func (h *History) Changed(k Key, number uint32, taken map[string]bool) ([]string, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, v := range h.maps[k] {
		if v.number != number {
			continue
		}
		var out []string
		for _, no := range v.taken {
			if !taken[no] {
				out = append(out, no)
			}
		}
		for no := range taken {
			if _, was := slices.BinarySearch(v.taken, no); taken[no] && !was {
				out = append(out, no)
			}
		}
		slices.Sort(out)
		return out, true
	}
	return nil, false
}

func sorted(taken map[string]bool) []string {
	out := make([]string, 0, len(taken))
	for no, yes := range taken {
		if yes {
			out = append(out, no)
		}
	}
	slices.Sort(out)
	return out
}
