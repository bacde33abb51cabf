package privpg

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

const (
	pollEvery = 20 * time.Millisecond
	pingWait  = 3 * time.Second
)

// Start brings the server up, or attaches to the one that another process runs
// on the same Dir, and waits until the database answers. ctx bounds the start
// only; the server runs until Stop or the end of this process.
func Start(ctx context.Context, o Options) (_ *Server, err error) {
	o = o.withDefaults()
	s := &Server{BinDir: o.BinDir}
	if s.BinDir == "" {
		if _, err := FindBinaries(); err != nil { // before any folder is made
			return nil, err
		}
	}
	defer func() {
		if err != nil {
			_ = s.Stop()
		}
	}()
	if err := s.place(o); err != nil {
		return nil, err
	}
	if s.BinDir == "" {
		if s.BinDir, err = binariesFor(s.DataDir); err != nil {
			return nil, err
		}
	}
	s.URL, s.adminURL = s.dbURL(o.DBName), s.dbURL("postgres")
	if err := s.own(ctx, o.StartWait); err != nil {
		return nil, err
	}
	if !s.Attached {
		if err := s.boot(ctx, o); err != nil {
			return nil, err
		}
	}
	return s, s.ensureDB(ctx, o.DBName)
}

// own takes the folder's lock, which its owner keeps for as long as it lives and
// the kernel frees however it ends. When somebody else has it, their server
// will do as soon as it answers.
func (s *Server) own(ctx context.Context, wait time.Duration) error {
	f, err := os.OpenFile(filepath.Join(s.base, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	p := patience{left: wait}
	for {
		p.began = time.Now()
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			s.lock = f
			return s.endLeftover(ctx)
		}
		if s.ping(ctx) == nil {
			s.Attached = true
			return f.Close()
		}
		if err := p.pause(ctx); err != nil {
			f.Close()
			return fmt.Errorf("privpg: another process owns %s but its server does not answer: %w", s.base, err)
		}
	}
}

// endLeftover sees off the server of an owner that was killed. It is on its way
// out already, unless the shell that watched it was killed as well.
func (s *Server) endLeftover(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(s.DataDir, "postmaster.pid")); err != nil || !s.listens(ctx) {
		return nil
	}
	out, err := s.account.command(ctx, s.base, filepath.Join(s.BinDir, "pg_ctl"),
		"stop", "-D", s.DataDir, "-m", "fast", "-w", "-t", "20").CombinedOutput()
	if err != nil && s.listens(ctx) {
		return fmt.Errorf("privpg: a server without owner on %s does not stop: %w\n%s", s.DataDir, err, out)
	}
	return nil
}

func (s *Server) boot(ctx context.Context, o Options) error {
	if err := s.ensureCluster(ctx); err != nil {
		return err
	}
	cmd := s.serverCommand(ctx, o.Settings)
	var tail tailBuffer
	cmd.Stdout = io.MultiWriter(o.Log, &tail)
	cmd.Stderr = cmd.Stdout
	if err := s.launch(cmd); err != nil {
		return fmt.Errorf("privpg: start: %w", err)
	}
	return s.waitReady(ctx, o.StartWait, &tail)
}

func (s *Server) launch(cmd *exec.Cmd) error {
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.stdin, s.pgid, s.done = in, cmd.Process.Pid, make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(s.done)
	}()
	return nil
}

func (s *Server) waitReady(ctx context.Context, wait time.Duration, tail *tailBuffer) error {
	p := patience{left: wait}
	for {
		p.began = time.Now()
		err := s.ping(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-s.done:
			return fmt.Errorf("privpg: the server ended while starting\n%s", tail.String())
		default:
		}
		if stop := p.pause(ctx); stop != nil {
			return fmt.Errorf("privpg: the server did not come up: %w: %w\n%s", stop, err, tail.String())
		}
	}
}

// The shell keeps postgres until our end of its standard input closes: at Stop,
// or when this process dies in whatever way (macOS has no Pdeathsig). $1 is the
// signal for postgres, $2 what to remove afterwards.
const watcher = `trap '' HUP INT TERM; sig=$1 rm=$2; shift 2; exec 3<&0
"$@" 3<&- </dev/null & p=$!
( cat <&3; kill -$sig $p ) >/dev/null 2>&1 & w=$!
wait $p; r=$?; kill -KILL $w 2>/dev/null
[ -n "$rm" ] && cd / && rm -rf "$rm"; exit $r`

func (s *Server) serverCommand(ctx context.Context, extra map[string]string) *exec.Cmd {
	signal, remove := "INT", "" // PostgreSQL's fast shutdown
	if s.throwaway {
		signal, remove = "QUIT", s.base // its immediate one
	}
	args := []string{"-c", watcher, "privpg", signal, remove,
		filepath.Join(s.BinDir, "postgres"), "-D", s.DataDir}
	set := s.settings()
	maps.Copy(set, extra)
	for _, key := range slices.Sorted(maps.Keys(set)) {
		args = append(args, "-c", key+"="+set[key])
	}
	return s.account.command(context.WithoutCancel(ctx), s.base, "/bin/sh", args...)
}

func (s *Server) settings() map[string]string {
	set := map[string]string{
		"listen_addresses":        "",
		"unix_socket_directories": s.SockDir,
		"port":                    "5432", // names the socket file only
		"max_connections":         "100",
		"timezone":                "UTC",
		"log_timezone":            "UTC",
	}
	if s.throwaway {
		maps.Copy(set, map[string]string{
			"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off",
			"wal_level": "minimal", "max_wal_senders": "0", "checkpoint_timeout": "1d",
			"max_wal_size": "4GB", "shared_buffers": "128MB", "max_connections": "300",
		})
	}
	return set
}

// patience is time left for rounds of trying. A round counts no more than a
// try may take, so that a machine that was asleep for a minute between two
// tries has not used the minute up.
type patience struct {
	left  time.Duration
	began time.Time // of the present round
}

// pause ends a round: it waits a moment and says when there is no more time.
func (p *patience) pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(pollEvery):
	}
	if p.left -= min(time.Since(p.began), pingWait+pollEvery); p.left <= 0 {
		return context.DeadlineExceeded
	}
	return nil
}
