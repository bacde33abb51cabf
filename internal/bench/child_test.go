package bench

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// roleEnv makes the test binary play another process.
const roleEnv = "BENCH_ROLE"

// play serves one of the look-alikes on a port of its own, which it prints, until its
// standard input closes: it cannot outlive the benchmark.
func play(role string) int {
	handler, err := map[string]func() (http.Handler, error){"static": staticHandler, "front": frontHandler}[role]()
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	fmt.Println(l.Addr())
	// The limits of the program's own server: without them nobody would put one online.
	server := http.Server{Handler: handler, MaxHeaderBytes: 32 << 10, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: 25 * time.Second, IdleTimeout: 95 * time.Second}
	go func() { _ = server.Serve(l) }()
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// process is a server that a turn loads, with what it has used of the processors.
type process struct {
	addr string // host:port
	pid  int
}

// child starts the test binary in a role.
func child(b *testing.B, role string, env ...string) process {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), roleEnv+"="+role), env...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || strings.HasPrefix(line, "error:") {
		b.Fatalf("%s: %v %s", role, err, line)
	}
	return process{strings.TrimSpace(line), cmd.Process.Pid}
}
