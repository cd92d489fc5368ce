package command

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of what its programs leave behind: a
// process whose parent has ended becomes a child of this one (prctl(2),
// PR_SET_CHILD_SUBREAPER). An older kernel refuses, and then nothing is
// adopted.
var adopt = sync.OnceFunc(func() {
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
})

// A child is a process whose parent is this one.
type child struct {
	pid     int
	zombie  bool
	group   int
	session int
	mark    string // of the program that it belongs to; empty if there is none
	bare    bool   // whether it has no environment, as during exec, or while it ends
}

// killLeftovers kills the adopted processes of programs that have ended, and
// reaps those that have ended by themselves. If over, no run is under way, and
// a process in a session of its own is killed whatever its environment says.
// It reports whether to look again: for what killed processes leave in turn,
// and for processes that have no environment now. These may get one with a
// mark, or are ending and have to be reaped. The caller must have locked
// programs.
func killLeftovers(over bool) (again bool) {
	leaders := map[int]bool{}
	running := map[string]bool{}
	for leader, mark := range programs.running {
		leaders[leader.Pid] = true
		running[mark] = !over
	}
	ownMark := os.Getenv(markName) // if a sweep has started this one
	ownGroup := unix.Getpgrp()
	ownSession, _ := unix.Getsid(0) // cannot fail: it is this process
	for _, c := range listChildren() {
		if leaders[c.pid] || c.group == ownGroup {
			continue
		}
		if c.zombie {
			_, _ = unix.Wait4(c.pid, nil, unix.WNOHANG, nil) // it may be gone
			continue
		}
		isOfAProgram := c.mark != "" && c.mark != ownMark
		isAdopted := isOfAProgram || over && c.session != ownSession
		if isAdopted && !running[c.mark] {
			_ = syscall.Kill(c.pid, syscall.SIGKILL) // it may be gone
			again = true
		}
		again = again || c.bare
	}
	return again
}

// endLeftovers ends what the runs of a sweep have left running, with the
// processes that these leave in turn. It gives up after a second: a process
// that waits for a file system cannot be ended. The caller must have locked
// programs.
func endLeftovers() {
	if programs.started == 0 {
		return // nothing was adopted
	}
	const pause = 2 * time.Millisecond
	for deadline := time.Now().Add(time.Second); killLeftovers(true); {
		if time.Now().After(deadline) {
			return
		}
		time.Sleep(pause)
	}
}

// listChildren returns this process's children, as far as they can be read.
func listChildren() []child {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	self := os.Getpid()
	var list []child
	for _, entry := range entries {
		if _, err := strconv.Atoi(entry.Name()); err != nil {
			continue // not a process
		}
		text, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "stat"))
		if err != nil {
			continue // it has ended
		}
		c, parent := parseStat(text)
		if parent != self {
			continue
		}
		c.mark, c.bare = markOf(c.pid)
		list = append(list, c)
	}
	return list
}

// parseStat reads a process and its parent from /proc/PID/stat (proc(5)). The
// name of the program is in parentheses and may hold anything.
func parseStat(text []byte) (c child, parent int) {
	open := bytes.IndexByte(text, ' ')
	end := bytes.LastIndexByte(text, ')')
	if open < 0 || end < 0 {
		return child{}, 0
	}
	c.pid, _ = strconv.Atoi(string(text[:open]))
	fields := bytes.Fields(text[end+1:])
	const used = 4 // of those after the name; the first is the state
	if len(fields) < used {
		return child{}, 0
	}
	c.zombie = fields[0][0] == 'Z'
	parent, _ = strconv.Atoi(string(fields[1]))
	c.group, _ = strconv.Atoi(string(fields[2]))
	c.session, _ = strconv.Atoi(string(fields[3]))
	return c, parent
}

// markOf returns the mark in the environment that a process was started with,
// empty if there is none or it cannot be read, and whether the process has no
// environment.
func markOf(pid int) (mark string, bare bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return "", errors.Is(err, unix.ESRCH)
	}
	for variable := range strings.SplitSeq(string(text), "\x00") {
		mark, found := strings.CutPrefix(variable, markName+"=")
		if found {
			return mark, false
		}
	}
	return "", len(text) == 0
}
