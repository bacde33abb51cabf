package privpg

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ErrNoBinaries means that no folder with initdb and postgres was found.
var ErrNoBinaries = errors.New("no PostgreSQL server programs found")

// knownPlaces are where packages put the server when they do not put it on PATH.
var knownPlaces = []string{
	"/usr/lib/postgresql/*/bin",                          // Debian, Ubuntu
	"/usr/pgsql-*/bin",                                   // RHEL (PGDG)
	"/usr/libexec/postgresql*",                           // Alpine
	"/opt/homebrew/opt/postgresql*/bin",                  // macOS arm64
	"/usr/local/opt/postgresql*/bin",                     // macOS Intel
	"/Applications/Postgres.app/Contents/Versions/*/bin", // Postgres.app
}

// FindBinaries answers the folder that holds initdb and postgres: PRIVPG_BIN
// when set, else the one on PATH, else the newest in the usual places.
func FindBinaries() (string, error) {
	found, err := allBinaries()
	if err != nil {
		return "", err
	}
	return found[0], nil
}

// binariesFor prefers the folder whose version made the cluster in dataDir, so
// that a machine which gained a newer PostgreSQL still opens an older cluster.
func binariesFor(dataDir string) (string, error) {
	found, err := allBinaries()
	if err != nil {
		return "", err
	}
	if want := clusterVersion(dataDir); want != "" {
		for _, dir := range found {
			if binaryVersion(dir) == want {
				return dir, nil
			}
		}
	}
	return found[0], nil
}

func allBinaries() ([]string, error) {
	if dir := os.Getenv("PRIVPG_BIN"); dir != "" { // an explicit choice is final
		if !hasServer(dir) {
			return nil, fmt.Errorf("privpg: %w: PRIVPG_BIN=%s has no initdb and postgres", ErrNoBinaries, dir)
		}
		return []string{dir}, nil
	}
	var found []string
	for _, dir := range slices.Concat(onPath(), inKnownPlaces()) {
		if hasServer(dir) && !slices.Contains(found, dir) {
			found = append(found, dir)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf(`privpg: %w on PATH or in the usual places.
Do one of these:
  set DATABASE_URL to a PostgreSQL database you already have
  Debian/Ubuntu:  apt-get install postgresql
  macOS:          brew install postgresql@17
  or set PRIVPG_BIN to the folder that holds initdb and postgres`, ErrNoBinaries)
	}
	return found, nil
}

func hasServer(dir string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		st, err := os.Stat(filepath.Join(dir, name))
		if err != nil || st.IsDir() || st.Mode()&0o111 == 0 {
			return false
		}
	}
	return true
}

func onPath() []string {
	var dirs []string
	if p, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			p = real
		}
		dirs = append(dirs, filepath.Dir(p))
	}
	// On Debian pg_config comes with the client, so its folder may lack the server.
	if p, err := exec.LookPath("pg_config"); err == nil {
		if out, err := exec.Command(p, "--bindir").Output(); err == nil {
			dirs = append(dirs, strings.TrimSpace(string(out)))
		}
	}
	return dirs
}

func inKnownPlaces() []string {
	var dirs []string
	for _, pattern := range knownPlaces {
		m, _ := filepath.Glob(pattern)
		slices.SortFunc(m, func(a, b string) int { return cmp.Compare(pathVersion(b), pathVersion(a)) })
		dirs = append(dirs, m...)
	}
	return dirs
}

// pathVersion reads the major version out of a path like /usr/lib/postgresql/15/bin.
func pathVersion(path string) int {
	version := 0
	for _, f := range strings.FieldsFunc(path, func(r rune) bool { return r < '0' || r > '9' }) {
		if n, err := strconv.Atoi(f); err == nil && n > 8 && n < 100 {
			version = n
		}
	}
	return version
}

// binaryVersion answers the major version ("15"), or "" when it cannot be told.
func binaryVersion(binDir string) string {
	out, err := exec.Command(filepath.Join(binDir, "postgres"), "--version").Output()
	if err != nil {
		return ""
	}
	f := strings.Fields(string(out)) // postgres (PostgreSQL) 15.13 (Debian …)
	if len(f) < 3 {
		return ""
	}
	end := strings.IndexFunc(f[2], func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		return f[2]
	}
	return f[2][:end]
}

// clusterVersion answers the major version that made a cluster, or "" when there is none.
func clusterVersion(dataDir string) string {
	b, err := os.ReadFile(filepath.Join(dataDir, "PG_VERSION"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
