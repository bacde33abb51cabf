package counter

// StripeAccount is what Stripe says of its own books.
type StripeAccount interface{}
