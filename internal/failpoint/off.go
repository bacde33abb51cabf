//go:build !failpoints

package failpoint

// Hit does nothing in an ordinary build.
func Hit(string) {}
