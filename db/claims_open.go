package db

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

// The claim of somebody who holds nothing yet, with the hold and its lines, in one
// statement that commits by itself: the busiest write of all. The event is shared before
// the seats are locked, as everywhere: the join is below the locking of its seats.
const openHoldSQL = `
WITH ev AS (
  SELECT e.id FROM events e
   WHERE e.id = @event AND e.status = 'published' AND e.layout_version_id = @plan
     AND ` + saleOpen + `
     FOR SHARE OF e),
locked AS (
  SELECT 1 FROM ev JOIN event_seats s ON s.event_id = ev.id
   WHERE s.seat_no = ANY(@seats) AND s.leg BETWEEN @from_leg AND @to_leg
     AND (s.state = 'available' OR (s.state = 'held' AND s.held_until < now()) OR (s.state = 'blocked' AND s.held_until < now()))
   ORDER BY s.seat_no, s.leg FOR NO KEY UPDATE OF s),
claimed AS (
  UPDATE event_seats SET state = 'held', hold_id = @hold, held_until = now() + @window::interval + @grace::interval, block_id = NULL
   WHERE event_id = @event AND seat_no = ANY(@seats) AND leg BETWEEN @from_leg AND @to_leg
     AND (SELECT count(*) FROM locked) = @n
   RETURNING 1),
made AS (
  INSERT INTO holds (id, event_id, from_stop, to_stop, channel, holder, expires_at, total, currency, tax_bp, fares, name, email, phone)
  SELECT @hold, @event, @from_stop, @to_stop, @channel, @holder, now() + @window::interval, @total, @currency, @tax_bp, @fares, '', '', ''
   WHERE (SELECT count(*) FROM claimed) = @n),
lines AS (
  INSERT INTO hold_seats (event_id, hold_id, seat_no, zone_no, ticket_type, price)
  SELECT @event, @hold, u.seat_no, u.zone_no, u.ticket_type, u.price
    FROM unnest(@seats::text[], @zones::smallint[], @types::text[], @prices::bigint[]) AS u(seat_no, zone_no, ticket_type, price)
   WHERE (SELECT count(*) FROM claimed) = @n)
SELECT (SELECT count(*) FROM ev) = 1 AS on_sale, (SELECT count(*) FROM claimed) = @n AS claimed`

// FirstHold is what OpenHold makes. Ends are counted by the database's clock.
type FirstHold struct {
	NewHold      // ExpiresAt, Extended and who it is for are not used
	Plan         int64
	Window       time.Duration
	Grace        time.Duration
	CloseMinutes int // the house's, where the event has none of its own
}

// OpenHold claims the seats for a holder who has nothing on this event, and stores the hold.
// Nothing is changed when it fails: domain.ErrConflict (somebody has one of the seats),
// ErrSalesClosed (the event is not on sale as it was offered: closed, cancelled or with
// another seat plan), ErrBusy.
func (q Queries) OpenHold(ctx context.Context, h FirstHold, lines []domain.HoldSeat) error {
	fares, err := json.Marshal(h.Fares)
	if err != nil {
		return err
	}
	args := lineArgs(h.EventID, h.ID, lines)
	delete(args, "passengers")
	delete(args, "women")
	maps.Copy(args, Claim{EventID: h.EventID, HoldID: h.ID, Seats: args["seats"].([]string), Ride: h.Ride}.args())
	maps.Copy(args, pgx.StrictNamedArgs{
		"plan": h.Plan, "close_minutes": h.CloseMinutes, "from_stop": h.Ride.From, "to_stop": h.Ride.To, "channel": h.Channel,
		"holder": string(h.Holder), "window": h.Window, "grace": h.Grace, "total": h.Total, "currency": h.Currency, "tax_bp": h.TaxBP, "fares": fares,
	})
	r, err := row[struct{ OnSale, Claimed bool }](ctx, q.q, openHoldSQL, args)
	switch {
	case err != nil:
		return err
	case !r.OnSale:
		return domain.ErrSalesClosed
	case !r.Claimed:
		return domain.ErrConflict
	}
	return nil
}

// The same for several holds of one event and ride at once, none of which asks for another's
// seats. Who finds a seat's row locked does not wait: that would make all wait for one.
const openHoldsSQL = `
WITH ev AS (
  SELECT e.id FROM events e
   WHERE e.id = @event AND e.status = 'published' AND e.layout_version_id = @plan
     AND ` + saleOpen + `
     FOR SHARE OF e),
asked AS (
  SELECT * FROM unnest(@of::uuid[], @seats::text[]) AS a(hold_id, seat_no)),
locked AS (
  SELECT s.seat_no, s.leg, a.hold_id
    FROM ev JOIN event_seats s ON s.event_id = ev.id JOIN asked a ON a.seat_no = s.seat_no
   WHERE s.seat_no = ANY(@seats) AND s.leg BETWEEN @from_leg AND @to_leg
     AND (s.state = 'available' OR (s.state = 'held' AND s.held_until < now()) OR (s.state = 'blocked' AND s.held_until < now()))
   ORDER BY s.seat_no, s.leg FOR NO KEY UPDATE OF s SKIP LOCKED),
whole AS (
  SELECT l.hold_id FROM locked l GROUP BY l.hold_id
  HAVING count(*) = (SELECT count(*) FROM asked a WHERE a.hold_id = l.hold_id) * @legs::int),
claimed AS (
  UPDATE event_seats s SET state = 'held', hold_id = l.hold_id, held_until = now() + @window::interval + @grace::interval, block_id = NULL
    FROM locked l JOIN whole w ON w.hold_id = l.hold_id
   WHERE s.event_id = @event AND s.seat_no = l.seat_no AND s.leg = l.leg),
made AS (
  INSERT INTO holds (id, event_id, from_stop, to_stop, channel, holder, expires_at, total, currency, tax_bp, fares, name, email, phone)
  SELECT h.id, @event, @from_stop, @to_stop, @channel, h.holder, now() + @window::interval, h.total, @currency, @tax_bp, @fares, '', '', ''
    FROM unnest(@ids::uuid[], @holders::text[], @totals::bigint[]) AS h(id, holder, total) JOIN whole w ON w.hold_id = h.id),
lines AS (
  INSERT INTO hold_seats (event_id, hold_id, seat_no, zone_no, ticket_type, price)
  SELECT @event, u.hold_id, u.seat_no, u.zone_no, u.ticket_type, u.price
    FROM unnest(@of::uuid[], @seats::text[], @zones::smallint[], @types::text[], @prices::bigint[]) AS u(hold_id, seat_no, zone_no, ticket_type, price)
    JOIN whole w ON w.hold_id = u.hold_id)
SELECT (SELECT count(*) FROM ev) = 1 AS on_sale, ARRAY(SELECT w.hold_id::text FROM whole w) AS won`

// Opening is one of the holds that OpenHolds makes.
type Opening struct {
	ID     string
	Holder domain.Holder
	Total  int64
	Lines  []domain.HoldSeat
}

// OpenHolds is OpenHold for several at once: all but ID, Holder and Total of h counts for
// each. No seat may be in two of them. It answers those that hold their seats now; the
// others hold nothing, perhaps only because somebody else was just about to take a seat and
// did not: OpenHold decides for them. domain.ErrSalesClosed as there.
func (q Queries) OpenHolds(ctx context.Context, h FirstHold, list []Opening) (won []string, err error) {
	fares, err := json.Marshal(h.Fares)
	if err != nil {
		return nil, err
	}
	var ids, holders, of []string
	var totals []int64
	var lines []domain.HoldSeat
	for _, o := range list {
		ids, holders, totals, lines = append(ids, o.ID), append(holders, string(o.Holder)), append(totals, o.Total), append(lines, o.Lines...)
		of = append(of, slices.Repeat([]string{o.ID}, len(o.Lines))...)
	}
	args := lineArgs(h.EventID, "", lines)
	for _, unused := range []string{"passengers", "women", "hold"} {
		delete(args, unused)
	}
	maps.Copy(args, pgx.StrictNamedArgs{
		"plan": h.Plan, "close_minutes": h.CloseMinutes, "from_stop": h.Ride.From, "to_stop": h.Ride.To, "channel": h.Channel,
		"from_leg": h.Ride.FirstLeg(), "to_leg": h.Ride.LastLeg(), "legs": h.Ride.Legs(), "ids": ids, "holders": holders, "totals": totals, "of": of,
		"window": h.Window, "grace": h.Grace, "currency": h.Currency, "tax_bp": h.TaxBP, "fares": fares,
	})
	r, err := row[struct {
		OnSale bool
		Won    []string
	}](ctx, q.q, openHoldsSQL, args)
	if err == nil && !r.OnSale {
		err = domain.ErrSalesClosed
	}
	return r.Won, err
}
