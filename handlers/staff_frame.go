package handlers

import (
	"net/http"
	"slices"
	"strconv"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/views"
)

// staffPage is the frame of pages for staff; current is the address of the menu's line
// that the page belongs to, "" for none.
func (s *site) staffPage(r *http.Request, who access.Staff, title, current string) (views.StaffPage, domain.Settings, error) {
	page, set, err := s.pages.page(r.Context(), title, domain.Screening)
	if err != nil {
		return views.StaffPage{}, set, err
	}
	page.CSS = append(page.CSS, s.Assets.URL("css/staff.css"))
	page.JS = []string{s.Assets.URL("js/staff.js")}
	v := views.StaffPage{Page: page, Name: who.Name, Role: string(who.Role)}
	for _, g := range staffMenu() {
		if who.Owes() { // the menu would only lead back
			break
		}
		shown := views.NavGroup{ID: g.id, Name: g.name}
		for _, l := range g.lines {
			if who.Role.Covers(l.need) && !slices.Contains(foreign(set.Kind), l.url) {
				shown.Lines = append(shown.Lines, views.NavLink{Text: l.text, URL: l.url, Current: l.url == current})
			}
		}
		if len(shown.Lines) > 0 {
			v.Nav = append(v.Nav, shown)
		}
	}
	return v, set, nil
}

// badge writes a number beside a line of the menu, nothing for 0.
func badge(page *views.StaffPage, url string, n int) {
	for g := range page.Nav {
		for l := range page.Nav[g].Lines {
			if line := &page.Nav[g].Lines[l]; line.URL == url && n > 0 {
				line.Badge = strconv.Itoa(n)
			}
		}
	}
}

type menuGroup struct {
	id, name string
	lines    []menuLine
}

type menuLine struct {
	text, url string
	need      access.Role
}

// staffMenu is the menu with the roles that see each line: those of routes.go.
func staffMenu() []menuGroup {
	return []menuGroup{
		{"daily", "Daily work", []menuLine{
			{"Sell", sellURL, access.Cashier},
			{"Today", "/staff/today", access.Cashier},
			{"Door", doorURL, access.Steward},
			{"Manifest", manifestURL, access.Steward},
			{"Schedule", "/staff/schedule", access.Manager},
			{"Waiting rooms", waitingURL, access.Manager},
			{"Bookings", "/staff/bookings", access.Cashier},
			{"Tills", shiftsURL, access.Cashier},
			{"Ended holds", "/staff/holds", access.Cashier},
		}},
		{"house", "House", []menuLine{
			{"Films", "/staff/films", access.Manager},
			{"Places", "/staff/places", access.Manager},
			{"Routes", "/staff/routes", access.Manager},
			{"Halls and coaches", "/staff/resources", access.Manager},
			{"Seat plans", plansURL, access.Manager},
			{"Prices", faresURL, access.Manager},
		}},
		{"office", "Office", []menuLine{
			{"Reports", reportsURL, access.Manager},
			{"Change log", "/staff/log", access.Manager},
			{"Start", "/staff/start", access.Manager},
			{"Import and export", "/staff/import", access.Manager},
			{"Settings", "/staff/settings", access.Owner},
			{"Accounts", "/staff/accounts", access.Owner},
			{"Status", "/staff/status", access.Cashier},
		}},
	}
}

// foreign are the menu's lines that a house of one kind has no use for.
func foreign(kind string) []string {
	switch kind {
	case "cinema":
		return []string{manifestURL, "/staff/places", "/staff/routes"}
	case "bus":
		return []string{"/staff/films"}
	}
	return nil
}

// mayOpen tells whether an address is a page of the menu for a role.
func mayOpen(role access.Role, url string) bool {
	for _, g := range staffMenu() {
		for _, l := range g.lines {
			if l.url == url {
				return role.Covers(l.need)
			}
		}
	}
	return false
}

// inMenu tells whether an address is a page of the menu.
func inMenu(url string) bool { return mayOpen(access.Owner, url) }

// staffHome is where staff come in: the day for everybody who has it, the door for
// stewards.
func (s *site) staffHome(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if who.Role.Covers(access.Cashier) {
		return seeOther(w, r, "/staff/today")
	}
	return seeOther(w, r, doorURL)
}
