package handlers

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/static"
	"holdfast/views"
)

// render writes a page whole: an error while drawing is still a proper 500.
func (s *site) render(w http.ResponseWriter, r *http.Request, status int, page templ.Component) {
	var b bytes.Buffer
	if err := page.Render(context.WithoutCancel(r.Context()), &b); err != nil {
		s.Log.Error("page cannot be drawn", "request", requestID(r), "route", traceOf(r).route, "error", err.Error())
		http.Error(w, "Something went wrong on our side. Nothing was charged. Please try again.", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a reader that went away is nobody's error
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // as above
}

func seeOther(w http.ResponseWriter, r *http.Request, url string) error {
	http.Redirect(w, r, url, http.StatusSeeOther)
	return nil
}

// Pages makes the frame that every page shares.
type Pages struct {
	assets  *static.Assets
	booking *booking.Service
	demo    bool
	test    bool // payments are with Stripe's test cards
}

// page is the frame with the house's name; it fails when settings cannot be read.
func (p Pages) page(ctx context.Context, title string, kind domain.EventKind) (views.Page, domain.Settings, error) {
	set, err := p.booking.Settings(ctx)
	if err != nil {
		return views.Page{}, set, err
	}
	return p.frame(title, kind, set), set, nil
}

func (p Pages) frame(title string, kind domain.EventKind, set domain.Settings) views.Page {
	v := views.Page{
		Title: title, Lang: "en",
		Venue: views.Venue{Name: set.VenueName, Kind: "cinema", Phone: set.Phone, PhoneURL: telURL(set.Phone), Address: set.Address},
		CSS:   []string{p.assets.URL("css/shop.css")}, JS: []string{p.assets.URL("js/shop.js")},
	}
	if kind == domain.Trip || set.Kind == "bus" {
		v.Venue.Kind = "bus"
	}
	switch {
	case p.demo:
		v.Demo = &views.Demo{Name: "Demo", Words: "nothing here is real and no card is charged.", Links: []views.Link{{Text: "Staff pages", URL: "/staff/login"}, {Text: "Mail outbox", URL: "/demo/outbox"}, {Text: "Stripe look-alike", URL: "/stripesim/"}}}
	case p.test:
		v.Demo = &views.Demo{Name: "Test mode", Words: "only Stripe’s test cards work and nobody is charged."}
	}
	return v
}

// quiet is the frame for errors: without the house's name when it cannot be read.
func (p Pages) quiet(r *http.Request) (views.Page, bool) {
	set, known := p.booking.LastSettings()
	page := views.Page{Lang: "en", CSS: []string{p.assets.URL("css/shop.css")}}
	if known {
		page = p.frame("", domain.Screening, set)
	}
	page.Narrow = true
	return page, known
}

func telURL(phone string) string {
	number := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '+' {
			return r
		}
		return -1
	}, phone)
	if number == "" {
		return ""
	}
	return "tel:" + number
}
