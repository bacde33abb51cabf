//go:build race

package torture

// raced: the program under torture is built like the test that tortures it.
const raced = true
