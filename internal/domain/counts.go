package domain

import "fmt"

// Counts are the pieces of each note and coin in a till, by its value in minor units.
type Counts map[int64]int

// Sum is what they are worth together, in minor units.
func (c Counts) Sum() int64 {
	var n int64
	for value, pieces := range c {
		n += value * int64(pieces)
	}
	return n
}

// Check refuses what nobody can have counted.
func (c Counts) Check() error {
	for value, pieces := range c {
		if value <= 0 || pieces < 0 || pieces > 1_000_000 || value > 1_000_000_000_000 {
			return &RuleError{Code: "counts", Words: fmt.Sprintf("%d pieces cannot be right. Please count again.", pieces)}
		}
	}
	return nil
}
