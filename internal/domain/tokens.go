package domain

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"
)

// Signer makes and reads the link of a booking and the codes of tickets: HMACs of
// ids and a version under APP_SECRET. Nothing secret is stored; raising the
// version in the row revokes what was handed out. It also makes the keys of addresses.
type Signer struct{ secret []byte }

// NewSigner derives nothing: secret is APP_SECRET, at least 32 bytes.
func NewSigner(secret string) Signer { return Signer{[]byte(secret)} }

const macBytes = 16 // 128 bit

// BookingToken is the path element of /bookings/{token}.
func (s Signer) BookingToken(id int64, version int) string {
	return s.sign("booking", id, int64(version))
}

// ReadBookingToken returns what BookingToken was given; ErrNotFound for anything
// it did not make. The caller compares the version with the row's.
func (s Signer) ReadBookingToken(token string) (id int64, version int, err error) {
	n, err := s.read("booking", token, 2)
	if err != nil {
		return 0, 0, err
	}
	return n[0], int(n[1]), nil
}

// TicketCode is the path element of /t/{code} and what the QR carries. Upper and
// lower case are the same, so that scanners and people may type either.
func (s Signer) TicketCode(eventID, ticketID int64, version int) string {
	return s.sign("ticket", eventID, ticketID, int64(version))
}

// ReadTicketCode returns what TicketCode was given; ErrNotFound otherwise.
func (s Signer) ReadTicketCode(code string) (eventID, ticketID int64, version int, err error) {
	n, err := s.read("ticket", code, 3)
	if err != nil {
		return 0, 0, 0, err
	}
	return n[0], n[1], int(n[2]), nil
}

// codeTail is how much of a ticket's code a list without codes leaves out: 65 bits, which
// nobody guesses.
const codeTail = 13

// TicketCodeStart is enough of a ticket's code to recognise the ticket that somebody
// shows, and too little to make its code from.
func (s Signer) TicketCodeStart(eventID, ticketID int64, version int) string {
	code := s.TicketCode(eventID, ticketID, version)
	return code[:len(code)-codeTail]
}

// AddressKey stands for the connection that an address belongs to, so that it can be
// counted without being kept: an IPv4 address, or the /64 that a provider gives one IPv6
// customer. A port is ignored; text that is no address stands for itself, "" for "".
func (s Signer) AddressKey(address string) string {
	if address == "" {
		return ""
	}
	return encoding().EncodeToString(s.mac("address", []byte(connection(address))))
}

func connection(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil {
		p, err := netip.ParseAddrPort(address)
		if err != nil {
			return address
		}
		a = p.Addr()
	}
	if a = a.Unmap().WithZone(""); a.Is4() {
		return a.String()
	}
	return netip.PrefixFrom(a, 64).Masked().String()
}

func encoding() *base32.Encoding {
	return base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)
}

func (s Signer) sign(purpose string, numbers ...int64) string {
	var b []byte
	for _, n := range numbers {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return encoding().EncodeToString(append(b, s.mac(purpose, b)...))
}

func (s Signer) mac(purpose string, b []byte) []byte {
	m := hmac.New(sha256.New, s.secret)
	m.Write([]byte("holdfast " + purpose + "\x00"))
	m.Write(b)
	return m.Sum(nil)[:macBytes]
}

func (s Signer) read(purpose, text string, count int) ([]int64, error) {
	bad := fmt.Errorf("%s link: %w", purpose, ErrNotFound)
	raw, err := encoding().DecodeString(strings.ToLower(text))
	if err != nil || len(raw) <= macBytes {
		return nil, bad
	}
	body, mac := raw[:len(raw)-macBytes], raw[len(raw)-macBytes:]
	if !hmac.Equal(mac, s.mac(purpose, body)) {
		return nil, bad
	}
	out := make([]int64, 0, count)
	for range count {
		n, size := binary.Uvarint(body)
		if size <= 0 {
			return nil, bad
		}
		out, body = append(out, int64(n)), body[size:]
	}
	if len(body) > 0 || s.sign(purpose, out...) != strings.ToLower(text) {
		return nil, bad
	}
	return out, nil
}

// referenceLetters has no 0 O 1 I 2 Z-alikes that people mix up when they read a
// reference out on the phone.
const referenceLetters = "ABCDEFGHJKLMNPQRSTUVWXYZ3789"

// NewReference draws a booking's reference: six characters, shown as K7P-XM3.
func NewReference() string {
	const n = byte(len(referenceLetters))
	out := make([]byte, 0, 6)
	var b [1]byte
	for len(out) < 6 {
		_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
		if b[0] < 255/n*n {    // an equal chance for each letter
			out = append(out, referenceLetters[b[0]%n])
		}
	}
	return string(out)
}

// ParseReference reads a reference as people type it: any case, with or without
// dash or spaces. Empty when it cannot be one.
func ParseReference(s string) string {
	s = strings.NewReplacer("-", "", " ", "", "–", "").Replace(strings.ToUpper(strings.TrimSpace(s)))
	if len(s) != 6 || strings.Trim(s, referenceLetters) != "" {
		return ""
	}
	return s
}

// ShowReference is the form people read: K7P-XM3.
func ShowReference(r string) string {
	if len(r) != 6 {
		return r
	}
	return r[:3] + "-" + r[3:]
}
