package handlers

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

const bookingsOnPage = 25

// staffBookings lists bookings, newest first, all or those that fit what was typed.
func (s *site) staffBookings(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	page, set, err := s.staffPage(r, who, "Bookings", "/staff/bookings")
	if err != nil {
		return err
	}
	typed := r.URL.Query()
	q := booking.BookingSearch{Text: strings.TrimSpace(typed.Get("q")), Seat: strings.TrimSpace(typed.Get("seat"))}
	q.TicketID = s.scanned(q.Text)
	q.Before, _ = strconv.ParseInt(typed.Get("before"), 10, 64) // what is no number is the first page
	q.Event, _ = strconv.ParseInt(typed.Get("event"), 10, 64)   // what is no number is no event
	v := views.StaffBookings{Page: page, Query: q.Text, Seat: q.Seat, Day: strings.TrimSpace(typed.Get("day"))}
	if q.Event > 0 {
		v.Event = strconv.FormatInt(q.Event, 10)
	}
	v.Searched = q.Text != "" || q.Seat != "" || v.Day != "" || q.Event > 0
	if q.Day, err = date(v.Day); err != nil {
		v.DayError = "Please write the day like 2026-12-05."
		s.render(w, r, http.StatusUnprocessableEntity, views.StaffBookingsPage(v))
		return nil
	}
	rows, err := s.Booking.Search(r.Context(), q, bookingsOnPage+1)
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		v.DayError = rule.Words
		s.render(w, r, http.StatusUnprocessableEntity, views.StaffBookingsPage(v))
		return nil
	}
	if err != nil {
		return err
	}
	s.foundBookings(&v, r.URL.Query(), q, rows, set)
	s.render(w, r, http.StatusOK, views.StaffBookingsPage(v))
	return nil
}

func (s *site) foundBookings(v *views.StaffBookings, typed url.Values, q booking.BookingSearch, rows []booking.BookingLine, set domain.Settings) {
	if q.Before > 0 {
		v.FirstURL = bookingsURL(typed, 0)
	}
	if len(rows) > bookingsOnPage {
		rows = rows[:bookingsOnPage]
		v.OlderURL = bookingsURL(typed, rows[len(rows)-1].ID)
	}
	what := whatWasAsked(q)
	switch {
	case len(rows) == 0:
		v.Empty = noBookings(what, q.Before)
	case what == "":
		v.Found = "Newest first"
	case v.OlderURL != "" || q.Before > 0:
		v.Found = "Bookings for " + what + ", newest first"
	default:
		v.Found = format.Count(len(rows), "booking") + " for " + what
	}
	for _, x := range rows {
		v.Rows = append(v.Rows, bookingRow(x, set))
	}
}

// whatWasAsked is a search in words: "“fernando”, seat D7, Sat 5 Dec 2026".
func whatWasAsked(q booking.BookingSearch) string {
	var parts []string
	if q.Text != "" {
		parts = append(parts, "“"+q.Text+"”")
	}
	if q.Seat != "" {
		parts = append(parts, "seat "+q.Seat)
	}
	if q.Day != nil {
		parts = append(parts, format.Day(*q.Day))
	}
	if q.Event > 0 {
		parts = append(parts, "event "+strconv.FormatInt(q.Event, 10))
	}
	return strings.Join(parts, ", ")
}

// scanned is the ticket of a code that a scanner typed, with or without its address.
func (s *site) scanned(query string) int64 {
	_, id, _, err := s.Signer.ReadTicketCode(query[strings.LastIndexByte(query, '/')+1:])
	if err != nil {
		return 0
	}
	return id
}

func bookingsURL(typed url.Values, before int64) string {
	q := url.Values{}
	for _, key := range []string{"q", "seat", "day", "event"} {
		if text := strings.TrimSpace(typed.Get(key)); text != "" {
			q.Set(key, text)
		}
	}
	if before > 0 {
		q.Set("before", strconv.FormatInt(before, 10))
	}
	if len(q) == 0 {
		return "/staff/bookings"
	}
	return "/staff/bookings?" + q.Encode()
}

func noBookings(what string, before int64) *views.Note {
	switch {
	case before > 0:
		return &views.Note{Title: "No older bookings", Text: []string{"This is the end of the list."}}
	case what == "":
		return &views.Note{Title: "No bookings yet", Text: []string{"Each sale appears here as soon as it is paid."}}
	}
	return &views.Note{Title: "No booking fits " + what, Text: []string{
		"Nothing was changed. Try a part of the name or of the e-mail, or the last digits of the phone. Somebody who did not finish stands in the list of ended holds."},
		Links: []views.Link{{Text: "Ended holds", URL: "/staff/holds"}, {Text: "All bookings", URL: "/staff/bookings"}}}
}

func bookingRow(x booking.BookingLine, set domain.Settings) views.StaffBookingRow {
	at := format.In(x.StartsAt, x.TimeZone)
	v := views.StaffBookingRow{
		ID: strconv.FormatInt(x.ID, 10), URL: bookingFileURL(x.ID), Reference: domain.ShowReference(x.Reference), Name: x.Name,
		Contact: contact(x.Email, x.Phone), Badge: rowBadge(x), Event: x.Title, When: format.Day(at) + ", " + format.Clock(at),
		Seats: strings.Join(x.Seats, ", "), Total: money(x.Total, x.Currency), Booked: shortMoment(x.CreatedAt, set) + ", " + x.Channel,
	}
	if v.Name == "" {
		v.Name = x.Channel
	}
	return v
}

func rowBadge(x booking.BookingLine) views.Badge {
	switch {
	case x.Failed:
		return views.Badge{Tone: "bad", Text: "Refund failed"}
	case x.State == "cancelled" && x.GoingBack == 0 && x.SentBack > 0:
		return views.Badge{Text: "Refunded"}
	case x.State == "cancelled" && x.GoingBack > 0:
		return views.Badge{Tone: "warn", Text: "Refund on its way"}
	case x.State == "cancelled":
		return views.Badge{Text: "Cancelled"}
	case x.MailFailed:
		return views.Badge{Tone: "warn", Text: "Mail failed"}
	case x.Cancelled > 0:
		return views.Badge{Tone: "warn", Text: "Partly cancelled"}
	}
	return views.Badge{Tone: "ok", Text: "Confirmed"}
}

func bookingFileURL(id int64) string { return "/staff/bookings/" + strconv.FormatInt(id, 10) }

// shortMoment is a moment on the house's clock: "Fri 4 Dec, 20:38".
func shortMoment(t time.Time, set domain.Settings) string {
	at := format.In(t, set.TimeZone)
	return format.ShortDay(at) + ", " + format.Clock(at)
}

// typedAmount reads an amount as people type it in a currency: "10", "10.00", "10,5",
// "1,200.00". A refusal says how to write it.
func typedAmount(text, code string) (int64, error) {
	amount, err := handAmount(text, code)
	if err != nil {
		return 0, err
	}
	if c, err := domain.CurrencyOf(code); err == nil && c.CheckStep(amount) != nil {
		return 0, &domain.RuleError{Code: "amount", Words: "This amount cannot be sent in " + code + ": its last digit must be 0. Nothing was changed."}
	}
	return amount, nil
}

// handAmount is typedAmount for money in the hand: any amount that the currency has.
func handAmount(text, code string) (int64, error) {
	wrong := &domain.RuleError{Code: "amount", Words: "Please write the amount like " + format.Number(123400, code) + ", in " + code + ". Nothing was changed."}
	c, err := domain.CurrencyOf(code)
	if err != nil {
		return 0, wrong
	}
	text = strings.TrimSpace(strings.TrimPrefix(strings.ToUpper(strings.ReplaceAll(text, " ", "")), code))
	whole, part := text, ""
	if i := strings.LastIndexAny(text, ".,"); i >= 0 && len(text)-i-1 <= c.Exponent && (text[i] == '.' || len(text)-i-1 != 3) {
		whole, part = text[:i], text[i+1:]
	}
	whole, ok := grouped(whole)
	if !ok || whole+part == "" || strings.Trim(whole+part, "0123456789") != "" || len(whole) > 12 {
		return 0, wrong
	}
	amount, err := strconv.ParseInt(whole+part+strings.Repeat("0", c.Exponent-len(part)), 10, 64)
	if err != nil {
		return 0, wrong
	}
	return amount, nil
}

// grouped takes the marks out that group digits by three; false where they do not.
func grouped(text string) (string, bool) {
	groups := strings.FieldsFunc(text, func(r rune) bool { return r == '.' || r == ',' })
	if len(groups) > 1 {
		for i, g := range groups {
			if len(g) > 3 || i > 0 && len(g) != 3 {
				return "", false
			}
		}
	}
	joined := strings.Join(groups, "")
	return joined, len(text)-len(joined) == max(0, len(groups)-1)
}
