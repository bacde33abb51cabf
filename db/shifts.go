package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

// Shift is one person's till from float to count. Amounts are minor units.
type Shift struct {
	ID          int64
	StaffID     int64
	Staff       string // name
	Till        string
	Currency    string
	BusinessDay time.Time // midnight UTC of the date
	OpenedAt    time.Time
	Float       int64
	FloatCounts domain.Counts
	ClosedAt    *time.Time // nil while it is open
	ClosedBy    string
	Counted     *int64
	Counts      domain.Counts
	Expected    *int64
	ZNumber     *int64
	Report      []byte // the Z report as it was at the close
	Now         time.Time
}

const shiftColumns = `
SELECT s.id, s.staff_id, p.name AS staff, s.till, s.currency, s.business_day, s.opened_at, s.float_amount AS float, s.float_counts, s.closed_at,
       coalesce(c.name, '') AS closed_by, s.counted, s.counts, s.expected, s.z_number, s.report, now() AS now
  FROM shifts s JOIN staff p ON p.id = s.staff_id LEFT JOIN staff c ON c.id = s.closed_by `

const shiftSQL = shiftColumns + `WHERE s.id = @id`

// Shift reads one; domain.ErrNotFound.
func (q Queries) Shift(ctx context.Context, id int64) (Shift, error) {
	return row[Shift](ctx, q.q, shiftSQL, pgx.StrictNamedArgs{"id": id})
}

const openShiftOfSQL = shiftColumns + `WHERE s.staff_id = @staff AND s.closed_at IS NULL`

// OpenShiftOf is the shift that somebody works in; domain.ErrNoShift.
func (q Queries) OpenShiftOf(ctx context.Context, staffID int64) (Shift, error) {
	all, err := rows[Shift](ctx, q.q, openShiftOfSQL, pgx.StrictNamedArgs{"staff": staffID})
	if err != nil {
		return Shift{}, err
	}
	if len(all) == 0 {
		return Shift{}, domain.ErrNoShift
	}
	return all[0], nil
}

const shiftsOfDaySQL = shiftColumns + `WHERE s.business_day = @day ORDER BY s.opened_at, s.id`

// ShiftsOfDay lists the shifts of a business day.
func (q Queries) ShiftsOfDay(ctx context.Context, day time.Time) ([]Shift, error) {
	return rows[Shift](ctx, q.q, shiftsOfDaySQL, pgx.StrictNamedArgs{"day": day})
}

const openShiftsSQL = shiftColumns + `WHERE s.closed_at IS NULL ORDER BY s.opened_at, s.id`

// OpenShifts lists every till that is open.
func (q Queries) OpenShifts(ctx context.Context) ([]Shift, error) {
	return rows[Shift](ctx, q.q, openShiftsSQL, nil)
}

const shiftsOfSQL = shiftColumns + `WHERE s.staff_id = @staff ORDER BY s.id DESC LIMIT 60`

// ShiftsOf lists somebody's last shifts, the newest first.
func (q Queries) ShiftsOf(ctx context.Context, staffID int64) ([]Shift, error) {
	return rows[Shift](ctx, q.q, shiftsOfSQL, pgx.StrictNamedArgs{"staff": staffID})
}

const insertShiftSQL = `
INSERT INTO shifts (staff_id, till, currency, business_day, float_amount, float_counts)
VALUES (@staff, @till, @currency, business_day_of(now()), @float, @counts)
RETURNING id`

// InsertShift opens a till on the business day it is; domain.ErrConflict when that
// person's is open.
func (t *Tx) InsertShift(ctx context.Context, s Shift) (int64, error) {
	return scalar[int64](ctx, t.q, insertShiftSQL, pgx.StrictNamedArgs{
		"staff": s.StaffID, "till": s.Till, "currency": s.Currency, "float": s.Float, "counts": s.FloatCounts,
	})
}

const lockShiftSQL = `SELECT id FROM shifts WHERE id = @id FOR UPDATE`

// LockShift waits for every sale that goes into the shift and keeps further ones out
// until the transaction ends; domain.ErrNotFound.
func (t *Tx) LockShift(ctx context.Context, id int64) error {
	_, err := scalar[int64](ctx, t.q, lockShiftSQL, pgx.StrictNamedArgs{"id": id})
	return err
}

const lockZSQL = `SELECT pg_advisory_xact_lock(hashtextextended('z number', 0))`

const nextZSQL = `SELECT coalesce(max(z_number), 0) + 1 FROM shifts`

// NextZ is the number of the next Z report. Nobody else gets one before the transaction
// ends, and one that fails leaves no gap. The lock is a statement of its own: one that
// waits and counts at once would count what was there before it waited.
func (t *Tx) NextZ(ctx context.Context) (int64, error) {
	if _, err := exec(ctx, t.q, lockZSQL, nil); err != nil {
		return 0, err
	}
	return scalar[int64](ctx, t.q, nextZSQL, nil)
}

const closeShiftSQL = `
UPDATE shifts SET closed_at = now(), closed_by = @by, counted = @counted, counts = @counts, expected = @expected, z_number = @z, report = @report
 WHERE id = @id AND closed_at IS NULL`

// CloseShift ends a shift for good with its frozen report; domain.ErrConflict when it
// is closed.
func (t *Tx) CloseShift(ctx context.Context, s Shift, by int64) error {
	return one(exec(ctx, t.q, closeShiftSQL, pgx.StrictNamedArgs{
		"id": s.ID, "by": by, "counted": s.Counted, "counts": s.Counts, "expected": s.Expected, "z": s.ZNumber, "report": s.Report,
	}))
}

// Move is cash that entered or left a till without a sale.
type Move struct {
	Kind   string // drop, pay_in, pay_out
	Amount int64
	Reason string
	At     time.Time
	By     string // name
}

const insertMoveSQL = `
INSERT INTO shift_moves (shift_id, kind, amount, reason, staff_id, key)
VALUES (@shift, @kind, @amount, @reason, @staff, @key)
ON CONFLICT (key) DO NOTHING`

// InsertMove enters a move; the same key again changes nothing.
func (t *Tx) InsertMove(ctx context.Context, shiftID, staffID int64, m Move, key string) error {
	_, err := exec(ctx, t.q, insertMoveSQL, pgx.StrictNamedArgs{
		"shift": shiftID, "kind": m.Kind, "amount": m.Amount, "reason": m.Reason, "staff": staffID, "key": key,
	})
	return err
}

const movesSQL = `
SELECT m.kind, m.amount, m.reason, m.at, p.name AS by
  FROM shift_moves m JOIN staff p ON p.id = m.staff_id WHERE m.shift_id = @shift ORDER BY m.id`

// Moves lists a shift's moves in the order they were made.
func (q Queries) Moves(ctx context.Context, shiftID int64) ([]Move, error) {
	return rows[Move](ctx, q.q, movesSQL, pgx.StrictNamedArgs{"shift": shiftID})
}
