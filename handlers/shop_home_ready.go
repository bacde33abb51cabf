package handlers

import (
	"context"
	"errors"
	"holdfast/views"
	"net/http"
	"net/url"
)

// homeKey is what the page of what is on depends on, as the address has it.
type homeKey struct{ date, origin, destination string }

func homeKeyOf(q url.Values) homeKey {
	return homeKey{q.Get("date"), q.Get("origin"), q.Get("destination")}
}

// errNotForAll says that a page is for the one who asked: what was typed is wrong.
var errNotForAll = errors.New("an answer to one request")

// readyHome is the page of what is on, at most a second old, for a stranger.
func (s *site) readyHome(r *http.Request) (string, func(http.ResponseWriter, *http.Request) int) {
	k := homeKeyOf(r.URL.Query())
	f, err := s.homes.Get(r.Context(), k, func(ctx context.Context, last *frozen) (*frozen, error) {
		v, status, err := s.homeView(ctx, k)
		if err != nil {
			return nil, err
		}
		if status != http.StatusOK {
			return nil, errNotForAll
		}
		return freezeAgain(last, views.Home(v))
	})
	if err != nil {
		return "", nil
	}
	return "GET /{$}", f.Value.send
}
