// Package arch holds no code, only the tests that keep the house in order: who
// may import whom, where SQL may stand, who may write a seat's hold, and that
// each dependency has its line in DEPENDENCIES.md.
package arch
