package results

import (
	"bytes"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"syscall"
)

// A simDisk is a file system in memory that keeps the promises of disk and
// no others. It tells what a power cut may leave of it.
type simDisk struct {
	root    *simNode
	pending []simChange // of names, in order, not yet durable
	locked  map[*simNode]*simFile

	// before, if not nil, is called before each operation. An error makes
	// the operation fail; a write has then written half of its bytes.
	before func(operation string) error
}

// A simNode is a file or, if names is not nil, a directory.
type simNode struct {
	content, synced []byte // of a file: as seen, and as on the platter
	names, durable  map[string]*simNode
}

// A simChange is what one operation did to names, all or nothing.
type simChange []simName

type simName struct {
	dir  *simNode
	name string
	node *simNode // nil: the name is gone
}

func newSimDir() *simNode {
	return &simNode{names: map[string]*simNode{}, durable: map[string]*simNode{}}
}

func newSimDisk() *simDisk { return newSimDiskOf(newSimDir()) }

func newSimDiskOf(root *simNode) *simDisk {
	return &simDisk{root: root, locked: map[*simNode]*simFile{}}
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

func (d *simDisk) change(c ...simName) {
	for _, n := range c {
		n.set(n.dir.names)
	}
	d.pending = append(d.pending, c)
}

func (n simName) set(names map[string]*simNode) {
	if n.node == nil {
		delete(names, n.name)
	} else {
		names[n.name] = n.node
	}
}

// A simDir is one of the disk's directories.
type simDir struct {
	*simDisk
	dir  string
	node *simNode
}

// top returns the directory that all others are in.
func (d *simDisk) top() simDir { return simDir{d, ".", d.root} }

func (d simDir) path(name string) string { return path.Join(d.dir, name) }

// find begins an operation on what has a name.
func (d simDir) find(operation, name string) (*simNode, error) {
	if err := d.enter(operation, d.path(name)); err != nil {
		return nil, err
	}
	if d.node.names[name] == nil {
		return nil, fault(operation, d.path(name), syscall.ENOENT)
	}
	return d.node.names[name], nil
}

func (d simDir) file(name string) *simFile {
	return &simFile{d.simDisk, d.path(name), d.node.names[name]}
}

func (d simDir) create(name string) (file, error) {
	if err := d.enter("create", d.path(name)); err != nil {
		return nil, err
	}
	d.change(simName{d.node, name, &simNode{}})
	return d.file(name), nil
}

func (d simDir) open(name string) (file, error) {
	_, err := d.find("open", name)
	return d.file(name), err
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

func (d simDir) list() ([]string, error) {
	return slices.Sorted(maps.Keys(d.node.names)), d.enter("list", d.dir)
}

func (d simDir) mkdir(name string) error {
	if err := d.enter("mkdir", d.path(name)); err != nil {
		return err
	}
	if d.node.names[name] != nil {
		return fault("mkdir", d.path(name), syscall.EEXIST)
	}
	d.change(simName{d.node, name, newSimDir()})
	return nil
}

func (d simDir) rename(from, to string) error {
	node, err := d.find("rename", from)
	if err == nil {
		d.change(simName{d.node, from, nil}, simName{d.node, to, node})
	}
	return err
}

func (d simDir) remove(name string) error {
	node, err := d.find("remove", name)
	switch {
	case err != nil:
		return err
	case len(node.names) > 0:
		return fault("remove", d.path(name), syscall.ENOTEMPTY)
	}
	d.change(simName{d.node, name, nil})
	return nil
}

func (d simDir) sub(name string) (disk, error) {
	if node := d.node.names[name]; node != nil {
		return simDir{d.simDisk, d.path(name), node}, nil
	}
	return nil, fault("open", d.path(name), syscall.ENOENT)
}

func (d simDir) moved() error { return nil }
func (d simDir) close() error { return nil }

func (d simDir) sync() error {
	if err := d.enter("syncDir", d.dir); err != nil {
		return err
	}
	var rest []simChange
	for _, c := range d.pending {
		if !slices.ContainsFunc(c, func(n simName) bool { return n.dir == d.node }) {
			rest = append(rest, c)
			continue
		}
		for _, n := range c {
			n.set(n.dir.durable)
			// What was done to the name before no longer matters.
			for i := range rest {
				rest[i] = slices.DeleteFunc(slices.Clone(rest[i]), func(o simName) bool { return o.dir == n.dir && o.name == n.name })
			}
		}
	}
	d.pending = rest
	return nil
}

func (d simDir) lock(name string) (file, error) {
	if err := d.enter("lock", d.path(name)); err != nil {
		return nil, err
	}
	if d.node.names[name] == nil {
		if _, err := d.create(name); err != nil {
			return nil, err
		}
	}
	if err := d.held(name); err != nil {
		return nil, err
	}
	f := d.file(name)
	d.locked[f.node] = f
	return f, nil
}

func (d simDir) held(name string) error {
	if d.locked[d.node.names[name]] != nil {
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
		if bytes.Equal(n.content, n.synced) {
			return n.synced
		}
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
	names := map[*simNode]map[string]*simNode{} // of each directory
	of := func(dir *simNode) map[string]*simNode {
		if names[dir] == nil {
			names[dir] = maps.Clone(dir.durable)
		}
		return names[dir]
	}
	for _, c := range d.pending {
		if o.keeps() {
			for _, n := range c {
				n.set(of(n.dir))
			}
		}
	}
	copies := map[*simNode]*simNode{}
	var restore func(n *simNode) *simNode
	restore = func(n *simNode) *simNode {
		if c := copies[n]; c != nil {
			return c
		}
		if n.names == nil {
			content := slices.Clip(o.content(n))
			copies[n] = &simNode{content: content, synced: content}
			return copies[n]
		}
		c := newSimDir()
		copies[n] = c
		for _, name := range slices.Sorted(maps.Keys(of(n))) { // sorted for the sake of rng
			child := restore(of(n)[name])
			c.names[name], c.durable[name] = child, child
		}
		return c
	}
	return newSimDiskOf(restore(d.root))
}

// files returns the paths of all files.
func (d *simDisk) files() []string {
	var paths []string
	var walk func(dir string, n *simNode)
	walk = func(dir string, n *simNode) {
		for _, name := range slices.Sorted(maps.Keys(n.names)) {
			if child := n.names[name]; child.names != nil {
				walk(path.Join(dir, name), child)
			} else {
				paths = append(paths, path.Join(dir, name))
			}
		}
	}
	walk("", d.root)
	return paths
}
