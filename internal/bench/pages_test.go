package bench

import (
	"fmt"
	"html"
	"regexp"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// BenchmarkPages compares what a visitor without a cookie gets, the seat page and the
// answer "nothing changed" to an open page, with a handler that answers the very same
// bytes and headers from memory, in a process of its own.
func BenchmarkPages(b *testing.B) {
	var small, large dbtest.Event
	r := start(b, func(d *db.DB) { small, large = dbtest.Screening(b, d, 6, 10), dbtest.Screening(b, d, 15, 20) })
	pages := map[string]string{"seat page of 60": eventPath(small), "seat page of 300": eventPath(large), "the poll’s 204": pollOf(b, r.app, large), "home page": "/"}
	var paths []string
	for _, path := range pages {
		paths = append(paths, path)
	}
	static := keep(b, r.app, paths...)
	for _, what := range []string{"seat page of 60", "seat page of 300", "the poll’s 204", "home page"} {
		b.Run(name(what), func(b *testing.B) {
			status := 200
			if what == "the poll’s 204" {
				status = 204
			}
			ask := func(p process) func(time.Duration) (tally, error) {
				request := getRequest(pages[what])
				return func(d time.Duration) (tally, error) {
					return browsers(16, d, p, status, func(int) []byte { return request })
				}
			}
			contest(b, what, func() {}, side{"static handler", ask(static)}, side{"Holdfast", ask(r.process)})
		})
	}
}

func eventPath(e dbtest.Event) string { return fmt.Sprintf("/events/%d", e.ID) }

// pollOf is the address that an open seat page asks.
func pollOf(b *testing.B, a app, e dbtest.Event) string {
	b.Helper()
	s, err := fetch(a.url + eventPath(e))
	if err != nil {
		b.Fatal(err)
	}
	page, err := unzip(s.Body)
	if err != nil {
		b.Fatal(err)
	}
	m := regexp.MustCompile(`"(/events/\d+/seats\?[^"]*)"`).FindSubmatch(page)
	if m == nil {
		b.Fatal("the seat page names no address to ask for changes")
	}
	return html.UnescapeString(string(m[1]))
}
