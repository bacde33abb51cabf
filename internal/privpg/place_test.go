package privpg

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// closedDir lies, like a clone in root's home, where only root may enter.
func closedDir(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root runs the server as another account, so only root can be shut out of its own folder")
	}
	return filepath.Join(t.TempDir(), ".data", "pg") // TempDir's parent has mode 0700
}

func TestCloneWhereTheAccountMayNotEnter(t *testing.T) {
	t.Parallel()
	dir := closedDir(t)
	if err := os.Chmod(filepath.Dir(filepath.Dir(dir)), 0o700); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s := start(t, Options{Dir: dir, Log: &log})
	t.Cleanup(func() { _ = os.RemoveAll(s.base) })
	mark(t, s, "elsewhere")
	if strings.HasPrefix(s.base, filepath.Dir(dir)) || s.throwaway {
		t.Fatal("kept in", s.base)
	}
	if st, err := os.Stat(s.base); err != nil || st.Mode().Perm() != 0o700 {
		t.Error(st.Mode(), err)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), s.base) {
		t.Errorf("the log does not say where: %s", log.String())
	}
	again := start(t, Options{Dir: dir})
	if got := query(t, again, `select m from mark`); got != "elsewhere" {
		t.Errorf("got %q", got)
	}
}

func TestTwoClosedClonesDoNotMeet(t *testing.T) {
	t.Parallel()
	a, b := start(t, Options{Dir: closedDir(t)}), start(t, Options{Dir: closedDir(t)})
	t.Cleanup(func() { _ = os.RemoveAll(a.base); _ = os.RemoveAll(b.base) })
	if a.base == b.base || b.Attached {
		t.Error("both in", a.base)
	}
}

func TestStandInOfSomebodyElseIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := filepath.Join(dir, "theirs")
	if err := os.Symlink(dir, target); err != nil {
		t.Fatal(err)
	}
	if err := (account{}).claimFolder(target); err == nil {
		t.Error("followed a link that anybody could have laid")
	}
}

func TestGoodSocketDir(t *testing.T) {
	t.Parallel()
	for dir, want := range map[string]bool{
		"/tmp/a/s":                    true,
		"/" + strings.Repeat("a", 85): true, // 86 + 14 = 100
		"/" + strings.Repeat("a", 86): false,
		"/tmp/a b/s":                  false,
		"/tmp/a,b/s":                  false,
		"/home/jörg/s":                false,
		"/tmp/100%/s":                 false,
	} {
		if got := goodSocketDir(dir); got != want {
			t.Errorf("%s: %v", dir, got)
		}
	}
}

func TestPathVersion(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]int{
		"/usr/lib/postgresql/15/bin":                          15,
		"/opt/homebrew/opt/postgresql@17/bin":                 17,
		"/opt/homebrew/opt/postgresql/bin":                    0,
		"/Applications/Postgres.app/Contents/Versions/16/bin": 16,
	} {
		if got := pathVersion(path); got != want {
			t.Errorf("%s: %d", path, got)
		}
	}
}
