package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/alexedwards/argon2id"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Logins are the demo's accounts with passwords that work, at every start: those of
// fresh (what a load has just made), else those that file keeps. An account whose
// password nobody knows any more, because the file is gone or of another database,
// gets a new one: in a demo the newest start counts. The file is for its owner's eyes
// alone. Accounts with an error: they work, but could not be kept for the next start.
func Logins(ctx context.Context, d *db.DB, file string, fresh []Account) ([]Account, error) {
	kept := map[string]string{}
	if len(fresh) == 0 {
		var err error
		if kept, err = readLogins(file); err != nil {
			return nil, err
		}
	}
	for _, a := range fresh {
		kept[a.Email] = a.Password
	}
	staff, err := d.DemoStaff(ctx)
	if err != nil {
		return nil, err
	}
	var out []Account
	for _, a := range staff {
		text, err := knownPassword(ctx, d, a, kept[a.Email])
		if err != nil {
			return nil, err
		}
		out = append(out, Account{Email: a.Email, Role: a.Role, Password: text})
	}
	return out, writeLogins(file, out)
}

// knownPassword is the password we think it is, or a new one when it is not.
func knownPassword(ctx context.Context, d *db.DB, a db.StaffAccount, text string) (string, error) {
	if text != "" {
		if fits, err := argon2id.ComparePasswordAndHash(text, a.PasswordHash); err == nil && fits {
			return text, nil
		}
	}
	text = domain.NewPassword()
	hash, err := argon2id.CreateHash(text, params())
	if err != nil {
		return "", err
	}
	return text, d.SetPassword(ctx, a.ID, a.PasswordHash, hash)
}

// readLogins reads lines of e-mail and password; no file is none.
func readLogins(file string) (map[string]string, error) {
	out := map[string]string{}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the demo's logins: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 2 {
			out[f[0]] = f[1]
		}
	}
	return out, nil
}

func writeLogins(file string, list []Account) error {
	var b strings.Builder
	for _, a := range list {
		fmt.Fprintf(&b, "%s %s\n", a.Email, a.Password)
	}
	dir := filepath.Dir(file)
	// The data folder itself stays open to be entered: the private PostgreSQL runs as an
	// account of its own when we are root.
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(b.String()), 0o600)
}
