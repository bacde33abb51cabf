package stripepay

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

var (
	// ErrSignature: the body was not signed with one of our secrets, or too long
	// ago. Whoever sent it gets 400.
	ErrSignature = errors.New("stripe: bad webhook signature")
	// ErrPayload: the signature is good, but the body is not an event. It came from
	// Stripe, so it must not be swallowed.
	ErrPayload = errors.New("stripe: webhook body is not an event")
)

// tolerance is how far a signature's time may be from ours, either way.
const tolerance = 300 * time.Second

// Webhooks checks deliveries against a list of secrets, so that an old and a new
// secret, or two endpoints, work side by side.
type Webhooks struct{ secrets []string }

// NewWebhooks takes the signing secrets; blank ones are ignored. Without any,
// every delivery is refused.
func NewWebhooks(secrets []string) *Webhooks {
	w := &Webhooks{}
	for _, s := range secrets {
		if s = strings.TrimSpace(s); s != "" {
			w.secrets = append(w.secrets, s)
		}
	}
	return w
}

// WebhookEvent is all that is read of a delivery: what happened to which object.
// The rest is asked from Stripe.
type WebhookEvent struct {
	ID       string
	Type     string
	ObjectID string // data.object.id, or related_object.id of a thin event; may be empty
	Livemode bool
}

// Verify checks the Stripe-Signature header of a body and reads the event. Any
// api_version will do, or none. Errors wrap ErrSignature or ErrPayload.
func (w *Webhooks) Verify(payload []byte, header string, now time.Time) (WebhookEvent, error) {
	if err := w.check(payload, header, now); err != nil {
		return WebhookEvent{}, err
	}
	var body struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Livemode bool   `json:"livemode"`
		Data     struct {
			Object struct {
				ID string `json:"id"`
			} `json:"object"`
		} `json:"data"`
		Related struct {
			ID string `json:"id"`
		} `json:"related_object"`
	}
	if err := json.Unmarshal(payload, &body); err != nil {
		return WebhookEvent{}, fmt.Errorf("%w: %w", ErrPayload, err)
	}
	if body.ID == "" || body.Type == "" {
		return WebhookEvent{}, fmt.Errorf("%w: no id or no type", ErrPayload)
	}
	e := WebhookEvent{ID: body.ID, Type: body.Type, ObjectID: body.Data.Object.ID, Livemode: body.Livemode}
	if e.ObjectID == "" {
		e.ObjectID = body.Related.ID
	}
	return e, nil
}

// check is Stripe's scheme v1: HMAC-SHA256 over "<t>.<body>", any of the given
// signatures with any of our secrets.
func (w *Webhooks) check(payload []byte, header string, now time.Time) error {
	if len(w.secrets) == 0 {
		return fmt.Errorf("%w: no secret configured", ErrSignature)
	}
	stamp, given := readHeader(header)
	sec, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || len(given) == 0 {
		return fmt.Errorf("%w: header cannot be read", ErrSignature)
	}
	if age := now.Sub(time.Unix(sec, 0)); age > tolerance || age < -tolerance {
		return fmt.Errorf("%w: signed %s away from now", ErrSignature, age.Round(time.Second))
	}
	for _, secret := range w.secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(stamp + "."))
		mac.Write(payload)
		want := mac.Sum(nil)
		for _, sig := range given {
			if hmac.Equal(want, sig) {
				return nil
			}
		}
	}
	return fmt.Errorf("%w: signed with none of our %d secrets", ErrSignature, len(w.secrets))
}

// readHeader splits "t=…,v1=…,v1=…,v0=…".
func readHeader(header string) (stamp string, given [][]byte) {
	for part := range strings.SplitSeq(header, ",") {
		k, v, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch k {
		case "t":
			stamp = v
		case "v1":
			if sig, err := hex.DecodeString(v); err == nil {
				given = append(given, sig)
			}
		}
	}
	return stamp, given
}
