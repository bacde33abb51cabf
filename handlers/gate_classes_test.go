package handlers

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"holdfast/internal/booking"
	"holdfast/static"
)

// Every route is in a class, and those that money goes through are not in one that a
// crowd can fill.
func TestGate_Classes(t *testing.T) {
	assets, err := static.New()
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	s := &site{Deps: Deps{Log: log, Assets: assets, Sessions: NewSessions(nil, false), Booking: booking.New(nil, booking.Config{Log: log}), BaseURL: "http://x.example", Demo: &DemoSite{}}}
	shop := s.shopRoutes()
	want := map[string]class{
		"GET /{$}": pageClass, "GET /events/{event}": pageClass, "GET /events/{event}/seats": pageClass, "POST /events/{event}/holds": claimClass,
		"POST /events/{event}/best": claimClass, "GET /holds/{hold}/return": moneyClass, "POST /holds/{hold}/pay": moneyClass,
		"GET /bookings/{token}": moneyClass, "GET /t/{code}": moneyClass, "POST /find": pageClass, "POST /staff/login": staffClass, "POST /setup": staffClass,
	}
	for _, row := range StaffRoutes() {
		want[row.Pattern] = staffClass
	}
	want["GET /staff/pprof/{profile}"] = profileClass
	for pattern, c := range want {
		if shop.class[pattern] != c {
			t.Errorf("%s is in %q, want %q", pattern, shop.class[pattern], c)
		}
	}
	if len(shop.class) < len(want) {
		t.Errorf("%d routes", len(shop.class))
	}
	for pattern, c := range shop.class {
		_, path, _ := strings.Cut(pattern, " ")
		crowd := c == claimClass || c == pageClass
		if money := strings.HasPrefix(path, "/holds/") || strings.HasPrefix(path, "/bookings/"); money && crowd {
			t.Errorf("%s waits in %s", pattern, c)
		}
		if newGates(12).by[c] == nil {
			t.Errorf("%s: the class %q has no gate", pattern, c)
		}
	}
	if of, route := shop.of(httptest.NewRequest("GET", "/nowhere", nil)); of != pageClass || route != "" {
		t.Errorf("an address that is none: %s %q", of, route)
	}
	defer func() {
		if recover() == nil {
			t.Error("a route of no class was taken")
		}
	}()
	newClassed().Handle("GET /novelty", http.NotFoundHandler())
}
