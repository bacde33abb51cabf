package handlers

import (
	"fmt"
	"net/http"
	"strings"
)

// otherMethod refuses every method but the one a machine's address takes.
func (s *site) otherMethod(allow string) http.Handler {
	return s.json(func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Allow", allow)
		return errMethod
	})
}

const (
	formBytes    = 64 << 10
	planBytes    = 2 << 20 // a plan's form has fields for each of up to some thousand cells
	pictureBytes = 12 << 20
	importBytes  = 64 << 20
	webhookBytes = 1 << 20
)

// roomFor is how many bytes a form to an address may send.
func roomFor(path string) int64 {
	rest, staff := strings.CutPrefix(path, "/staff/")
	if !staff {
		return formBytes
	}
	switch area, _, _ := strings.Cut(rest, "/"); area {
	case "layouts", "fares":
		return planBytes
	case "films":
		return pictureBytes
	case "import":
		return importBytes
	}
	return formBytes
}

// limitForms bounds what a form may send.
func limitForms(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, roomFor(r.URL.Path))
		next.ServeHTTP(w, r)
	})
}

// guarded is the way in for visitors.
func (s *site) guarded(shop classed) http.Handler {
	cross := http.NewCrossOriginProtection()
	if err := cross.AddTrustedOrigin(s.BaseURL); err != nil {
		s.Log.Warn("BASE_URL is not an origin for the cross-site check", "error", err.Error())
	}
	cross.SetDenyHandler(s.page(func(http.ResponseWriter, *http.Request) error { return errForbidden }))
	s.Sessions.ErrorFunc = func(w http.ResponseWriter, r *http.Request, err error) {
		if strings.HasSuffix(r.URL.Path, "/clock") {
			s.failJSON(w, r, unavailable(err))
			return
		}
		s.fail(w, r, unavailable(err))
	}
	return cross.Handler(limitForms(s.gated(shop, s.Sessions.LoadAndSave(s.missing(shop.ServeMux)))))
}

// missing turns the mux's own "404 page not found" and "Method Not Allowed" into pages.
func (s *site) missing(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, pattern := mux.Handler(r)
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		probe := &discard{header: http.Header{}}
		h.ServeHTTP(probe, r)
		switch {
		case probe.status == http.StatusMethodNotAllowed:
			if err := s.ownHold(r); err != nil {
				s.fail(w, r, err)
				return
			}
			w.Header().Set("Allow", probe.header.Get("Allow"))
			s.wrongMethod(w, r)
		case probe.status >= 300 && probe.status < 400:
			h.ServeHTTP(w, r) // the mux cleans a path
		default:
			s.fail(w, r, fmt.Errorf("no route: %w", errNoRoute))
		}
	})
}

// ownHold: a hold that is not the visitor's is not found, whatever the method.
func (s *site) ownHold(r *http.Request) error {
	rest, ok := strings.CutPrefix(r.URL.Path, "/holds/")
	if !ok {
		return nil
	}
	id, _, _ := strings.Cut(rest, "/")
	_, err := s.Booking.Look(r.Context(), s.visitor(r), id)
	return err
}

// discard finds out what the mux would have answered.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(status int)      { d.status = status }

func robots(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("User-agent: *\nDisallow: /holds/\nDisallow: /bookings/\nDisallow: /t/\nDisallow: /setup\nDisallow: /staff\n"))
}
