package command

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// A cgroup holds all programs of this process and what they start (cgroups(7),
// version 2). A guard beside it, a shell that waits for the end of this
// process, kills them all if kill -9 has left them.
type cgroup struct {
	path  string
	file  *os.File // the directory, for clone3(2)
	alive *os.File // the guard reads its other end; nobody writes
}

// openCgroup returns the cgroup of this process's programs, which it makes at
// the first call. Nil if this system has none that this user may make: then
// kill -9 leaves what the programs have started.
var openCgroup = sync.OnceValue(func() *cgroup {
	own, err := cgroupOf("self")
	if err != nil {
		return nil
	}
	path, err := os.MkdirTemp(own, "sweep-")
	if err != nil {
		return nil
	}
	c := &cgroup{path: path}
	if err := c.watch(); err != nil {
		_ = os.Remove(c.path) // at the worst an empty cgroup is left
		return nil
	}
	return c
})

// cgroupOf returns the directory of the cgroup that a process is in: a number,
// or self.
func cgroupOf(process string) (string, error) {
	mount, root, err := cgroupMount()
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile("/proc/" + process + "/cgroup")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		path, found := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !found {
			continue
		}
		below, err := filepath.Rel(root, path)
		if err != nil {
			return "", err
		}
		return filepath.Join(mount, below), nil
	}
	return "", errors.New("the process is in no cgroup of version 2")
}

// cgroupMount returns where cgroups of version 2 are mounted, and which of them
// is seen there, from /proc/self/mountinfo (proc(5)).
func cgroupMount() (mount, root string, err error) {
	file, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return "", "", err
	}
	defer file.Close() // nothing was written
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		place, kind, _ := strings.Cut(lines.Text(), " - ")
		fields := strings.Fields(place)
		const rootField = 3
		const mountField = 4
		if strings.HasPrefix(kind, "cgroup2 ") && len(fields) > mountField {
			return fields[mountField], fields[rootField], nil
		}
	}
	return "", "", errors.Join(errors.New("no cgroups of version 2 are mounted"), lines.Err())
}

// watch opens the cgroup and starts its guard.
func (c *cgroup) watch() error {
	kill := filepath.Join(c.path, "cgroup.kill")
	if _, err := os.Stat(kill); err != nil {
		return err // a kernel before 5.14
	}
	var err error
	c.file, err = os.Open(c.path)
	if err != nil {
		return err
	}
	probe := exec.Command("/bin/sh", "-c", ":")
	probe.SysProcAttr = c.attributes()
	if err := probe.Run(); err != nil {
		return errors.Join(err, c.file.Close()) // nothing may be started here
	}
	end, alive, err := os.Pipe()
	if err != nil {
		return errors.Join(err, c.file.Close())
	}
	defer end.Close() // the guard has a descriptor of its own
	c.alive = alive
	if err := startGuard(c.path, end); err != nil {
		return errors.Join(err, c.file.Close(), c.alive.Close())
	}
	return nil
}

// startGuard starts a shell that waits until nobody holds the other end of a
// pipe, kills what is in the cgroup, and removes it with those below. It is in
// a process group of its own: what ends this one's group does not end it.
func startGuard(path string, end *os.File) error {
	const script = `read _; echo 1 >"$0/cgroup.kill"; n=0; ` +
		`while [ -d "$0" ] && [ $n -lt 100 ]; do ` +
		`find "$0" -depth -type d -exec rmdir {} + || sleep .1; n=$((n+1)); done`
	guard := exec.Command("/bin/sh", "-c", script, path)
	guard.Dir = "/" // so that it keeps no directory in use
	guard.Stdin = end
	guard.Env = append(os.Environ(), "GUARD_OF_SWEEP="+path) // never empty: see child.bare
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return guard.Start()
}

// attributes of a process that is started in the cgroup.
func (c *cgroup) attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(c.file.Fd())}
}
