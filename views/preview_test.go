package views

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"
)

func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var buf bytes.Buffer
	if err := c.Render(context.Background(), &buf); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func (f frame) all() []sample {
	list := append(f.homes(), f.seatPages()...)
	list = append(list, f.orderPages()...)
	return append(list, f.afterPages()...)
}

func testFrame() frame {
	return frame{
		css: "/static/shop.css", js: "/static/shop.js", htmx: "/static/htmx.min.js",
		poster: func(name string) string { return "/static/" + name + ".svg" },
		qr:     "data:image/svg+xml;base64,PHN2Zy8+",
	}
}

// TestPreview writes every page to HOLDFAST_PREVIEW_DIR for a look in a browser;
// without it the pages are rendered all the same. The folder must hold a copy
// of static/ with the parts of css/shop joined to css/shop.css.
func TestPreview(t *testing.T) {
	dir := os.Getenv("HOLDFAST_PREVIEW_DIR")
	f := testFrame()
	if dir != "" {
		qr, err := os.ReadFile(filepath.Join(dir, "qr.svg"))
		if err != nil {
			t.Fatal(err)
		}
		f.css, f.js, f.htmx = "static/css/shop.css", "static/js/shop.js", "static/vendor/htmx.min.js"
		f.poster = func(name string) string { return "static/img/posters/" + name + ".svg" }
		f.qr = templ.SafeURL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(qr))
	}
	for _, s := range f.all() {
		page := render(t, s.page)
		if dir == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, s.name+".html"), []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPagesAreStrict: nothing inline, every field labelled, ids unique, no link
// that leads nowhere.
func TestPagesAreStrict(t *testing.T) {
	inline := regexp.MustCompile(`(?i)<[^>]+\s(style|on[a-z]+)=|<style|<script(?:\s[^>]*)?>[^<]`)
	for _, s := range testFrame().all() {
		page := render(t, s.page)
		if found := inline.FindString(page); found != "" {
			t.Errorf("%s: inline %q", s.name, found)
		}
		if strings.Contains(page, "TemplFailedSanitization") {
			t.Errorf("%s: an address was refused", s.name)
		}
		doc := parse(t, page)
		ids := map[string]bool{}
		for n := range doc.Descendants() {
			if id := attr(n, "id"); id != "" {
				if ids[id] {
					t.Errorf("%s: id %q twice", s.name, id)
				}
				ids[id] = true
			}
		}
		for n := range doc.Descendants() {
			if href := attr(n, "href"); strings.HasPrefix(href, "#") && !ids[href[1:]] {
				t.Errorf("%s: link to %s, which is not there", s.name, href)
			}
			for _, name := range []string{"for", "aria-labelledby", "aria-describedby"} {
				if id := attr(n, name); id != "" && !ids[id] {
					t.Errorf("%s: %s=%q, which is not there", s.name, name, id)
				}
			}
			if n.Data == "form" && attr(n, "action") == "" {
				t.Errorf("%s: a form without an address", s.name)
			}
		}
		if n := len(find(doc, "h1", "", "")); n != 1 {
			t.Errorf("%s: %d h1", s.name, n)
		}
	}
}

func TestSeatPageOf300SeatsIsSmall(t *testing.T) {
	page := render(t, Seats(testFrame().hallPage(15, 20)))
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	_, _ = w.Write([]byte(page))
	_ = w.Close()
	t.Logf("300 seats: %d bytes, %d gzipped", len(page), buf.Len())
	if buf.Len() > 10_000 {
		t.Errorf("%d bytes gzipped, want at most 10,000", buf.Len())
	}
}

func TestSeatPageKeepsTheContract(t *testing.T) {
	doc := parse(t, render(t, Seats(testFrame().coachPage(coach49()))))
	form := one(t, doc, "form", "action", "/events/21/holds")
	if attr(form, "method") != "post" {
		t.Error("the seat form does not post")
	}
	for name, want := range map[string]string{"from": "0", "to": "5"} {
		if got := attr(one(t, form, "input", "name", name), "value"); got != want {
			t.Errorf("%s=%q, want %q", name, got, want)
		}
	}
	if got := attr(one(t, doc, "div", "id", "map"), "data-v"); got != "88" {
		t.Errorf("data-v=%q", got)
	}
	seat := one(t, doc, "label", "id", "s-4C")
	input := one(t, seat, "input", "name", "seat")
	if attr(input, "value") != "4C" || attr(input, "data-price") != "240000" || !has(input, "checked") {
		t.Errorf("seat 4C: %v", input.Attr)
	}
	if got := text(seat); got != "Seat 4C, aisle, LKR 2,400" {
		t.Errorf("seat 4C is called %q", got)
	}
	if taken := one(t, doc, "span", "id", "s-1B"); attr(taken, "aria-hidden") != "true" {
		t.Error("a taken seat is not hidden from listeners")
	}
	if row := one(t, doc, "div", "aria-labelledby", "r2"); attr(row, "role") != "group" {
		t.Error("a row is no group")
	}
	get := one(t, doc, "form", "action", "/events/21")
	if attr(get, "method") != "get" || len(find(get, "select", "", "")) != 2 {
		t.Error("the stops are not a GET form of two selects")
	}
	if button := find(form, "button", "", ""); len(button) != 1 || has(button[0], "disabled") {
		t.Error("Continue is missing or disabled")
	}
}

func TestConflictNamesEverySeat(t *testing.T) {
	for _, s := range testFrame().seatPages() {
		if s.name != "seat-conflict" {
			continue
		}
		doc := parse(t, render(t, s.page))
		alert := one(t, doc, "div", "role", "alert")
		if got := attr(one(t, alert, "span", "data-lost", "4D"), "data-seat"); got != "4D" {
			t.Errorf("data-seat=%q", got)
		}
		if got := text(alert); !strings.HasPrefix(got, "Seat 4D was just taken 4C is still free and still ticked. Nothing is held and nothing was charged. Two together: 10C and 10D Take 4C only") {
			t.Errorf("alert reads %q", got)
		}
		if len(find(doc, "input", "value", "4D")) != 0 {
			t.Error("a lost seat can still be ticked")
		}
		if !has(one(t, one(t, doc, "label", "id", "s-4C"), "input", "value", "4C"), "checked") {
			t.Error("the other seat is not ticked any more")
		}
	}
}

func TestUpdatesReplaceWhatChanged(t *testing.T) {
	m := coach49()
	doc := parse(t, "<body>"+render(t, SeatUpdates(SeatUpdatesView{
		Version: 89, PollURL: "/events/21/seats?v=89&from=0&to=5", Free: "28 of 47 free",
		Rows: m.Decks[0].Rows[:1], Cells: m.Decks[0].Rows[1].Cells[:2],
	})))
	for _, want := range [][3]string{{"label", "id", "s-2A"}, {"div", "id", "poll"}, {"span", "id", "free"}, {"div", "id", "r1"}} {
		if n := one(t, doc, want[0], want[1], want[2]); !has(n, "hx-swap-oob") {
			t.Errorf("%v is not swapped in place", want)
		}
	}
	if got := attr(one(t, doc, "div", "id", "poll"), "hx-get"); got != "/events/21/seats?v=89&from=0&to=5" {
		t.Errorf("the next poll asks for %q", got)
	}
}

func TestMoneyIsReadable(t *testing.T) {
	f := testFrame()
	for _, page := range []string{render(t, Hold(f.holdPage())), render(t, Review(f.reviewPage()))} {
		doc := parse(t, page)
		if len(find(doc, "", "data-amount", "400000")) == 0 || len(find(doc, "", "data-currency", "LKR")) == 0 {
			t.Error("the total has no data-amount or data-currency")
		}
		for _, no := range []string{"4C", "4D"} {
			if len(find(doc, "", "data-seat", no)) == 0 {
				t.Errorf("seat %s is not marked", no)
			}
		}
	}
	pay := one(t, parse(t, render(t, Review(f.reviewPage()))), "form", "action", "/holds/7f/pay")
	button := one(t, pay, "button", "data-amount", "400000")
	if text(button) != "Pay LKR 4,000" || attr(button, "data-currency") != "LKR" {
		t.Errorf("the button says %q", text(button))
	}
	booking := parse(t, render(t, Booking(BookingView{Reference: "K7P-XM3", Tickets: f.tickets()})))
	one(t, booking, "div", "data-reference", "K7P-XM3")
	ticket := one(t, booking, "article", "data-ticket", "51207")
	if attr(ticket, "data-seat") != "4C" || len(find(ticket, "a", "href", "/t/abc")) != 1 || len(find(ticket, "img", "class", "qr")) != 1 {
		t.Error("a ticket lacks its seat, link or code")
	}
}

func parse(t *testing.T, page string) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// find lists elements by name and attribute; "" matches any.
func find(root *html.Node, element, name, value string) []*html.Node {
	var list []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && (element == "" || n.Data == element) && (name == "" || has(n, name) && attr(n, name) == value) {
			list = append(list, n)
		}
	}
	return list
}

func one(t *testing.T, root *html.Node, element, name, value string) *html.Node {
	t.Helper()
	list := find(root, element, name, value)
	if len(list) != 1 {
		t.Fatalf("%d elements <%s %s=%q>, want one", len(list), element, name, value)
	}
	return list[0]
}

func has(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// text is what is read, with single spaces.
func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		} else if d.Type == html.ElementNode && (d.Data == "p" || d.Data == "button") {
			b.WriteString(" ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func TestSeatsAreListedAsInASentence(t *testing.T) {
	for _, c := range []struct {
		seats []SeatRef
		want  string
	}{
		{pair("A1"), "Seat A1 was just taken"},
		{pair("A1", "A2"), "Seats A1 and A2 were just taken"},
		{pair("A1", "A2", "A3"), "Seats A1, A2 and A3 were just taken"},
	} {
		if got := text(parse(t, render(t, lostWords(c.seats, "seat")))); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
