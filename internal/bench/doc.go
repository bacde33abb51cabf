// Package bench measures the whole program against what the machine can do at all.
// It has benchmarks only: `make bench` runs them once each and prints ratios, which
// travel between machines better than rates. Both sides of a ratio are measured in
// turns in the same run.
package bench
