package privpg

import (
	"errors"
	"os"
	"syscall"
	"time"
)

const stopWait = 20 * time.Second

// Stop ends the server that this process started and removes what is throwaway;
// an attached server is left alone. It may be called again and by several
// goroutines: all get the first call's answer.
func (s *Server) Stop() error {
	s.stopOnce.Do(func() { s.stopErr = s.stop() })
	return s.stopErr
}

func (s *Server) stop() error {
	if s.Attached {
		return nil
	}
	var errs []error
	if s.stdin != nil {
		s.stdin.Close()
		select {
		case <-s.done:
		case <-time.After(stopWait):
			errs = append(errs, errors.New("privpg: the server did not stop in 20 s and was killed"))
			_ = syscall.Kill(-s.pgid, syscall.SIGKILL)
		}
	}
	if s.throwaway && s.base != "" {
		errs = append(errs, os.RemoveAll(s.base))
	}
	if s.lock != nil { // last: whoever gets it may start
		errs = append(errs, s.lock.Close())
	}
	return errors.Join(errs...)
}
