// Package apptest is what tests share that run the built program from outside: how it is
// built, a browser's view of its pages, a mail server, and the part of a verdict that is
// the promise itself, asked of the database and of Stripe's ledger.
package apptest
