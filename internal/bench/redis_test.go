package bench

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"
)

// commonly is how Redis is set up where holds matter: every change is appended to a
// file, which is synced each second.
var commonly = []string{"--appendonly", "yes", "--appendfsync", "everysec", "--save", ""}

// redis is a server of our own on a port of the loopback with a folder of its own. A nil
// one is a machine without Redis: it has no sides and no address.
type redis struct {
	addr, dir string
	args      []string
	cmd       *exec.Cmd
}

// startRedis answers nil, and says so in one line, where there is no redis-server.
func startRedis(t testing.TB, args ...string) *redis {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Log("redis-server is not installed (apt-get install redis-server): nothing is compared with Redis")
		return nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &redis{addr: l.Addr().String(), args: args}
	l.Close()
	if s.dir, err = os.MkdirTemp("", "holdfast-redis-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.kill()
		_ = os.RemoveAll(s.dir)
	})
	s.up(t)
	return s
}

// up starts the server on its folder and waits until it answers.
func (s *redis) up(t testing.TB) {
	t.Helper()
	_, port, _ := net.SplitHostPort(s.addr) // a listener's address has both
	s.cmd = exec.Command("redis-server", append([]string{"--bind", "127.0.0.1", "--port", port, "--dir", s.dir, "--daemonize", "no", "--logfile", s.dir + "/log"}, s.args...)...)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); ; time.Sleep(2 * time.Millisecond) { // polling a start, not waiting for time
		c, err := dialResp(s.addr)
		if err == nil {
			var pong string
			if pong, err = c.text("PING"); pong == "PONG" {
				_ = c.Close()
				return
			}
			_ = c.Close()
		}
		if time.Since(began) > 10*time.Second {
			t.Fatalf("Redis does not answer: %v\n%s", err, tail(s.dir+"/log"))
		}
	}
}

// kill ends it as a crash does, by its id.
func (s *redis) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

func (s *redis) address() string {
	if s == nil {
		return ""
	}
	return s.addr
}

// with runs one command on a connection of its own.
func (s *redis) with(t testing.TB, args ...string) any {
	t.Helper()
	c, err := dialResp(s.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	v, err := c.do(args...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// forget frees everything.
func (s *redis) forget(b *testing.B) {
	b.Helper()
	if s != nil {
		s.with(b, "FLUSHALL")
	}
}

// claims are the sides that hold a seat by the script, alone and behind the small
// handler; "always" syncs its file before it answers, as PostgreSQL does.
func (s *redis) claims(clients int, p *seatPicker, front process) []side {
	if s == nil {
		return nil
	}
	alone := func(d time.Duration) (tally, error) {
		return crowd(clients, d, s.cmd.Process.Pid, func(w int) (func() (bool, error), func(), error) {
			c, err := dialResp(s.addr)
			if err != nil {
				return nil, nil, err
			}
			return func() (bool, error) {
				event, seat, ok := p.pick(w)
				if !ok {
					return false, errSpent
				}
				ok, err := c.hold(event, seat, someUUID())
				if err == nil && !ok {
					err = fmt.Errorf("seat %s of event %d was held twice", seat, event)
				}
				return ok, err
			}, func() { _ = c.Close() }, nil
		})
	}
	behind := func(d time.Duration) (tally, error) {
		return browsers(clients, d, front, 303, p.claim("/redis"))
	}
	return []side{
		{"Redis alone, everysec", s.synced("everysec", alone)}, {"small handler, Redis everysec", s.synced("everysec", behind)},
		{"small handler, Redis always", s.synced("always", behind)},
	}
}

// synced sets how the server syncs its file for a turn.
func (s *redis) synced(how string, turn func(time.Duration) (tally, error)) func(time.Duration) (tally, error) {
	return func(d time.Duration) (tally, error) {
		c, err := dialResp(s.addr)
		if err != nil {
			return tally{}, err
		}
		defer c.Close()
		if _, err := c.do("CONFIG", "SET", "appendfsync", how); err != nil {
			return tally{}, err
		}
		return turn(d)
	}
}
