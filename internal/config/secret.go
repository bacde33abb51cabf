package config

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
)

// Secret is a text that no print, log or JSON shows. string(s) is the text.
type Secret string

// String says only whether there is one.
func (s Secret) String() string {
	if s == "" {
		return "(not set)"
	}
	return "(set)"
}

// GoString keeps %#v from showing it.
func (s Secret) GoString() string { return s.String() }

// LogValue keeps slog from showing it.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText keeps JSON from showing it.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// keptSecret answers the demo secret of that name in dir and makes it at the
// first call. Several processes may call it at once: all get the same one.
func keptSecret(dir, name, prefix string) (Secret, error) {
	path := filepath.Join(dir, name)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeSecret(dir, path, prefix); err != nil {
			return "", err
		}
		b, err = os.ReadFile(path)
	}
	if err != nil {
		return "", err
	}
	s := Secret(strings.TrimSpace(string(b)))
	if len(s) < minSecret {
		return "", fmt.Errorf("%s is damaged; delete it to get a new one", path)
	}
	return s, nil
}

// makeSecret writes a whole file aside and links it into place, which fails
// when another process was quicker; then theirs counts.
func makeSecret(dir, path, prefix string) error {
	// The data folder itself stays open to be entered: the private PostgreSQL
	// beside us runs as an account of its own when we are root.
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	random := make([]byte, 32)
	_, _ = rand.Read(random)               // never fails
	f, err := os.CreateTemp(dir, ".new-*") // made with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(prefix + hex.EncodeToString(random) + "\n")
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
