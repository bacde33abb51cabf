package booking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// TicketType is one kind of ticket that an offer has, in the order of the price list.
type TicketType struct {
	Code, Name string
	Least      int64 // of its zones' prices
	Varies     bool  // with the zone
}

// TicketTypes lists what fares sell.
func TicketTypes(fares domain.Fares) (out []TicketType) {
	for _, f := range fares {
		at := slices.IndexFunc(out, func(t TicketType) bool { return t.Code == f.Type })
		if at < 0 {
			out = append(out, TicketType{Code: f.Type, Name: f.TypeName, Least: f.Price})
			continue
		}
		out[at].Varies = out[at].Varies || f.Price != out[at].Least
		out[at].Least = min(out[at].Least, f.Price)
	}
	return out
}

// GiveTypes spreads so many tickets of each type over seats: a seat keeps the type it had
// before, the rest is given in the plan's order and the price list's. A type that a seat's
// zone does not sell goes to a later seat. Seats beyond the tickets get none.
func (o *Offer) GiveTypes(fares domain.Fares, seats []string, count map[string]int, before map[string]string) map[string]string {
	left, out := map[string]int{}, map[string]string{}
	for code, n := range count {
		left[code] = n
	}
	seats = slices.Clone(seats)
	o.Layout.SortSeats(seats)
	give := func(no, code string) bool {
		c, _ := o.Layout.Seat(no)
		if _, sold := fares.Price(c.Zone, code); !sold || left[code] == 0 {
			return false
		}
		left[code]--
		out[no] = code
		return true
	}
	for _, no := range seats {
		give(no, before[no])
	}
	types := TicketTypes(fares)
	for _, no := range seats {
		if out[no] != "" {
			continue
		}
		for _, t := range types {
			if give(no, t.Code) {
				break
			}
		}
	}
	return out
}

// Quote prices a choice as Sell will: running is the hold that is being sold, or nil.
// Errors as Sell's *domain.RuleError.
func (s *Service) Quote(o *Offer, c CounterSale, running *domain.Hold) (lines []domain.HoldSeat, total int64, err error) {
	seats, err := s.counterSeats(o, c.Seats, nil)
	if err != nil {
		return nil, 0, err
	}
	c.Tenders = nil
	lines = s.counterLines(o, c, seats, running)
	return lines, sum(lines), nil
}

// SoldBefore is the booking that a form of this seller made already, 0 for none; Kept the
// same for a hold.
func (s *Service) SoldBefore(ctx context.Context, key string, who Seller) (int64, error) {
	text, err := s.db.ActResult(ctx, key, who.StaffID, "sale")
	if err != nil || text == "" {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}

// KeptBefore is the hold that a form of this seller made already, "" for none.
func (s *Service) KeptBefore(ctx context.Context, key string, who Seller) (string, error) {
	return s.db.ActResult(ctx, key, who.StaffID, "hold")
}

// Warnings are what the rules of the house would tell a customer about a choice. At the
// counter they are only said: whoever sells may know better.
func (s *Service) Warnings(ctx context.Context, o *Offer, who Seller, seats []string) (out []*domain.RuleError, err error) {
	var rule *domain.RuleError
	switch err := s.houseRules(ctx, o, Visitor{Holder: who.Holder()}, slices.Clone(seats)); {
	case errors.As(err, &rule):
		out = append(out, rule)
	case err != nil:
		return nil, err
	}
	var women []string
	for _, no := range seats {
		if o.ForWomen[no] {
			women = append(women, no)
		}
	}
	if len(women) > 0 {
		o.Layout.SortSeats(women)
		out = append(out, &domain.RuleError{Code: "ladies", Seats: women, Words: fmt.Sprintf("%s is kept for women.", listed(women))})
	}
	return out, nil
}

// TakenPart is one part of what a booking was paid with.
type TakenPart = db.TakenPart

// TakenParts lists them.
func (s *Service) TakenParts(ctx context.Context, holdID string) ([]TakenPart, error) {
	return s.db.TakenParts(ctx, holdID)
}

// PhoneUntil is when seats that were booked by phone are free again.
func (o *Offer) PhoneUntil() time.Time {
	return o.Boards.Add(-time.Duration(o.Settings.PhoneHoldMinutes) * time.Minute)
}

// counterOpen refuses a choice after the counter's close. What was held before may still
// be sold.
func (o *Offer) counterOpen(c CounterSale) error {
	if c.HoldID == "" && !o.OpenAtCounter() {
		return domain.ErrSalesClosed
	}
	return nil
}
