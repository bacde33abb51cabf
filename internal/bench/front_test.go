package bench

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// frontHandler is the least a web server must do to hold a seat: read the form, ask the
// store, set a cookie, answer. It has no prices, no rules, no pages and no log: it shows
// what HTTP itself costs before PostgreSQL's statement and before Redis.
func frontHandler() (http.Handler, error) {
	d, err := db.Open(context.Background(), os.Getenv("DATABASE_URL"), db.Options{MaxConns: 12})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("POST /pg/events/{event}/holds", holdBy(func(ctx context.Context, event int64, seat, hold string) (bool, error) {
		err := d.ClaimSeats(ctx, db.Claim{EventID: event, HoldID: hold, Seats: []string{seat}, Ride: domain.Ride{To: 1}}, time.Now().Add(12*time.Minute))
		if errors.Is(err, domain.ErrConflict) {
			return false, nil
		}
		return err == nil, err
	}))
	known := &firstHolds{db: d, byEvent: map[int64]db.FirstHold{}}
	mux.Handle("POST /hold/events/{event}/holds", holdBy(known.hold))
	addr := os.Getenv("REDIS_ADDR")
	if addr == "" {
		return mux, nil
	}
	pool, err := newRespPool(addr, 12)
	if err != nil {
		return nil, err
	}
	mux.Handle("POST /redis/events/{event}/holds", holdBy(func(_ context.Context, event int64, seat, hold string) (bool, error) {
		c := pool.get()
		defer pool.put(c)
		return c.hold(event, seat, hold)
	}))
	return mux, nil
}

// holdBy is the handler before either store.
func holdBy(claim func(ctx context.Context, event int64, seat, hold string) (bool, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		event, err := strconv.ParseInt(r.PathValue("event"), 10, 64)
		if err == nil {
			err = r.ParseForm()
		}
		if err != nil {
			http.Error(w, "what?", http.StatusBadRequest)
			return
		}
		id := someUUID()
		ok, err := claim(r.Context(), event, r.PostForm.Get("seat"), id)
		switch {
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		case !ok:
			http.Error(w, "taken", http.StatusConflict)
		default:
			http.SetCookie(w, &http.Cookie{Name: "visitor", Value: id, Path: "/", HttpOnly: true})
			http.Redirect(w, r, "/holds/"+id, http.StatusSeeOther)
		}
	})
}

func someUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	h := hex.EncodeToString(b[:])
	return fmt.Sprintf("%s-%s-4%s-8%s-%s", h[:8], h[8:12], h[13:16], h[17:20], h[20:])
}

// firstHolds makes whole holds, as the program stores them, of seats whose event and
// price it looks up once.
type firstHolds struct {
	db      *db.DB
	mu      sync.Mutex
	byEvent map[int64]db.FirstHold
}

func (x *firstHolds) hold(ctx context.Context, event int64, seat, hold string) (bool, error) {
	h, err := x.of(ctx, event)
	if err != nil {
		return false, err
	}
	h.ID, h.Holder = hold, domain.Holder("web:"+hold)
	err = x.db.OpenHold(ctx, h, []domain.HoldSeat{{SeatNo: seat, Zone: 1, Type: "adult", Price: 1000}})
	if errors.Is(err, domain.ErrConflict) {
		return false, nil
	}
	return err == nil, err
}

func (x *firstHolds) of(ctx context.Context, event int64) (db.FirstHold, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	h, known := x.byEvent[event]
	if known {
		return h, nil
	}
	e, err := x.db.Event(ctx, event)
	if err != nil {
		return h, err
	}
	h = db.FirstHold{
		NewHold: db.NewHold{EventID: event, Ride: domain.Ride{To: 1}, Channel: domain.ChannelWeb, Total: 1000, Currency: "EUR", TaxBP: 2200},
		Plan:    e.LayoutVersionID, Window: 10 * time.Minute, Grace: 2 * time.Minute, CloseMinutes: 10,
	}
	x.byEvent[event] = h
	return h, nil
}
