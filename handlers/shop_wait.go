package handlers

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/waitroom"
	"holdfast/views"
)

// waitCookie names the cookie of a place in line. It is beside the visitor's own, so that
// who only waits costs as little as a stranger.
func (s *site) waitCookie() string {
	if s.Sessions.Cookie.Secure {
		return "__Host-holdfast_wait"
	}
	return "holdfast_wait"
}

// waitToken is the browser's own, as places are stored under it; nil for none.
func (s *site) waitToken(r *http.Request) []byte {
	c, err := r.Cookie(s.waitCookie())
	if err != nil {
		return nil
	}
	return waitroom.Token(c.Value)
}

// newWaitToken makes one of a browser that has none.
func (s *site) newWaitToken(w http.ResponseWriter) []byte {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	value := hex.EncodeToString(b[:])
	http.SetCookie(w, &http.Cookie{
		Name: s.waitCookie(), Value: value, Path: "/", MaxAge: int((7 * 24 * time.Hour).Seconds()),
		HttpOnly: true, Secure: s.Sessions.Cookie.Secure, SameSite: http.SameSiteLaxMode,
	})
	return waitroom.Token(value)
}

// mustWait sends who may not choose seats yet to the line; true says that it answered.
func (s *site) mustWait(w http.ResponseWriter, r *http.Request) (bool, error) {
	id, err := pathID(r, "event")
	if err != nil {
		return false, err
	}
	if err := parseForm(r); err != nil {
		return false, err
	}
	may, err := s.Wait.May(r.Context(), id, waitroom.Chooser{
		Token: s.waitToken(r), Holder: s.visitor(r), Become: func() domain.Holder { return s.known(r).Holder },
	})
	if may || err != nil {
		s.remember(w, r) // also of a choice that fails now: the turn is this visitor's
		return false, err
	}
	return true, seeOther(w, r, waitURL(id, r.PostForm.Get))
}

// waitURL is the line of an event; the stops of a trip that get names come along.
func waitURL(id int64, get func(string) string) string { return withStops(eventURL(id)+"/wait", get) }

func withStops(url string, get func(string) string) string {
	if q := stopsQuery(get); q != "" {
		return url + "?" + q
	}
	return url
}

func stopsQuery(get func(string) string) string {
	q := url.Values{}
	for _, name := range []string{"from", "to"} {
		if v := get(name); v != "" && len(v) < 6 {
			q.Set(name, v)
		}
	}
	return q.Encode()
}

// waitPage tells how far somebody is. Loading it keeps the place; only its form joins.
func (s *site) waitPage(w http.ResponseWriter, r *http.Request) error {
	o, err := s.offer(r, r.URL.Query().Get)
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		id, err := pathID(r, "event")
		if err != nil {
			return err
		}
		return seeOther(w, r, withStops(eventURL(id), r.URL.Query().Get)) // which says what is wrong with the stops
	}
	if errors.Is(err, domain.ErrUnavailable) || errors.Is(err, domain.ErrBusy) {
		return s.waitBlind(w, r, err)
	}
	if err != nil {
		return err
	}
	if !o.Open() {
		return seeOther(w, r, withStops(eventURL(o.Event.ID), r.URL.Query().Get))
	}
	p, err := s.Wait.Look(r.Context(), o.Event.ID, s.waitToken(r), true)
	if err != nil {
		return s.waitBlind(w, r, err)
	}
	v := s.placeView(r, o.Event.ID, p)
	if p.State == waitroom.Outside && r.URL.Query().Has("joined") {
		v.Note = &views.Note{Tone: "warn", Alert: true, Title: "Your browser did not keep your place", Text: []string{"The place is kept by a cookie of this site alone. Please allow cookies here, then get a place again."}}
	}
	return s.showWait(w, r, http.StatusOK, o, v)
}

func (s *site) showWait(w http.ResponseWriter, r *http.Request, status int, o *booking.Offer, v views.WaitPlace) error {
	page := s.pages.frame(v.Title, o.Event.Kind, o.Settings)
	page.Narrow = true
	page.JS = append(page.JS, s.Assets.URL("js/wait.js"))
	head, what := eventHead(o), "The screening"
	if o.Event.Kind == domain.Trip {
		what = "The trip"
	}
	s.render(w, r, status, views.Wait(views.WaitView{Page: page, What: what, Event: &head, Place: v}))
	return nil
}

// waitBlind is the page while the database does not answer: nobody loses anything.
func (s *site) waitBlind(w http.ResponseWriter, r *http.Request, cause error) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	page, known := s.pages.quiet(r)
	if !known {
		return cause
	}
	s.note(r, http.StatusServiceUnavailable, cause)
	w.Header().Set("Retry-After", "10")
	v := slowPlace()
	v.Look = lookAgain(r, id, time.Time{}, "")
	page.Title, page.JS = v.Title, append(page.JS, s.Assets.URL("js/wait.js"))
	s.render(w, r, http.StatusServiceUnavailable, views.Wait(views.WaitView{Page: page, Place: v}))
	return nil
}

// waitPlace is the part of the page that its script looks at again.
func (s *site) waitPlace(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	p, err := s.Wait.Look(r.Context(), id, s.waitToken(r), false)
	if err != nil {
		s.note(r, http.StatusServiceUnavailable, err)
		w.Header().Set("Retry-After", "10")
		v := slowPlace()
		v.Look = lookAgain(r, id, time.Time{}, "")
		s.render(w, r, http.StatusServiceUnavailable, views.WaitPlacePart(v))
		return nil
	}
	s.render(w, r, http.StatusOK, views.WaitPlacePart(s.placeView(r, id, p)))
	return nil
}

// joinWait gives the browser its place in line.
func (s *site) joinWait(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	o, err := s.offer(r, r.PostForm.Get)
	var rule *domain.RuleError
	id, bad := pathID(r, "event")
	switch {
	case bad != nil:
		return bad
	case errors.As(err, &rule):
		return seeOther(w, r, withStops(eventURL(id), r.PostForm.Get))
	case errors.Is(err, domain.ErrUnavailable):
		return s.waitBlind(w, r, err)
	case err != nil:
		return err
	case !o.Open():
		return seeOther(w, r, withStops(eventURL(id), r.PostForm.Get))
	}
	token := s.waitToken(r)
	if token == nil {
		token = s.newWaitToken(w)
	}
	from := s.addressOf(r)
	if from.Shared {
		from.Key = ""
	}
	to := waitURL(id, r.PostForm.Get)
	switch err := s.Wait.Join(r.Context(), id, token, from.Key); {
	case errors.Is(err, waitroom.ErrFull):
		s.note(r, http.StatusTooManyRequests, err)
		return s.showWait(w, r, http.StatusTooManyRequests, o, s.fullPlace(r, id, o))
	case errors.Is(err, waitroom.ErrNoRoom): // the page says so
	case errors.Is(err, domain.ErrUnavailable), errors.Is(err, domain.ErrBusy):
		return s.waitBlind(w, r, err)
	case err != nil:
		return err
	}
	if stopsQuery(r.PostForm.Get) == "" {
		to += "?joined=1"
	} else {
		to += "&joined=1"
	}
	return seeOther(w, r, to)
}
