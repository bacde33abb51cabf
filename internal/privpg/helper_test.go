package privpg

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// ownerEnv makes the test binary play another process that owns a server:
// "throwaway", or the Dir to keep.
const ownerEnv = "PRIVPG_TEST_OWNER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(ownerEnv); dir != "" {
		os.Exit(playOwner(strings.TrimPrefix(dir, "throwaway")))
	}
	os.Exit(m.Run())
}

func playOwner(dir string) int {
	s, err := Start(context.Background(), Options{Dir: dir})
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	fmt.Println(s.base)
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test closes it, or kills us
	if err := s.Stop(); err != nil {
		return 1
	}
	return 0
}

// startOwner runs another process with a server and answers its folder.
func startOwner(t *testing.T, dir string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), ownerEnv+"="+dir)
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || strings.HasPrefix(line, "error:") {
		t.Fatalf("owner: %v %s", err, line)
	}
	return cmd, strings.TrimSpace(line)
}

// openDir is a folder whose parents every account may enter (t.TempDir is not).
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "privpg-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "pg")
}

func start(t *testing.T, o Options) *Server {
	t.Helper()
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
		if filepath.Dir(s.SockDir) != s.base {
			_ = os.RemoveAll(s.SockDir)
		}
	})
	return s
}

// query runs one statement that answers one text.
func query(t *testing.T, s *Server, sql string) string {
	t.Helper()
	c, err := pgx.Connect(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	var answer string
	if err := c.QueryRow(t.Context(), sql).Scan(&answer); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return answer
}

// mark leaves text in the database, to be found by a later `select m from mark`.
func mark(t *testing.T, s *Server, text string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	if _, err := c.Exec(t.Context(), `create table mark as select '`+text+`'::text as m`); err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(15 * time.Second); !ok(); time.Sleep(pollEvery) {
		if time.Now().After(deadline) {
			t.Fatal("never: " + what)
		}
	}
}
