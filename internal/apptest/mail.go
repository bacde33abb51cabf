package apptest

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/mail"
	"net/textproto"
	"strings"
	"sync"
	"testing"
)

// MailServer takes mails and, while it is sick, refuses some for now and hangs up on
// others after it took them.
type MailServer struct {
	URL string // for SMTP_URL

	mu   sync.Mutex
	dice *rand.Rand
	sick bool
	got  map[string]int // Message-ID → how often it was taken
}

// StartMail runs one until the test ends, well at first.
func StartMail(t testing.TB, seed uint64) *MailServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &MailServer{URL: fmt.Sprintf("smtp://%s?tls=none", l.Addr()), dice: rand.New(rand.NewPCG(seed, 25)), got: map[string]int{}}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { defer c.Close(); s.serve(textproto.NewConn(c)) })
		}
	})
	t.Cleanup(func() { _ = l.Close() })
	return s
}

func (s *MailServer) serve(c *textproto.Conn) {
	_ = c.PrintfLine("220 here")
	for {
		line, err := c.ReadLine()
		if err != nil {
			return
		}
		answer := "250 fine"
		switch verb, _, _ := strings.Cut(strings.ToUpper(line), " "); verb {
		case "DATA":
			_ = c.PrintfLine("354 go on")
			if answer = s.take(c.DotReader()); answer == "" {
				return
			}
		case "QUIT":
			_ = c.PrintfLine("221 bye")
			return
		}
		_ = c.PrintfLine("%s", answer)
	}
}

// take reads one mail; "" hangs up.
func (s *MailServer) take(r io.Reader) string {
	m, err := mail.ReadMessage(r)
	if err != nil {
		return "554 not a mail"
	}
	_, _ = io.Copy(io.Discard, m.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	luck := s.dice.Float64()
	if s.sick && luck < 0.1 {
		return "451 later, please"
	}
	s.got[strings.Trim(m.Header.Get("Message-Id"), "<>")]++
	if s.sick && luck < 0.15 {
		return ""
	}
	return "250 taken"
}

// Sicken makes it ill, or well again.
func (s *MailServer) Sicken(sick bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sick = sick
}

// Took says how often the mail of a row was taken.
func (s *MailServer) Took(row int64) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for id, times := range s.got {
		if strings.HasPrefix(id, fmt.Sprintf("mail-%d.", row)) {
			n += times
		}
	}
	return n
}
