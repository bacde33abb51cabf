package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Print is one printing of a booking's tickets or of its receipt.
type Print struct {
	ID      int64
	Kind    string // tickets, receipt
	Number  int    // 1 is the original
	Reason  string // of a copy
	StaffID int64
	Staff   string // name
	At      time.Time
	Now     time.Time
}

const printsSQL = `
SELECT p.id, p.kind, p.number, p.reason, p.staff_id, s.name AS staff, p.at, now() AS now
  FROM prints p JOIN staff s ON s.id = p.staff_id WHERE p.booking_id = @booking AND p.kind = @kind ORDER BY p.number`

// Prints lists what was printed of a booking, the original first.
func (q Queries) Prints(ctx context.Context, bookingID int64, kind string) ([]Print, error) {
	return rows[Print](ctx, q.q, printsSQL, pgx.StrictNamedArgs{"booking": bookingID, "kind": kind})
}

const insertPrintSQL = `
INSERT INTO prints (booking_id, kind, number, reason, staff_id) VALUES (@booking, @kind, @number, @reason, @staff) RETURNING id`

// InsertPrint counts a printing; the booking's row must be locked.
func (t *Tx) InsertPrint(ctx context.Context, bookingID int64, p Print) (int64, error) {
	return scalar[int64](ctx, t.q, insertPrintSQL, pgx.StrictNamedArgs{
		"booking": bookingID, "kind": p.Kind, "number": p.Number, "reason": p.Reason, "staff": p.StaffID,
	})
}

// PaidPart is one part of what paid for a booking, as a receipt has it.
type PaidPart struct {
	Tender   string
	Amount   int64
	Tendered int64 // cash that was put down, 0 when it was not typed
	ShiftID  int64 // 0: no till was behind it
	Till     string
	Staff    string // "" for nobody
	At       time.Time
	TaxBP    int `db:"tax_bp"` // of the sale
}

const paidPartsSQL = `
SELECT p.tender, p.received AS amount, coalesce(p.tendered, 0) AS tendered, coalesce(p.shift_id, 0) AS shift_id, coalesce(x.till, '') AS till,
       coalesce(s.name, '') AS staff, coalesce(p.received_at, p.created_at) AS at, h.tax_bp
  FROM payments p JOIN holds h ON h.id = p.hold_id LEFT JOIN shifts x ON x.id = p.shift_id LEFT JOIN staff s ON s.id = p.staff_id
 WHERE p.hold_id = @hold AND p.outcome = 'booked' ORDER BY p.id`

// PaidParts lists what paid for a booking.
func (q Queries) PaidParts(ctx context.Context, holdID string) ([]PaidPart, error) {
	return rows[PaidPart](ctx, q.q, paidPartsSQL, pgx.StrictNamedArgs{"hold": holdID})
}
