package privpg

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"syscall"
)

// account is who the server runs as. The zero value is the present user.
type account struct {
	name string
	cred *syscall.Credential
}

// serverAccount picks the account. Only root has a choice: a cluster that
// exists keeps its owner, a new one gets PRIVPG_USER or one of the usual names.
func serverAccount(dataDir string) (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	if st, err := os.Lstat(dataDir); err == nil && st.IsDir() {
		if sys := st.Sys().(*syscall.Stat_t); sys.Uid != 0 {
			return account{
				name: "number " + strconv.FormatUint(uint64(sys.Uid), 10),
				cred: &syscall.Credential{Uid: sys.Uid, Gid: sys.Gid},
			}, nil
		}
	}
	names := []string{"postgres", "_postgres", "nobody"}
	if n := os.Getenv("PRIVPG_USER"); n != "" {
		names = []string{n}
	}
	for _, name := range names {
		if a, ok := lookup(name); ok {
			return a, nil
		}
	}
	return account{}, fmt.Errorf("privpg: PostgreSQL refuses to run as root and none of the accounts %v exists; set PRIVPG_USER", names)
}

func lookup(name string) (account, bool) {
	u, err := user.Lookup(name)
	if err != nil {
		return account{}, false
	}
	uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	if err1 != nil || err2 != nil || uid == 0 {
		return account{}, false
	}
	return account{name, &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, true
}

// uid is the number of the account, also when it is the present user.
func (a account) uid() int {
	if a.cred == nil {
		return os.Geteuid()
	}
	return int(a.cred.Uid)
}

// canEnter asks the kernel, as the account, whether it may enter dir.
func (a account) canEnter(dir string) bool {
	return a.cred == nil || a.command(context.Background(), dir, "/bin/sh", "-c", ":").Run() == nil
}

// ownFolder makes dir (not its parents) the account's, with nobody else let in.
func (a account) ownFolder(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return err
	}
	if a.cred != nil {
		if err := os.Lchown(dir, int(a.cred.Uid), int(a.cred.Gid)); err != nil {
			return err
		}
	}
	return os.Chmod(dir, 0o700)
}

// command prepares a program that runs as the account, in dir because the
// account may not be able to read our working folder. It gets no secrets of ours
// and a process group of its own: Ctrl-C in the terminal reaches only us.
func (a account) command(ctx context.Context, dir, name string, arg ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, arg...)
	c.Dir = dir
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=" + locale()}
	if p := os.Getenv("LD_LIBRARY_PATH"); p != "" {
		c.Env = append(c.Env, "LD_LIBRARY_PATH="+p)
	}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: a.cred, Setpgid: true}
	return c
}

func locale() string {
	if runtime.GOOS == "darwin" { // has no C.UTF-8
		return "en_US.UTF-8"
	}
	return "C.UTF-8"
}
