package mail

import (
	"context"

	"holdfast/internal/domain"
	"holdfast/views"
)

// trial is the mail that staff send to themselves to see that mail works.
func (m *Mailer) trial(ctx context.Context) (letter, error) {
	stored, err := m.db.Settings(ctx)
	if err != nil {
		return letter{}, err
	}
	o := &occasion{}
	o.house, _ = domain.ParseSettings(stored) // a bad value is its default; the sales service logs it
	subject := oneLine("Mail works: a test from " + o.house.VenueName)
	v := views.MailStaffView{
		Frame: views.MailFrame{Subject: subject}, URL: m.cfg.BaseURL + "/staff/start",
		Tasks: []string{"You asked for this mail on the start page.", "Tickets come the same way and from the same address. If this one lay in the spam folder, theirs may too."},
	}
	return finish(ctx, o, subject, staffText(v), views.MailStaff(v))
}
