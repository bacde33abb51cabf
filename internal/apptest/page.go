package apptest

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// Page is one answer as a browser without JavaScript sees it. It is read token by token,
// never as a tree: hundreds of browsers share the machine with the program they look at.
type Page struct {
	Status   int
	URL      *url.URL
	Location string
	Header   http.Header
	Body     []byte
}

// Read takes the whole answer and closes it. It takes what http.Client.Do returns.
func Read(res *http.Response, err error) (*Page, error) {
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	return &Page{res.StatusCode, res.Request.URL, res.Header.Get("Location"), res.Header, body}, nil
}

// Resolve is the address of a link or a form on this page.
func (p *Page) Resolve(ref string) string {
	u, err := p.URL.Parse(ref)
	if err != nil {
		return p.URL.String()
	}
	return u.String()
}

// Tokens hands every token of the page to see until that says false.
func (p *Page) Tokens(see func(html.Token) bool) {
	for z := html.NewTokenizer(bytes.NewReader(p.Body)); z.Next() != html.ErrorToken; {
		if !see(z.Token()) {
			return
		}
	}
}

// Words is what a reader sees, roughly.
func (p *Page) Words() string {
	var b strings.Builder
	skip := ""
	p.Tokens(func(t html.Token) bool {
		switch {
		case t.Type == html.StartTagToken && (t.Data == "script" || t.Data == "style"):
			skip = t.Data
		case t.Type == html.EndTagToken && t.Data == skip:
			skip = ""
		case t.Type == html.TextToken && skip == "":
			b.WriteString(t.Data)
			b.WriteByte(' ')
		}
		return true
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// insideWords are words that only the program's own inside would say.
var insideWords = regexp.MustCompile(`SQLSTATE|pgx|pgconn|goroutine \d|runtime error|panic:|nil pointer|context (canceled|deadline)|dial (tcp|unix)|connection (refused|reset)|stripe: |unexpected EOF|violates .*constraint`)

// insideHints are parts of insideWords that are quick to look for.
var insideHints = [][]byte{[]byte("SQLSTATE"), []byte("pgx"), []byte("pgconn"), []byte("goroutine "), []byte("runtime error"), []byte("panic:"), []byte("nil pointer"),
	[]byte("context "), []byte("dial "), []byte("connection re"), []byte("stripe: "), []byte("unexpected EOF"), []byte("violates ")}

// Inside is the first piece of our inside that the page shows, "" when there is none.
func (p *Page) Inside() string {
	for _, hint := range insideHints {
		if bytes.Contains(p.Body, hint) {
			return insideWords.FindString(p.Words())
		}
	}
	return ""
}

// Values are the values of an attribute wherever it stands.
func (p *Page) Values(attr string) (out []string) {
	p.Tokens(func(t html.Token) bool {
		if v, ok := Attr(t, attr); ok {
			out = append(out, v)
		}
		return true
	})
	return out
}

// Attr is an attribute of a start tag.
func Attr(t html.Token, name string) (string, bool) {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// Form is a form with what a browser would send.
type Form struct {
	Action string
	Values url.Values
	Seats  []string // values of all checkboxes called seat

	choice string // the select that is open, with what it would send
	chosen *string
	sure   bool
}

// Form is the first form whose action ends in suffix, nil when there is none.
func (p *Page) Form(suffix string) *Form {
	var f *Form
	p.Tokens(func(t html.Token) bool {
		switch {
		case f == nil && t.Type == html.StartTagToken && t.Data == "form":
			action, _ := Attr(t, "action")
			if path, _, _ := strings.Cut(action, "?"); strings.HasSuffix(path, suffix) {
				f = &Form{Action: action, Values: url.Values{}}
			}
		case f != nil && t.Type == html.EndTagToken && t.Data == "form":
			return false
		case f != nil:
			f.add(t)
		}
		return true
	})
	return f
}

func (f *Form) add(t html.Token) {
	name, named := Attr(t, "name")
	value, _ := Attr(t, "value")
	kind, _ := Attr(t, "type")
	_, checked := Attr(t, "checked")
	box := kind == "checkbox" || kind == "radio"
	switch {
	case t.Type == html.EndTagToken && t.Data == "select" && f.choice != "":
		if f.chosen != nil {
			f.Values.Add(f.choice, *f.chosen)
		}
		f.choice, f.chosen, f.sure = "", nil, false
	case t.Type == html.EndTagToken:
	case t.Data == "select" && named:
		f.choice = name
	case t.Data == "option" && f.choice != "":
		if _, selected := Attr(t, "selected"); f.chosen == nil || selected && !f.sure {
			f.chosen, f.sure = &value, selected
		}
	case !named || t.Data != "input":
	case name == "seat" && box:
		f.Seats = append(f.Seats, value)
		if checked {
			f.Values.Add(name, value)
		}
	case !box || checked:
		f.Values.Add(name, value)
	}
}
