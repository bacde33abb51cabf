package handlers

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/views"
)

// setupForm is the set-up as typed; what a client leaves out is as the page would have it.
type setupForm struct {
	token  string
	person access.Profile
	house  access.House
	wrong  access.Problems
	ask    bool // the token is not right yet
	alert  *views.Note
}

// setupOpen is domain.ErrNotFound once there is an owner.
func (s *site) setupOpen(r *http.Request) error {
	owner, err := s.Access.HasOwner(r.Context())
	if err == nil && owner {
		err = errNoRoute
	}
	return err
}

// tokenFits compares the same number of bytes whatever was typed.
func (s *site) tokenFits(text string) bool {
	want, got := sha256.Sum256([]byte(s.SetupToken)), sha256.Sum256([]byte(text))
	return s.SetupToken != "" && subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

// setupPage shows the form; the token may stand in the address.
func (s *site) setupPage(w http.ResponseWriter, r *http.Request) error {
	if err := s.setupOpen(r); err != nil {
		return err
	}
	f := setupForm{token: r.URL.Query().Get("token")}
	f.ask = f.token == ""
	if !f.ask && !s.tokenFits(f.token) {
		return s.wrongToken(w, r, f)
	}
	return s.showSetup(w, r, http.StatusOK, f)
}

func (s *site) wrongToken(w http.ResponseWriter, r *http.Request, f setupForm) error {
	f.ask = true
	f.wrong = access.Problems{"token": "This is not the text of SETUP_TOKEN. It stands in the settings of the place where Holdfast runs."}
	f.alert = refusal("The set-up token is not right", "Nothing was made yet.")
	s.note(r, http.StatusForbidden, access.ErrRefused)
	return s.showSetup(w, r, http.StatusForbidden, f)
}

// setUp makes the owner and the house and goes on to what is to be done first. Of two at
// once one finds the page gone.
func (s *site) setUp(w http.ResponseWriter, r *http.Request) error {
	if err := s.setupOpen(r); err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	_, set, err := s.pages.page(r.Context(), "", domain.Screening)
	if err != nil {
		return err
	}
	f := typedSetup(r, set)
	if !s.tokenFits(f.token) {
		return s.wrongToken(w, r, f)
	}
	who, err := s.Access.Setup(r.Context(), f.house, f.person, r.PostForm.Get("password"), s.clientAddress(r))
	if errors.As(err, &f.wrong) {
		f.alert = refusal("Almost", "Please look at what is marked below. Nothing was made yet.")
		s.note(r, http.StatusUnprocessableEntity, err)
		return s.showSetup(w, r, http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return err
	}
	s.Booking.SettingsChanged()
	return s.enter(w, r, who, "/staff/start")
}

func typedSetup(r *http.Request, set domain.Settings) setupForm {
	typed := func(name, otherwise string) string {
		if !r.PostForm.Has(name) {
			return otherwise
		}
		return strings.TrimSpace(r.PostForm.Get(name))
	}
	email := typed("email", "")
	local, _, _ := strings.Cut(email, "@")
	return setupForm{
		token:  r.Form.Get("token"),
		person: access.Profile{Email: email, Name: typed("name", local)},
		house: access.House{
			Kind: typed("kind", set.Kind), Name: typed("venue_name", set.VenueName),
			Currency: strings.ToUpper(typed("currency", set.Currency)), TimeZone: typed("time_zone", set.TimeZone),
		},
	}
}

func (s *site) showSetup(w http.ResponseWriter, r *http.Request, status int, f setupForm) error {
	page, set, err := s.staffPage(r, access.Staff{}, "Set up your house", "")
	if err != nil {
		return err
	}
	page.Page.JS = append(page.Page.JS, s.Assets.URL("js/staff_accounts.js"))
	house := f.house
	if house == (access.House{}) {
		house = access.House{Kind: set.Kind, Currency: set.Currency, TimeZone: set.TimeZone}
	}
	v := views.Setup{
		Page: page, Alert: f.alert, Token: f.token, Zones: commonZones(),
		You: []views.AccountField{
			{Name: "name", Label: "Your name", Value: f.person.Name, Err: f.wrong["name"], Complete: "name", Most: "200"},
			{Name: "email", Label: "Your e-mail", Type: "email", Value: f.person.Email, Err: f.wrong["email"], Complete: "username", Most: "200", Hint: "With it you sign in."},
			{Name: "password", Label: "A password", Type: "password", Err: f.wrong["password"], Complete: "new-password", Show: true, Hint: passwordHint},
		},
		Kind:     views.AccountField{Name: "kind", Label: "What you sell", Err: f.wrong["kind"]},
		Venue:    views.AccountField{Name: "venue_name", Label: "Name that customers know", Value: house.Name, Err: f.wrong["venue_name"], Most: "200", Complete: "organization"},
		Currency: views.AccountField{Name: "currency", Label: "Currency", Err: f.wrong["currency"]},
		Zone:     views.AccountField{Name: "time_zone", Label: "Time zone", Value: house.TimeZone, Err: f.wrong["time_zone"], List: "zones", Hint: "Such as Europe/Vienna or Asia/Colombo. All times are shown in it.", Zone: status == http.StatusOK},
	}
	if f.ask {
		v.AskToken = &views.AccountField{Name: "token", Label: "Set-up token", Type: "password", Err: f.wrong["token"], Hint: "The text of SETUP_TOKEN, so that nobody else can make this house theirs."}
	}
	for _, k := range [][2]string{{"cinema", "Seats in a cinema"}, {"bus", "Seats in coaches"}, {"both", "Both"}} {
		v.Kinds = append(v.Kinds, views.Option{Value: k[0], Text: k[1], Selected: house.Kind == k[0]})
	}
	for _, c := range domain.CurrencyCodes() {
		v.Codes = append(v.Codes, views.Option{Value: c, Text: c, Selected: cmp.Or(house.Currency, set.Currency) == c})
	}
	s.render(w, r, status, views.SetupPage(v))
	return nil
}

const passwordHint = "At least 12 letters. Three or four words that do not belong together are easy to remember and hard to guess."

// commonZones are suggestions; any IANA name will do.
func commonZones() []string {
	return strings.Fields(`Africa/Cairo Africa/Johannesburg Africa/Lagos Africa/Nairobi America/Argentina/Buenos_Aires America/Bogota
		America/Chicago America/Denver America/Lima America/Los_Angeles America/Mexico_City America/New_York America/Sao_Paulo America/Toronto
		Asia/Bangkok Asia/Colombo Asia/Dhaka Asia/Dubai Asia/Ho_Chi_Minh Asia/Hong_Kong Asia/Jakarta Asia/Karachi Asia/Kathmandu Asia/Kolkata
		Asia/Kuala_Lumpur Asia/Manila Asia/Seoul Asia/Singapore Asia/Tokyo Australia/Brisbane Australia/Perth Australia/Sydney
		Europe/Amsterdam Europe/Athens Europe/Belgrade Europe/Berlin Europe/Bucharest Europe/Budapest Europe/Dublin Europe/Helsinki
		Europe/Istanbul Europe/Lisbon Europe/Ljubljana Europe/London Europe/Madrid Europe/Oslo Europe/Paris Europe/Prague Europe/Rome
		Europe/Sofia Europe/Stockholm Europe/Vienna Europe/Warsaw Europe/Zagreb Europe/Zurich Pacific/Auckland UTC`)
}
