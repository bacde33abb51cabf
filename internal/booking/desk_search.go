package booking

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/domain"
)

// BookingSearch is what staff typed. Zero fields ask nothing.
type BookingSearch struct {
	Text     string
	TicketID int64      // of a scanned code: it wins over everything
	Seat     string     // with an event or a day
	Day      *time.Time // a business day
	Event    int64
	Before   int64 // ids below: the next page
}

// Search lists n bookings, newest first. A reference, e-mail, Stripe id in full or the
// last digits of a phone win over parts of names, e-mails and phones; a number is also a
// booking's, payment's or ticket's. Nothing asked lists all. A seat alone is a
// *domain.RuleError: every event has one.
func (s *Service) Search(ctx context.Context, q BookingSearch, n int) ([]BookingLine, error) {
	if q.Before <= 0 {
		q.Before = math.MaxInt64
	}
	text, seat := strings.ToLower(tidyText(q.Text, 254)), seatText(q.Seat)
	switch {
	case q.TicketID > 0:
		ids, err := s.db.BookingsNumbered(ctx, q.TicketID)
		if err != nil {
			return nil, err
		}
		return s.db.BookingsByID(ctx, ids, q.Before, n)
	case seat != "" && q.Day == nil && q.Event == 0:
		return nil, &domain.RuleError{Code: "seat_of_what", Words: "Please give the day too: each event has its own seat " + seat + "."}
	case q.Day != nil || q.Event > 0:
		ids, err := s.db.BookingsPlaced(ctx, q.Event, q.Day, seat)
		if err != nil {
			return nil, err
		}
		if ids = some(ids); text == "" {
			return s.db.BookingsByID(ctx, ids, q.Before, n)
		}
		if reference := domain.ParseReference(text); len(reference) == referenceLetters {
			text = strings.ToLower(reference)
		}
		return s.db.BookingsWithin(ctx, text, phoneDigits(text), ids, q.Before, n)
	case text == "":
		return s.db.NewestBookings(ctx, q.Before, n)
	}
	return s.searchText(ctx, text, tidyText(q.Text, 254), q.Before, n)
}

const (
	referenceLetters = 6
	fewestDigits     = 4 // of a phone's end
	mostDigits       = 8 // of a phone's end: what comes before may be a country's code or its 0
)

func (s *Service) searchText(ctx context.Context, text, typed string, before int64, n int) ([]BookingLine, error) {
	ids, err := s.db.BookingsExactly(ctx, domain.ParseReference(text), text, typed)
	if err != nil {
		return nil, err
	}
	if len(ids) > 0 {
		return s.db.BookingsByID(ctx, ids, before, n)
	}
	if number, err := strconv.ParseInt(strings.TrimPrefix(text, "#"), 10, 64); err == nil && number > 0 {
		if ids, err = s.db.BookingsNumbered(ctx, number); err != nil {
			return nil, err
		}
	}
	digits := phoneDigits(text)
	if len(digits) >= fewestDigits {
		phoned, err := s.db.BookingsPhoned(ctx, digits[max(0, len(digits)-mostDigits):])
		if err != nil {
			return nil, err
		}
		if len(phoned) > 0 {
			return s.db.BookingsByID(ctx, append(ids, phoned...), before, n)
		}
	}
	return s.db.BookingsLike(ctx, text, digits, some(ids), before, n)
}

// some is the list itself, and an empty one for nil: SQL's ANY of NULL is no answer.
func some(ids []int64) []int64 {
	if ids == nil {
		return []int64{}
	}
	return ids
}

// seatText is a seat as the search compares it: capitals without spaces.
func seatText(typed string) string {
	return strings.ToUpper(strings.Join(strings.Fields(tidyText(typed, 40)), ""))
}

// phoneDigits are a phone number's as the search compares them; "" for what is none.
func phoneDigits(text string) string {
	digits := strings.NewReplacer(" ", "", "-", "", "(", "", ")", "", "+", "", ".", "", "/", "").Replace(text)
	if len(digits) < 3 || strings.Trim(digits, "0123456789") != "" {
		return ""
	}
	return digits
}
