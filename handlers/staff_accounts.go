package handlers

import (
	"errors"
	"net/http"
	"strconv"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/views"
)

// accountForm is what the owner typed about somebody.
type accountForm struct {
	person access.Profile
	wrong  access.Problems
	alert  *views.Note
}

func typedAccount(r *http.Request) accountForm {
	return accountForm{person: access.Profile{Email: r.PostForm.Get("email"), Name: r.PostForm.Get("name"), Role: access.Role(r.PostForm.Get("role"))}}
}

func (f accountForm) fields() []views.AccountField {
	return []views.AccountField{
		{Name: "name", Label: "Name", Value: f.person.Name, Err: f.wrong["name"], Most: "200"},
		{Name: "email", Label: "E-mail", Type: "email", Value: f.person.Email, Err: f.wrong["email"], Most: "200"},
	}
}

func (f accountForm) role() (views.AccountField, []views.Option) {
	var list []views.Option
	for _, role := range []access.Role{access.Steward, access.Cashier, access.Manager, access.Owner} {
		list = append(list, views.Option{Value: string(role), Text: roleName(role), Selected: f.person.Role == role})
	}
	return views.AccountField{Name: "role", Label: "Role", Err: f.wrong["role"]}, list
}

func roleName(role access.Role) string {
	switch role {
	case access.Owner:
		return "Owner"
	case access.Manager:
		return "Manager"
	case access.Cashier:
		return "Cashier"
	}
	return "Steward or driver"
}

// staffAccounts lists everybody.
func (s *site) staffAccounts(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.showAccounts(w, r, who, http.StatusOK, accountForm{person: access.Profile{Role: access.Cashier}})
}

func (s *site) showAccounts(w http.ResponseWriter, r *http.Request, who access.Staff, status int, f accountForm) error {
	list, err := s.Access.Accounts(r.Context())
	if err != nil {
		return err
	}
	page, set, err := s.staffPage(r, who, "Accounts", "/staff/accounts")
	if err != nil {
		return err
	}
	v := views.StaffAccounts{Page: page, Add: f.fields(), Alert: f.alert}
	v.Role, v.Roles = f.role()
	for _, a := range list {
		row := views.AccountRow{ID: strconv.FormatInt(a.ID, 10), URL: accountURL(a.ID), Name: a.Name, Email: a.Email, Role: roleName(access.Role(a.Role)), You: a.ID == who.ID, Seen: "never", Badges: accountBadges(a)}
		if a.SeenAt != nil {
			row.Seen = shortMoment(*a.SeenAt, set)
		}
		v.Rows = append(v.Rows, row)
	}
	s.render(w, r, status, views.StaffAccountsPage(v))
	return nil
}

func accountURL(id int64) string { return "/staff/accounts/" + strconv.FormatInt(id, 10) }

func accountBadges(a access.Account) (list []views.Badge) {
	if a.Off {
		list = append(list, views.Badge{Tone: "bad", Text: "Off"})
	}
	if a.TwoStep {
		list = append(list, views.Badge{Tone: "ok", Text: "Second step"})
	}
	if a.MustChange {
		list = append(list, views.Badge{Tone: "warn", Text: "First password"})
	}
	if a.PIN {
		list = append(list, views.Badge{Text: "PIN"})
	}
	return list
}

// addAccount makes an account and shows its first password, this once.
func (s *site) addAccount(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	f := typedAccount(r)
	id, password, err := s.Access.AddAccount(r.Context(), who, f.person, s.clientAddress(r))
	if errors.As(err, &f.wrong) {
		f.alert = refusal("Nobody was added yet", "Please look at what is marked below.")
		s.note(r, http.StatusUnprocessableEntity, err)
		return s.showAccounts(w, r, who, http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return err
	}
	return s.showPassword(w, r, who, id, password, " is added")
}

// showPassword shows a password that was just made: it is stored nowhere.
func (s *site) showPassword(w http.ResponseWriter, r *http.Request, who access.Staff, id int64, password, said string) error {
	a, err := s.Access.Account(r.Context(), id)
	if err != nil {
		return err
	}
	page, _, err := s.staffPage(r, who, "First password", "/staff/accounts")
	if err != nil {
		return err
	}
	s.render(w, r, http.StatusOK, views.StaffGivenPage(views.StaffGiven{
		Page: page, Heading: a.Name + said, Lede: "This password is for the next sign-in with " + a.Email + ". Then it must be changed.", Secrets: []string{password},
		Note:  views.Note{Tone: "warn", Title: "It is shown only now", Text: []string{"Write it down or read it out. Should it get lost, make another on the account’s page."}},
		Links: []views.Link{{Text: "All accounts", URL: "/staff/accounts"}, {Text: "The account", URL: accountURL(id)}},
	}))
	return nil
}

// staffAccount shows one account.
func (s *site) staffAccount(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "staff")
	if err != nil {
		return err
	}
	a, err := s.Access.Account(r.Context(), id)
	if err != nil {
		return err
	}
	return s.showAccount(w, r, who, http.StatusOK, a, accountForm{person: access.Profile{Email: a.Email, Name: a.Name, Role: access.Role(a.Role)}})
}

func (s *site) showAccount(w http.ResponseWriter, r *http.Request, who access.Staff, status int, a access.Account, f accountForm) error {
	page, _, err := s.staffPage(r, who, a.Name, "/staff/accounts")
	if err != nil {
		return err
	}
	v := views.StaffAccount{
		Page: page, Name: a.Name, Badges: accountBadges(a), Said: accountSaid(s.Sessions.PopString(r.Context(), saidKey)), Alert: f.alert,
		URL: accountURL(a.ID), Revision: strconv.Itoa(a.Revision), Fields: f.fields(), Acts: accountActs(a, a.ID == who.ID),
	}
	v.Role, v.Roles = f.role()
	s.render(w, r, status, views.StaffAccountPage(v))
	return nil
}

// accountActs are what an owner can do with an account.
func accountActs(a access.Account, own bool) (acts []views.AccountAct) {
	url := accountURL(a.ID)
	if !own {
		acts = append(acts, views.AccountAct{URL: url + "/password", Head: "Forgot the password", Words: "Makes a first password, shown once, and ends every sign-in.", Button: "Make a new password"})
	}
	if a.TwoStep {
		acts = append(acts, views.AccountAct{URL: url + "/two-step", Head: "Lost phone and recovery codes", Words: "Takes the second step away. Make sure that it is this person who asks.", Button: "Take the second step away", Danger: true})
	}
	acts = append(acts, views.AccountAct{URL: url + "/sign-ins", Head: "Signed in where they should not be", Words: "Ends every sign-in of this account but the one you use now.", Button: "End all sign-ins"})
	if a.Off {
		return append(acts, views.AccountAct{URL: url + "/on", Head: "Works here again", Words: "The old password works again.", Button: "Switch the account on"})
	}
	return append(acts, views.AccountAct{URL: url + "/off", Head: "Works here no more", Words: "Ends every sign-in at once; nobody can sign in with it. What was done stays in the log.", Button: "Switch the account off", Danger: true})
}

func accountSaid(what string) *views.Note {
	words := map[string][2]string{
		"saved":     {"Saved", "It counts from the next page on."},
		"off":       {"The account is off", "Its sign-ins are ended. It can be switched on again."},
		"on":        {"The account is on", "It can sign in again."},
		"two-step":  {"The second step is off", "The next sign-in asks for the password alone."},
		"signed-in": {"All sign-ins are ended", "Whoever it was has to sign in again."},
	}
	w, ok := words[what]
	if !ok {
		return nil
	}
	return &views.Note{Tone: "ok", Alert: true, Title: w[0], Text: []string{w[1]}}
}

// saveAccount changes name, e-mail or role.
func (s *site) saveAccount(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "staff")
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	f := typedAccount(r)
	err = s.Access.SaveAccount(r.Context(), who, id, revision(r.PostForm), f.person, s.clientAddress(r))
	switch {
	case err == nil && id == who.ID && f.person.Role != access.Owner:
		return seeOther(w, r, "/staff") // this page is not theirs any more
	case err == nil:
		return s.toAccount(w, r, id, "saved")
	}
	status := http.StatusUnprocessableEntity
	var rule *domain.RuleError
	switch {
	case errors.As(err, &f.wrong):
		f.alert = refusal("Nothing was changed yet", "Please look at what is marked below.")
	case errors.As(err, &rule):
		f.alert = refusal("That is not possible", rule.Words)
	case errors.Is(err, domain.ErrStale):
		status = http.StatusConflict
	default:
		return err
	}
	a, missing := s.Access.Account(r.Context(), id)
	if missing != nil {
		return missing
	}
	if status == http.StatusConflict {
		f.alert = refusal("Somebody else changed this meanwhile", "Stored is now: "+a.Name+", "+a.Email+", "+roleName(access.Role(a.Role))+". Below stands what you typed. Save again to put it in the place of that.")
	}
	s.note(r, status, err)
	return s.showAccount(w, r, who, status, a, f)
}

func (s *site) toAccount(w http.ResponseWriter, r *http.Request, id int64, said string) error {
	s.Sessions.Put(r.Context(), saidKey, said)
	return seeOther(w, r, accountURL(id))
}
