package main

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"holdfast/internal/booking"
)

// sellCash sells seats of the world's only event for cash, in that person's open till.
func sellCash(t *testing.T, w *world, staffID int64, seats ...string) int64 {
	t.Helper()
	return sell(t, w, staffID, "cash", "", seats...)
}

func sell(t *testing.T, w *world, staffID int64, tender, words string, seats ...string) int64 {
	t.Helper()
	desk := booking.New(w.DB, booking.Config{Log: slog.New(slog.DiscardHandler)})
	ctx := context.Background()
	o, err := desk.Offer(ctx, one[int64](w, "SELECT id FROM events"), nil)
	if err != nil {
		t.Fatal(err)
	}
	who := booking.Seller{StaffID: staffID}
	who.By.Actor = fmt.Sprintf("staff:%d", staffID)
	x := booking.CounterSale{Key: fmt.Sprintf("sale %v", seats), Seats: map[string]string{}}
	pay := booking.Tender{Kind: tender, Words: words}
	for _, no := range seats {
		x.Seats[no] = ""
		c, _ := o.Layout.Seat(no)
		if f, ok := o.Fares.Default(c.Zone); ok && tender != "comp" {
			pay.Amount += f.Price
		}
	}
	if tender == "cash" {
		pay.Tendered = pay.Amount + 500
	}
	x.Tenders = []booking.Tender{pay}
	id, err := desk.Sell(ctx, o, who, x)
	if err != nil {
		t.Fatal(err)
	}
	return id
}
