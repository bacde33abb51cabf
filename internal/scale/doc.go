// Package scale has customers for the recipes of docs/scale.md: two processes of the
// program on one database, however that is reached, a Stripe look-alike that nothing
// touches, and people who buy until the time is up. While they do, a command may take the
// database's primary away. Then everything that somebody was told is compared with what
// the database has, and with Stripe.
//
// scripts/scale/ runs it behind PgBouncer and over a failover; the plain form runs with
// all other tests, so that the customers stay able to buy.
package scale
