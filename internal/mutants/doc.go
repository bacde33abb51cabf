// Package mutants shows that the tests of the money core can fail: it takes one safety
// net away at a time, in an overlay over the sources that nobody else sees, and runs the
// tests that must notice.
package mutants
