package mail

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"holdfast/db"
)

// deliver gives the letter to the SMTP server. nil: the server took it. An error that is
// final: the server refused the address or the text for good, or the address is none.
func (m *Mailer) deliver(ctx context.Context, row db.Mail, l letter) error {
	msg, err := m.message(row, l)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	err = m.transmit(ctx, msg)
	switch {
	case msg.IsDelivered(): // whatever the server said after its yes
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("the mail server did not finish within %s", m.timeout)
	case err == nil:
		return errors.New("the mail server did not say that it took the mail")
	case refusedForGood(err):
		return final{errors.New(serverWords(err))}
	}
	return errors.New(serverWords(err))
}

// transmit makes one connection for one mail. The connection is closed when ctx ends,
// at whatever line the server hangs.
func (m *Mailer) transmit(ctx context.Context, msg *gomail.Msg) error {
	var wire net.Conn
	dial := func(_ context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		wire = c
		context.AfterFunc(ctx, func() { _ = c.Close() })
		if m.cfg.SMTP.TLS == TLSImplicit {
			return tls.Client(c, m.tlsConfig()), nil
		}
		return c, nil
	}
	defer func() {
		if wire != nil {
			_ = wire.Close()
		}
	}()
	client, err := m.client(dial)
	if err != nil {
		return err
	}
	conn, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return err
	}
	if err := client.SendWithSMTPClient(conn, msg); err != nil {
		return err
	}
	_ = wire.SetDeadline(time.Now().Add(time.Second)) // for a polite goodbye, no more
	_ = conn.Quit()
	return nil
}

func (m *Mailer) client(dial gomail.DialContextFunc) (*gomail.Client, error) {
	s := m.cfg.SMTP
	policy := gomail.TLSOpportunistic
	switch s.TLS {
	case TLSMandatory:
		policy = gomail.TLSMandatory
	case TLSNone, TLSImplicit:
		policy = gomail.NoTLS // of STARTTLS
	}
	options := []gomail.Option{ // its own timeout is a second net: transmit's ends first
		gomail.WithPort(s.Port), gomail.WithTimeout(2 * m.timeout), gomail.WithTLSConfig(m.tlsConfig()),
		gomail.WithTLSPolicy(policy), gomail.WithDialContextFunc(dial), gomail.WithHELO(m.helo()), gomail.WithoutNoop(),
	}
	if s.User != "" {
		options = append(options, gomail.WithUsername(s.User), gomail.WithPassword(s.Password), gomail.WithOpportunisticSMTPAuth(signIn(s.TLS)...))
	}
	return gomail.NewClient(s.Host, options...)
}

// signIn lists the ways to sign in, best first. The password goes over the wire in the
// clear only where the owner wrote tls=none.
func signIn(mode TLSMode) []gomail.SMTPAuthType {
	if mode == TLSNone {
		return []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthCramMD5, gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc}
	}
	return []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin, gomail.SMTPAuthCramMD5}
}

// helo is how we greet: our public name, which a container's own name is not. An
// address stands in brackets (RFC 5321, 4.1.3).
func (m *Mailer) helo() string {
	host := m.host()
	switch ip := net.ParseIP(host); {
	case ip == nil:
		return host
	case ip.To4() == nil:
		return "[IPv6:" + host + "]"
	}
	return "[" + host + "]"
}

func (m *Mailer) tlsConfig() *tls.Config {
	return &tls.Config{ServerName: m.cfg.SMTP.Host, MinVersion: tls.VersionTLS12, RootCAs: m.roots}
}

// message is the letter in MIME: text and HTML, the QR images inline, the calendar file
// attached. One To, no Cc, no Bcc. Names and the subject lose their line ends and are
// encoded, addresses are parsed: nothing from a form can become a header.
func (m *Mailer) message(row db.Mail, l letter) (*gomail.Msg, error) {
	from, err := mail.ParseAddress(m.cfg.From)
	if err != nil {
		return nil, errors.New("MAIL_FROM is not a mail address")
	}
	if from.Name == "" {
		from.Name = oneLine(l.house)
	}
	to, err := mail.ParseAddress(row.ToAddress)
	if err != nil {
		return nil, final{fmt.Errorf("%q is not a mail address", row.ToAddress)}
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(from)
	msg.ToMailAddress(&mail.Address{Address: to.Address})
	msg.Subject(l.subject)
	msg.SetDate()
	msg.SetMessageIDWithValue(m.messageID(row))
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no "out of office" back
	msg.SetBodyString(gomail.TypeTextPlain, l.text)
	msg.AddAlternativeString(gomail.TypeTextHTML, l.html)
	for _, f := range l.images {
		m.attached(row, msg.EmbedReader(f.name, bytes.NewReader(f.body), gomail.WithFileContentType("image/png"), gomail.WithFileContentID("<"+f.id+">")))
	}
	if l.calendar.body != nil {
		m.attached(row, msg.AttachReader(l.calendar.name, bytes.NewReader(l.calendar.body), gomail.WithFileContentType("text/calendar; charset=utf-8; method=PUBLISH")))
	}
	return msg, nil
}

// attached notes a file that could not be made. The mail leaves without it.
func (m *Mailer) attached(row db.Mail, err error) {
	if err != nil {
		m.cfg.Log.Warn("a mail leaves without an attachment", "mail", row.ID, "error", err.Error())
	}
}

// messageID is the same for every try of a row. The row's time is in it because ids
// start again when a database is made anew.
func (m *Mailer) messageID(row db.Mail) string {
	return fmt.Sprintf("mail-%d.%s@%s", row.ID, strconv.FormatInt(row.CreatedAt.UnixMicro(), 36), m.host())
}

// refusedForGood: 5yz to the recipient or to the text is about this mail, and no repeat
// will change it. The same answer to the sign-in or to our own address is the house's to
// mend: the mail waits for that.
func refusedForGood(err error) bool {
	var e *gomail.SendError
	if !errors.As(err, &e) || e.ErrorCode() < 500 {
		return false
	}
	switch e.ErrorCode() {
	case 530, 534, 535, 538: // sign-in wanted or refused
		return false
	}
	return e.Reason == gomail.ErrSMTPRcptTo || e.Reason == gomail.ErrSMTPData || e.Reason == gomail.ErrSMTPDataClose
}

// serverWords is what the server said, without the addresses the library adds.
func serverWords(err error) string {
	words, _, _ := strings.Cut(err.Error(), ", affected ")
	return oneLine(words)
}

// oneLine turns line ends and other control characters into spaces.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
}
