package domain

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestSettings(t *testing.T) {
	s, err := ParseSettings(map[string]string{"hold_window_minutes": "90", "currency": "LKR", "sales_close_minutes": "-5", "lonely_seat_rule": "on"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Window() != 30*time.Minute {
		t.Errorf("the window is clamped at use: %v", s.Window())
	}
	if s.Currency != "LKR" || s.SalesCloseMinutes != -5 || !s.LonelySeatRule || s.SeatsPerBooking != 8 || s.LiveHoldsPerVisitor != 2 || s.Grace() != 2*time.Minute {
		t.Errorf("parsed %+v", s)
	}
	s, err = ParseSettings(map[string]string{"currency": "XXX", "time_zone": "Mars/Olympus", "hold_window_minutes": "1"})
	if err == nil || !strings.Contains(err.Error(), "currency") || !strings.Contains(err.Error(), "time_zone") {
		t.Errorf("broken values are named: %v", err)
	}
	if s.Currency != "EUR" || s.Window() != 2*time.Minute {
		t.Errorf("broken values fall back: %+v", s)
	}
	if err := CheckSetting("colour", "blue"); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown key: %v", err)
	}
	for key, bad := range map[string]string{"seats_per_booking": "0", "kind": "opera", "lonely_seat_rule": "maybe", "business_day_start": "5", "grace_seconds": "x", "staff_email": "a b@c", "time_zone": "Local"} {
		if CheckSetting(key, bad) == nil {
			t.Errorf("%s=%q was taken", key, bad)
		}
	}
}

func TestPhase(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		name string
		h    Hold
		want HoldPhase
	}{
		{"running", Hold{State: "active", ExpiresAt: now.Add(time.Second), SeatsHeld: 1}, PhaseHeld},
		{"paying", Hold{State: "active", ExpiresAt: now.Add(time.Second), SeatsHeld: 1, PaymentState: PaymentOpen}, PhasePaying},
		{"over to the second", Hold{State: "active", ExpiresAt: now, SeatsHeld: 1}, PhaseEnded},
		{"over, page still open", Hold{State: "active", ExpiresAt: now, SeatsHeld: 1, PaymentState: PaymentOpen}, PhaseEnded},
		{"a seat was taken over", Hold{State: "active", ExpiresAt: now.Add(time.Second), SeatsHeld: 0}, PhaseEnded},
		{"let go", Hold{State: "released", ExpiresAt: now.Add(time.Second)}, PhaseReleased},
		{"booked", Hold{State: "converted", PaymentOutcome: "booked"}, PhaseBooked},
		{"booked, paid twice", Hold{State: "converted", PaymentOutcome: "duplicate"}, PhaseBooked},
		{"lost", Hold{State: "released", PaymentOutcome: "seat_lost"}, PhaseLost},
	} {
		c.h.Now, c.h.Seats, c.h.Ride = now, []HoldSeat{{SeatNo: "A1"}}, Ride{0, 1}
		if got := c.h.Phase(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
