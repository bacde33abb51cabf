package handlers

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

const (
	doorURL      = "/staff/door"
	doorPlaceKey = "door_place" // in the browser's session: the name of the door it stands at
	stillBoards  = 10 * time.Minute
)

// doorDay lists today's events for those who let people in.
func (s *site) doorDay(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	page, set, err := s.staffPage(r, who, "Door", doorURL)
	if err != nil {
		return err
	}
	v := views.DoorDay{Page: page, Heading: "Door", Lede: "Choose what people come in to.", Empty: "Nothing takes place today."}
	if v.Events, err = s.dayOfDoors(r, set, doorURL); err != nil {
		return err
	}
	s.render(w, r, http.StatusOK, views.DoorDayPage(v))
	return nil
}

// dayOfDoors is today's events, each leading to its page under base.
func (s *site) dayOfDoors(r *http.Request, set domain.Settings, base string) ([]views.DoorDayEvent, error) {
	events, err := s.Booking.DoorEvents(r.Context())
	var out []views.DoorDayEvent
	for _, e := range events {
		id := strconv.FormatInt(e.ID, 10)
		v := views.DoorDayEvent{
			ID: id, Time: format.Clock(format.In(e.StartsAt, e.TimeZone)), Title: e.Title, Detail: e.Resource, URL: base + "/" + id,
			Count: fmt.Sprintf("%d of %d in", e.InNow, e.Sold), Past: !e.EndsAt.After(e.Now),
		}
		if e.TimeZone != set.TimeZone {
			v.Detail = strings.TrimPrefix(v.Detail+", "+format.Zone(e.TimeZone), ", ")
		}
		switch {
		case e.Status == "cancelled":
			v.State = "Cancelled"
		case v.Past:
			v.State = "Over"
		case !e.StartsAt.After(e.Now):
			v.State = "Under way"
		}
		out = append(out, v)
	}
	return out, err
}

// doorPage is the door of one event: what was scanned, and who is still to come.
func (s *site) doorPage(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	d, err := s.doorOf(r, who, r.URL.Query())
	if err != nil {
		return err
	}
	if err := d.justIn(r); err != nil {
		return err
	}
	return d.show(w, r, http.StatusOK)
}

// door is one event's door on its way to a page.
type door struct {
	s      *site
	who    access.Staff
	list   *booking.DoorList
	stop   int // chosen; -1: all of them
	find   string
	answer *views.DoorAnswer
	wrong  string // with the code that was typed
}

// doorOf reads the event of the path; typed has the stop and the search of the page.
func (s *site) doorOf(r *http.Request, who access.Staff, typed url.Values) (*door, error) {
	id, err := pathID(r, "event")
	if err != nil {
		return nil, err
	}
	d := &door{s: s, who: who, find: strings.TrimSpace(typed.Get("q"))}
	if d.list, err = s.Booking.DoorList(r.Context(), id); err != nil {
		return nil, err
	}
	d.stop = d.chosen(typed.Get("stop"))
	return d, nil
}

// chosen reads the stop of a trip's page: the one where people board now, when none or
// one that is not there was asked for.
func (d *door) chosen(text string) int {
	o := d.list.Scene
	if len(o.Stops) == 0 || text == "all" {
		return -1
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n < len(o.Stops) {
		return n
	}
	last := 0
	for _, x := range o.Stops {
		if !x.MayBoard {
			continue
		}
		if last = x.StopNo; x.DepartsAt.After(o.Event.Now.Add(-stillBoards)) {
			break
		}
	}
	return last
}

func (d *door) url() string { return doorURL + "/" + strconv.FormatInt(d.list.Scene.Event.ID, 10) }

// back is the address of the page as it is seen, with what is to be said on it.
func (d *door) back(more url.Values) string {
	q := url.Values{}
	for k, v := range more {
		q[k] = v
	}
	if d.find != "" {
		q.Set("q", d.find)
	}
	if stop := d.stopWord(); stop != "" {
		q.Set("stop", stop)
	}
	if len(q) == 0 {
		return d.url()
	}
	return d.url() + "?" + q.Encode()
}

func (d *door) stopWord() string {
	switch {
	case len(d.list.Scene.Stops) == 0:
		return ""
	case d.stop < 0:
		return "all"
	}
	return strconv.Itoa(d.stop)
}

func (d *door) show(w http.ResponseWriter, r *http.Request, status int) error {
	s, o := d.s, d.list.Scene
	title := eventTitle(o)
	page, set, err := s.staffPage(r, d.who, "Door: "+title, doorURL)
	if err != nil {
		return err
	}
	others, err := d.others(r, set)
	if err != nil {
		return err
	}
	v := views.StaffDoor{
		Page: page, Title: title, When: d.when(), Event: strconv.FormatInt(o.Event.ID, 10), URL: d.url(), Others: others,
		List:  views.Link{Text: onBoard(o, "Admission list", "Manifest"), URL: manifestURL + "/" + strconv.FormatInt(o.Event.ID, 10)},
		Place: s.Sessions.GetString(r.Context(), doorPlaceKey), UsualPlace: cmp.Or(d.usual(), "the hall’s name"), Key: rand.Text(), Stop: d.stopWord(), Stops: d.stops(), Boarding: d.boarding(),
		GetOff: d.getOff(), Find: d.find, CodeError: d.wrong, Answer: d.answer, InWord: onBoard(o, "In", "On board"), Now: o.Event.Now.Format(time.RFC3339Nano), Zone: placeZone(o),
		Reader: s.Assets.URL("vendor/barcode-detector.js"), ReaderWasm: s.Assets.URL("vendor/zxing_reader.wasm"), Conflicts: d.conflicts(),
	}
	d.groups(&v)
	v.Page.Page.JS = append(v.Page.Page.JS, s.Assets.URL("js/staff_door_page.js"), s.Assets.URL("js/staff_door_sound.js"), s.Assets.URL("js/staff_door_camera.js"))
	allowWasm(w)
	s.render(w, r, status, views.StaffDoorPage(v))
	return nil
}

func (d *door) when() string {
	e := d.list.Scene.Event
	words := eventWhen(e.StartsAt, e.TimeZone) + commaIf(e.Resource)
	if e.Status == "cancelled" {
		words += ". Cancelled: nobody comes in."
	}
	return words
}

func (d *door) usual() string {
	o := d.list.Scene
	if d.stop >= 0 {
		return o.Stops[d.stop].Place
	}
	return o.Event.Resource
}

// others are today's other events, so that a page without a line can name them.
func (d *door) others(r *http.Request, set domain.Settings) (string, error) {
	events, err := d.s.dayOfDoors(r, set, doorURL)
	if err != nil {
		return "", err
	}
	names := map[string]string{}
	for _, e := range events {
		names[e.ID] = e.Title + ", " + e.Time
	}
	text, err := json.Marshal(names)
	return string(text), err
}

// doorPlace is where this browser stands, in words.
func (s *site) doorPlace(r *http.Request, o *booking.Offer) string {
	return cmp.Or(s.Sessions.GetString(r.Context(), doorPlaceKey), usualPlace(o))
}

// nameDoor keeps the name of the door that this browser stands at.
func (s *site) nameDoor(w http.ResponseWriter, r *http.Request, _ access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	place := strings.Join(strings.Fields(r.PostForm.Get("place")), " ")
	if len([]rune(place)) > 80 {
		return &domain.RuleError{Code: "place", Words: "A door’s name has up to 80 letters."}
	}
	s.Sessions.Put(r.Context(), doorPlaceKey, place)
	back := r.PostForm.Get("back")
	if ownPath(back) == "" || !strings.HasPrefix(back, doorURL+"/") {
		back = doorURL
	}
	if stop := r.PostForm.Get("stop"); stop != "" {
		back += "?" + url.Values{"stop": {stop}}.Encode()
	}
	return seeOther(w, r, back)
}
