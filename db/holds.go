package db

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

const lockHolderSQL = `SELECT pg_advisory_xact_lock(hashtextextended(@holder, 0))`

// LockHolder makes one holder's changes follow one another, so that two tabs
// cannot both be within a limit. Taken before every other lock.
func (t *Tx) LockHolder(ctx context.Context, h domain.Holder) error {
	_, err := exec(ctx, t.q, lockHolderSQL, pgx.StrictNamedArgs{"holder": string(h)})
	return err
}

const dbNowSQL = `SELECT now()`

// Now is the database's time; inside a transaction, of its start.
func (q Queries) Now(ctx context.Context) (time.Time, error) {
	return scalar[time.Time](ctx, q.q, dbNowSQL, nil)
}

// NewHold is what InsertHold stores.
type NewHold struct {
	ID        string
	EventID   int64
	Ride      domain.Ride
	Channel   string
	Holder    domain.Holder
	ExpiresAt time.Time
	Extended  int
	Total     int64
	Currency  string
	TaxBP     int
	Fares     domain.Fares
	Name      string
	Email     string
	Phone     string
}

const insertHoldSQL = `
INSERT INTO holds (id, event_id, from_stop, to_stop, channel, holder, expires_at, total, currency, tax_bp, fares, name, email, phone)
VALUES (@id, @event, @from_stop, @to_stop, @channel, @holder, @expires_at, @total, @currency, @tax_bp, @fares, @name, @email, @phone)`

// InsertHold stores an active hold with its lines. It says nothing about who has the
// seats: that is ClaimSeats.
func (t *Tx) InsertHold(ctx context.Context, h NewHold, lines []domain.HoldSeat) error {
	fares, err := json.Marshal(h.Fares)
	if err != nil {
		return err
	}
	b := &pgx.Batch{} // one trip to the database: this is the busiest write of all
	b.Queue(insertHoldSQL, pgx.StrictNamedArgs{
		"id": h.ID, "event": h.EventID, "from_stop": h.Ride.From, "to_stop": h.Ride.To, "channel": h.Channel,
		"holder": string(h.Holder), "expires_at": h.ExpiresAt, "total": h.Total, "currency": h.Currency, "tax_bp": h.TaxBP,
		"fares": fares, "name": h.Name, "email": h.Email, "phone": h.Phone,
	})
	b.Queue(insertHoldSeatsSQL, lineArgs(h.EventID, h.ID, lines))
	return classify(t.q.SendBatch(ctx, b).Close())
}

const insertHoldSeatsSQL = `
INSERT INTO hold_seats (event_id, hold_id, seat_no, zone_no, ticket_type, price, passenger, woman)
SELECT @event, @hold, u.seat_no, u.zone_no, u.ticket_type, u.price, u.passenger, u.woman
  FROM unnest(@seats::text[], @zones::smallint[], @types::text[], @prices::bigint[], @passengers::text[], @women::boolean[])
       AS u(seat_no, zone_no, ticket_type, price, passenger, woman)
    ON CONFLICT (event_id, hold_id, seat_no) DO UPDATE
   SET ticket_type = EXCLUDED.ticket_type, price = EXCLUDED.price, passenger = EXCLUDED.passenger, zone_no = EXCLUDED.zone_no, woman = EXCLUDED.woman`

const deleteHoldSeatsSQL = `
DELETE FROM hold_seats WHERE event_id = @event AND hold_id = @hold AND seat_no <> ALL(@seats)`

// PutHoldSeats makes the lines of a hold exactly these.
func (t *Tx) PutHoldSeats(ctx context.Context, eventID int64, holdID string, lines []domain.HoldSeat) error {
	args := lineArgs(eventID, holdID, lines)
	_, err := exec(ctx, t.q, deleteHoldSeatsSQL, pgx.StrictNamedArgs{"event": eventID, "hold": holdID, "seats": args["seats"]})
	if err != nil {
		return err
	}
	_, err = exec(ctx, t.q, insertHoldSeatsSQL, args)
	return err
}

func lineArgs(eventID int64, holdID string, lines []domain.HoldSeat) pgx.StrictNamedArgs {
	var nos, types, names []string
	var zones []int16
	var prices []int64
	var women []bool
	for _, s := range lines {
		nos, types, names = append(nos, s.SeatNo), append(types, s.Type), append(names, s.Passenger)
		zones, prices = append(zones, int16(s.Zone)), append(prices, s.Price)
		women = append(women, s.Woman)
	}
	return pgx.StrictNamedArgs{"event": eventID, "hold": holdID, "seats": nos, "zones": zones, "types": types, "prices": prices, "passengers": names, "women": women}
}

const lockHoldSQL = `SELECT id FROM holds WHERE id = @hold FOR UPDATE`

// LockHold takes the hold's row until the transaction's end; domain.ErrNotFound.
func (t *Tx) LockHold(ctx context.Context, id string) error {
	_, err := scalar[string](ctx, t.q, lockHoldSQL, pgx.StrictNamedArgs{"hold": id})
	return err
}

type holdRow struct {
	ID             string
	EventID        int64
	FromStop       int
	ToStop         int
	Channel        string
	Holder         string
	State          string
	ExpiresAt      time.Time
	Now            time.Time
	Extensions     int
	Total          int64
	Currency       string
	TaxBp          int
	Fares          json.RawMessage
	Name           string
	Email          string
	Phone          string
	Detailed       bool
	Seats          json.RawMessage
	SeatsHeld      int
	PaymentID      int64
	PaymentState   string
	PaymentOutcome string
	BookingID      int64
	BookingVersion int
}

const getHoldSQL = `
SELECT h.id::text, h.event_id, h.from_stop, h.to_stop, h.channel, h.holder, h.state, h.expires_at, now() AS now,
       h.extensions, h.total, h.currency, h.tax_bp, h.fares, h.name, h.email, h.phone, h.detailed_at IS NOT NULL AS detailed,
       (SELECT coalesce(json_agg(json_build_object('SeatNo', s.seat_no, 'Zone', s.zone_no, 'Type', s.ticket_type,
                                 'Price', s.price, 'Passenger', s.passenger, 'Woman', s.woman)), '[]')
          FROM hold_seats s WHERE s.hold_id = h.id AND s.event_id = h.event_id) AS seats,
       (SELECT count(*) FROM event_seats e
         WHERE e.event_id = h.event_id AND e.hold_id = h.id AND e.state = 'held' AND e.leg BETWEEN h.from_stop + 1 AND h.to_stop
           AND e.seat_no IN (SELECT seat_no FROM hold_seats s WHERE s.hold_id = h.id AND s.event_id = h.event_id)) AS seats_held,
       coalesce(p.id, 0) AS payment_id, coalesce(p.state, '') AS payment_state, coalesce(p.outcome, '') AS payment_outcome,
       coalesce(b.id, 0) AS booking_id, coalesce(b.link_version, 0) AS booking_version
  FROM holds h
  LEFT JOIN LATERAL (SELECT id, state, outcome FROM payments WHERE hold_id = h.id ORDER BY id DESC LIMIT 1) p ON true
  LEFT JOIN bookings b ON b.hold_id = h.id
 WHERE h.id = @hold`

// Hold reads a hold with its seats, its newest payment and its booking;
// domain.ErrNotFound. Seats come in no order that means anything.
func (q Queries) Hold(ctx context.Context, id string) (*domain.Hold, error) {
	r, err := row[holdRow](ctx, q.q, getHoldSQL, pgx.StrictNamedArgs{"hold": id})
	if err != nil {
		return nil, err
	}
	h := &domain.Hold{
		ID: r.ID, EventID: r.EventID, Ride: domain.Ride{From: r.FromStop, To: r.ToStop}, Channel: r.Channel,
		Holder: domain.Holder(r.Holder), State: r.State, ExpiresAt: r.ExpiresAt, Now: r.Now, Extended: r.Extensions,
		Total: r.Total, Currency: r.Currency, TaxBP: r.TaxBp, Name: r.Name, Email: r.Email, Phone: r.Phone, Detailed: r.Detailed,
		SeatsHeld: r.SeatsHeld, PaymentID: r.PaymentID, PaymentState: domain.PaymentState(r.PaymentState),
		PaymentOutcome: r.PaymentOutcome, BookingID: r.BookingID, BookingVersion: r.BookingVersion,
	}
	if err := json.Unmarshal(r.Fares, &h.Fares); err != nil {
		return nil, err
	}
	return h, json.Unmarshal(r.Seats, &h.Seats)
}

const holdsOfSQL = `
SELECT id::text FROM holds
 WHERE holder = @holder AND event_id = @event AND state = 'active'
 ORDER BY created_at DESC`

// ActiveHolds are the holder's holds on the event that nobody converted or
// released, newest first; the time of some may be over.
func (q Queries) ActiveHolds(ctx context.Context, holder domain.Holder, eventID int64) ([]string, error) {
	return column[string](ctx, q.q, holdsOfSQL, pgx.StrictNamedArgs{"holder": string(holder), "event": eventID})
}

const liveHoldsElsewhereSQL = `
SELECT count(*) FROM holds WHERE holder = @holder AND event_id <> @event AND state = 'active' AND expires_at > now()`

// LiveHoldsElsewhere counts the holder's running holds on other events.
func (q Queries) LiveHoldsElsewhere(ctx context.Context, holder domain.Holder, eventID int64) (int, error) {
	return scalar[int](ctx, q.q, liveHoldsElsewhereSQL, pgx.StrictNamedArgs{"holder": string(holder), "event": eventID})
}

const lastHoldSQL = `
SELECT id::text FROM holds WHERE holder = @holder AND event_id = @event ORDER BY created_at DESC LIMIT 1`

// LastHold is the holder's newest hold on the event in whatever state;
// domain.ErrNotFound when there was none.
func (q Queries) LastHold(ctx context.Context, holder domain.Holder, eventID int64) (string, error) {
	return scalar[string](ctx, q.q, lastHoldSQL, pgx.StrictNamedArgs{"holder": string(holder), "event": eventID})
}

const updateHoldSQL = `
UPDATE holds SET from_stop = @from_stop, to_stop = @to_stop, expires_at = @expires_at, extensions = @extensions, total = @total,
       currency = @currency, tax_bp = @tax_bp, fares = @fares, detailed_at = NULL
 WHERE id = @id AND state = 'active'`

// ChangeHold gives an active hold another choice. Details must be confirmed again.
func (t *Tx) ChangeHold(ctx context.Context, h NewHold) error {
	fares, err := json.Marshal(h.Fares)
	if err != nil {
		return err
	}
	n, err := exec(ctx, t.q, updateHoldSQL, pgx.StrictNamedArgs{
		"id": h.ID, "from_stop": h.Ride.From, "to_stop": h.Ride.To, "expires_at": h.ExpiresAt, "extensions": h.Extended,
		"total": h.Total, "currency": h.Currency, "tax_bp": h.TaxBP, "fares": fares,
	})
	return one(n, err)
}

const extendHoldSQL = `
UPDATE holds SET expires_at = greatest(expires_at, @expires_at), extensions = extensions + 1
 WHERE id = @id AND state = 'active' AND expires_at > now()`

// ExtendHold moves the customer's end and counts it; domain.ErrConflict when over.
func (t *Tx) ExtendHold(ctx context.Context, id string, expiresAt time.Time) error {
	return one(exec(ctx, t.q, extendHoldSQL, pgx.StrictNamedArgs{"id": id, "expires_at": expiresAt}))
}

const holdDetailsSQL = `
UPDATE holds SET name = @name, email = @email, phone = @phone, total = @total,
       detailed_at = CASE WHEN @complete THEN now() END
 WHERE id = @id AND state = 'active'`

// SetHoldDetails stores the contact and the total that follows from the ticket
// types; complete says that review and payment may follow.
func (t *Tx) SetHoldDetails(ctx context.Context, h *domain.Hold, complete bool) error {
	return one(exec(ctx, t.q, holdDetailsSQL, pgx.StrictNamedArgs{
		"id": h.ID, "name": h.Name, "email": h.Email, "phone": h.Phone, "total": h.Total, "complete": complete,
	}))
}

const holdStateSQL = `UPDATE holds SET state = @state WHERE id = @id AND state <> 'converted'`

// SetHoldState moves a hold to released or converted; a converted one stays.
func (t *Tx) SetHoldState(ctx context.Context, id, state string) error {
	return one(exec(ctx, t.q, holdStateSQL, pgx.StrictNamedArgs{"id": id, "state": state}))
}

const overdueHoldsSQL = `
SELECT h.id::text FROM holds h
 WHERE h.state = 'active' AND h.expires_at + make_interval(secs => @grace_seconds::int) < now()
   AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.hold_id = h.id AND p.state IN ('creating', 'open'))
 ORDER BY h.expires_at LIMIT 200`

// OverdueHolds are active holds whose end and grace are over and that no payment
// page can be paid for.
func (q Queries) OverdueHolds(ctx context.Context, grace time.Duration) ([]string, error) {
	return column[string](ctx, q.q, overdueHoldsSQL, pgx.StrictNamedArgs{"grace_seconds": int(grace.Seconds())})
}

func one(n int64, err error) error {
	if err == nil && n != 1 {
		return domain.ErrConflict
	}
	return err
}

const holdContactSQL = `UPDATE holds SET name = @name, email = @email, phone = @phone WHERE id = @id AND state = 'active'`

// HoldContact stores who a hold of the counter is for.
func (t *Tx) HoldContact(ctx context.Context, h NewHold) error {
	return one(exec(ctx, t.q, holdContactSQL, pgx.StrictNamedArgs{"id": h.ID, "name": h.Name, "email": h.Email, "phone": h.Phone}))
}
