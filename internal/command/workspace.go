package command

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// A workspace is the directory in which programs work, one run after another.
// During a run it has the path of the run, and is empty when that begins. To
// rename one directory is far cheaper than to make and remove one for each run.
type workspace struct {
	parking string      // its path between runs, which no other process uses
	parked  bool        // it is there; otherwise the next run needs a new one
	made    fs.FileInfo // of what we made, lest a program has put another there
}

// spaces are the workspaces that no run has.
var spaces struct {
	sync.Mutex
	idle []*workspace
}

// takeSpace returns a workspace whose path is that of a run, in place of what
// an earlier attempt has left there.
func takeSpace(run string) (*workspace, error) {
	s := idleSpace(filepath.Dir(run))
	if s.place(run) == nil {
		return s, nil
	}
	s.remove()
	if err := os.RemoveAll(run); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(run), 0o777); err != nil {
		return nil, err
	}
	return s, s.place(run)
}

// idleSpace returns a workspace that no run has, for runs in a directory.
func idleSpace(dir string) *workspace {
	spaces.Lock()
	defer spaces.Unlock()
	if last := len(spaces.idle) - 1; last >= 0 {
		s := spaces.idle[last]
		spaces.idle = spaces.idle[:last]
		if filepath.Dir(s.parking) == dir {
			return s
		}
		s.remove() // the runs of a sweep are in one directory
	}
	return &workspace{parking: uniquePath(dir)}
}

// place gives the workspace the path of a run.
func (s *workspace) place(run string) (err error) {
	if s.parked {
		err = os.Rename(s.parking, run)
		s.parked = err != nil
		return err
	}
	if err := os.Mkdir(run, 0o777); err != nil {
		return err
	}
	s.made, err = os.Lstat(run)
	return err
}

// leave empties the workspace after a run that needs it no longer, and parks
// it. What cannot be emptied, such as files of another user, is removed as far
// as possible: the next run then has a new one.
func (s *workspace) leave(run string) error {
	err := empty(run, s.made)
	if err == nil {
		err = os.Rename(run, s.parking)
		s.parked = err == nil
	}
	if err != nil {
		return os.RemoveAll(run)
	}
	return nil
}

// remove removes the workspace, if it is parked.
func (s *workspace) remove() {
	if s.parked {
		_ = os.RemoveAll(s.parking) // at the worst an empty directory is left
		s.parked = false
	}
}

// returnSpace keeps a workspace for the next run.
func returnSpace(s *workspace) {
	spaces.Lock()
	defer spaces.Unlock()
	spaces.idle = append(spaces.idle, s)
}

// endSpaces removes the workspaces that no run has.
func endSpaces() {
	spaces.Lock()
	defer spaces.Unlock()
	for _, s := range spaces.idle {
		s.remove()
	}
	spaces.idle = nil
}

// uniquePath returns a path that nothing has had, for what is not of one run.
func uniquePath(dir string) string {
	return filepath.Join(dir, ownPrefix()+rand.Text()[:12]) // 60 random bits
}

// ownPrefix begins the names of what is not of one run, on this machine.
func ownPrefix() string {
	host, _ := os.Hostname() // without a name, machines share one
	return "worker-" + host + "-"
}

// Leftovers returns the directories among those of runs that belong to workers
// on this machine. If no other process executes runs there, a sweep that was
// killed has left them.
func Leftovers(dir string) (paths []string) {
	entries, _ := os.ReadDir(dir) // what cannot be read is left
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ownPrefix()) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths
}

var errMoved = errors.New("the program has moved or replaced its working directory")

// empty removes all that is in a directory, unless a program has put another,
// or a link to one, in its place.
func empty(dir string, made fs.FileInfo) error {
	found, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !found.IsDir() || !os.SameFile(found, made) { // a link may have its number
		return errMoved
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}
