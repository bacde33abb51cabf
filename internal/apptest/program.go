package apptest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

var binDir = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "holdfast-bin-") })

// Build makes the program as it is deployed, but for the build tags, and with the race
// detector when the test has it. Main removes it again.
func Build(tags string) (string, error) {
	dir, err := binDir()
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "holdfast")
	args := []string{"build", "-tags", tags, "-o", bin}
	if Raced {
		args = append(args, "-race")
	}
	if out, err := exec.Command("go", append(args, "holdfast")...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return bin, nil
}

// Main is a TestMain that removes what Build made.
func Main(m *testing.M) {
	code := m.Run()
	if dir, err := binDir(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// QuietPort is below the ports that outgoing connections get: nobody may slip in while
// the program is dead.
func QuietPort(t testing.TB) int {
	t.Helper()
	for range 50 {
		port := 20000 + rand.IntN(10000)
		if l, err := net.Listen("tcp", fmt.Sprintf(":%d", port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no free port")
	return 0
}

// Tail keeps the end of a process's output.
type Tail struct {
	mu sync.Mutex
	b  []byte
}

// Write never fails.
func (l *Tail) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b = append(l.b, p...)
	if len(l.b) > 1<<18 {
		l.b = append([]byte(nil), l.b[1<<17:]...)
	}
	return len(p), nil
}

func (l *Tail) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.b)
}
