package mail

import (
	"fmt"
	"testing"

	"holdfast/db"
	"holdfast/internal/domain"
)

// A mail that can never be written fails for good instead of being tried for ever.
func TestWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	h, s := newHouse(t, domain.Screening), startSMTP(t, &smtpServer{})
	booking := h.sell(t, h.hold(t, "A1"))
	for i, row := range []db.Mail{
		{Kind: "greetings", BookingID: &booking}, {Kind: "tickets"}, {Kind: "seats_lost"}, {Kind: "refund_done"}, {Kind: "staff_note"},
		{Kind: "tickets", BookingID: &booking, ToAddress: "nobody"},
	} {
		id := h.queue(t, row)
		mustSend(t, h.to(s), id)
		if got := h.row(t, id); got.State != "failed" || got.Error == "" {
			t.Errorf("%d: row %s: %q", i, got.State, got.Error)
		}
	}
	mustSend(t, h.to(s), 4711) // a row that demo clear took away
	if len(s.mails()) != 0 {
		t.Errorf("%d mails", len(s.mails()))
	}
}

// Nothing that people type becomes a header or another address.
func TestNoHeaderInjection(t *testing.T) {
	t.Parallel()
	h, s := newHouse(t, domain.Screening), startSMTP(t, &smtpServer{})
	h.exec(t, `UPDATE films SET title = E'Salt\r\nBcc: evil@example.com\r\n\r\nRoad é'`)
	if err := h.SetSetting(t.Context(), "venue_name", "House\r\nX-Evil: 1"); err != nil {
		t.Fatal(err)
	}
	mustSend(t, h.to(s), h.ticketsMail(t, "A1"))
	o := open(t, s.mails()[0])
	if got := subject(t, o); got != "K7P-XM3: Salt Bcc: evil@example.com Road é, Sat 5 Dec 19:30, A1" {
		t.Errorf("subject %q", got)
	}
	if o.header.Get("Bcc") != "" || o.header.Get("X-Evil") != "" || s.mails()[0].to != "nimali@example.lk" {
		t.Errorf("headers %v", o.header)
	}
	for i, address := range []string{"a@example.com\r\nBcc: b@example.com", "a@example.com, b@example.com", "a@example.com> RCPT TO:<b@example.com"} {
		booking := h.sell(t, h.hold(t, fmt.Sprintf("B%d", i+1)))
		id := h.queue(t, db.Mail{Kind: "tickets", BookingID: &booking, ToAddress: address})
		mustSend(t, h.to(s), id)
		if got := h.row(t, id); got.State != "failed" || len(s.mails()) != 1 {
			t.Errorf("%q: row %s, %d mails", address, got.State, len(s.mails()))
		}
	}
}
