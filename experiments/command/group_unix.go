//go:build unix

package command

import "syscall"

// A tree is a process group, by the number of its leader; the caller of its
// methods holds groups.
type tree int

func (t *tree) open(leader int) { *t = tree(leader) }
func (t *tree) close()          { *t = 0 }

// signal sends a signal to all processes, which may have ended.
func (t tree) signal(s syscall.Signal) {
	if t > 0 {
		_ = syscall.Kill(-int(t), s)
	}
}
