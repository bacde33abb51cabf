package handlers

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// Outbox lists the mails of a demo, which leave for nowhere.
type Outbox interface {
	Recent(ctx context.Context, n int) ([]OutboxMail, error)
	Mail(ctx context.Context, id int64) (OutboxMail, error)
}

// OutboxMail is one mail as the demo shows it.
type OutboxMail struct {
	ID                      int64
	Kind, To, Subject, Text string
	State, Error            string
	At                      time.Time
}

func (s *site) outboxPage(w http.ResponseWriter, r *http.Request) error {
	return s.showOutbox(w, r, nil)
}

func (s *site) outboxMail(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "mail")
	if err != nil {
		return err
	}
	m, err := s.Demo.Outbox.Mail(r.Context(), id)
	if err != nil {
		return err
	}
	return s.showOutbox(w, r, &m)
}

func (s *site) showOutbox(w http.ResponseWriter, r *http.Request, open *OutboxMail) error {
	page, set, err := s.pages.page(r.Context(), "Mail outbox", domain.Screening)
	if err != nil {
		return err
	}
	page.Narrow = true
	list, err := s.Demo.Outbox.Recent(r.Context(), 100)
	if err != nil {
		return err
	}
	v := views.OutboxView{Page: page}
	for _, m := range list {
		v.Mails = append(v.Mails, outboxRow(m, set, open != nil && open.ID == m.ID))
	}
	if open != nil {
		v.Open = &views.OutboxOpen{Mail: outboxRow(*open, set, true), Text: open.Text}
	}
	s.render(w, r, http.StatusOK, views.Outbox(v))
	return nil
}

func outboxRow(m OutboxMail, set domain.Settings, current bool) views.OutboxMail {
	at := format.In(m.At, set.TimeZone)
	state := m.State
	if state == "queued" {
		state = "waiting"
	}
	return views.OutboxMail{
		URL: "/demo/outbox/" + strconv.FormatInt(m.ID, 10), Kind: mailWords(m.Kind), To: m.To, Subject: m.Subject, State: state, Error: m.Error,
		Time: format.ShortDay(at) + ", " + format.Clock(at) + ", " + format.Zone(set.TimeZone), Current: current,
	}
}
