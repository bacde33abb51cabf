// Package bench measures the whole program against what the machine can do at all, on a
// PostgreSQL that keeps what it acknowledges. It has benchmarks: `make bench` runs them
// once each and prints ratios, which travel between machines better than rates. The sides
// of a ratio take turns in one run; docs/performance.md says how to read them.
//
// Its few tests show what a second store for holds would cost in correctness.
package bench
