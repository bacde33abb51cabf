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
		for _, to := range []string{"/staff/accounts", "/staff/settings"} {
			if n := linksInMain(p, to); (n > 0) != (links > 0) {
				t.Errorf("%s sees %d links to %s", role, n, to)
			}
		}
	}
}

// linksInMain counts the links to an address outside of the menus.
func linksInMain(p *page, to string) (n int) {
	for d := range p.all("main", "", "")[0].Descendants() {
		if href, _ := attribute(d, "href"); href == to {
			n++
		}
	}
	return n
}

// Whoever works here and meets a wrong address is led back to work, not to the shop.
func TestOfficeWrongAddresses(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.as(t, "manager")
	for path, status := range map[string]int{"/staff/films/999": 404, "/staff/nothing": 404, "/staff/films/1/shelf": 405} {
		p := b.get(w.URL + path).want(status).says("Nothing was changed")
		if linksInMain(p, "/staff") == 0 || linksInMain(p, "/find") > 0 {
			t.Errorf("%s does not lead back to the staff's pages:\n%s", path, p.text())
		}
	}
	b.get(w.URL+"/staff/schedule?week=2027-02-31").want(422).says("There is no such day", "Here is the week of today", "Add screenings")
}
