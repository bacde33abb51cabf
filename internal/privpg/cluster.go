package privpg

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// ensureCluster makes the cluster, or checks that our programs can open it.
func (s *Server) ensureCluster(ctx context.Context) error {
	have := clusterVersion(s.DataDir)
	if have == "" {
		return s.makeCluster(ctx)
	}
	if ours := binaryVersion(s.BinDir); ours != "" && ours != have {
		return fmt.Errorf("privpg: %s was made by PostgreSQL %s but %s is version %s; install PostgreSQL %s, or move the folder away to start empty",
			s.DataDir, have, s.BinDir, ours, have)
	}
	return nil
}

// makeCluster runs initdb in a side folder that becomes the data folder only
// when initdb has finished: a start cut short leaves no half-made cluster.
func (s *Server) makeCluster(ctx context.Context) error {
	side := filepath.Join(s.base, "init")
	if err := os.RemoveAll(side); err != nil {
		return err
	}
	if err := s.account.ownFolder(side); err != nil {
		return err
	}
	args := []string{"-D", side, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=" + locale()}
	if s.throwaway {
		args = append(args, "--no-sync")
	}
	out, err := s.account.command(ctx, s.base, filepath.Join(s.BinDir, "initdb"), args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("privpg: initdb failed: %w\n%s", err, out)
	}
	return os.Rename(side, s.DataDir)
}
