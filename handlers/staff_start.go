package handlers

import (
	"errors"
	"net/http"
	"strconv"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

const startURL = "/staff/start"

// staffStart is the way from an empty house to one that sells.
func (s *site) staffStart(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.showStart(w, r, who, http.StatusOK, nil)
}

func (s *site) showStart(w http.ResponseWriter, r *http.Request, who access.Staff, status int, alert *views.Note) error {
	page, set, err := s.staffPage(r, who, "Start", startURL)
	if err != nil {
		return err
	}
	x, err := s.Access.Readiness(r.Context())
	if err != nil {
		return err
	}
	v := views.StaffStart{Page: page, Said: startSaid(s.Sessions.PopString(r.Context(), saidKey)), Steps: s.steps(x, set), MailURL: startURL + "/mail", MailTo: who.Email, StepUp: stepUpField(who)}
	if alert != nil {
		v.Said = alert
	}
	v.Done, v.All = done(v.Steps), len(v.Steps)
	switch m, err := s.Access.LastTestMail(r.Context(), who); {
	case err == nil:
		v.Mail = testMail(m, set)
	case !errors.Is(err, domain.ErrNotFound):
		return err
	}
	switch {
	case x.Demo && who.Role.Covers(access.Owner):
		v.ClearURL = startURL + "/demo/clear"
	case !x.Demo && !x.RealEvents:
		v.LoadURL = startURL + "/demo/load"
	}
	v.Demo = x.Demo
	s.render(w, r, status, views.StaffStartPage(v))
	return nil
}

func startSaid(what string) *views.Note {
	switch what {
	case "test mail":
		return &views.Note{Tone: "ok", Alert: true, Title: "The mail is on its way", Text: []string{"What became of it stands below. Look again in a few seconds."}}
	case "demo loaded":
		return &views.Note{Tone: "ok", Alert: true, Title: "The demo is loaded", Text: []string{"A cinema and a bus line with a week to sell. Remove it here before you sell for real."}}
	case "demo cleared":
		return &views.Note{Tone: "ok", Alert: true, Title: "The demo is gone", Text: []string{"What it brought and what was sold on it is removed. Everything of your own is as it was."}}
	}
	return nil
}

// steps are what a house needs, in the order that works, each as the database has it now.
func (s *site) steps(x access.Readiness, set domain.Settings) []views.StartStep {
	show := views.StartStep{Title: "A film or a route", Words: "What people come for: a film with its length, or a bus route with its stops.", Done: x.Films || x.Routes, Link: views.Link{Text: "Films", URL: "/staff/films"}}
	seats := views.StartStep{Title: "A hall or a coach", Words: "It has a seat plan, and a name that stands on tickets.", Done: x.Resources, Link: views.Link{Text: "Halls and coaches", URL: "/staff/resources"}}
	switch set.Kind {
	case "cinema":
		seats.Title = "A hall"
		show.Title, show.Words, show.Done = "A film", "Its title and length are enough.", x.Films
	case "bus":
		seats.Title = "A coach"
		show.Title, show.Words, show.Done, show.Link = "A route", "Its stops, and how long the bus takes from one to the next.", x.Routes, views.Link{Text: "Routes", URL: "/staff/routes"}
	}
	steps := []views.StartStep{
		{Title: "A seat plan", Words: "Draw where people sit, and publish the drawing.", Done: x.Layouts, Link: views.Link{Text: "Seat plans", URL: plansURL}},
		seats,
		show,
		{Title: "Prices", Words: "What a seat costs, by zone and ticket type.", Done: x.Prices, Link: views.Link{Text: "Prices", URL: faresURL}},
		{Title: "An event", Words: "Put it on a day, in a hall or coach. It may stay a draft until all is right.", Done: x.Events, Link: views.Link{Text: "Schedule", URL: scheduleMenu}},
		{Title: "Online payment", Words: "Set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRETS where the program runs. The counter sells without them.", Done: s.Booking.PaysOnline() && s.Webhooks != nil, Link: views.Link{Text: "Status", URL: "/staff/status"}},
		{Title: "A test mail", Words: "Tickets are mailed. Send one to yourself and see that it arrives.", Done: x.TestMail, Link: views.Link{Text: "Send it", URL: "#mail-head"}},
		{Title: "Publish", Words: "Only published events can be seen and sold.", Done: x.Published, Link: views.Link{Text: "Schedule", URL: scheduleMenu}},
	}
	markNext(steps)
	return steps
}

// markNext marks the first step that is not done.
func markNext(steps []views.StartStep) {
	for i := range steps {
		if !steps[i].Done {
			steps[i].Next = true
			return
		}
	}
}

func done(steps []views.StartStep) (n int) {
	for _, x := range steps {
		if x.Done {
			n++
		}
	}
	return n
}

// setupNote leads owners and managers to the start page until all is done.
func (s *site) setupNote(r *http.Request, who access.Staff, set domain.Settings) (*views.Note, error) {
	if !who.Role.Covers(access.Manager) {
		return nil, nil
	}
	x, err := s.Access.Readiness(r.Context())
	if err != nil {
		return nil, err
	}
	steps := s.steps(x, set)
	n := done(steps)
	if n == len(steps) {
		return nil, nil
	}
	next := ""
	for _, x := range steps {
		if x.Next {
			next = x.Title
		}
	}
	return &views.Note{Title: strconv.Itoa(n) + " of " + strconv.Itoa(len(steps)) + " steps to your first sale are done", Text: []string{"Next: " + next + "."}, Links: []views.Link{{Text: "Go on", URL: startURL}}}, nil
}

// testMail is what became of it.
func testMail(m access.TestMail, set domain.Settings) *views.TestMail {
	v := &views.TestMail{State: "Waiting", Words: "Asked for " + shortMoment(m.CreatedAt, set) + "."}
	switch {
	case m.State == "sent":
		v.Tone, v.State = "ok", "Sent"
		if m.SentAt != nil {
			v.Words = "The mail server took it " + shortMoment(*m.SentAt, set) + ", " + format.Zone(set.TimeZone) + "."
		}
	case m.State == "failed":
		v.Tone, v.State, v.Error = "bad", "Failed", m.Error
	case m.Error != "":
		v.Tone, v.State, v.Error = "warn", "Not yet", m.Error
		v.Words += " It is tried again by itself."
	}
	return v
}

// sendTestMail queues a mail to whoever asks.
func (s *site) sendTestMail(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := s.Access.SendTestMail(r.Context(), who, s.by(r, who)); err != nil {
		return err
	}
	return s.toStart(w, r, "test mail")
}

// loadDemo fills an empty house with the demo.
func (s *site) loadDemo(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.demoDone(w, r, who, s.Samples.Load(r.Context(), s.by(r, who)), "demo loaded")
}

// clearDemo takes the demo away, once the password was typed again.
func (s *site) clearDemo(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	no, err := s.stepUp(r, who)
	if err != nil {
		return err
	}
	if no != nil {
		s.note(r, no.status, no.cause)
		waits(w, no.status)
		return s.showStart(w, r, who, no.status, refusal(no.title, no.words+" Nothing was removed."))
	}
	return s.demoDone(w, r, who, s.Samples.Clear(r.Context(), s.by(r, who)), "demo cleared")
}

func (s *site) demoDone(w http.ResponseWriter, r *http.Request, who access.Staff, err error, said string) error {
	var rule *domain.RuleError
	switch {
	case errors.As(err, &rule):
		s.note(r, http.StatusUnprocessableEntity, err)
		return s.showStart(w, r, who, http.StatusUnprocessableEntity, refusal("Nothing was changed", rule.Words))
	case err != nil:
		return err
	}
	return s.toStart(w, r, said)
}

func (s *site) toStart(w http.ResponseWriter, r *http.Request, said string) error {
	s.Sessions.Put(r.Context(), saidKey, said)
	return seeOther(w, r, startURL)
}
