package handlers

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

const manifestURL = "/staff/manifest"

// manifestDay lists today's events for those who need their lists.
func (s *site) manifestDay(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	page, set, err := s.staffPage(r, who, "Manifests", manifestURL)
	if err != nil {
		return err
	}
	v := views.DoorDay{Page: page, Heading: "Manifests", Lede: "Who travels, by boarding stop; who sits where, by row.", Empty: "Nothing takes place today."}
	if v.Events, err = s.dayOfDoors(r, set, manifestURL); err != nil {
		return err
	}
	s.render(w, r, http.StatusOK, views.DoorDayPage(v))
	return nil
}

// manifest is the list of one event, to read, print and take along.
func (s *site) manifest(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	m, err := s.manifestOf(r)
	if err != nil {
		return err
	}
	said := strings.TrimPrefix(s.Sessions.PopString(r.Context(), saidKey), "manifest ")
	var note *views.Note
	if said != "" {
		note = &views.Note{Tone: "ok", Alert: true, Title: "On its way to " + said, Text: []string{"It says what the list says at the moment it leaves."}}
	}
	return s.showManifest(w, r, who, http.StatusOK, m, note)
}

func (s *site) manifestOf(r *http.Request) (*booking.Manifest, error) {
	id, err := pathID(r, "event")
	if err != nil {
		return nil, err
	}
	return s.Booking.Manifest(r.Context(), id)
}

func (s *site) showManifest(w http.ResponseWriter, r *http.Request, who access.Staff, status int, m *booking.Manifest, said *views.Note) error {
	o := m.Scene
	title := eventTitle(o)
	page, set, err := s.staffPage(r, who, onBoard(o, "Admission list: ", "Manifest: ")+title, manifestURL)
	if err != nil {
		return err
	}
	id := strconv.FormatInt(o.Event.ID, 10)
	v := views.StaffManifest{
		Page: page, Title: title, When: eventWhen(o.Event.StartsAt, o.Event.TimeZone) + commaIf(o.Event.Resource), Trip: len(o.Stops) > 0, Said: said,
		DoorURL: doorURL + "/" + id, TableURL: manifestURL + "/" + id + "/table.csv", MailURL: manifestURL + "/" + id + "/mail", Key: rand.Text(),
		Tiles: manifestTiles(m), Legs: manifestLegs(m), Printed: boards(&booking.Offer{Event: o.Event, Stops: o.Stops, Ride: o.Ride, Boards: o.Event.Now}),
	}
	if o.Event.Status == "cancelled" {
		v.When += ". Cancelled."
	}
	v.Mailed, v.MailWord = manifestMailed(m, set)
	for _, g := range m.Groups() {
		v.Groups = append(v.Groups, manifestGroup(m, g))
	}
	v.Page.Page.JS = append(v.Page.Page.JS, s.Assets.URL("js/staff_print.js"))
	s.render(w, r, status, views.StaffManifestPage(v))
	return nil
}

func manifestTiles(m *booking.Manifest) []views.ManifestTile {
	o, n := m.Scene, domain.CountPassengers(m.People)
	seats, busiest := 0, 0
	for _, l := range m.Legs {
		seats = max(seats, l.Seats)
	}
	for leg := 1; leg <= o.Event.LastStop; leg++ {
		on := 0
		for _, p := range m.People {
			if p.Valid() && p.FromStop < leg && p.ToStop >= leg {
				on++
			}
		}
		busiest = max(busiest, on)
	}
	sold := views.ManifestTile{Name: "Tickets", Value: strconv.Itoa(n.Sold), Small: fmt.Sprintf("%d %s", seats, places(o.Layout, seats))}
	if len(o.Stops) > 2 {
		sold.Small += fmt.Sprintf(", busiest leg %d", busiest)
	}
	return []views.ManifestTile{{Name: onBoard(o, "In", "On board"), Value: fmt.Sprintf("%d of %d", n.In, n.Sold)}, sold}
}

func manifestLegs(m *booking.Manifest) (out []views.ManifestLeg) {
	o := m.Scene
	for _, l := range m.Legs {
		if len(o.Stops) > l.Leg {
			out = append(out, views.ManifestLeg{Way: o.Stops[l.Leg-1].Place + " → " + o.Stops[l.Leg].Place, Free: fmt.Sprintf("%d of %d free", l.Free, l.Seats)})
		}
	}
	return out
}

func manifestGroup(m *booking.Manifest, g domain.ManifestGroup) views.ManifestGroup {
	o := m.Scene
	out := views.ManifestGroup{Name: groupName(o, g.PassengerGroup), Small: format.Count(len(g.People), "ticket")}
	if len(o.Stops) > 0 {
		out.Small = fmt.Sprintf("%d get on, %d get off", len(g.People), g.Off)
	}
	for _, p := range g.People {
		v := views.ManifestPerson{
			Ticket: strconv.FormatInt(p.TicketID, 10), Seat: seatRef(o.Layout, p.SeatNo), Name: cmp.Or(p.Name, p.TypeName), Detail: p.TypeName + ", " + domain.ShowReference(p.Reference),
			Phone: p.Phone, PhoneURL: telURL(p.Phone), Note: p.Note(),
		}
		if p.Name == "" {
			v.Detail = domain.ShowReference(p.Reference)
		}
		zone := o.Event.TimeZone
		if len(o.Stops) > 0 {
			v.Way, zone = o.Stops[p.FromStop].Place+" → "+o.Stops[p.ToStop].Place, o.Stops[p.FromStop].TimeZone
		}
		if p.In() {
			v.In = onBoard(o, "In ", "On board ") + format.Clock(format.In(*p.EntryAt, zone))
		}
		out.People = append(out.People, v)
	}
	return out
}

// manifestMailed says what became of the newest mail, and what the button does.
func manifestMailed(m *booking.Manifest, set domain.Settings) (words, button string) {
	if m.Address == "" {
		return "It is mailed to nobody: neither the hall or coach nor the house has an address for it.", ""
	}
	if len(m.Mails) == 0 {
		return "It goes to " + m.Address + " by itself half an hour before the start.", "Mail it now"
	}
	last := m.Mails[0]
	switch last.State {
	case "sent":
		at := last.CreatedAt
		if last.SentAt != nil {
			at = *last.SentAt
		}
		words = "Mailed to " + last.ToAddress + ", " + shortMoment(at, set) + "."
	case "failed":
		words = "The mail to " + last.ToAddress + " did not arrive: " + last.Error + "."
	default:
		words = "The mail to " + last.ToAddress + " is on its way."
	}
	return words, "Mail it again"
}

// manifestTable is the list as a file for spreadsheets.
func (s *site) manifestTable(w http.ResponseWriter, r *http.Request, _ access.Staff) error {
	m, err := s.manifestOf(r)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := s.Booking.WriteManifest(&b, m); err != nil {
		return err
	}
	name := "manifest-" + strconv.FormatInt(m.Scene.Event.ID, 10) + ".csv"
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(b.Bytes()) // a reader that went away is nobody's error
	return nil
}

// mailManifest mails the list once more.
func (s *site) mailManifest(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	m, err := s.manifestOf(r)
	if err != nil {
		return err
	}
	to, err := s.Booking.MailManifest(r.Context(), m.Scene.Event.ID, r.PostForm.Get("key"), s.by(r, who))
	if err != nil {
		return err
	}
	s.Sessions.Put(r.Context(), saidKey, "manifest "+to)
	return seeOther(w, r, manifestURL+"/"+strconv.FormatInt(m.Scene.Event.ID, 10))
}
