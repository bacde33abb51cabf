package config

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// TLSMode says how a mail connection is encrypted.
type TLSMode string

const (
	TLSOpportunistic TLSMode = "opportunistic" // STARTTLS when the server offers it
	TLSMandatory     TLSMode = "mandatory"     // STARTTLS or no mail
	TLSNone          TLSMode = "none"
	TLSImplicit      TLSMode = "implicit" // TLS from the first byte: smtps://
)

// SMTP is a mail server. User is empty when it wants no sign-in.
type SMTP struct {
	Host     string // name or address, IPv6 without brackets
	Port     int
	User     string
	Password Secret
	TLS      TLSMode
}

// String shows neither user nor password.
func (s SMTP) String() string {
	return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) + " tls=" + string(s.TLS)
}

// The words never repeat the address: it may hold a password.
var (
	errSMTPForm = errors.New("cannot be read; use smtp://user:password@host:port or smtps://user:password@host:port, with special characters in user and password written as %40 for @ and so on")
	errSMTPPort = errors.New("needs a host and a port from 1 to 65535, such as smtp://mail.example.org:587")
	errSMTPRest = errors.New("may have nothing behind host and port but ?tls=mandatory, ?tls=opportunistic or ?tls=none")
	errSMTPTLS  = errors.New("is smtps://, which is always encrypted; leave ?tls= away")
)

// parseSMTP reads smtp://[user:pass@]host:port[?tls=mandatory|opportunistic|none]
// or smtps://[user:pass@]host:port. A port left out is 587 or 465.
func parseSMTP(text string) (*SMTP, error) {
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" {
		return nil, errSMTPForm
	}
	s := &SMTP{Host: u.Hostname(), User: u.User.Username()}
	if p, ok := u.User.Password(); ok {
		s.Password = Secret(p)
	}
	if s.TLS, err = smtpTLS(u); err != nil {
		return nil, err
	}
	if s.Port, err = smtpPort(u, s.TLS); err != nil || s.Host == "" {
		return nil, errSMTPPort
	}
	if s.Password != "" && s.User == "" {
		return nil, errSMTPForm
	}
	return s, nil
}

func smtpTLS(u *url.URL) (TLSMode, error) {
	if (u.Path != "" && u.Path != "/") || u.Fragment != "" {
		return "", errSMTPRest
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return "", errSMTPRest
	}
	tls := query["tls"]
	if len(query) > 1 || len(query) != len(tls) {
		return "", errSMTPRest
	}
	switch strings.ToLower(u.Scheme) {
	case "smtps":
		if len(tls) > 0 {
			return "", errSMTPTLS
		}
		return TLSImplicit, nil
	case "smtp":
		if len(tls) == 0 {
			return TLSOpportunistic, nil
		}
		switch mode := TLSMode(tls[0]); mode {
		case TLSMandatory, TLSOpportunistic, TLSNone:
			return mode, nil
		}
		return "", errSMTPRest
	}
	return "", errSMTPForm
}

func smtpPort(u *url.URL, tls TLSMode) (int, error) {
	switch {
	case u.Port() != "":
		return parsePort(u.Port())
	case strings.HasSuffix(u.Host, ":"):
		return 0, errSMTPPort
	case tls == TLSImplicit:
		return 465, nil
	}
	return 587, nil
}

func parsePort(text string) (int, error) {
	port, err := strconv.Atoi(text)
	if err != nil || port < 1 || port > 65535 {
		return 0, errSMTPPort
	}
	return port, nil
}
