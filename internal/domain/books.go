package domain

import "time"

// BalanceLine is a line of the provider's own books. Amounts are minor units as people
// write them.
type BalanceLine struct {
	ID      string
	Kind    BalanceKind
	Amount  int64 // before fees; negative when it left
	Fee     int64 // what the provider kept, positive
	Net     int64
	Code    string // currency of the account, in which it is paid out; upper case
	Created time.Time

	Source        string // the provider's id of the charge, refund, dispute or payout
	PaymentIntent string // "" when the line is of no payment
	// Of a charge or refund: what the customer paid or got, positive, and in which
	// currency. The account may be in another.
	Paid     int64
	PaidCode string
}

// BalanceKind sorts the lines of the provider's books.
type BalanceKind string

// The kinds of lines. A refund that failed came back.
const (
	BalanceCharge       BalanceKind = "charge"
	BalanceRefund       BalanceKind = "refund"
	BalanceRefundFailed BalanceKind = "refund_failed"
	BalanceDispute      BalanceKind = "dispute"
	BalancePayout       BalanceKind = "payout"
	BalanceOther        BalanceKind = "other" // the provider's own fees, corrections, …
)

// Payout is money on its way from the provider to the house's bank.
type Payout struct {
	ID      string
	Status  string // provider's word: paid, pending, in_transit, canceled, failed
	Amount  int64  // minor units as people write them
	Code    string // upper-case ISO 4217
	Created time.Time
	Arrives time.Time // at the bank, a date
}
