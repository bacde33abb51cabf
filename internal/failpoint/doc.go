// Package failpoint lets the torture run kill the program at the places where a
// payment is half done: Stripe knows and we do not, or the other way round. Random
// kills meet such a moment once in thousands; a promise about money must be tried at
// each of them.
//
// In ordinary builds Hit is an empty function that the compiler leaves out. Built with
// the tag "failpoints", Hit(name) ends its own process with SIGKILL, by the chance that
// HOLDFAST_FAILPOINTS gives to the name: "settle.before_commit:0.02,pay.after_row:0.5".
// HOLDFAST_FAILSEED makes the throws repeatable. A point that kills says so on standard
// error first: "failpoint: settle.before_commit".
package failpoint

// If is Hit for a moment that counts only sometimes: money came, no error.
func If(when bool, name string) {
	if when {
		Hit(name)
	}
}
