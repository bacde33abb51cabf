//go:build !race

package apptest

// Raced: the program is built like the test that runs it.
const Raced = false
