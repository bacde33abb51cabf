// Package db holds all SQL of the house, one file per aggregate, each statement
// as a constant directly above the one method that uses it.
//
// The seat statement is ClaimSeats in claims.go; with claims_open.go it is the only file that says who has a
// seat; inventory.go makes and drops the rows, and demo clear deletes whole events. The
// net under it is ticket_legs UNIQUE (event_id, seat_no, leg).
//
// Invariants: internal checks are in audit.go; each must find nothing at every commit.
//
// Lock order, everywhere: form's key, till (share), visitor (advisory), address (advisory,
// only while a limit by address counts) → payment → hold → event (share) → seats in key
// order (seat_no, leg) → seats let go in the same order. No network call inside a
// transaction.
//
// Times come from the database (now()), amounts are int64 in the currency's
// minor unit. Errors are wrapped domain sentinels; pgx errors do not leave here.
package db
