// Package privpg runs a private PostgreSQL server for demo mode and for tests,
// so that neither needs a database set up by hand.
//
// No TCP port is opened: the server listens on a unix socket in a folder that
// only its own account may enter, so two clones never meet. It works as root
// (PostgreSQL refuses that, so the server then runs as an unprivileged account)
// and as a normal user, on Linux and macOS. Nothing is downloaded. However the
// owning process ends, SIGKILL included, its server ends with it.
package privpg

import (
	"io"
	"os"
	"sync"
	"time"
)

// Options says where and how the server runs. The zero value is a throwaway
// server for tests.
type Options struct {
	// Dir is the folder of a cluster that survives; a second process with the
	// same Dir attaches to the first one's server. Empty: a throwaway cluster,
	// fast and unsafe, removed when the server ends. When the account that runs
	// the server may not enter Dir's parents, the cluster lives elsewhere, in a
	// place that depends on Dir alone; Log says where.
	Dir       string
	BinDir    string            // folder of initdb and postgres; empty: searched
	DBName    string            // created when missing; empty: "app"
	Log       io.Writer         // the server's own log and our notes; nil: dropped
	Settings  map[string]string // postgresql.conf settings that win over ours
	StartWait time.Duration     // 0: 60 s
}

// Server is a running private server.
type Server struct {
	URL      string // for pgxpool.ParseConfig or DATABASE_URL
	DataDir  string // where the cluster really is
	SockDir  string
	BinDir   string
	Attached bool // another process's server on the same Dir was already up

	adminURL  string // the maintenance database
	account   account
	throwaway bool
	base      string // holds the data, socket and lock
	lock      *os.File
	stdin     io.Closer     // closing it, or dying, stops the server
	pgid      int           // the server's process group
	done      chan struct{} // closed when the server has ended
	stopOnce  sync.Once
	stopErr   error
}

// Done is closed when the server that this process started has ended, crashes
// included. It is nil, so it never answers, when Attached.
func (s *Server) Done() <-chan struct{} { return s.done }

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = io.Discard
	}
	if o.StartWait == 0 {
		o.StartWait = 60 * time.Second
	}
	if o.DBName == "" {
		o.DBName = "app"
	}
	return o
}
