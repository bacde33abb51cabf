package bench

import (
	"math/rand/v2"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// BenchmarkRefusals has 200 clients ask for seats of an event of 300 of which nobody can
// have any: all are held or sold. Each is a visitor whom the shop has never seen and gets
// a page that says so. What PostgreSQL can do at all is one UPDATE of a seat row that
// finds it, and one whose condition finds it taken and changes nothing.
func BenchmarkRefusals(b *testing.B) {
	const clients = 200
	var sold, other dbtest.Event
	r := start(b, func(d *db.DB) {
		sold, other = dbtest.Screening(b, d, 15, 20), dbtest.Screening(b, d, 15, 20)
	})
	r.exec(b, `UPDATE event_seats SET state = 'held', hold_id = gen_random_uuid(), held_until = now() + interval '1 hour' WHERE event_id = $1`, sold.ID)
	r.exec(b, `UPDATE event_seats SET state = 'booked', booking_id = 1, hold_id = NULL, held_until = NULL WHERE event_id = $1 AND right(seat_no, 1) IN ('1', '3', '5', '7', '9')`, sold.ID)
	rd := startRedis(b, commonly...)
	front := child(b, "front", "DATABASE_URL="+r.databaseURL, "REDIS_ADDR="+rd.address())
	requests := func(prefix string) func(int) []byte {
		all := make([][]byte, len(sold.Seats))
		for i, seat := range sold.Seats {
			all[i] = claimRequest(prefix, sold.ID, seat)
		}
		return func(int) []byte { return all[rand.IntN(len(all))] }
	}
	ask := func(prefix string, p process) func(time.Duration) (tally, error) {
		next := requests(prefix)
		return func(d time.Duration) (tally, error) { return browsers(clients, d, p, 409, next) }
	}
	refused := bare(b, r.databaseURL, clients, 20, "AND (state = 'available' OR state = 'held' AND held_until < now())", sold)
	refused.name = "bare UPDATE that finds no row"
	sides := []side{
		bare(b, r.databaseURL, clients, 20, "", other), refused, {"Holdfast, pool 12", ask("", r.process)}, {"small handler, pgx", ask("/pg", front)},
	}
	if rd != nil {
		c, err := dialResp(rd.addr)
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		for _, seat := range sold.Seats {
			if ok, err := c.hold(sold.ID, seat, "somebody"); err != nil || !ok {
				b.Fatal(ok, err)
			}
		}
		sides = append(sides, side{"small handler, Redis everysec", ask("/redis", front)})
	}
	contest(b, "refusals, 200 clients, one hot event", func() {}, sides...)
}
