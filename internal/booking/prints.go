package booking

import (
	"context"
	"fmt"
	"strconv"

	"holdfast/db"
	"holdfast/internal/domain"
)

// What is printed at the counter, as the database has it.
type (
	Printing = db.Print
	PaidPart = db.PaidPart
)

// What can be printed of a booking.
const (
	PrintTickets = "tickets"
	PrintReceipt = "receipt"
)

// Paper is a sale with what was printed of it and what a receipt needs.
type Paper struct {
	Sale
	Prints []Printing // of the kind that was asked for, the original first
	Paid   []PaidPart
}

// Paper reads a booking for printing; ErrNotFound.
func (s *Service) Paper(ctx context.Context, bookingID int64, kind string) (*Paper, error) {
	b, err := s.db.Booking(ctx, bookingID)
	if err != nil {
		return nil, err
	}
	p := &Paper{Sale: Sale{Booking: b}}
	for _, read := range []func() error{
		func() (err error) { p.Tickets, err = s.db.Tickets(ctx, b.ID); return err },
		func() error { return s.scene(ctx, &p.Sale) },
		func() (err error) { p.Prints, err = s.db.Prints(ctx, b.ID, kind); return err },
		func() (err error) { p.Paid, err = s.db.PaidParts(ctx, b.HoldID); return err },
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Valid counts the tickets that are worth printing.
func (p *Paper) Valid() (n int) {
	for _, t := range p.Tickets {
		if t.State == "valid" {
			n++
		}
	}
	return n
}

// ErrPrinted: the original was printed already; what comes now is a copy.
var ErrPrinted = &domain.RuleError{Code: "printed", Words: "This was printed already. A copy needs a reason."}

// Print counts a printing and answers its number in the table: the original, or with
// again a copy, which needs a reason. The same key again is the same printing.
// *domain.RuleError (ErrPrinted); who may print a copy is the caller's to ask.
func (s *Service) Print(ctx context.Context, who Seller, key string, bookingID int64, kind string, again bool, reason string) (id int64, err error) {
	reason = tidyText(reason, 200)
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		done, repeated, err := t.BeginAct(ctx, key, who.StaffID, "print "+kind+" "+strconv.FormatInt(bookingID, 10))
		if err != nil {
			return err
		}
		if repeated {
			id, err = strconv.ParseInt(done, 10, 64)
			return err
		}
		b, err := t.LockBooking(ctx, bookingID)
		if err != nil {
			return err
		}
		before, err := t.Prints(ctx, b.ID, kind)
		if err != nil {
			return err
		}
		switch {
		case kind == PrintTickets && b.State != "confirmed":
			return &domain.RuleError{Code: "cancelled", Words: "This booking is cancelled: no ticket of it is valid, so none is printed."}
		case len(before) > 0 && !again:
			return ErrPrinted
		case len(before) > 0 && reason == "":
			return &domain.RuleError{Code: "reason", Words: "Please say why a copy is needed: it stays in the report with your name."}
		case len(before) == 0:
			reason = ""
		}
		n := len(before) + 1
		if id, err = t.InsertPrint(ctx, b.ID, db.Print{Kind: kind, Number: n, Reason: reason, StaffID: who.StaffID}); err != nil {
			return err
		}
		if err := t.Log(ctx, who.By, printAct(n), fmt.Sprintf("booking:%d", b.ID), nil, printNote(who, kind, n, reason)); err != nil {
			return err
		}
		return t.EndAct(ctx, key, strconv.FormatInt(id, 10))
	})
	return id, err
}

func printAct(n int) string {
	if n == 1 {
		return "print"
	}
	return "reprint"
}

func printNote(who Seller, kind string, n int, reason string) map[string]any {
	after := map[string]any{"what": kind, "number": n}
	if reason != "" {
		after["reason"] = reason
	}
	return confirmed(after, who.Confirmed)
}
