package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alexedwards/argon2id"

	"holdfast/db/dbtest"
	"holdfast/internal/config"
	"holdfast/internal/demo"
)

// Every start of a demo prints logins that work, the same ones while the file is there.
func TestDemoLogins(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	dir := t.TempDir()
	cfg := config.Config{Demo: true, DataDir: dir, BaseURL: "http://127.0.0.1:1"}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	start := func() string {
		t.Helper()
		var out, trouble bytes.Buffer
		if err := (app{stdout: &out, stderr: &trouble}).greet(t.Context(), cfg, d, listener); err != nil || trouble.Len() > 0 {
			t.Fatal(err, trouble.String())
		}
		return out.String()
	}
	file := filepath.Join(dir, "secrets", "demo-logins")
	owner := func() string {
		t.Helper()
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if email, password, _ := strings.Cut(strings.TrimSpace(line), " "); email == "owner@demo.example" {
				var hash string
				if err := d.Pool().QueryRow(t.Context(), `SELECT password_hash FROM staff WHERE email = $1`, email).Scan(&hash); err != nil {
					t.Fatal(err)
				}
				if fits, err := argon2id.ComparePasswordAndHash(password, hash); err != nil || !fits {
					t.Fatalf("the kept password does not fit: %v", err)
				}
				return password
			}
		}
		t.Fatalf("no owner in %q", text)
		return ""
	}

	out := start()
	first := owner()
	if !strings.Contains(out, first) || !strings.Contains(out, "http://127.0.0.1:1/staff/login") || !strings.Contains(out, "demo data is loaded") {
		t.Errorf("the first start says\n%s", out)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	if out := start(); !strings.Contains(out, first) || strings.Contains(out, "loaded") {
		t.Errorf("the second start says\n%s", out)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if out = start(); strings.Contains(out, first) || !strings.Contains(out, owner()) {
		t.Errorf("without the file a start says\n%s", out)
	}

	// Two weeks later nothing is left to come.
	if _, err := d.Pool().Exec(t.Context(), `UPDATE events SET starts_at = starts_at - interval '14 days', ends_at = ends_at - interval '14 days'`); err != nil {
		t.Fatal(err)
	}
	if out = start(); !strings.Contains(out, "run out of events") || !strings.Contains(out, owner()) {
		t.Errorf("after two weeks a start says\n%s", out)
	}
	r, err := demo.Load(t.Context(), d, demo.Options{})
	if err != nil || !r.AlreadyLoaded || r.Counts.ToCome < 50 {
		t.Errorf("after the new start: %+v, %v", r, err)
	}
}

// A house with events of its own is never cleared, whatever demo is beside them.
func TestDemoStartLeavesOtherEvents(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	dbtest.Screening(t, d, 2, 2)
	r, err := demo.Renew(t.Context(), d, demo.Options{Staff: true})
	if err != nil || r.Renewed || len(r.Staff) > 0 || r.Counts.Screenings > 0 {
		t.Errorf("beside real events: %+v, %v", r, err)
	}
}
