// Package views holds the pages. Each file begins with its view models: structs
// that are ready to print. Handlers format money, dates and names; templates
// only place them. Nothing here asks a clock, a database or another package of
// ours, and no page depends on JavaScript.
//
// Words of the fields: No is a seat's key (seat_no), Name what people call it;
// a URL is a path of our own site; times are the wall clock of the place.
package views
