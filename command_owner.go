package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"holdfast/db"
	"holdfast/internal/access"
	"holdfast/internal/domain"
)

const ownerUsage = `usage: holdfast owner create EMAIL [--password-stdin]
       holdfast owner reset EMAIL [--password-stdin]

Without --password-stdin a password is made up and printed once.
`

// owner makes an owner's account, or lets a locked-out owner in again, for those who
// cannot use the pages.
func (a app) owner(ctx context.Context, args []string) error {
	if len(args) < 2 || len(args) > 3 || args[0] != "create" && args[0] != "reset" || len(args) == 3 && args[2] != "--password-stdin" {
		fmt.Fprint(a.stderr, ownerUsage)
		return exitCode(2)
	}
	password := ""
	if len(args) == 3 {
		var err error
		if password, err = firstLine(a.stdin); err != nil {
			return err
		}
	}
	return a.withDB(ctx, func(d *db.DB) error {
		staff, err := access.New(d, a.getenv("APP_SECRET"))
		if err != nil {
			return err
		}
		do, said := staff.CreateOwner, "is an owner now"
		if args[0] == "reset" {
			do, said = staff.ResetOwner, "can sign in with this password; the second factor is off and every sign-in is ended"
		}
		made, err := do(ctx, domain.By{Actor: "command line"}, args[1], password)
		if err != nil {
			return ownerWords(args[1], err)
		}
		fmt.Fprintf(a.stdout, "%s %s\n", args[1], said)
		if password == "" {
			fmt.Fprintf(a.stdout, "password, shown once: %s\n", made)
		}
		return nil
	})
}

// firstLine is a password that was piped in; an empty one is a mistake.
func firstLine(r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, 4<<10)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("the password cannot be read: %w", err)
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", errors.New("no password came in; leave --password-stdin out to have one made up")
	}
	return line, nil
}

func ownerWords(email string, err error) error {
	var wrong access.Problems
	switch {
	case errors.As(err, &wrong):
		var lines []string
		for _, field := range slices.Sorted(maps.Keys(wrong)) {
			lines = append(lines, field+": "+wrong[field])
		}
		return errors.New(strings.Join(lines, "\n"))
	case errors.Is(err, domain.ErrNotFound):
		return fmt.Errorf("no owner has the e-mail %s", email)
	}
	return err
}
