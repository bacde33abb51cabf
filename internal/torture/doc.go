// Package torture tries to break the promise: a seat is never sold twice, and a
// customer who pays ends with a ticket or with the money back. It has tests only.
//
// The real program, built with fail points, runs as a process of its own against a
// PostgreSQL and a Stripe look-alike that go wrong all the time. Customers with two tabs
// each fight for few seats, an operator moves time and cancels an event, and somebody
// kills the program with SIGKILL again and again. Then everything is switched well, time
// passes, and a verdict is given on what is left. What it counts as time passing is only
// what passes in production by itself: see calm_test.go.
//
// `make test` runs a short form. `make torture` runs the long one: TORTURE_MINUTES (4),
// TORTURE_KILLS (100, at least), TORTURE_SEED. Each actor throws its own dice from the one
// seed that is printed; the order in which processes meet is the machine's.
package torture
