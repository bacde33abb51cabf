package main

import (
	"log/slog"
	"net/url"
	"strings"

	"holdfast/db/dbtest"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
)

// codeOf is the address of a seat's ticket, as the customer has it.
func (w *world) codeOf(id int64, seat string) string {
	w.t.Helper()
	p := w.on(w.t).get(w.URL + "/bookings/" + w.token(id)).want(200)
	for _, a := range p.all("a", "href", "") {
		if href, _ := attribute(a, "href"); strings.HasPrefix(href, "/t/") {
			for n := a.Parent; n != nil; n = n.Parent {
				if no, _ := attribute(n, "data-seat"); no == seat {
					return href
				}
			}
		}
	}
	w.t.Fatalf("booking %d shows no ticket for %s", id, seat)
	return ""
}

// laterShow is the same film once more, five hours later in the same hall.
func (w *world) laterShow(ev dbtest.Event) int64 {
	w.t.Helper()
	id := one[int64](w, `INSERT INTO events (kind, status, starts_at, ends_at, time_zone, business_day, last_stop, layout_version_id, tariff_id, film_id)
		SELECT kind, status, starts_at + interval '5 hours', ends_at + interval '5 hours', time_zone, business_day, last_stop, layout_version_id, tariff_id, film_id FROM events WHERE id = $1 RETURNING id`, ev.ID)
	w.exec(`INSERT INTO event_seats (event_id, seat_no, leg) SELECT $1::bigint, seat_no, leg FROM event_seats WHERE event_id = $2`, id, ev.ID)
	return id
}

// terms sets the house's cancellation steps on the owner's page.
func (w *world) terms(steps string) {
	w.t.Helper()
	owner := w.as(w.t, "owner")
	p := owner.get(w.URL + "/staff/settings").want(200)
	owner.submit(p, p.form("/staff/settings"), url.Values{"cancellation_steps": {steps}}, "").want(303)
}

// soldAtCounter sells seats for cash and on the terminal.
func (w *world) soldAtCounter(event int64, role string, seats map[string]string, cash, terminal int64) int64 {
	w.t.Helper()
	s := booking.New(w.DB, booking.Config{Log: slog.New(slog.DiscardHandler)})
	o, err := s.Offer(w.t.Context(), event, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	staff := one[int64](w, `SELECT id FROM staff WHERE role = $1`, role)
	var parts []booking.Tender
	for kind, amount := range map[string]int64{"cash": cash, "terminal": terminal} {
		if amount > 0 {
			parts = append(parts, booking.Tender{Kind: kind, Amount: amount})
		}
	}
	if len(parts) == 2 && parts[0].Kind != "cash" {
		parts[0], parts[1] = parts[1], parts[0]
	}
	id, err := s.Sell(w.t.Context(), o, booking.Seller{StaffID: staff, By: domain.By{Actor: "staff:" + itoa(staff)}}, booking.CounterSale{Key: "sale" + itoa(event) + o.Event.Now.String(), Seats: seats, Tenders: parts})
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}
