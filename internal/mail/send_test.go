package mail

import (
	"context"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"
	"time"

	"holdfast/internal/domain"
)

// opened is a received mail taken apart.
type opened struct {
	header mail.Header
	parts  []part // leaves only, in order
}

type part struct{ kind, name, id, body string }

func open(t *testing.T, r received) opened {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(r.data))
	if err != nil {
		t.Fatalf("%v\n%s", err, r.data)
	}
	o := opened{header: m.Header}
	o.take(t, m.Header.Get("Content-Type"), "", "", "", m.Body)
	return o
}

func (o *opened) take(t *testing.T, contentType, name, id, encoding string, body io.Reader) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		t.Fatalf("%q: %v", contentType, err)
	}
	if strings.HasPrefix(kind, "multipart/") {
		r := multipart.NewReader(body, params["boundary"])
		for {
			p, err := r.NextRawPart()
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			o.take(t, p.Header.Get("Content-Type"), p.FileName(), p.Header.Get("Content-ID"), p.Header.Get("Content-Transfer-Encoding"), p)
		}
	}
	if encoding == "quoted-printable" {
		body = quotedprintable.NewReader(body)
	}
	b, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	o.parts = append(o.parts, part{kind, name, id, strings.ReplaceAll(string(b), "\r\n", "\n")})
}

func (o opened) of(kind string) []part {
	var out []part
	for _, p := range o.parts {
		if p.kind == kind {
			out = append(out, p)
		}
	}
	return out
}

func subject(t *testing.T, o opened) string {
	t.Helper()
	s, err := new(mime.WordDecoder).DecodeHeader(o.header.Get("Subject"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustSend(t *testing.T, m *Mailer, id int64) {
	t.Helper()
	if err := m.Send(t.Context(), id); err != nil {
		t.Fatal(err)
	}
}

// E1: 7 seats, one address: one mail with 7 tickets. Sent again it does not leave again.
func TestE1_SevenSeatsOneMail(t *testing.T) {
	t.Parallel()
	h, s := newHouse(t, domain.Screening), startSMTP(t, &smtpServer{})
	m := h.to(s)
	id := h.ticketsMail(t, h.ev.Seats[:7]...)
	mustSend(t, m, id)
	mustSend(t, m, id)
	mails := s.mails()
	if len(mails) != 1 {
		t.Fatalf("%d mails", len(mails))
	}
	if mails[0].from != "tickets@book.example" || mails[0].to != "nimali@example.lk" {
		t.Errorf("envelope %q to %q", mails[0].from, mails[0].to)
	}
	o, row := open(t, mails[0]), h.row(t, id)
	text, html, images := o.of("text/plain"), o.of("text/html"), o.of("image/png")
	if len(text) != 1 || len(html) != 1 || len(images) != 7 || len(o.of("text/calendar")) != 1 {
		t.Fatalf("parts: %+v", o.parts)
	}
	if n := strings.Count(text[0].body, "https://book.example/t/"); n != 7 {
		t.Errorf("%d tickets in the text", n)
	}
	for _, p := range images {
		if !strings.Contains(html[0].body, `src="cid:`+strings.Trim(p.id, "<>")+`"`) {
			t.Errorf("image %s is not shown", p.id)
		}
	}
	if row.State != "sent" || row.SentAt == nil || row.Error != "" || row.Subject != subject(t, o) || row.TextBody != text[0].body || row.HTMLBody != html[0].body {
		t.Errorf("row %+v", row)
	}
	if got := subject(t, o); got != "K7P-XM3: Salt Road, Sat 5 Dec 19:30, 7 seats" {
		t.Errorf("subject %q", got)
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	h, s := newHouse(t, domain.Screening), startSMTP(t, &smtpServer{})
	mustSend(t, h.to(s), h.ticketsMail(t, "A1"))
	o := open(t, s.mails()[0])
	for name, want := range map[string]string{
		"From": `"Marigold Cinema" <tickets@book.example>`, "To": "<nimali@example.lk>", "Cc": "", "Bcc": "", "Auto-Submitted": "auto-generated",
	} {
		if got := o.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if at, err := o.header.Date(); err != nil || time.Since(at).Abs() > time.Hour {
		t.Errorf("date %v, %v", at, err)
	}
	if id := o.header.Get("Message-ID"); !strings.HasPrefix(id, "<mail-1.") || !strings.HasSuffix(id, "@book.example>") {
		t.Errorf("Message-ID %q", id)
	}
}

// E5: a failing attachment never stops the mail.
func TestE5_FailingAttachments(t *testing.T) {
	t.Parallel()
	broken := func(m *Mailer) {
		m.cfg.QR = func(string) ([]byte, error) { return nil, errBroken }
		m.cfg.Calendar = func(Booking) ([]byte, error) { return nil, errBroken }
	}
	for name, breakIt := range map[string]func(*Mailer){
		"broken": broken, "none": func(m *Mailer) { m.cfg.QR, m.cfg.Calendar = nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, s := newHouse(t, domain.Screening), startSMTP(t, &smtpServer{})
			m := h.to(s)
			breakIt(m)
			id := h.ticketsMail(t, "A1", "A2")
			mustSend(t, m, id)
			o := open(t, s.mails()[0])
			if len(o.parts) != 2 || strings.Contains(o.of("text/html")[0].body, "<img") {
				t.Errorf("parts: %+v", o.parts)
			}
			if n := strings.Count(o.of("text/plain")[0].body, "https://book.example/t/"); n != 2 || h.row(t, id).State != "sent" {
				t.Errorf("%d tickets, %s", n, h.row(t, id).State)
			}
		})
	}
}

// What is temporary comes back to the queue, says why in the row, and works later.
func TestTemporaryFailures(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ command, answer, words string }{
		{"greeting", "554 no service today", "no service today"},
		{"greeting", drop, "EOF"},
		{"greeting", hang, "did not finish within"},
		{"EHLO", "421 too busy", "421"},
		{"MAIL", "550 5.7.1 we do not know this sender", "we do not know this sender"}, // the house's to mend
		{"MAIL", hang, "did not finish within"},
		{"RCPT", "450 4.2.1 greylisted", "greylisted"},
		{"RCPT", "530 5.7.0 sign in first", "sign in first"},
		{"DATA", "451 later", "later"},
		{".", "452 disk full", "disk full"},
	} {
		t.Run(test.command+" "+test.answer, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, domain.Screening)
			s := startSMTP(t, &smtpServer{answers: map[string]string{test.command: test.answer}})
			m := h.to(s)
			if test.answer == hang {
				m.timeout = 300 * time.Millisecond
			}
			id := h.ticketsMail(t, "A1")
			err := m.Send(t.Context(), id)
			if err == nil || !strings.Contains(err.Error(), test.words) || strings.Contains(err.Error(), "nimali") {
				t.Errorf("error %v", err)
			}
			if row := h.row(t, id); row.State != "queued" || !strings.Contains(row.Error, test.words) {
				t.Errorf("row %s: %q", row.State, row.Error)
			}
			if n := h.count(t, `SELECT count(*) FROM staff_tasks`); n != 0 {
				t.Errorf("%d tasks", n)
			}
			s.set("", "")
			m.timeout = 5 * time.Second
			mustSend(t, m, id)
			if row := h.row(t, id); row.State != "sent" || row.Error != "" || len(s.mails()) != 1 {
				t.Errorf("row %s %q, %d mails", row.State, row.Error, len(s.mails()))
			}
		})
	}
}

func TestNobodyListens(t *testing.T) {
	t.Parallel()
	h := newHouse(t, domain.Screening)
	m := h.to(&smtpServer{host: "127.0.0.1", port: 1})
	id := h.ticketsMail(t, "A1")
	if err := m.Send(t.Context(), id); err == nil {
		t.Error("no error")
	}
	if row := h.row(t, id); row.State != "queued" || !strings.Contains(row.Error, "refused") {
		t.Errorf("row %s: %q", row.State, row.Error)
	}
}

// A 5yz about this mail ends its tries: the row says why, staff get a task, the job is done.
func TestPermanentFailures(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ command, answer string }{
		{"RCPT", "550 no such person"}, {"DATA", "554 not this one"}, {".", "552 too large"},
	} {
		t.Run(test.command, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, domain.Screening)
			s := startSMTP(t, &smtpServer{answers: map[string]string{test.command: test.answer}})
			m := h.to(s)
			id := h.ticketsMail(t, "A1")
			mustSend(t, m, id)
			if row := h.row(t, id); row.State != "failed" || !strings.Contains(row.Error, test.answer[:3]) || !strings.Contains(row.Error, test.answer[4:]) {
				t.Errorf("row %s: %q", row.State, row.Error)
			}
			if n := h.count(t, `SELECT count(*) FROM staff_tasks WHERE kind = 'mail_failed' AND state = 'open' AND booking_id IS NOT NULL`); n != 1 {
				t.Errorf("%d tasks", n)
			}
			s.set("", "")
			mustSend(t, m, id)
			if len(s.mails()) != 0 || h.count(t, `SELECT count(*) FROM staff_tasks`) != 1 {
				t.Error("tried again")
			}
		})
	}
}

// "Later" for three days means no.
func TestGivesUp(t *testing.T) {
	t.Parallel()
	h := newHouse(t, domain.Screening)
	s := startSMTP(t, &smtpServer{answers: map[string]string{"RCPT": "450 greylisted"}})
	id := h.ticketsMail(t, "A1")
	h.exec(t, `UPDATE mails SET created_at = now() - interval '73 hours'`)
	mustSend(t, h.to(s), id)
	if row := h.row(t, id); row.State != "failed" || h.count(t, `SELECT count(*) FROM staff_tasks`) != 1 {
		t.Errorf("row %s", row.State)
	}
}

// Failed but done: the server took the mail and its yes was lost. The repeat carries the
// same Message-ID, so that it can be known as a repeat.
func TestFailedButDone(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{drop, hang} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, domain.Screening)
			s := startSMTP(t, &smtpServer{answers: map[string]string{".": fault}})
			m := h.to(s)
			if fault == hang {
				m.timeout = 500 * time.Millisecond
			}
			id, other := h.ticketsMail(t, "A1"), h.ticketsMail(t, "A2")
			if err := m.Send(t.Context(), id); err == nil {
				t.Error("no error")
			}
			if row := h.row(t, id); row.State != "queued" {
				t.Errorf("row %s", row.State)
			}
			s.set("", "")
			m.timeout = 5 * time.Second
			mustSend(t, m, id)
			mustSend(t, m, other)
			var ids []string
			for _, r := range s.mails() {
				ids = append(ids, open(t, r).header.Get("Message-ID"))
			}
			if len(ids) != 3 || ids[0] != ids[1] || ids[1] == ids[2] {
				t.Errorf("Message-IDs %q", ids)
			}
		})
	}
}

// Whatever the server does after its yes, the mail has left.
func TestTroubleAfterTheYes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ command, answer string }{{"RSET", drop}, {"RSET", "550 no"}, {"QUIT", drop}, {"QUIT", "550 no"}, {"QUIT", hang}, {"RSET", hang}} {
		t.Run(test.command+" "+test.answer, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, domain.Screening)
			s := startSMTP(t, &smtpServer{answers: map[string]string{test.command: test.answer}})
			m := h.to(s)
			m.timeout = time.Second
			id := h.ticketsMail(t, "A1")
			mustSend(t, m, id)
			if row := h.row(t, id); row.State != "sent" || len(s.mails()) != 1 {
				t.Errorf("row %s: %q", row.State, row.Error)
			}
		})
	}
}

// A process that stops does not wait for a server that hangs, and still records why.
func TestStopsWithItsContext(t *testing.T) {
	t.Parallel()
	h := newHouse(t, domain.Screening)
	s := startSMTP(t, &smtpServer{answers: map[string]string{"RCPT": hang}})
	m := h.to(s)
	m.timeout = time.Minute
	id := h.ticketsMail(t, "A1")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-s.hung
		cancel()
	}()
	start := time.Now()
	if err := m.Send(ctx, id); err == nil || time.Since(start) > 30*time.Second {
		t.Errorf("error %v after %s", err, time.Since(start))
	}
	if row := h.row(t, id); row.State != "queued" || row.Error == "" {
		t.Errorf("row %s: %q", row.State, row.Error)
	}
}

// The process is told to stop between the server's yes and our record of it.
func TestStopsAfterTheYes(t *testing.T) {
	t.Parallel()
	h := newHouse(t, domain.Screening)
	s := startSMTP(t, &smtpServer{answers: map[string]string{"RSET": hang}})
	id := h.ticketsMail(t, "A1")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-s.hung
		cancel()
	}()
	if err := h.to(s).Send(ctx, id); err != nil || ctx.Err() == nil {
		t.Errorf("error %v, context %v", err, ctx.Err())
	}
	if row := h.row(t, id); row.State != "sent" {
		t.Errorf("row %s: %q", row.State, row.Error)
	}
}
