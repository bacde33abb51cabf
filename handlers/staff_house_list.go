package handlers

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"holdfast/internal/access"
	"holdfast/views"
)

// listAsk is what a list is asked for.
type listAsk struct {
	find string
	away bool
	page int
}

func readList(r *http.Request) listAsk {
	q := r.URL.Query()
	page, _ := strconv.Atoi(q.Get("page")) // what is no number is the first page
	return listAsk{find: strings.TrimSpace(q.Get("q")), away: q.Get("away") == "1", page: min(max(page, 0), 10_000)}
}

func (a listAsk) url(k houseKind, page int) string {
	q := url.Values{}
	if a.find != "" {
		q.Set("q", a.find)
	}
	if a.away {
		q.Set("away", "1")
	}
	if page > 0 {
		q.Set("page", strconv.Itoa(page))
	}
	if len(q) == 0 {
		return k.path
	}
	return k.path + "?" + q.Encode()
}

// houseList renders a list; first is what to do when there is none at all.
func (s *site) houseList(w http.ResponseWriter, r *http.Request, who access.Staff, k houseKind, a listAsk, v views.HouseList, first string) error {
	page, _, err := s.staffPage(r, who, v.Heading, k.path)
	if err != nil {
		return err
	}
	v.Page, v.Action, v.Query, v.Away = page, k.path, a.find, a.away
	v.Said = houseSaid(s.Sessions.PopString(r.Context(), saidKey), k, 0)
	v.New.URL = k.path + "/new"
	v.InUse, v.AwayText = "In use", strings.ToUpper(k.away[:1])+k.away[1:]
	v.Label = v.Heading
	if len(v.Rows) == 0 {
		v.Empty = emptyList(k, a, first)
	}
	if a.page > 0 {
		v.BackURL = a.url(k, a.page-1)
	}
	s.render(w, r, http.StatusOK, views.HouseListPage(v))
	return nil
}

func emptyList(k houseKind, a listAsk, first string) *views.Note {
	switch {
	case a.find != "":
		n := &views.Note{Title: "Nothing fits “" + a.find + "”", Text: []string{"Try a part of the name."}, Links: []views.Link{{Text: "All " + k.plural, URL: k.path}}}
		if !a.away {
			n.Links = append(n.Links, views.Link{Text: "Look among those " + k.away, URL: listAsk{find: a.find, away: true}.url(k, 0)})
		}
		return n
	case a.page > 0:
		return &views.Note{Title: "This is the end of the list"}
	case a.away:
		return &views.Note{Title: "Nothing is " + k.away, Text: []string{"What you put away appears here and can be taken back."}}
	}
	return &views.Note{Title: "There are no " + k.plural + " yet", Text: []string{first}, Links: []views.Link{{Text: "New " + k.noun, URL: k.path + "/new"}}}
}
