package domain

import (
	"crypto/rand"
	"strings"
)

// NewPassword draws four words that nobody knows but everybody can type,
// "bodaku-rinelo-savimu-tegadi": 73 bits.
func NewPassword() string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou" // 14 × 5
	var b [24]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	var s strings.Builder
	for i := 0; i < len(b); i += 2 {
		if i > 0 && i%6 == 0 {
			s.WriteByte('-')
		}
		s.WriteByte(consonants[int(b[i])%len(consonants)])
		s.WriteByte(vowels[int(b[i+1])%len(vowels)])
	}
	return s.String()
}
