package domain

import "time"

// SessionRequest asks the payment provider for one hosted payment page. Every
// field is frozen in the payment's row, so a repeat with the same Key is the
// same request to the letter.
type SessionRequest struct {
	Key         string // idempotency key "cs:<payment id>"
	PaymentID   int64
	HoldID      string // uuid
	EventID     int64
	Amount      int64  // minor units of Currency as people write them (not Stripe's)
	Currency    string // upper-case ISO 4217
	Description string // "2 tickets, Salt Road, Sat 5 Dec 19:30"
	Email       string // pre-fills the page; may be empty
	SuccessURL  string // absolute
	CancelURL   string // absolute
	ExpiresAt   time.Time
}

// SessionStatus is the provider's word about a hosted payment page.
type SessionStatus string

const (
	SessionOpen     SessionStatus = "open"     // can still be paid
	SessionComplete SessionStatus = "complete" // finished; see Paid
	SessionExpired  SessionStatus = "expired"  // can never be paid again
)

// PaySession is what the provider says now. It is never taken from a browser or
// from a webhook's body.
type PaySession struct {
	ID            string
	URL           string // hosted page; empty once complete or expired
	Status        SessionStatus
	Paid          bool  // the money was taken
	Amount        int64 // minor units of Currency as people write them
	Currency      string
	Livemode      bool
	PaymentIntent string // empty before the customer tried
	// Metadata as we set it: app, payment_id, hold_id, event_id.
	Metadata  map[string]string
	ExpiresAt time.Time
}

// RefundRequest asks for money back. Key is "rf:<refund id>:<attempt>".
type RefundRequest struct {
	Key           string
	RefundID      int64
	PaymentIntent string
	Amount        int64 // minor units of Currency as people write them
	Currency      string
	Reason        string // ours, for metadata
}

// ProviderRefund is a refund as the provider knows it.
type ProviderRefund struct {
	ID       string
	State    RefundState // pending, succeeded or failed
	Amount   int64       // minor units of the payment's currency as people write them
	RefundID string      // metadata.refund_id, empty for refunds made elsewhere
	Failure  string      // provider's reason code, "" when none

	PaymentIntent string    // "" for a refund of a payment that has none, which is not ours
	Currency      string    // upper-case ISO 4217
	Created       time.Time // provider's clock
}

// RefundState is the state of a refund row.
type RefundState string

const (
	RefundRequested RefundState = "requested" // ours alone so far
	RefundPending   RefundState = "pending"   // the provider has it; normal for days
	RefundSucceeded RefundState = "succeeded"
	RefundFailed    RefundState = "failed"
)

// PaymentState is the state of one attempt to pay one hold.
type PaymentState string

const (
	PaymentCreating  PaymentState = "creating"  // row is there, the provider may or may not know of it
	PaymentOpen      PaymentState = "open"      // a hosted page waits for the customer
	PaymentApplied   PaymentState = "applied"   // money became tickets
	PaymentRefunding PaymentState = "refunding" // money came and goes back
	PaymentClosed    PaymentState = "closed"    // no money came and none can come, or all of it is back
)

// Live says whether money may still arrive for an attempt that recorded none.
func (s PaymentState) Live() bool { return s == PaymentCreating || s == PaymentOpen }

// ProviderDispute is a cardholder's complaint as the provider knows it.
type ProviderDispute struct {
	ID            string
	PaymentIntent string // "" for a payment that has none, which is not ours
	Status        string // provider's word: needs_response, warning_closed, …
	Reason        string // provider's word: fraudulent, product_not_received, …
	// Amount is in minor units of Currency as people write them, for people's eyes.
	// It is 0 when our table cannot express it: a bank may dispute another amount in
	// another currency than was paid, and the dispute matters all the same.
	Amount   int64
	Currency string // upper-case ISO 4217
	Inquiry  bool   // a question of the bank; no money moved
	Closed   bool   // nothing will change any more
	// Won: the bank decided for us. A closed inquiry is neither won nor lost; lost is
	// Closed && !Won && !Inquiry.
	Won bool
}
