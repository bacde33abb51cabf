// Package seatmap remembers in this process what seat maps looked like a moment ago,
// so that a page that asks again gets the changed seats alone. Nothing depends on it:
// whoever asks about a map that was forgotten gets all of it.
package seatmap

import (
	"slices"
	"strings"
	"sync"

	"holdfast/internal/domain"
)

// Key names one map: an event on one ride.
type Key struct {
	EventID int64
	Ride    domain.Ride
}

const (
	keptVersions = 64  // per map: about as many sales as happen between two looks
	keptMaps     = 200 // then the memory starts anew
)

type version struct {
	number uint32
	marks  []string // sorted
}

// History is safe for concurrent use.
type History struct {
	mu   sync.Mutex
	maps map[Key][]version
}

// NewHistory makes an empty one.
func NewHistory() *History { return &History{maps: map[Key][]version{}} }

// Remember keeps the marks, sorted, that the map showed when it had this number.
func (h *History) Remember(k Key, number uint32, marks []string) {
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
	h.maps[k] = append(kept, version{number, marks})
}

// Changed names the seats whose marks differ between the numbered version and the marks
// of now, sorted like them; false when that version is not remembered.
func (h *History) Changed(k Key, number uint32, marks []string) ([]string, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, v := range h.maps[k] {
		if v.number == number {
			seats := append(seatsOnly(v.marks, marks), seatsOnly(marks, v.marks)...)
			slices.Sort(seats)
			return slices.Compact(seats), true
		}
	}
	return nil, false
}

// seatsOnly are the seats of the marks in a that are not in b.
func seatsOnly(a, b []string) []string {
	var out []string
	for _, m := range a {
		if _, there := slices.BinarySearch(b, m); !there {
			_, seat, _ := strings.Cut(m, ":")
			out = append(out, seat)
		}
	}
	return out
}
