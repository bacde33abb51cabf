package main

import (
	"bufio"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"holdfast/db/dbtest"
)

// fence stands in front of the internet: it lets nobody out and remembers who was asked
// for.
func fence(t *testing.T) (address string, asked *atomic.Value) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	asked = &atomic.Value{}
	asked.Store("")
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if line, err := bufio.NewReader(c).ReadString('\n'); err == nil {
				asked.Store(strings.TrimSpace(line))
			}
			c.Close()
		}
	}()
	return "http://" + l.Addr().String(), asked
}

// D5: the one binary, in a folder without a file, with the address of a database, the
// port, its own address, its secrets and the keys of Stripe and mail: nothing else.
func TestD5_DeploysWithTheNamedVariablesAlone(t *testing.T) {
	t.Parallel()
	bin, err := built()
	if err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	w := &world{t: t, URL: "http://127.0.0.1:" + strconv.Itoa(port), databaseURL: dbtest.EmptyURL(t), logs: &syncBuffer{}}
	outside, asked := fence(t)
	env := []string{
		"DATABASE_URL=" + w.databaseURL, "PORT=" + strconv.Itoa(port), "BASE_URL=" + w.URL,
		"STRIPE_SECRET_KEY=sk_test_deploy", "STRIPE_WEBHOOK_SECRETS=" + testSecret,
		"SMTP_URL=smtp://user:pass@127.0.0.1:1", "MAIL_FROM=Rex Cinema <tickets@rex.example>",
		"APP_SECRET=" + strings.Repeat("s", 32), "SETUP_TOKEN=setup",
		"HTTPS_PROXY=" + outside, // of this test alone: Stripe itself is not asked
	}
	as := func(arg string) *exec.Cmd {
		cmd := exec.Command(bin, arg)
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = t.TempDir(), env, w.logs, w.logs
		return cmd
	}
	if err := as("migrate").Run(); err != nil {
		t.Fatalf("migrate: %v\n%s", err, w.logs.tail(4000))
	}
	serve := as("serve")
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	t.Cleanup(func() {
		if !ended {
			_ = serve.Process.Kill()
			_ = serve.Wait()
		}
		if t.Failed() {
			t.Logf("log of the program:\n%s", w.logs.tail(6000))
		}
	})
	w.eventuallySim("it is ready", func() bool {
		res, err := http.Get(w.URL + "/readyz")
		if err == nil {
			res.Body.Close()
		}
		return err == nil && res.StatusCode == http.StatusOK
	})

	b := w.browser()
	b.get(w.URL + "/healthz").want(200)
	p := b.get(w.URL+"/").want(200).says("Holdfast", "Test mode") // a test key says so
	for _, n := range p.all("link", "rel", "stylesheet") {
		href, _ := attribute(n, "href")
		b.get(p.resolve(href)).want(200) // from inside the binary
	}
	b.follow(b.post(w.URL+"/setup", setupFields(nil)).want(303)).want(200).says("Olga Marin, owner", "Rex Lines")
	status := b.get(w.URL + "/staff/status").want(200).text()
	for _, off := range []string{"payment is off", "mail is off"} {
		if strings.Contains(status, off) || strings.Contains(w.logs.tail(1e6), off) {
			t.Errorf("it says %q", off)
		}
	}
	b.post(w.URL+"/hooks/stripe", url.Values{}).want(400) // there, and not signed
	w.eventuallySim("Stripe itself is asked about its key", func() bool { return strings.Contains(asked.Load().(string), "api.stripe.com:443") })

	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	err, ended = serve.Wait(), true
	if err != nil {
		t.Errorf("the stop: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(serve.Dir, "*")); len(left) > 0 {
		t.Errorf("it left %v where it ran", left)
	}
}
