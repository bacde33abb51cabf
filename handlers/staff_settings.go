package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

const settingsURL = "/staff/settings"

// staffSettings shows every business setting to the owner.
func (s *site) staffSettings(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.showSettings(w, r, who, http.StatusOK, settingsForm{})
}

// settingsForm is what came with the page's form, empty when it is only shown.
type settingsForm struct {
	typed map[string]string // by key, of the keys that were in the form
	wrong access.FieldErrors
}

// saveSettings stores what was changed of them.
func (s *site) saveSettings(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	f := settingsForm{typed: map[string]string{}}
	var changes []access.SettingChange
	for _, d := range domain.SettingDefs() {
		was, sent := r.PostForm["was."+d.Key]
		if !sent {
			continue // of a form that did not have it
		}
		value := r.PostForm.Get(d.Key)
		if d.Input.Kind == "switch" {
			value = map[bool]string{true: "on", false: "off"}[value != ""]
		}
		if f.typed[d.Key] = value; value != was[0] {
			changes = append(changes, access.SettingChange{Key: d.Key, Was: was[0], Value: value})
		}
	}
	saved, err := s.Access.SaveSettings(r.Context(), s.by(r, who), changes, access.Keep(r.PostForm.Get("keep")))
	var wrong *access.FieldErrors
	switch {
	case errors.As(err, &wrong):
		f.wrong = *wrong
		status := http.StatusUnprocessableEntity
		if wrong.Stale {
			status = http.StatusConflict
		}
		return s.showSettings(w, r, who, status, f)
	case errors.Is(err, access.ErrWhichTime):
		return s.askWhichTime(w, r, who, f, changes)
	case err != nil:
		return err
	}
	words := "nothing changed"
	if len(saved) > 0 {
		s.Booking.SettingsChanged()
		words = "settings " + strings.Join(saved, " ")
	}
	s.Sessions.Put(r.Context(), saidKey, words)
	return seeOther(w, r, settingsURL)
}

func (s *site) showSettings(w http.ResponseWriter, r *http.Request, who access.Staff, status int, f settingsForm) error {
	page, set, err := s.staffPage(r, who, "Settings", settingsURL)
	if err != nil {
		return err
	}
	now, err := s.Access.SettingValues(r.Context())
	if err != nil {
		return err
	}
	zones, err := s.Access.ZoneNames(r.Context())
	if err != nil {
		return err
	}
	v := views.StaffSettings{Page: page, Action: settingsURL, Said: settingsSaid(s.Sessions.PopString(r.Context(), saidKey)), Outside: s.outside()}
	if len(f.wrong.Fields) > 0 {
		v.Said = &views.Note{Tone: "bad", Alert: true, Title: "Nothing is saved yet", Text: []string{format.Count(len(f.wrong.Fields), "field") + " below cannot be taken as typed. What you typed is still there."}}
	}
	if c, err := s.Access.SettingsChanged(r.Context()); err == nil {
		v.Changed = "Last changed " + shortMoment(c.At, set) + ", by " + c.Who + "."
	} else if !errors.Is(err, domain.ErrNotFound) {
		return err
	}
	for _, name := range domain.SettingGroups() {
		g := views.SettingGroup{ID: strings.ToLower(strings.ReplaceAll(name, " ", "-")), Name: name}
		for _, d := range domain.SettingsIn(name) {
			g.Fields = append(g.Fields, settingField(d, now[d.Key], f, zones))
		}
		v.Groups = append(v.Groups, g)
	}
	s.render(w, r, status, views.StaffSettingsPage(v))
	return nil
}

func settingsSaid(what string) *views.Note {
	if what == "nothing changed" {
		return &views.Note{Alert: true, Title: "Nothing was changed", Text: []string{"All fields are as they were."}}
	}
	keys, ok := strings.CutPrefix(what, "settings ")
	if !ok {
		return nil
	}
	var labels []string
	for _, d := range domain.SettingDefs() {
		if slices.Contains(strings.Fields(keys), d.Key) {
			labels = append(labels, d.Label)
		}
	}
	return &views.Note{Tone: "ok", Alert: true, Title: "Saved: " + format.List(labels), Text: []string{"It counts from the next hold on. Holds that run keep what they were promised."}}
}

// settingField is a setting with its control; the hidden field beside it says what the
// form was opened with.
func settingField(d domain.SettingDef, now string, f settingsForm, zones []string) views.SettingField {
	v := views.SettingField{Key: d.Key, Label: d.Label, Help: d.Help, Kind: d.Input.Kind, Was: now, Value: now, Error: f.wrong.Fields[d.Key], Unit: d.Input.Unit}
	if typed, ok := f.typed[d.Key]; ok {
		v.Value = typed
	}
	v.Default = d.Default
	switch d.Input.Kind {
	case "number":
		v.Min, v.Max = strconv.Itoa(d.Input.Min), strconv.Itoa(d.Input.Max)
	case "choice":
		for i := 0; i+1 < len(d.Input.Options); i += 2 {
			o := views.Option{Value: d.Input.Options[i], Text: d.Input.Options[i+1], Selected: d.Input.Options[i] == v.Value}
			v.Options = append(v.Options, o)
			if o.Value == d.Default {
				v.Default = o.Text
			}
		}
	case "currency":
		v.Options = selected(domain.CurrencyCodes(), v.Value)
	case "zone":
		v.Options = selected(zones, v.Value)
	case "switch":
		v.On = v.Value == "on" || v.Value == "true" || v.Value == "1"
		if v.Was = "off"; now == "on" || now == "true" || now == "1" {
			v.Was = "on"
		}
	}
	return v
}

// selected lists values as options; a value that is not among them stands first.
func selected(values []string, value string) []views.Option {
	if !slices.Contains(values, value) {
		values = append([]string{value}, values...)
	}
	out := make([]views.Option, len(values))
	for i, x := range values {
		out[i] = views.Option{Value: x, Text: strings.ReplaceAll(x, "_", " "), Selected: x == value}
	}
	return out
}

// stripeMode is whether people can pay online, and with which cards.
func (s *site) stripeMode() string {
	switch {
	case s.Demo != nil && s.Demo.Stripe != nil:
		return "A look-alike, because this is a demo. No card is charged."
	case s.Booking.PaysOnline() && s.StripeLive:
		return "Live: real cards are charged."
	case s.Booking.PaysOnline():
		return "Test mode: only Stripe’s test cards work."
	}
	return "Off: STRIPE_SECRET_KEY is not set. Nobody can pay online."
}

// outside is what the environment decides, not this page.
func (s *site) outside() []views.Fact {
	mail := "On."
	switch {
	case s.Demo != nil:
		mail = "To the outbox page, because this is a demo."
	case s.MailOff:
		mail = "Off: SMTP_URL is not set. Mails wait in the outbox."
	}
	return []views.Fact{{Name: "Online payment", Text: s.stripeMode()}, {Name: "Mail server", Text: mail}, {Name: "Address of this shop", Text: s.BaseURL}}
}

const examplesOfTime = 6

// askWhichTime asks what of the events to come stays when the house's zone changes, and
// shows both. All that was typed goes along.
func (s *site) askWhichTime(w http.ResponseWriter, r *http.Request, who access.Staff, f settingsForm, changes []access.SettingChange) error {
	page, _, err := s.staffPage(r, who, "Time zone", settingsURL)
	if err != nil {
		return err
	}
	var old, zone string
	v := views.WhichTime{Page: page, Action: settingsURL, Back: settingsURL}
	for _, c := range changes {
		if c.Key == "time_zone" {
			old, zone = c.Was, c.Value
		}
		v.Keep = append(v.Keep, views.Hidden{Name: "was." + c.Key, Value: c.Was})
		if c.Value != "off" || !isSwitch(c.Key) {
			v.Keep = append(v.Keep, views.Hidden{Name: c.Key, Value: c.Value})
		}
	}
	events, err := s.Access.HouseEvents(r.Context(), old, examplesOfTime)
	if err != nil {
		return err
	}
	v.Old, v.New = format.Zone(old), format.Zone(zone)
	for _, e := range events {
		was := format.In(e.StartsAt, old)
		loc, err := time.LoadLocation(zone)
		if err != nil {
			return err
		}
		clock := time.Date(was.Year(), was.Month(), was.Day(), was.Hour(), was.Minute(), 0, 0, loc)
		v.Events = append(v.Events, views.TwoTimes{
			Title: e.Title, Was: shortDay(was), Sold: e.Sold,
			Clock: shortDay(clock), ClockIs: shortDay(clock.In(was.Location())), Instant: shortDay(was.In(loc)),
		})
		v.Count, v.Unshown = format.Count(e.All, "event"), e.All-len(events)
		if e.AllSold > 0 {
			v.Sold = fmt.Sprintf("%s of these have bookings. Their customers are not told by this page, and their tickets show the new time as soon as they are opened.", strconv.Itoa(e.AllSold))
		}
	}
	s.render(w, r, http.StatusOK, views.WhichTimePage(v))
	return nil
}

func shortDay(t time.Time) string { return format.ShortDay(t) + ", " + format.Clock(t) }

func isSwitch(key string) bool {
	for _, d := range domain.SettingDefs() {
		if d.Key == key {
			return d.Input.Kind == "switch"
		}
	}
	return false
}
