package access

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
)

// vault keeps second factors under keys made from APP_SECRET: whoever has a copy of the
// database alone has no second factor.
type vault struct{ seal, mark []byte }

func newVault(appSecret string) (vault, error) {
	seal, err := hkdf.Key(sha256.New, []byte(appSecret), nil, "holdfast totp secrets", 32)
	if err != nil {
		return vault{}, err
	}
	mark, err := hkdf.Key(sha256.New, []byte(appSecret), nil, "holdfast recovery codes", 32)
	return vault{seal, mark}, err
}

// close seals a text for one account: moved to another row it does not open.
func (v vault) close(staffID int64, text string) (string, error) {
	box, err := v.box()
	if err != nil {
		return "", err
	}
	nonce := make([]byte, box.NonceSize())
	_, _ = rand.Read(nonce) // never fails: crypto/rand ends the program instead
	return base64.RawStdEncoding.EncodeToString(box.Seal(nonce, nonce, []byte(text), whose(staffID))), nil
}

// open reads what close made.
func (v vault) open(staffID int64, sealed string) (string, error) {
	box, err := v.box()
	if err != nil {
		return "", err
	}
	raw, err := base64.RawStdEncoding.DecodeString(sealed)
	if err == nil && len(raw) < box.NonceSize() {
		err = errors.New("too short")
	}
	if err == nil {
		raw, err = box.Open(nil, raw[:box.NonceSize()], raw[box.NonceSize():], whose(staffID))
	}
	if err != nil {
		return "", fmt.Errorf("the second factor of staff:%d cannot be read; was APP_SECRET changed? `holdfast owner reset`, or the owner, can take it away: %w", staffID, err)
	}
	return string(raw), nil
}

func (v vault) box() (cipher.AEAD, error) {
	block, err := aes.NewCipher(v.seal)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// sum is what is stored of a recovery code.
func (v vault) sum(staffID int64, code string) string {
	m := hmac.New(sha256.New, v.mark)
	m.Write(whose(staffID))
	m.Write([]byte(code))
	return hex.EncodeToString(m.Sum(nil))
}

func whose(staffID int64) []byte { return fmt.Appendf(nil, "staff:%d\x00", staffID) }
