package domain

// Jobs are inserted in the transaction of the outcome they follow; workers are in
// internal/jobs. The json names are stored: never rename them.

// SettleJob asks the provider about a session and settles it. EventID is the
// webhook that asked, "" otherwise.
type SettleJob struct {
	SessionID string `json:"session_id"`
	EventID   string `json:"event_id"`
}

// Kind names the job in the queue.
func (SettleJob) Kind() string { return "settle" }

// EndPaymentJob runs at a countdown's end: the payment page must not outlive it.
type EndPaymentJob struct {
	PaymentID int64 `json:"payment_id"`
}

// Kind names the job in the queue.
func (EndPaymentJob) Kind() string { return "end_payment" }

// RefundJob works one refund row until the provider has the last word.
type RefundJob struct {
	RefundID int64 `json:"refund_id"`
}

// Kind names the job in the queue.
func (RefundJob) Kind() string { return "refund" }

// Queue keeps refunds apart: a crowd of them must not keep payments waiting.
func (RefundJob) Queue() string { return "refunds" }

// RefundNewsJob asks what became of the refunds of a payment. ObjectID is what a
// webhook named: a refund or a charge.
type RefundNewsJob struct {
	ObjectID string `json:"object_id"`
	EventID  string `json:"event_id"`
}

// Kind names the job in the queue.
func (RefundNewsJob) Kind() string { return "refund_news" }

// DisputeJob asks about a cardholder's complaint.
type DisputeJob struct {
	DisputeID string `json:"dispute_id"`
	EventID   string `json:"event_id"`
}

// Kind names the job in the queue.
func (DisputeJob) Kind() string { return "dispute" }

// ReconcileJob compares with Stripe's own lists, each hour.
type ReconcileJob struct{}

// Kind names the job in the queue.
func (ReconcileJob) Kind() string { return "reconcile" }

// AuditJob looks each hour whether the night's audit is due.
type AuditJob struct{}

// Kind names the job in the queue.
func (AuditJob) Kind() string { return "audit" }

// CancelEventJob cancels and refunds the bookings of a cancelled event.
type CancelEventJob struct {
	EventID int64 `json:"event_id"`
}

// Kind names the job in the queue.
func (CancelEventJob) Kind() string { return "cancel_event" }

// ManifestJob mails, each minute, the lists of passengers of what starts soon.
type ManifestJob struct{}

// Kind names the job in the queue.
func (ManifestJob) Kind() string { return "manifests" }

// MailJob sends one row of the outbox.
type MailJob struct {
	MailID int64 `json:"mail_id"`
}

// Kind names the job in the queue.
func (MailJob) Kind() string { return "mail" }

// Queue keeps mails apart: a mail server that hangs must not keep payments waiting.
func (MailJob) Queue() string { return "mails" }

// SweepJob looks at every live payment nobody heard of and frees what ran out.
type SweepJob struct{}

// Kind names the job in the queue.
func (SweepJob) Kind() string { return "sweep" }
