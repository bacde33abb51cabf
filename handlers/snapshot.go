package handlers

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/seatmap"
	"holdfast/views"
)

// mapKey names what one snapshot shows: an event on one ride, or on the whole way.
type mapKey struct {
	event int64
	whole bool
	ride  domain.Ride
	turn  bool // for somebody whose turn it is
}

// keyOf reads the key of the event that get and the path name.
func keyOf(event int64, get func(string) string) (mapKey, error) {
	want, err := ride(get)
	if err != nil {
		return mapKey{}, err
	}
	k := mapKey{event: event, whole: want == nil}
	if want != nil {
		k.ride = *want
	}
	return k, nil
}

// snapshot is an event as a stranger sees it, from one reading of the database. What is
// drawn of it is kept as long as it would look the same.
type snapshot struct {
	offer *booking.Offer
	seats *booking.Seats
	wait  *views.Note // what the page says of the line
	drawn *drawn
}

// drawn are the pages of snapshots that look alike.
type drawn struct {
	page    func() (*frozen, error)
	mu      sync.Mutex
	updates map[uint32]*frozen // by the version that an open page shows
	// refusals by the choice that was refused.
	refusals map[string]*frozen
}

// maxUpdates is how many old versions pages may wait at; others are drawn each time.
const maxUpdates = 64

// look reads the snapshot of a key, at most a second old, and brings the offer's clock up
// to now.
func (s *site) look(ctx context.Context, k mapKey) (*snapshot, error) {
	r, err := s.maps.Get(ctx, k, s.readMap(k))
	if err != nil {
		return nil, err
	}
	now := *r.Value
	now.offer = r.Value.offer.After(time.Since(r.At))
	return &now, nil
}

func (s *site) readMap(k mapKey) seatmap.Load[*snapshot] {
	return func(ctx context.Context, last *snapshot) (*snapshot, error) {
		want := &k.ride
		if k.whole {
			want = nil
		}
		o, err := s.Booking.Offer(ctx, k.event, want)
		if err != nil {
			return nil, err
		}
		x, err := s.Booking.Seats(ctx, o, "")
		if err != nil {
			return nil, err
		}
		s.history.Remember(seatmap.Key{EventID: o.Event.ID, Ride: o.Ride}, x.Version, x.Marks())
		now := &snapshot{offer: o, seats: x, wait: s.waitNote(o, k.turn)}
		if last != nil && last.looksLike(now) {
			now.drawn = last.drawn
		} else {
			now.drawn = &drawn{updates: map[uint32]*frozen{}, refusals: map[string]*frozen{}, page: sync.OnceValues(func() (*frozen, error) {
				return freeze(views.Seats(s.seatsView(o, x, ticks{turn: k.turn}, nil)))
			})}
		}
		return now, nil
	}
}

// looksLike says whether pages of both would be the same, byte for byte.
func (n *snapshot) looksLike(other *snapshot) bool {
	if n.seats.Version != other.seats.Version || !reflect.DeepEqual(n.wait, other.wait) {
		return false
	}
	a, b := *n.offer, *other.offer
	a.Event.Now, b.Event.Now = time.Time{}, time.Time{}
	return reflect.DeepEqual(a, b)
}

// update is what a page needs that shows the old version; nil when it shows this one.
func (s *site) update(n *snapshot, old string) (*frozen, error) {
	v, err := strconv.ParseUint(old, 10, 32)
	if err == nil && uint32(v) == n.seats.Version {
		return nil, nil
	}
	n.drawn.mu.Lock()
	defer n.drawn.mu.Unlock()
	if f, ok := n.drawn.updates[uint32(v)]; ok {
		return f, nil
	}
	f, err := freeze(views.SeatUpdates(s.updatesView(n.offer, n.seats, uint32(v))))
	if err == nil && len(n.drawn.updates) < maxUpdates {
		n.drawn.updates[uint32(v)] = f
	}
	return f, err
}

// updatesView are the seats that differ between the version old and now; all of them when
// nobody remembers that version.
func (s *site) updatesView(o *booking.Offer, x *booking.Seats, old uint32) views.SeatUpdatesView {
	changed, known := s.history.Changed(seatmap.Key{EventID: o.Event.ID, Ride: o.Ride}, old, x.Marks())
	free := 0
	v := views.SeatUpdatesView{Version: int64(x.Version), PollURL: pollURL(o, x.Version)}
	for _, d := range mapView(o, x, ticks{}).Decks {
		for _, row := range d.Rows {
			free += row.Free
			touched := !known
			for _, c := range row.Cells {
				if c.No != "" && (!known || slices.Contains(changed, c.No)) {
					v.Cells, touched = append(v.Cells, c), true
				}
			}
			if touched && row.ID != "" {
				v.Rows = append(v.Rows, row)
			}
		}
	}
	v.Free = freeWords(free, o.Layout)
	return v
}

// offer reads the event of the path on the ride that get names, as it was within the last
// second. What is decided of it is decided again where the seats are claimed.
func (s *site) offer(r *http.Request, get func(string) string) (*booking.Offer, error) {
	id, err := pathID(r, "event")
	if err != nil {
		return nil, err
	}
	k, err := keyOf(id, get)
	if err != nil {
		return nil, err
	}
	n, err := s.look(r.Context(), k)
	if err != nil {
		return nil, err
	}
	return n.offer, nil
}
