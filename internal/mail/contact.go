package mail

import (
	"context"

	"holdfast/db"
	"holdfast/views"
)

// contactChanged tells an address that a booking's mails do not come to it any more. It
// names neither the new one nor the link: whoever reads it may be a stranger.
func (m *Mailer) contactChanged(ctx context.Context, row db.Mail) (letter, error) {
	s, err := m.sale(ctx, row.BookingID)
	if err != nil {
		return letter{}, err
	}
	v := views.MailContactView{Frame: s.frame(oneLine("Mails about booking " + s.reference() + " go to another address")), Event: s.about(), Reference: s.reference()}
	return finish(ctx, s.occasion, v.Frame.Subject, contactText(v), views.MailContact(v))
}

func contactText(v views.MailContactView) string {
	var p plain
	p.par(v.Heading())
	p.par(v.Story())
	p.event(v.Event)
	p.par(v.Warning())
	return p.sign(v.Frame)
}
