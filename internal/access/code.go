package access

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"holdfast/db"
)

const (
	codeStep  = 30 * time.Second // what every authenticator app knows
	codeSlack = 1                // steps that a phone's clock may be off
	codeCount = 10               // recovery codes

	// recoveryLetters has none that people mix up; ten of them are 49 bits.
	recoveryLetters = "abcdefghjkmnpqrstuvwxyz23456789"
	recoveryLength  = 10
)

// newSecret draws a TOTP secret as apps take it: an address for a QR code. That is what is
// kept, so that the code can be shown again until the set-up is finished.
func newSecret(house, email string) (link string, err error) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: house, AccountName: email, SecretSize: 20})
	if err != nil {
		return "", fmt.Errorf("TOTP secret: %w", err)
	}
	return key.URL(), nil
}

// secretIn is the secret of such an address.
func secretIn(link string) (string, error) {
	u, err := url.Parse(link)
	if err != nil {
		return "", errors.New("a kept TOTP address cannot be read")
	}
	return u.Query().Get("secret"), nil
}

// stepOf finds the time step around now whose code this is.
func stepOf(secret, code string, now time.Time) (step int64, fits bool, err error) {
	at := now.Unix() / int64(codeStep.Seconds())
	for step := at - codeSlack; step <= at+codeSlack; step++ {
		want, err := hotp.GenerateCodeCustom(secret, uint64(step), hotp.ValidateOpts{Digits: otp.DigitsSix})
		if err != nil {
			return 0, false, fmt.Errorf("TOTP code: %w", err)
		}
		if subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			return step, true, nil
		}
	}
	return 0, false, nil
}

// tidy takes the spaces and dashes out that people type into codes.
func tidy(code string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "-", "", "–", "").Replace(strings.TrimSpace(code)))
}

func digits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// useCode takes a code of the app, or a recovery code, of an account with a second factor:
// once for good. False when it is neither.
func (s *Service) useCode(ctx context.Context, t *db.Tx, a db.StaffAccount, code string) (bool, error) {
	code = tidy(code)
	switch {
	case a.TOTPSecret == "":
		return false, nil
	case digits(code) && len(code) == otp.DigitsSix.Length():
		now, err := t.Now(ctx)
		if err != nil {
			return false, err
		}
		link, err := s.vault.open(a.ID, a.TOTPSecret)
		if err != nil {
			return false, err
		}
		secret, err := secretIn(link)
		if err != nil {
			return false, err
		}
		step, fits, err := stepOf(secret, code, now)
		if err != nil || !fits {
			return false, err
		}
		return t.UseStep(ctx, a.ID, step)
	case len(code) == recoveryLength:
		return t.UseCode(ctx, a.ID, s.vault.sum(a.ID, code))
	}
	return false, nil
}

// newCodes draws recovery codes: as people see them, and as they are stored.
func (s *Service) newCodes(staffID int64) (shown, stored []string) {
	for range codeCount {
		code := recoveryCode()
		shown = append(shown, code[:recoveryLength/2]+"-"+code[recoveryLength/2:])
		stored = append(stored, s.vault.sum(staffID, code))
	}
	return shown, stored
}

func recoveryCode() string {
	const n = byte(len(recoveryLetters))
	out := make([]byte, 0, recoveryLength)
	var b [1]byte
	for len(out) < recoveryLength {
		_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
		if b[0] < 255/n*n {    // an equal chance for each letter
			out = append(out, recoveryLetters[b[0]%n])
		}
	}
	return string(out)
}
