package bench

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"holdfast/internal/privpg"
)

// TestMain plays another process when asked to, see child. Benchmarks get a PostgreSQL
// of their own that syncs every commit to the disk, as production does; the tests take
// the one that all tests share.
func TestMain(m *testing.M) {
	if role := os.Getenv(roleEnv); role != "" {
		os.Exit(play(role))
	}
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		os.Exit(m.Run())
	}
	os.Exit(onDurable(m))
}

func onDurable(m *testing.M) int {
	s, err := privpg.Start(context.Background(), privpg.Options{Settings: durable()})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = s.Stop() }() // its folder goes with it
	if err := os.Setenv("DATABASE_URL", s.URL); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.Remove(programPath()) }()
	return m.Run()
}

// durable is PostgreSQL as it comes, but for the number of connections and fewer
// checkpoints, which would hit one side of a ratio and not the other.
func durable() map[string]string {
	return map[string]string{
		"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "wal_level": "replica", "max_wal_senders": "10",
		"max_connections": "400", "shared_buffers": "128MB", "checkpoint_timeout": "15min", "max_wal_size": "4GB",
	}
}
