package handlers

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"

	"holdfast/internal/domain"
)

// gated lets requests to the gate of their route before anything is asked of the
// database, the browser's session included.
func (s *site) gated(mux classed, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		of, pattern := mux.of(r)
		s.through(of, pattern, w, r, next)
	})
}

// behind puts a machine's address behind the gate of its class.
func (s *site) behind(c class, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.through(c, r.Pattern, w, r, next)
	})
}

// through serves the request once it has a place. The line to a browser counts for
// nothing in it: a form is read before the place is taken, and but for staff, whose long
// lists are written as they are read, the place is left when the answer begins.
func (s *site) through(c class, pattern string, w http.ResponseWriter, r *http.Request, next http.Handler) {
	body, whole := readForm(r)
	if c == staffClass && !whole && roomFor(r.URL.Path) > formBytes {
		c = uploadClass
	}
	place, no := s.gates.enter(r.Context(), c, eventOf(c, r))
	if no != "" {
		traceOf(r).route = pattern
		s.Metrics.Shed(string(c), string(no))
		if no != guestGone {
			s.shed(w, r, c, body)
		}
		return
	}
	defer place.leave()
	traceOf(r).place = &place
	if c != staffClass && c != uploadClass {
		w = &leaving{ResponseWriter: w, place: &place}
	}
	next.ServeHTTP(w, r)
}

// aside lets a choice of seats give up its place while others work for it: see
// booking.Visitor.
func (s *site) aside(r *http.Request) func() func(context.Context) error {
	place := traceOf(r).place
	if place == nil {
		return nil
	}
	return func() func(context.Context) error {
		place.leave()
		return func(ctx context.Context) error {
			again, no := s.gates.enter(ctx, claimClass, eventOf(claimClass, r))
			if no != "" {
				s.Metrics.Shed(string(claimClass), string(no))
				return domain.ErrBusy
			}
			*place = again
			return nil
		}
	}
}

// readForm reads a body as far as small forms go, and says whether that was all. What
// was read is read again by the handler, and so is the error that ended it.
func readForm(r *http.Request) (body []byte, whole bool) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, true
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, formBytes))
	whole = err == nil && len(body) < formBytes
	rest := io.Reader(r.Body)
	if err != nil {
		rest = failing{err}
	}
	r.Body = readAgain{io.MultiReader(bytes.NewReader(body), rest), r.Body}
	return body, whole
}

type readAgain struct {
	io.Reader
	io.Closer
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// eventOf is the lane of a claim: the event it is for.
func eventOf(c class, r *http.Request) string {
	if c != claimClass {
		return ""
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/events/"), "/")
	return strings.TrimLeft(id, "0")
}

// leaving gives the place back when the answer begins: by then the database was asked
// all there is to ask.
type leaving struct {
	http.ResponseWriter
	place *pass
}

func (l *leaving) WriteHeader(status int) {
	if status >= http.StatusOK {
		l.place.leave()
	}
	l.ResponseWriter.WriteHeader(status)
}

func (l *leaving) Write(b []byte) (int, error) {
	l.place.leave()
	return l.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the real writer.
func (l *leaving) Unwrap() http.ResponseWriter { return l.ResponseWriter }
