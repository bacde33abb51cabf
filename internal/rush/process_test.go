package rush

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"holdfast/internal/apptest"
)

// process is one of the shop's, with its own port; after a kill it may live again.
type process struct {
	w    *world
	port int

	mu    sync.Mutex
	cmd   *exec.Cmd
	log   *apptest.Tail
	over  chan struct{} // closed when the present life has ended
	ended bool          // by us
	peak  float64       // MB resident, of all its lives
}

func (p *process) url() string { return fmt.Sprintf("http://127.0.0.1:%d", p.port) }

// start begins a life; it does not wait until it answers.
func (p *process) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	cmd := exec.Command(p.w.bin, "serve")
	cmd.Env = append(slices.Clone(p.w.env), fmt.Sprintf("PORT=%d", p.port))
	log, over := &apptest.Tail{}, make(chan struct{})
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	p.cmd, p.log, p.over, p.ended = cmd, log, over, false
	go func() {
		err := cmd.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		if text := log.String(); !p.ended || strings.Contains(text, "DATA RACE") || strings.Contains(text, "panic") {
			p.w.wrong("process", "%s ended: %v\n%s", p.url(), err, text[max(0, len(text)-3000):])
		}
		p.w.remember(log.String())
		close(over)
	}()
	return nil
}

// ready waits until it answers.
func (p *process) ready(ctx context.Context) error {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end) && ctx.Err() == nil; pause(ctx, 20*time.Millisecond) {
		res, err := http.Get(p.url() + "/readyz")
		if err != nil {
			continue
		}
		res.Body.Close()
		if res.StatusCode == http.StatusOK {
			return nil
		}
	}
	return fmt.Errorf("%s is not ready after 30 s\n%s", p.url(), p.log.String())
}

// end sends a signal and waits for the end.
func (p *process) end(signal syscall.Signal) {
	p.mu.Lock()
	p.ended = true
	_ = p.cmd.Process.Signal(signal) // one that has ended already is well
	over := p.over
	p.mu.Unlock()
	select {
	case <-over:
	case <-time.After(30 * time.Second):
		p.w.wrong("process", "%s did not stop in 30 s", p.url())
		_ = p.cmd.Process.Kill()
		<-over
	}
}

var residentLine = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// weigh looks at the most memory that the present life ever occupied.
func (p *process) weigh() {
	p.mu.Lock()
	defer p.mu.Unlock()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return // between two lives, or a machine without /proc
	}
	if m := residentLine.FindSubmatch(text); m != nil {
		var kb float64
		_, _ = fmt.Sscan(string(m[1]), &kb) // the pattern has digits only
		p.peak = max(p.peak, kb/1024)
	}
}

func (p *process) most() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.peak
}

var errorLine = regexp.MustCompile(`"level":"(ERROR|WARN)","msg":"([^"]*)"`)

// remember counts what the program itself calls an error, for whoever reads the verdict.
func (w *world) remember(log string) {
	for _, m := range errorLine.FindAllStringSubmatch(log, -1) {
		w.add("log " + m[1] + " " + m[2])
	}
}
