package privpg

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// stableRoots are folders that everybody may enter; the first survives a reboot.
var stableRoots = []string{"/var/tmp", "/tmp"}

// A socket's path holds 107 bytes on Linux and 103 on macOS.
const longestSocket = 100

// place decides where the cluster lives and makes its folder the account's.
func (s *Server) place(o Options) (err error) {
	if o.Dir == "" {
		s.throwaway = true
		if s.account, err = serverAccount(""); err != nil {
			return err
		}
		// /tmp, not $TMPDIR: macOS' is long and often not for every account.
		s.base, err = os.MkdirTemp("/tmp", "privpg-")
	} else {
		s.base, err = s.keptBase(o.Dir, o.Log)
	}
	if err != nil {
		return err
	}
	if err := s.account.ownFolder(s.base); err != nil {
		return fmt.Errorf("privpg: %w (does the folder belong to another account?)", err)
	}
	s.DataDir = filepath.Join(s.base, "data")
	return s.placeSocket()
}

// keptBase is dir itself, or a stable stand-in when the account cannot reach it.
func (s *Server) keptBase(dir string, log io.Writer) (string, error) {
	base, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(base), 0o755); err != nil {
		return "", err
	}
	if s.account, err = serverAccount(filepath.Join(base, "data")); err != nil {
		return "", err
	}
	if s.account.canEnter(filepath.Dir(base)) {
		return base, nil
	}
	standIn, err := s.account.stableFolder("privpg-", base)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(log, "privpg: account %s may not enter %s, so the database is kept in %s\n",
		s.account.name, filepath.Dir(base), standIn)
	return standIn, nil
}

// stableFolder makes a folder whose name depends on path alone. The roots are
// open to everybody, so a folder found there counts only when it is the account's.
func (a account) stableFolder(prefix, path string) (string, error) {
	sum := sha256.Sum256([]byte(path))
	name := prefix + hex.EncodeToString(sum[:6])
	var errs []error
	for _, root := range stableRoots {
		dir := filepath.Join(root, name)
		if err := a.claimFolder(dir); err != nil {
			errs = append(errs, err)
			continue
		}
		if a.canEnter(dir) {
			return dir, nil
		}
	}
	return "", fmt.Errorf("privpg: no place for the database: %w", errors.Join(errs...))
}

func (a account) claimFolder(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if err == nil {
		return a.ownFolder(dir)
	}
	if !os.IsExist(err) {
		return err
	}
	st, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !st.IsDir() || int(st.Sys().(*syscall.Stat_t).Uid) != a.uid() {
		return fmt.Errorf("%s is there already and belongs to somebody else", dir)
	}
	return nil
}

// placeSocket keeps the socket beside the data unless its path would be too long,
// or has characters that mean something in PostgreSQL's list of folders. A folder
// made for it elsewhere stays: removing it could hit the next owner's start.
func (s *Server) placeSocket() (err error) {
	s.SockDir = filepath.Join(s.base, "s")
	if !goodSocketDir(s.SockDir) {
		s.SockDir, err = s.account.stableFolder("privpg-s-", s.base)
		return err
	}
	return s.account.ownFolder(s.SockDir)
}

func goodSocketDir(dir string) bool {
	plain := strings.IndexFunc(dir, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`,"'\%`, r)
	}) < 0
	return plain && len(dir)+len("/.s.PGSQL.5432") <= longestSocket
}
