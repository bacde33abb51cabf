package torture

import (
	"context"
	"errors"
	"fmt"
	"holdfast/internal/apptest"
	"maps"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// points are the places at which the program kills itself, each with a ceiling for its
// chance: the busy ones would leave nothing else alive.
var points = map[string]float64{
	"hold.before_commit": 0.05, "pay.after_row": 0.15, "pay.after_session": 0.15, "settle.after_ask": 0.2, "settle.before_commit": 0.2,
	"settle.after_commit": 0.2, "close.after_expire": 0.2, "refund.after_stripe": 0.3, "hook.after_insert": 0.05,
}

// keeper starts the program again at once whenever it ends, and notes why it did.
type keeper struct {
	r     *rig
	bin   string
	wrath float64 // times the chance of each point

	mu      sync.Mutex
	cmd     *exec.Cmd
	log     *apptest.Tail
	life    uint64
	born    time.Time
	killed  bool // by us
	gentle  bool // no fail points any more
	closing bool
	over    chan struct{} // closed when the keeper has let go
	alarms  map[string]int
}

// keep runs until close.
func (k *keeper) keep() {
	defer close(k.over)
	for k.start() {
		err := k.cmd.Wait()
		k.note(err)
	}
}

func (k *keeper) start() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closing {
		return false
	}
	k.life++
	cmd := exec.Command(k.bin, "serve")
	cmd.Env = append(slices.Clone(k.r.env), "HOLDFAST_FAILSEED="+fmt.Sprint(k.r.seed+k.life))
	if !k.gentle {
		cmd.Env = append(cmd.Env, "HOLDFAST_FAILPOINTS="+k.plan())
	}
	k.log = &apptest.Tail{}
	cmd.Stdout, cmd.Stderr = k.log, k.log
	if err := cmd.Start(); err != nil {
		k.r.tally.wrong("process", "it cannot be started: %v", err)
		return false
	}
	k.cmd, k.born, k.killed = cmd, time.Now(), false
	return true
}

// plan gives a point a smaller chance the more often it killed, so that all get a turn.
func (k *keeper) plan() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(points)) {
		parts = append(parts, fmt.Sprintf("%s:%.3f", name, k.wrath*points[name]/float64(1+k.r.tally.count("kill "+name))))
	}
	return strings.Join(parts, ",")
}

var pointLine = regexp.MustCompile(`(?m)^failpoint: ([a-z._]+)$`)

// note finds out why a life ended.
func (k *keeper) note(err error) {
	k.mu.Lock()
	killed, log, age := k.killed, k.log.String(), time.Since(k.born)
	k.remember(log)
	k.mu.Unlock()
	k.r.tally.add("ended")
	var exit *exec.ExitError
	signalled := errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled()
	switch point := pointLine.FindStringSubmatch(log); {
	case point != nil && signalled:
		k.r.tally.add("kill " + point[1])
	case killed:
		k.r.tally.add("kill at random")
	case strings.Contains(log, "DATA RACE"), strings.Contains(log, "panic: "), strings.Contains(log, "fatal error: "):
		k.r.tally.wrong("process", "it ended by itself: %v\n%s", err, log)
	default: // the database was away when it started
		k.r.tally.add("refused to start")
		if age > 10*time.Second {
			k.r.tally.wrong("process", "it gave up after %s: %v\n%s", age, err, log)
		}
		time.Sleep(100 * time.Millisecond) // the pace of a process manager
	}
}

var errorLine = regexp.MustCompile(`"level":"ERROR","msg":"([^"]*)"`)

// remember counts what the program itself calls an error, for whoever reads the verdict.
func (k *keeper) remember(log string) {
	if k.alarms == nil {
		k.alarms = map[string]int{}
	}
	for _, m := range errorLine.FindAllStringSubmatch(log, -1) {
		k.alarms[m[1]]++
	}
}

// kill is kill −9 of the present life.
func (k *keeper) kill() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cmd != nil && k.cmd.Process != nil {
		k.killed = true
		_ = k.cmd.Process.Kill()
	}
}

// since is when the present life began.
func (k *keeper) since() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.born
}

// calm starts a last life without fail points and waits until it answers.
func (k *keeper) calm(ctx context.Context) error {
	k.mu.Lock()
	k.gentle = true
	k.mu.Unlock()
	k.kill()
	return k.ready(ctx)
}

func (k *keeper) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for ; ctx.Err() == nil; pause(ctx, 50*time.Millisecond) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, k.r.url+"/readyz", nil)
		if err != nil {
			return err
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			continue
		}
		res.Body.Close()
		if res.StatusCode == http.StatusOK {
			return nil
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return fmt.Errorf("the program is not ready after 30 s\n%s", k.log.String())
}

// stop ends the program as an operator would, and the keeping.
func (k *keeper) stop() {
	k.mu.Lock()
	k.closing, k.killed = true, true
	if k.cmd != nil {
		_ = k.cmd.Process.Signal(syscall.SIGTERM)
	}
	k.mu.Unlock()
	select {
	case <-k.over:
	case <-time.After(30 * time.Second):
		k.r.tally.wrong("process", "it did not stop in 30 s\n%s", k.log.String())
		k.kill()
		<-k.over
	}
}
