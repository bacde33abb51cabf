package handlers

import (
	"net/http"

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
	page.JS = nil
	v := views.StaffPage{Page: page, Name: who.Name, Role: string(who.Role)}
	for _, l := range staffMenu() {
		if who.Role.Covers(l.need) {
			v.Nav = append(v.Nav, views.NavLink{Text: l.text, URL: l.url, Current: l.url == current})
		}
	}
	return v, set, nil
}

type menuLine struct {
	text, url string
	need      access.Role
}

// staffMenu is the menu's lines with the roles that see them: those of routes.go.
func staffMenu() []menuLine {
	return []menuLine{
		{"Status", "/staff/status", access.Cashier},
		{"Bookings", "/staff/bookings", access.Cashier},
		{"Ended holds", "/staff/holds", access.Cashier},
	}
}

// staffHome is where staff come in: the first page that their role has.
func (s *site) staffHome(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	for _, l := range staffMenu() {
		if who.Role.Covers(l.need) {
			return seeOther(w, r, l.url)
		}
	}
	page, _, err := s.staffPage(r, who, "Signed in", "")
	if err != nil {
		return err
	}
	s.render(w, r, http.StatusOK, views.StaffNoticePage(views.StaffNotice{
		Page: page, Heading: "You are signed in", Lede: "Scan a ticket’s code with the camera of this phone to see it.",
		Links: []views.Link{{Text: "See what’s on", URL: "/"}},
	}))
	return nil
}
