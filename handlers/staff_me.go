package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/views"
)

// meForm is what became of a form on one's own page.
type meForm struct {
	part  string // password, two-step or pin: whose alert it is
	alert *views.Note
	wrong access.Problems
	step  string // what is wrong with the step-up
}

// staffMe is somebody's own account.
func (s *site) staffMe(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.showMe(w, r, who, http.StatusOK, meForm{})
}

func (s *site) showMe(w http.ResponseWriter, r *http.Request, who access.Staff, status int, f meForm) error {
	me, err := s.Access.Me(r.Context(), who)
	if err != nil {
		return err
	}
	page, set, err := s.staffPage(r, who, "Your account", "")
	if err != nil {
		return err
	}
	page.Page.JS = append(page.Page.JS, s.Assets.URL("js/staff_accounts.js"))
	v := views.StaffMe{Page: page, Email: who.Email, Said: meSaid(s.Sessions.PopString(r.Context(), saidKey))}
	switch {
	case who.MustChange:
		v.First = &views.Note{Tone: "warn", Title: "First, a password of your own", Text: []string{"The one you signed in with was given to you by somebody else. Nothing else opens before it is changed."}}
		v.Password = mePassword(who, f)
	case who.Owes():
		v.First = &views.Note{Tone: "warn", Title: "First, set up your second step", Text: []string{"This house asks it of your role: from then on signing in needs your password and a code of your phone. Nothing else opens before."}}
		v.TwoStep = meTwoStep(who, me, f)
	default:
		v.Password, v.TwoStep = mePassword(who, f), meTwoStep(who, me, f)
		if who.Role.Covers(access.Manager) {
			v.PIN = mePIN(who, me, f)
		}
		v.SignIns, v.Others = meSignIns(who, me, set)
	}
	waits(w, status)
	s.render(w, r, status, views.StaffMePage(v))
	return nil
}

func (f meForm) alertOf(part string) *views.Note {
	if f.part == part {
		return f.alert
	}
	return nil
}

func (f meForm) stepOf(part string) string {
	if f.part == part {
		return f.step
	}
	return ""
}

func mePassword(who access.Staff, f meForm) *views.MePassword {
	return &views.MePassword{
		Email: who.Email, Alert: f.alertOf("password"),
		Old: views.AccountField{Name: "old", Label: "The password until now", Type: "password", Err: f.stepOf("password"), Complete: "current-password"},
		New: views.AccountField{Name: "new", Label: "The new one", Type: "password", Err: f.wrong["new"], Complete: "new-password", Show: true, Hint: passwordHint},
	}
}

func meTwoStep(who access.Staff, me access.Me, f meForm) *views.MeTwoStep {
	v := &views.MeTwoStep{
		On: who.TwoStep, Alert: f.alertOf("two-step"), StepUp: stepUpField(who), Badge: views.Badge{Text: "Off"},
		Words: "With it, signing in also asks for a code of an app on your phone: a password that somebody saw is worth nothing then.",
	}
	v.StepUp.ID, v.StepUp.Err = "two-step-secret", f.stepOf("two-step")
	if who.TwoStep {
		v.Badge = views.Badge{Tone: "ok", Text: "On"}
		v.Words = "Signing in asks for your password and for a code of your app."
		v.Codes, v.Few = fmt.Sprintf("%d of 10 recovery codes are left.", me.CodesLeft), me.CodesLeft < 4
		if who.MustTwoStep {
			v.Words += " This house asks it of your role: when you switch it off, you are asked to set it up again at once."
		}
	}
	return v
}

func mePIN(who access.Staff, me access.Me, f meForm) *views.MePIN {
	v := &views.MePIN{Set: me.PIN, Alert: f.alertOf("pin"), StepUp: stepUpField(who)}
	v.PIN = views.AccountField{Name: "pin", Label: "New PIN", Type: "password", Mode: "numeric", Err: f.wrong["pin"], Most: "8", Complete: "new-password", Hint: "4 to 8 figures; empty takes it away. After ten wrong tries in a row it is off until you set it anew.", Optional: true}
	v.StepUp.ID, v.StepUp.Err = "pin-secret", f.stepOf("pin")
	return v
}

func meSignIns(who access.Staff, me access.Me, set domain.Settings) (list []views.MeSignIn, others bool) {
	for _, x := range me.Open {
		row := views.MeSignIn{From: x.Address, Since: shortMoment(x.SignedInAt, set), Seen: shortMoment(x.SeenAt, set)}
		if x.ID != who.SignIn {
			row.EndURL, others = ownAccount+"/sign-ins/"+strconv.FormatInt(x.ID, 10)+"/end", true
		}
		list = append(list, row)
	}
	return list, others
}

func meSaid(what string) *views.Note {
	words := map[string][2]string{
		"password": {"Your password is changed", "Your other sign-ins are ended."},
		"pin":      {"Your PIN is saved", "Use it when a cashier needs you at the counter."},
		"no pin":   {"You have no PIN any more", "At the counter you confirm with your password."},
		"off":      {"The second step is off", "Signing in asks for the password alone now."},
		"ended":    {"That sign-in is ended", "It has to sign in again."},
		"others":   {"All other sign-ins are ended", "This one goes on."},
	}
	w, ok := words[what]
	if !ok {
		return nil
	}
	return &views.Note{Tone: "ok", Alert: true, Title: w[0], Text: []string{w[1]}, Links: []views.Link{{Text: "To your start page", URL: "/staff"}}}
}

// meRefused shows one's own page again with what is wrong; other errors stay errors.
func (s *site) meRefused(w http.ResponseWriter, r *http.Request, who access.Staff, part string, err error) error {
	f := meForm{part: part}
	if errors.As(err, &f.wrong) {
		f.alert = refusal("Nothing was changed yet", "Please look at what is marked below.")
		s.note(r, http.StatusUnprocessableEntity, err)
		return s.showMe(w, r, who, http.StatusUnprocessableEntity, f)
	}
	asked := who
	if part == "password" {
		asked.TwoStep = false // no code will do there
	}
	no, err := refusedStep(err, asked)
	if err != nil {
		return err
	}
	f.alert, f.step = refusal(no.title, no.words+" Nothing was changed."), no.words
	s.note(r, no.status, no.cause)
	return s.showMe(w, r, who, no.status, f)
}

func (s *site) toMe(w http.ResponseWriter, r *http.Request, said string) error {
	s.Sessions.Put(r.Context(), saidKey, said)
	return seeOther(w, r, ownAccount+"#main") // else a browser keeps the form's own place
}

// changePassword sets a password of one's own.
func (s *site) changePassword(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	if err := s.Access.ChangePassword(r.Context(), who, r.PostForm.Get("old"), r.PostForm.Get("new"), s.clientAddress(r)); err != nil {
		return s.meRefused(w, r, who, "password", err)
	}
	return s.toMe(w, r, "password")
}

// setPIN sets or takes away the PIN for the counter.
func (s *site) setPIN(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	pin := r.PostForm.Get("pin")
	if err := s.Access.SetPIN(r.Context(), who, pin, r.PostForm.Get("password"), s.clientAddress(r)); err != nil {
		return s.meRefused(w, r, who, "pin", err)
	}
	if pin == "" {
		return s.toMe(w, r, "no pin")
	}
	return s.toMe(w, r, "pin")
}

// endSignIn ends one of one's own sign-ins.
func (s *site) endSignIn(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "sign")
	if err != nil {
		return err
	}
	err = s.Access.EndSignIn(r.Context(), who, id, s.clientAddress(r))
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		return err
	}
	return s.toMe(w, r, "ended") // over already is as good
}

// endOthers ends all of one's sign-ins but this one.
func (s *site) endOthers(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := s.Access.EndOthers(r.Context(), who, s.clientAddress(r)); err != nil {
		return err
	}
	return s.toMe(w, r, "others")
}
