package access

import (
	"context"
	"fmt"

	"github.com/alexedwards/argon2id"
)

// hashesAtOnce bounds the memory that sign-ins take: each hash wants 19 MiB.
const hashesAtOnce = 4

// params are what a hash costs today: the second choice of OWASP's list.
func params() *argon2id.Params {
	return &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}
}

// decoy is the hash of no password, at today's cost: what an unknown account is
// compared with.
const decoy = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// look compares a password with a hash ("" for none). better is the password's hash
// at today's cost when the stored one was made at another.
func (s *Service) look(ctx context.Context, password, hash string) (fits bool, better string, err error) {
	select {
	case s.busy <- struct{}{}:
		defer func() { <-s.busy }()
	case <-ctx.Done():
		return false, "", ctx.Err()
	}
	if hash == "" || len(password) > longestPassword {
		hash, password = decoy, password[:min(len(password), longestPassword)]
	}
	fits, cost, err := argon2id.CheckHash(password, hash)
	if err != nil {
		return false, "", fmt.Errorf("a stored password hash cannot be read: %w", err)
	}
	if fits && *cost != *params() {
		if better, err = newHash(password); err != nil {
			return false, "", err
		}
	}
	return fits, better, nil
}

func newHash(text string) (string, error) {
	hash, err := argon2id.CreateHash(text, params())
	if err != nil {
		return "", fmt.Errorf("password hash: %w", err)
	}
	return hash, nil
}
