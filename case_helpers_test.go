package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/stripesim"
)

// The case tests are named by the ids of the house's list of cases from the field.

// cinema is a world with one screening of rows × cols.
func cinema(t *testing.T, rows, cols int) (*world, dbtest.Event) {
	t.Helper()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) { ev = dbtest.Screening(t, d, rows, cols) }, nil)
	return w, ev
}

// on gives a buyer to a subtest.
func (w *world) on(t *testing.T) *buyer {
	b := w.buyer()
	b.t = t
	return b
}

// id is the uuid of the buyer's hold.
func (b *buyer) id() string {
	b.t.Helper()
	id, ok := strings.CutPrefix(b.hold, "/holds/")
	if !ok || len(id) != 36 {
		b.t.Fatalf("no hold yet: %q", b.hold)
	}
	return id
}

// page asks for an address under the buyer's hold ("" for the hold itself).
func (b *buyer) at(rest string) *page {
	b.t.Helper()
	b.id()
	return b.get(b.w.URL + b.hold + rest)
}

// send posts to an address under the buyer's hold.
func (b *buyer) send(rest string, form url.Values) *page {
	b.t.Helper()
	b.id()
	return b.post(b.w.URL+b.hold+rest, form)
}

// seats posts a choice by hand, without looking at the page first.
func (b *buyer) seats(event int64, fields url.Values) *page {
	b.t.Helper()
	answer := b.post(b.w.URL+eventPath(event)+"/holds", fields)
	if strings.HasPrefix(answer.location, "/holds/") {
		b.hold = strings.TrimPrefix(answer.resolve(answer.location), b.w.URL)
	}
	return answer
}

func seatFields(seats ...string) url.Values { return url.Values{"seat": seats} }

// paying takes the buyer to Stripe's page and returns the session's id.
func (b *buyer) paying(event string, seats ...string) string {
	b.t.Helper()
	b.choose(event, seats...).want(303)
	b.pay(b.details(nil))
	return b.w.session(b.t, b.id()).ID
}

// buys is the whole way; it returns the booking's page.
func (b *buyer) buys(event string, seats ...string) *page {
	b.t.Helper()
	b.choose(event, seats...).want(303)
	return b.paid(b.pay(b.details(nil)))
}

// paid presses Pay on Stripe's page and comes back.
func (b *buyer) paid(stripe *page) *page {
	b.t.Helper()
	return b.follow(b.submit(stripe, stripe.form(stripe.url.Path), nil, "action=pay")).want(200)
}

type clockAnswer struct {
	SecondsLeft int64  `json:"seconds_left"`
	ExpiresAt   string `json:"expires_at"`
	State       string `json:"state"`
}

func (b *buyer) clock() clockAnswer {
	b.t.Helper()
	p := b.at("/clock").want(200)
	var c clockAnswer
	if err := json.Unmarshal([]byte(p.body), &c); err != nil {
		b.t.Fatalf("clock: %v in %s", err, p.body)
	}
	return c
}

func (b *buyer) state(want string) {
	b.t.Helper()
	if got := b.clock().State; got != want {
		b.t.Errorf("clock of %s says %q, want %q", b.hold, got, want)
	}
}

// session is the newest Stripe session of a hold.
func (w *world) session(t *testing.T, hold string) stripesim.Session {
	t.Helper()
	for _, s := range slices.Backward(w.Sim.Sessions()) {
		if s.Metadata["hold_id"] == hold {
			return s
		}
	}
	t.Fatalf("no Stripe session for hold %s", hold)
	return stripesim.Session{}
}

// late moves a hold's countdown to so many seconds ago, as time itself would: the
// seats of a live payment stay held.
func (w *world) late(hold string, seconds int) {
	w.t.Helper()
	w.exec(`UPDATE holds SET expires_at = now() - make_interval(secs => $2) WHERE id = $1`, hold, seconds)
}

// over is late, past every grace: the seats themselves ran out as well.
func (w *world) over(hold string) {
	w.t.Helper()
	w.late(hold, 180)
	w.exec(`UPDATE event_seats SET held_until = now() - interval '1 second' WHERE hold_id = $1`, hold)
}

// set changes a business setting, for preparing a world: the program keeps what it
// read for a second.
func set(t *testing.T, d *db.DB, key, value string) {
	t.Helper()
	_, err := d.Pool().Exec(t.Context(), `INSERT INTO settings (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = $2`, key, value)
	if err != nil {
		t.Fatal(err)
	}
}

// tickets are the seats of a hold's valid tickets, in order.
func (w *world) tickets(hold string) []string {
	w.t.Helper()
	return one[[]string](w, `SELECT coalesce(array_agg(t.seat_no ORDER BY t.seat_no), '{}') FROM tickets t JOIN bookings b ON b.id = t.booking_id
		WHERE b.hold_id = $1 AND t.state = 'valid' AND b.state = 'confirmed'`, hold)
}

func (w *world) wantTickets(t *testing.T, hold string, seats ...string) {
	t.Helper()
	if got := w.tickets(hold); !slices.Equal(got, seats) {
		t.Errorf("tickets of hold %s are for %v, want %v", hold, got, seats)
	}
}

// taken is how much Stripe took for a hold in all, less what it gave back.
func (w *world) taken(hold string) (sum int64) {
	for _, s := range w.Sim.Sessions() {
		if s.Metadata["hold_id"] == hold && s.PaymentIntent != "" {
			took, back := w.Sim.Paid(s.PaymentIntent)
			sum += took - back
		}
	}
	return sum
}

func (w *world) wantTaken(t *testing.T, hold string, want int64) {
	t.Helper()
	if got := w.taken(hold); got != want {
		t.Errorf("Stripe keeps %d for hold %s, want %d", got, hold, want)
	}
}

func (w *world) count(what string, args ...any) int {
	w.t.Helper()
	return one[int](w, `SELECT count(*)::int FROM `+what, args...)
}

func (w *world) wantCount(t *testing.T, want int, what string, args ...any) {
	t.Helper()
	if got := w.count(what, args...); got != want {
		t.Errorf("%d rows, want %d: %s %v", got, want, what, args)
	}
}

// settled waits until no webhook and no job waits to be worked.
func (w *world) settled() {
	w.t.Helper()
	w.eventually("every webhook is worked", `SELECT NOT EXISTS (SELECT 1 FROM stripe_events WHERE processed_at IS NULL)`)
}

// lost are the seats an answer names as lost, inside its alert.
func (p *page) lost() []string {
	var out []string
	for _, alert := range p.all("", "role", "alert") {
		for n := range alert.Descendants() {
			if no, ok := attribute(n, "data-lost"); ok && n.Type == html.ElementNode {
				out = append(out, no)
			}
		}
	}
	return out
}

// refusal checks a 409 that names seats: nothing else is lost, none of them can be
// ticked, the others of the choice still are.
func (p *page) refusal(lost []string, kept ...string) *page {
	p.t.Helper()
	p.want(409)
	if got := p.lost(); !slices.Equal(got, lost) {
		p.t.Errorf("%s names %v as lost, want %v", p.url, got, lost)
	}
	p.form("/holds") // the page is whole: another choice can be sent
	for _, no := range lost {
		if slices.Contains(p.boxes(), no) {
			p.t.Errorf("lost seat %s can still be ticked", no)
		}
	}
	if got := p.ticked(); !slices.Equal(got, kept) {
		p.t.Errorf("%s has %v ticked, want %v", p.url, got, kept)
	}
	return p
}

// boxes are the values of all seat checkboxes of the page, ticked those of the checked ones.
func (p *page) boxes() (all []string)  { all, _ = p.checkboxes(); return all }
func (p *page) ticked() (set []string) { _, set = p.checkboxes(); return set }

func (p *page) checkboxes() (all, checked []string) {
	for _, n := range p.all("input", "name", "seat") {
		if kind, _ := attribute(n, "type"); kind != "checkbox" {
			continue
		}
		no, _ := attribute(n, "value")
		all = append(all, no)
		if _, on := attribute(n, "checked"); on {
			checked = append(checked, no)
		}
	}
	return all, checked
}

// atOnce runs f n times, none before all are ready.
func atOnce(n int, f func(i int)) {
	var ready, done sync.WaitGroup
	ready.Add(n)
	for i := range n {
		done.Go(func() {
			ready.Done()
			ready.Wait()
			f(i)
		})
	}
	done.Wait()
}

// ask sends any request with headers.
func (b *browser) ask(method, address, body string, header map[string]string) *page {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	for k, v := range header {
		req.Header.Set(k, v)
	}
	res, err := b.Do(req)
	return b.read(res, err)
}

const formType = "application/x-www-form-urlencoded"

// cancelled posts and is given up by its reader; what came of it is not looked at.
func (b *browser) cancelled(ctx context.Context, address string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, nil)
	if err != nil {
		b.t.Error(err)
		return
	}
	if res, err := b.Do(req); err == nil {
		res.Body.Close()
		b.t.Error("the request was answered before it was given up")
	}
}

// eventuallySim waits for something at Stripe's side.
func (w *world) eventuallySim(what string, done func() bool) {
	w.t.Helper()
	for end := time.Now().Add(20 * time.Second); !done(); time.Sleep(10 * time.Millisecond) { // polling, not waiting for time
		if time.Now().After(end) {
			w.t.Fatalf("not in 20 s: %s", what)
		}
	}
}

// asked counts the calls of one operation that Stripe received.
func (w *world) asked(op string) int {
	n := 0
	for _, r := range w.Sim.Requests() {
		if r.Op == op {
			n++
		}
	}
	return n
}
