package main

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"holdfast/handlers"
	"holdfast/internal/access"
)

// Every row of the staff's routes, for each role and for nobody: a role that the row names
// or one above gets in, the others get a 403, the signed-out are sent to the door and back.
// A new row is walked without a change here.
func TestStaffRoutesKeepTheirRoles(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	rows := handlers.StaffRoutes()
	if len(rows) < 15 {
		t.Fatalf("only %d rows: where are the others?", len(rows))
	}
	for _, role := range []access.Role{"", access.Steward, access.Cashier, access.Manager, access.Owner} {
		t.Run(string(role), func(t *testing.T) {
			b := w.browser()
			if role != "" {
				b = w.as(t, string(role))
			}
			b.t = t
			for _, row := range rows {
				checkRow(t, b, w.URL, row, role)
			}
			if role != "" {
				b.get(w.URL + "/staff/no-such-page").want(http.StatusNotFound) // still signed in: the walk ended nothing
			}
		})
	}
}

var pathParameter = regexp.MustCompile(`\{[a-z]+(\.\.\.)?\}`)

// checkRow asks one address with ids that do not exist and an empty form: a page that is
// not there, or a refusal in words, is an answer to somebody who may ask.
func checkRow(t *testing.T, b *browser, base string, row handlers.StaffRoute, role access.Role) {
	t.Helper()
	method, path, _ := strings.Cut(row.Pattern, " ")
	path = pathParameter.ReplaceAllString(path, "999999")
	p := b.ask(method, base+path, "", map[string]string{"Content-Type": formType})
	door := p.status == http.StatusSeeOther && strings.HasPrefix(p.location, "/staff/login")
	switch {
	case role == "":
		want := "/staff/login"
		if method == http.MethodGet && path != "/staff" {
			want += "?next=" + strings.ReplaceAll(path, "/", "%2F")
		}
		if p.status != http.StatusSeeOther || p.location != want {
			t.Errorf("%s signed out: %d to %q, want 303 to %q", row.Pattern, p.status, p.location, want)
		}
	case role.Covers(row.Need):
		if p.status == http.StatusForbidden || p.status >= http.StatusInternalServerError || door {
			t.Errorf("%s as %s: %d %s, but it is for %s and above", row.Pattern, role, p.status, p.location, row.Need)
		}
	case p.status != http.StatusForbidden:
		t.Errorf("%s as %s: %d, but it is for %s and above", row.Pattern, role, p.status, row.Need)
	}
}
