package results

import (
	"bytes"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"syscall"

	"sweep/internal/disk"
)

// A simDisk is a file system in memory that keeps the promises of disk.Dir and
// no others. It tells what a power cut may leave of it.
type simDisk struct {
	names, durable simNames   // as seen, and as on the platter
	pending        []simNames // changes, in order, not yet durable
	locked         map[*simNode]*simFile
	lockless       bool // it has no locks

	// before, if not nil, is called before each operation. An error makes
	// the operation fail; a write has then written half of its bytes.
	before func(operation string) error
}

// A simNode is a file or a directory.
type simNode struct {
	isDir           bool
	content, synced []byte // of a file: as seen, and as on the platter
}

// simNames are files and directories by their paths, or what one operation did
// to those in a directory, all or nothing; nil: the name is gone.
type simNames map[string]*simNode

func newSimDisk() *simDisk { return newSimDiskOf(simNames{}) }

func newSimDiskOf(names simNames) *simDisk {
	return &simDisk{names: names, durable: maps.Clone(names), locked: map[*simNode]*simFile{}}
}

func (names simNames) set(change simNames) {
	maps.Copy(names, change)
	maps.DeleteFunc(names, func(_ string, n *simNode) bool { return n == nil })
}

// in returns the names in a directory.
func (names simNames) in(dir string) (list []string) {
	for p := range names {
		if path.Dir(p) == dir {
			list = append(list, path.Base(p))
		}
	}
	slices.Sort(list)
	return list
}

// fault is an error of an operation.
func fault(operation, path string, err error) error {
	return &fs.PathError{Op: operation, Path: path, Err: err}
}

func (d *simDisk) enter(operation, path string) error {
	if d.before != nil {
		if err := d.before(operation); err != nil {
			return fault(operation, path, err)
		}
	}
	return nil
}

// A simDir is one of the disk's directories.
type simDir struct {
	*simDisk
	dir string
}

// top returns the directory that all others are in.
func (d *simDisk) top() simDir { return simDir{d, "."} }

func (d simDir) Path(name string) string { return path.Join(d.dir, name) }

func (d simDir) change(c simNames) {
	d.names.set(c)
	d.pending = append(d.pending, c)
}

// find begins an operation on what has a name.
func (d simDir) find(operation, name string) (*simNode, error) {
	if err := d.enter(operation, d.Path(name)); err != nil {
		return nil, err
	}
	if node := d.names[d.Path(name)]; node != nil {
		return node, nil
	}
	return nil, fault(operation, d.Path(name), syscall.ENOENT)
}

func (d simDir) Create(name string) (disk.File, error) {
	if err := d.enter("create", d.Path(name)); err != nil {
		return nil, err
	}
	d.change(simNames{d.Path(name): {}})
	return d.file(name), nil
}

func (d simDir) Open(name string) (disk.File, error) {
	_, err := d.find("open", name)
	return d.file(name), err
}

func (d simDir) file(name string) *simFile {
	return &simFile{d.simDisk, d.Path(name), d.names[d.Path(name)]}
}

// A simFile is an open file.
type simFile struct {
	disk *simDisk
	path string
	node *simNode
}

func (f *simFile) Write(b []byte) (int, error) {
	err := f.disk.enter("write", f.path)
	if err != nil {
		b = b[:len(b)/2]
	}
	f.node.content = append(f.node.content, b...)
	return len(b), err
}

func (f *simFile) Sync() error {
	err := f.disk.enter("sync", f.path)
	if err == nil {
		f.node.synced = f.node.content
	}
	return err
}

func (f *simFile) Truncate(size int64) error {
	err := f.disk.enter("truncate", f.path)
	if err == nil {
		f.node.content = slices.Clone(f.node.content[:size])
	}
	return err
}

func (f *simFile) ReadAt(b []byte, at int64) (int, error) {
	if err := f.disk.enter("read", f.path); err != nil {
		return 0, err
	}
	return bytes.NewReader(f.node.content).ReadAt(b, at)
}

// Seek tells the size.
func (f *simFile) Seek(int64, int) (int64, error) { return int64(len(f.node.content)), nil }

func (f *simFile) Close() error {
	if f.disk.locked[f.node] == f {
		delete(f.disk.locked, f.node)
	}
	return f.disk.enter("close", f.path)
}

func (d simDir) List() ([]string, error) { return d.names.in(d.dir), d.enter("list", d.dir) }

func (d simDir) Mkdir(name string) error {
	if err := d.enter("mkdir", d.Path(name)); err != nil {
		return err
	}
	if d.names[d.Path(name)] != nil {
		return fault("mkdir", d.Path(name), syscall.EEXIST)
	}
	d.change(simNames{d.Path(name): {isDir: true}})
	return nil
}

func (d simDir) Rename(from, to string) error {
	node, err := d.find("rename", from)
	if err == nil {
		d.change(simNames{d.Path(from): nil, d.Path(to): node})
	}
	return err
}

func (d simDir) Remove(name string) error {
	_, err := d.find("remove", name)
	switch {
	case err != nil:
		return err
	case len(d.names.in(d.Path(name))) > 0:
		return fault("remove", d.Path(name), syscall.ENOTEMPTY)
	}
	d.change(simNames{d.Path(name): nil})
	return nil
}

func (d simDir) Sub(name string) (disk.Dir, error) {
	if d.names[d.Path(name)] == nil {
		return nil, fault("open", d.Path(name), syscall.ENOENT)
	}
	return simDir{d.simDisk, d.Path(name)}, nil
}

func (d simDir) Moved(disk.File, string) error { return nil }
func (d simDir) Close() error                  { return nil }

func (d simDir) Sync() error {
	if err := d.enter("syncDir", d.dir); err != nil {
		return err
	}
	d.pending = slices.DeleteFunc(d.pending, func(c simNames) bool {
		here := len(c.in(d.dir)) > 0
		if here {
			d.durable.set(c)
		}
		return here
	})
	return nil
}

func (d simDir) Lock(name string) (disk.File, error) {
	if err := d.enter("lock", d.Path(name)); err != nil {
		return nil, err
	}
	if d.names[d.Path(name)] == nil {
		if _, err := d.Create(name); err != nil {
			return nil, err
		}
	}
	f := d.file(name)
	if err := d.Held(name); err != nil {
		return nil, err
	}
	if d.lockless {
		return f, disk.ErrNoLocks
	}
	d.locked[f.node] = f
	return f, nil
}

func (d simDir) Held(name string) error {
	if d.locked[d.names[d.Path(name)]] != nil {
		return ErrLocked
	}
	return nil
}

// An outage decides what a power cut leaves of what was not yet durable:
// which changes of names, and how much of a file's content.
type outage struct {
	name    string
	keeps   func() bool
	content func(n *simNode) []byte
}

// outages are the worst case and one between that and the best, and then
// others.
func outages(rng *rand.Rand) []outage {
	synced := func(n *simNode) []byte { return n.synced }
	written := func(n *simNode) []byte { return n.content }
	torn := func(n *simNode) []byte {
		kept := 0
		if bytes.HasPrefix(n.content, n.synced) { // appended to
			kept = len(n.synced)
		}
		return n.content[:kept+rng.IntN(len(n.content)-kept+1)]
	}
	return []outage{
		{"all is lost that was not synced", func() bool { return false }, synced},
		{"some is lost", func() bool { return rng.IntN(2) == 0 }, torn},
		{"names are kept, content is lost", func() bool { return true }, synced},
		{"all is kept", func() bool { return true }, written},
		{"some other is lost", func() bool { return rng.IntN(2) == 0 }, torn},
	}
}

// after returns the disk as it is when power is back. d itself stays as it
// is.
func (d *simDisk) after(o outage) *simDisk {
	kept := maps.Clone(d.durable)
	for _, c := range d.pending {
		if o.keeps() {
			kept.set(c)
		}
	}
	names, copies := simNames{}, map[*simNode]*simNode{}
	for _, p := range slices.Sorted(maps.Keys(kept)) { // directories before what is in them
		if dir := path.Dir(p); dir != "." && names[dir] == nil {
			continue
		}
		n := kept[p]
		if copies[n] == nil {
			content := slices.Clip(o.content(n))
			copies[n] = &simNode{n.isDir, content, content}
		}
		names[p] = copies[n]
	}
	return newSimDiskOf(names)
}

// files returns the paths of all files.
func (d *simDisk) files() []string {
	paths := slices.Sorted(maps.Keys(d.names))
	return slices.DeleteFunc(paths, func(p string) bool { return d.names[p].isDir })
}
