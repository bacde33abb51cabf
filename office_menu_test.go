package main

import (
	"slices"
	"testing"

	"holdfast/db"
)

// The menu has no lines that a house of one kind has no use for.
func TestOfficeMenuByKind(t *testing.T) {
	t.Parallel()
	for kind, hidden := range map[string][]string{"cinema": {"/staff/places", "/staff/routes"}, "bus": {"/staff/films"}, "both": nil} {
		w := newWorld(t, func(d *db.DB) {
			hire(t, d)
			if _, err := d.Pool().Exec(t.Context(), `INSERT INTO settings (key, value) VALUES ('kind', $1)`, kind); err != nil {
				t.Fatal(err)
			}
		}, nil)
		p := w.as(t, "manager").get(w.URL + "/staff/today").want(200)
		for _, line := range []string{"/staff/places", "/staff/routes", "/staff/films", "/staff/resources"} {
			if shown := len(p.all("a", "href", line)) > 0; shown == slices.Contains(hidden, line) {
				t.Errorf("%s: %s is shown: %v", kind, line, shown)
			}
		}
	}
}

// The log speaks the menu's words and leads nobody to a page that their role lacks.
func TestOfficeLogWordsAndLinks(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	w.exec(`INSERT INTO audit_log (actor, action, subject) VALUES ('system', 'resource_archived', 'resource:7'), ('system', 'account_added', 'staff:1'), ('system', 'settings_changed', 'settings')`)
	for role, links := range map[string]int{"manager": 0, "owner": 1} {
		p := w.as(t, role).get(w.URL+"/staff/log").want(200).says("Hall or coach archived", "Hall or coach 7")
		main := p.all("main", "", "")[0]
		for _, to := range []string{"/staff/accounts", "/staff/settings"} {
			n := 0
			for d := range main.Descendants() {
				if href, _ := attribute(d, "href"); href == to {
					n++
				}
			}
			if (n > 0) != (links > 0) {
				t.Errorf("%s sees %d links to %s", role, n, to)
			}
		}
	}
}
