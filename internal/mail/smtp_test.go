package mail

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"net"
	"strings"
	"sync"
	"testing"
)

// smtpServer is a small mail server on loopback that can go wrong at every line.
type smtpServer struct {
	host string
	port int

	// answers by command ("greeting", "AUTH", "MAIL", "RCPT", "DATA", ".", "RSET", "QUIT"): an
	// SMTP line instead of the good one, or one of the words below.
	answers map[string]string
	user    string      // offers AUTH PLAIN and wants user:secret
	cert    *tls.Config // offers STARTTLS, or with implicit speaks TLS at once
	implict bool

	mu      sync.Mutex
	got     []received
	clear   []string      // lines that came unencrypted
	hung    chan struct{} // gets one when the server begins to hang
	release chan struct{}
}

const (
	hang = "hang" // never answers
	drop = "drop" // closes the connection instead of answering
)

type received struct {
	from, to string // as in the envelope
	data     string
	secure   bool
}

func startSMTP(t *testing.T, s *smtpServer) *smtpServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.host, s.port, s.release = "127.0.0.1", l.Addr().(*net.TCPAddr).Port, make(chan struct{})
	s.hung = make(chan struct{}, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { s.serve(c) })
		}
	})
	t.Cleanup(func() { close(s.release); _ = l.Close(); wg.Wait() })
	return s
}

// mails are what arrived so far.
func (s *smtpServer) mails() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]received(nil), s.got...)
}

func (s *smtpServer) set(command, answer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = map[string]string{command: answer}
}

func (s *smtpServer) answer(command, good string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a, ok := s.answers[command]; ok {
		return a
	}
	return good
}

// talk is one connection.
type talk struct {
	s      *smtpServer
	conn   net.Conn
	r      *bufio.Reader
	secure bool
	mail   received
}

func (s *smtpServer) serve(c net.Conn) {
	k := &talk{s: s, conn: c, r: bufio.NewReader(c)}
	defer func() { _ = k.conn.Close() }()
	if s.implict {
		k.encrypt()
	}
	if !k.say("greeting", "220 here") {
		return
	}
	for {
		line, err := k.line()
		if err != nil || !k.command(line) {
			return
		}
	}
}

func (k *talk) encrypt() {
	k.conn = tls.Server(k.conn, k.s.cert)
	k.r, k.secure = bufio.NewReader(k.conn), true
}

func (k *talk) line() (string, error) {
	line, err := k.r.ReadString('\n')
	line = strings.TrimRight(line, "\r\n")
	if !k.secure {
		k.s.mu.Lock()
		k.s.clear = append(k.s.clear, line)
		k.s.mu.Unlock()
	}
	return line, err
}

// say answers a command; false ends the talk.
func (k *talk) say(command, good string) bool {
	a := k.s.answer(command, good)
	switch a {
	case hang:
		select {
		case k.s.hung <- struct{}{}:
		default:
		}
		<-k.s.release
		return false
	case drop:
		return false
	}
	_, err := k.conn.Write([]byte(a + "\r\n"))
	return err == nil && !strings.HasPrefix(a, "421")
}

func (k *talk) command(line string) bool {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb = strings.ToUpper(verb); verb {
	case "EHLO":
		return k.say(verb, k.hello())
	case "STARTTLS":
		ok := k.say(verb, "220 go")
		k.encrypt()
		return ok
	case "AUTH":
		want := "PLAIN " + base64.StdEncoding.EncodeToString([]byte("\x00"+k.s.user+"\x00secret"))
		if rest != want {
			return k.say(verb, "535 5.7.8 no")
		}
		return k.say(verb, "235 yes")
	case "MAIL":
		k.mail = received{from: between(rest), secure: k.secure}
		return k.say(verb, "250 ok")
	case "RCPT":
		k.mail.to += between(rest)
		return k.say(verb, "250 ok")
	case "DATA":
		return k.data()
	case "QUIT":
		k.say(verb, "221 bye")
		return false
	}
	return k.say(verb, "250 ok")
}

func (k *talk) hello() string {
	words := "250-here\r\n250-8BITMIME\r\n"
	if k.s.cert != nil && !k.secure {
		words += "250-STARTTLS\r\n"
	}
	if k.s.user != "" {
		words += "250-AUTH PLAIN\r\n"
	}
	return words + "250 ENHANCEDSTATUSCODES"
}

// data keeps a mail unless the answer to its last line is a no: "drop" and "hang" are the
// server that did its work and could not say so.
func (k *talk) data() bool {
	if !k.say("DATA", "354 go") {
		return false
	}
	var b strings.Builder
	for {
		line, err := k.line()
		if err != nil {
			return false
		}
		if line == "." {
			break
		}
		b.WriteString(strings.TrimPrefix(line, ".") + "\r\n")
	}
	k.mail.data = b.String()
	if a := k.s.answer(".", "250"); !strings.HasPrefix(a, "4") && !strings.HasPrefix(a, "5") {
		k.s.mu.Lock()
		k.s.got = append(k.s.got, k.mail)
		k.s.mu.Unlock()
	}
	return k.say(".", "250 ok")
}

func between(s string) string {
	_, s, _ = strings.Cut(s, "<")
	s, _, _ = strings.Cut(s, ">")
	return s
}
