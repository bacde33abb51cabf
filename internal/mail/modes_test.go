package mail

import (
	"crypto/tls"
	"crypto/x509"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"holdfast/internal/domain"
)

func TestOffKeepsTheMailAndRequeueBringsItBack(t *testing.T) {
	t.Parallel()
	h, s := newHouse(t, domain.Screening), startSMTP(t, &smtpServer{})
	off := New(h.DB, config())
	id, other := h.ticketsMail(t, "A1"), h.ticketsMail(t, "A2")
	if !off.Off() {
		t.Error("it is on")
	}
	mustSend(t, off, id)
	if row := h.row(t, id); row.State != "queued" || row.Error != OffWords {
		t.Errorf("row %s: %q", row.State, row.Error)
	}
	if n, err := off.Requeue(t.Context()); n != 0 || err != nil {
		t.Errorf("off: %d requeued, %v", n, err)
	}
	m := h.to(s)
	var wg sync.WaitGroup
	var mu sync.Mutex
	total := 0
	for range 2 { // two processes start at once
		wg.Go(func() {
			n, err := m.Requeue(t.Context())
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			total += n
		})
	}
	wg.Wait()
	if jobs := h.count(t, `SELECT count(*) FROM river_job WHERE kind = 'mail' AND args->>'mail_id' = $1::text`, "1"); total != 1 || jobs != 1 {
		t.Errorf("%d requeued, %d jobs", total, jobs)
	}
	if row := h.row(t, other); row.Error != "" || row.State != "queued" {
		t.Errorf("the other row %s: %q", row.State, row.Error)
	}
	mustSend(t, m, id)
	if row := h.row(t, id); row.State != "sent" || len(s.mails()) != 1 {
		t.Errorf("row %s", row.State)
	}
}

func TestDemoPutsTheMailIntoTheOutbox(t *testing.T) {
	t.Parallel()
	h := newHouse(t, domain.Screening)
	c := config()
	c.Demo = true
	m := New(h.DB, c)
	id := h.ticketsMail(t, "A1")
	mustSend(t, m, id)
	row := h.row(t, id)
	if m.Off() || row.State != "sent" || !strings.Contains(row.TextBody, "Row A, seat 1") || !strings.Contains(row.HTMLBody, "<h1>") || row.Subject == "" {
		t.Errorf("row %+v", row)
	}
}

// certificate is one for 127.0.0.1 and the pool that trusts it.
func certificate(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	web := httptest.NewTLSServer(nil)
	t.Cleanup(web.Close)
	roots := x509.NewCertPool()
	roots.AddCert(web.Certificate())
	return &tls.Config{Certificates: web.TLS.Certificates, MinVersion: tls.VersionTLS12}, roots
}

func TestTLSAndSignIn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		mode            TLSMode
		offers, implict bool
		user, password  string
		trusted         bool
		secure, sent    bool
	}{
		"opportunistic, offered":     {mode: TLSOpportunistic, offers: true, trusted: true, secure: true, sent: true},
		"opportunistic, not offered": {mode: TLSOpportunistic, sent: true},
		"mandatory, offered":         {mode: TLSMandatory, offers: true, trusted: true, secure: true, sent: true},
		"mandatory, not offered":     {mode: TLSMandatory},
		"mandatory, not trusted":     {mode: TLSMandatory, offers: true},
		"none, offered":              {mode: TLSNone, offers: true, sent: true},
		"implicit":                   {mode: TLSImplicit, offers: true, implict: true, trusted: true, secure: true, sent: true},
		"implicit, not trusted":      {mode: TLSImplicit, offers: true, implict: true},
		"signed in":                  {mode: TLSMandatory, offers: true, trusted: true, user: "shop", password: "secret", secure: true, sent: true},
		"signed in, implicit":        {mode: TLSImplicit, offers: true, implict: true, trusted: true, user: "shop", password: "secret", secure: true, sent: true},
		"signed in, none":            {mode: TLSNone, user: "shop", password: "secret", sent: true},
		"wrong password":             {mode: TLSMandatory, offers: true, trusted: true, user: "shop", password: "hunter2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, domain.Screening)
			s := &smtpServer{user: test.user, implict: test.implict}
			cert, roots := certificate(t)
			if test.offers {
				s.cert = cert
			}
			m := h.to(startSMTP(t, s))
			m.cfg.SMTP.TLS, m.cfg.SMTP.User, m.cfg.SMTP.Password = test.mode, test.user, test.password
			if test.trusted {
				m.roots = roots
			}
			id := h.ticketsMail(t, "A1")
			err := m.Send(t.Context(), id)
			row, mails := h.row(t, id), s.mails()
			if (err == nil) != test.sent || (row.State == "sent") != test.sent || (len(mails) == 1) != test.sent {
				t.Fatalf("error %v, row %s %q, %d mails", err, row.State, row.Error, len(mails))
			}
			if !test.sent && row.State != "queued" {
				t.Errorf("row %s: the settings are the house's to mend", row.State)
			}
			if test.sent && mails[0].secure != test.secure {
				t.Errorf("encrypted: %v", mails[0].secure)
			}
			if strings.Contains(row.Error, "hunter2") || test.mode == TLSMandatory && strings.Contains(strings.Join(s.clear, "\n"), "MAIL FROM") {
				t.Errorf("leaked: %q, %q", row.Error, s.clear)
			}
		})
	}
}

// Outside tls=none no way to sign in is chosen that shows the password on the wire.
func TestSignInNeverInTheClear(t *testing.T) {
	t.Parallel()
	for _, mode := range []TLSMode{TLSOpportunistic, TLSMandatory, TLSImplicit} {
		for _, way := range signIn(mode) {
			if strings.Contains(string(way), "NOENC") {
				t.Errorf("%s: %s", mode, way)
			}
		}
	}
	s := SMTP{Host: "mail.example", Port: 587, User: "u", Password: "hunter2", TLS: TLSMandatory}
	if got := s.String(); got != "mail.example:587 tls=mandatory" {
		t.Errorf("printed as %q", got)
	}
}

func TestHelo(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://book.example": "book.example", "http://127.0.0.1:8080": "[127.0.0.1]", "http://[::1]:8080": "[IPv6:::1]", "": "holdfast.invalid",
	} {
		m := New(nil, Config{BaseURL: base})
		if got := m.helo(); got != want {
			t.Errorf("%q: %q, want %q", base, got, want)
		}
	}
}
