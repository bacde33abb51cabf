package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

const lockSettingsSQL = `LOCK TABLE settings IN SHARE ROW EXCLUSIVE MODE`

// LockSettings keeps others from changing settings until the transaction ends. Reading
// goes on.
func (t *Tx) LockSettings(ctx context.Context) error {
	_, err := exec(ctx, t.q, lockSettingsSQL, nil)
	return err
}

const zoneNamesSQL = `
SELECT name FROM pg_timezone_names
 WHERE name = 'UTC' OR name LIKE '%/%' AND name NOT LIKE 'posix/%' AND name NOT LIKE 'right/%' AND name NOT LIKE 'Etc/%' AND name NOT LIKE 'SystemV/%'
 ORDER BY name`

// ZoneNames lists the time zones that the database knows, by their IANA names.
func (q Queries) ZoneNames(ctx context.Context) ([]string, error) {
	return column[string](ctx, q.q, zoneNamesSQL, nil)
}

// OtherMoney counts what is in another currency than the one asked about.
type OtherMoney struct {
	Tariffs  int
	Bookings int
	Lines    int // of the ledger
	Example  string
}

const otherMoneySQL = `
SELECT (SELECT count(*) FROM tariffs WHERE currency <> @currency) AS tariffs,
       (SELECT count(*) FROM bookings WHERE currency <> @currency) AS bookings,
       (SELECT count(*) FROM ledger_entries WHERE currency <> @currency) AS lines,
       coalesce((SELECT currency FROM tariffs WHERE currency <> @currency ORDER BY id LIMIT 1),
                (SELECT currency FROM ledger_entries WHERE currency <> @currency ORDER BY id LIMIT 1), '') AS example`

// OtherMoney looks for prices and sales in another currency.
func (q Queries) OtherMoney(ctx context.Context, currency string) (OtherMoney, error) {
	return row[OtherMoney](ctx, q.q, otherMoneySQL, pgx.StrictNamedArgs{"currency": currency})
}

// HouseEvent is an event to come that goes by the house's own clock.
type HouseEvent struct {
	ID       int64
	Title    string
	StartsAt time.Time
	Sold     bool
	All      int // how many there are
	AllSold  int // of these with a booking
}

// Trips go by the clocks of their stops, so they are not among them.
const houseEventsSQL = `
SELECT e.id, coalesce(f.title, '') AS title, e.starts_at, e.sold, count(*) OVER () AS all, count(*) FILTER (WHERE e.sold) OVER () AS all_sold
  FROM (SELECT x.id, x.film_id, x.starts_at, EXISTS (SELECT 1 FROM bookings b WHERE b.event_id = x.id AND b.state = 'confirmed') AS sold
          FROM events x WHERE x.kind = 'screening' AND x.status <> 'cancelled' AND x.time_zone = @zone AND x.ends_at > now()) e
  LEFT JOIN films f ON f.id = e.film_id
 ORDER BY e.starts_at, e.id LIMIT @n`

// HouseEvents lists the next n events that a change of the house's zone is about.
func (q Queries) HouseEvents(ctx context.Context, zone string, n int) ([]HouseEvent, error) {
	return rows[HouseEvent](ctx, q.q, houseEventsSQL, pgx.StrictNamedArgs{"zone": zone, "n": n})
}

const lockHouseEventsSQL = `
SELECT id FROM events
 WHERE kind = 'screening' AND status <> 'cancelled' AND time_zone = @zone AND ends_at > now()
 ORDER BY id FOR UPDATE`

// LockHouseEvents locks and lists the events of HouseEvents. Sales of them wait until
// the transaction ends.
func (t *Tx) LockHouseEvents(ctx context.Context, zone string) ([]int64, error) {
	return column[int64](ctx, t.q, lockHouseEventsSQL, pgx.StrictNamedArgs{"zone": zone})
}

const houseMissingHourSQL = `
SELECT e.id, coalesce(f.title, '') AS title, e.starts_at, false AS sold, 0 AS all, 0 AS all_sold
  FROM events e LEFT JOIN films f ON f.id = e.film_id
 WHERE e.id = ANY(@events::bigint[])
   AND e.starts_at AT TIME ZONE @old <> ((e.starts_at AT TIME ZONE @old) AT TIME ZONE @new) AT TIME ZONE @new
 ORDER BY e.starts_at LIMIT 1`

// HouseMissingHour finds an event whose start does not exist on the new zone's clock,
// because summer time begins; domain.ErrNotFound when all exist.
func (t *Tx) HouseMissingHour(ctx context.Context, events []int64, old, zone string) (HouseEvent, error) {
	return row[HouseEvent](ctx, t.q, houseMissingHourSQL, pgx.StrictNamedArgs{"events": events, "old": old, "new": zone})
}

// The length stays: an event that runs into the change of the clocks ends when it would.
const moveHouseEventsSQL = `
UPDATE events e
   SET starts_at = x.starts_at, ends_at = x.starts_at + (e.ends_at - e.starts_at), time_zone = @new, revision = e.revision + 1,
       business_day = ((x.starts_at AT TIME ZONE @new) - @day_start::time::interval)::date
  FROM (SELECT id, CASE WHEN @keep_clock THEN (starts_at AT TIME ZONE @old) AT TIME ZONE @new ELSE starts_at END AS starts_at
          FROM events WHERE id = ANY(@events::bigint[])) x
 WHERE e.id = x.id`

// MoveHouseEvents gives events another zone: they keep their wall clock, or else their
// instant. dayStart is the setting business_day_start. domain.ErrOverlap: two of them
// would be in one hall at a time.
func (t *Tx) MoveHouseEvents(ctx context.Context, events []int64, old, zone string, keepClock bool, dayStart string) error {
	_, err := exec(ctx, t.q, moveHouseEventsSQL, pgx.StrictNamedArgs{"events": events, "old": old, "new": zone, "keep_clock": keepClock, "day_start": dayStart})
	return err
}

const recountDaysSQL = `
UPDATE events SET business_day = ((starts_at AT TIME ZONE time_zone) - @day_start::time::interval)::date, revision = revision + 1
 WHERE starts_at > now() AND business_day <> ((starts_at AT TIME ZONE time_zone) - @day_start::time::interval)::date`

// RecountDays puts the events to come on the business day that they count to when the
// day starts at dayStart. Days that were stay as they were.
func (t *Tx) RecountDays(ctx context.Context, dayStart string) error {
	_, err := exec(ctx, t.q, recountDaysSQL, pgx.StrictNamedArgs{"day_start": dayStart})
	return err
}

// Changed is who changed something when.
type Changed struct {
	At  time.Time
	Who string // a name, "system" or "command line"
}

const lastChangeSQL = `
SELECT a.at, coalesce(s.name, a.actor) AS who
  FROM audit_log a LEFT JOIN staff s ON a.actor = 'staff:' || s.id
 WHERE a.subject = @subject ORDER BY a.at DESC, a.id DESC LIMIT 1`

// LastChange is the newest line of the log about a subject; domain.ErrNotFound.
func (q Queries) LastChange(ctx context.Context, subject string) (Changed, error) {
	return row[Changed](ctx, q.q, lastChangeSQL, pgx.StrictNamedArgs{"subject": subject})
}
