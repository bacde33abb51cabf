package privpg

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestThrowawayIsRemovedAtStop(t *testing.T) {
	t.Parallel()
	s := start(t, Options{DBName: "shop, odd/name"})
	if got := query(t, s, `select current_setting('fsync') || ' ' || current_database()`); got != "off shop, odd/name" {
		t.Errorf("got %q", got)
	}
	if got := query(t, s, `select current_setting('listen_addresses')`); got != "" {
		t.Errorf("listens on %q", got)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if exists(s.base) {
		t.Error(s.base, "was left")
	}
}

func TestStopTwiceAndAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := s.Stop(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

func TestThrowawayGoesWhenItsOwnerIsKilled(t *testing.T) {
	t.Parallel()
	owner, base := startOwner(t, "throwaway")
	if !exists(filepath.Join(base, "data", "postmaster.pid")) {
		t.Fatal("no server in", base)
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait()
	eventually(t, base+" removed", func() bool { return !exists(base) })
}

func TestKeptClusterSurvives(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	s := start(t, Options{Dir: dir})
	mark(t, s, "kept")
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	s = start(t, Options{Dir: dir})
	if got := query(t, s, `select m from mark`); got != "kept" {
		t.Errorf("got %q", got)
	}
	if got := query(t, s, `select current_setting('fsync')`); got != "on" {
		t.Errorf("fsync is %q", got)
	}
}

func TestSecondProcessAttaches(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	startOwner(t, dir)
	s := start(t, Options{Dir: dir, DBName: "second"})
	if !s.Attached || s.Done() != nil {
		t.Fatal("did not attach")
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	again := start(t, Options{Dir: dir, DBName: "second"})
	if !again.Attached || query(t, again, `select current_database()::text`) != "second" {
		t.Error("Stop of an attached server touched the owner's")
	}
}

func TestManyStartAtOnce(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	var mu sync.Mutex
	var wg sync.WaitGroup
	owners := 0
	for range 4 {
		wg.Go(func() {
			s, err := Start(t.Context(), Options{Dir: dir})
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { _ = s.Stop() })
			mu.Lock()
			defer mu.Unlock()
			if !s.Attached {
				owners++
			}
		})
	}
	wg.Wait()
	if owners != 1 {
		t.Errorf("%d owners", owners)
	}
}

// A killed owner's server is on its way out: a new process must neither attach
// to it nor trip over it.
func TestTakeOverAtOnceAfterKill(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	owner, _ := startOwner(t, dir)
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait()
	s := start(t, Options{Dir: dir})
	if s.Attached {
		t.Fatal("attached to a dying server")
	}
	query(t, s, `select 'alive'`)
}

func TestOrphanServerIsStoppedFirst(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	s := start(t, Options{Dir: dir})
	mark(t, s, "orphan")
	_ = syscall.Kill(s.pgid, syscall.SIGKILL) // the shell that watches, started above
	if err := s.lock.Close(); err != nil {    // as the kernel does when an owner dies
		t.Fatal(err)
	}
	s.lock = nil
	next := start(t, Options{Dir: dir})
	if next.Attached || query(t, next, `select m from mark`) != "orphan" {
		t.Error("did not take over")
	}
}

func TestHalfMadeClusterIsMadeAnew(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	if err := os.MkdirAll(filepath.Join(dir, "init", "base"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "init", "PG_VERSION"), []byte("15\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, Options{Dir: dir})
	query(t, s, `select 'fine'`)
	if exists(filepath.Join(dir, "init")) {
		t.Error("the side folder was left")
	}
}

func TestForeignDataFolderIsNotTouched(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	precious := filepath.Join(dir, "data", "letters.txt")
	if err := os.MkdirAll(filepath.Dir(precious), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(precious, []byte("dear"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Start(t.Context(), Options{Dir: dir}); err == nil {
		_ = s.Stop()
		t.Error("started over a folder that is no cluster")
	}
	if !exists(precious) {
		t.Error("deleted what is not ours")
	}
}

func TestOtherVersionIsRefusedWithWords(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "data", "PG_VERSION"), []byte("9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Start(t.Context(), Options{Dir: dir})
	if err == nil {
		_ = s.Stop()
		t.Fatal("opened it")
	}
	if !strings.Contains(err.Error(), "was made by PostgreSQL 9") {
		t.Error(err)
	}
}

func TestTwoClonesDoNotMeet(t *testing.T) {
	t.Parallel()
	a, b := start(t, Options{Dir: openDir(t)}), start(t, Options{Dir: openDir(t)})
	if b.Attached || a.SockDir == b.SockDir || a.DataDir == b.DataDir {
		t.Fatalf("shared: %s %s", a.SockDir, b.SockDir)
	}
	mark(t, a, "first clone")
	mark(t, b, "second clone") // would fail in the same database
	if got := query(t, a, `select m from mark`); got != "first clone" {
		t.Errorf("got %q", got)
	}
}

func TestLongAndOddPaths(t *testing.T) {
	t.Parallel()
	for _, tail := range []string{strings.Repeat("deep/", 24) + "pg", `it's "my", 100% clone/pg`} {
		dir := filepath.Join(filepath.Dir(openDir(t)), tail)
		s := start(t, Options{Dir: dir})
		if s.base != dir || filepath.Dir(s.SockDir) == s.base {
			t.Errorf("data in %s, socket in %s", s.base, s.SockDir)
		}
		mark(t, s, "long")
		second := start(t, Options{Dir: dir})
		if !second.Attached || query(t, second, `select m from mark`) != "long" {
			t.Error("a second process did not find the socket")
		}
	}
}

func TestWrongBinariesAreNamed(t *testing.T) {
	t.Setenv("PRIVPG_BIN", "/nowhere")
	dir := openDir(t)
	_, err := Start(t.Context(), Options{Dir: dir})
	if !errors.Is(err, ErrNoBinaries) || !strings.Contains(err.Error(), "PRIVPG_BIN=/nowhere") {
		t.Error(err)
	}
	if exists(dir) {
		t.Error("a folder was made before the check")
	}
}

func TestFailedStartLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	_, err := Start(t.Context(), Options{Dir: dir, Settings: map[string]string{"shared_buffers": "nonsense"}})
	if err == nil || !strings.Contains(err.Error(), "shared_buffers") {
		t.Fatal("the server's own words are missing:", err)
	}
	start(t, Options{Dir: dir}) // the lock is free again
}

func TestDoneTellsOfACrash(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	b, err := os.ReadFile(filepath.Join(s.DataDir, "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(b), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	_ = syscall.Kill(pid, syscall.SIGQUIT) // the server started above
	select {
	case <-s.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("not noticed")
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

func TestPatience(t *testing.T) {
	t.Parallel()
	p := patience{left: time.Minute, began: time.Now().Add(-time.Hour)} // the machine slept
	if err := p.pause(t.Context()); err != nil || p.left < 50*time.Second {
		t.Error("a sleep used the time up:", err, p.left)
	}
	p = patience{left: pollEvery, began: time.Now()}
	if err := p.pause(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
		t.Error("never gives up:", err)
	}
}
