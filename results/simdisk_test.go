package results

import (
	"bytes"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"syscall"
)

// A simDisk is a file system in memory that keeps the promises of disk and
// no others. It tells what a power cut may leave of it. A simDir is one of
// its directories.
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

func (d *simDisk) enter(operation, path string) error {
	if d.before == nil {
		return nil
	}
	if err := d.before(operation); err != nil {
		return &fs.PathError{Op: operation, Path: path, Err: err}
	}
	return nil
}

// find returns the node with a path.
func (d *simDisk) find(p string) (*simNode, error) {
	node := d.root
	for _, name := range strings.Split(strings.Trim(p, "/"), "/") {
		if node.names == nil {
			return nil, &fs.PathError{Op: "find", Path: p, Err: syscall.ENOTDIR}
		}
		if name == "" || name == "." {
			continue
		}
		if node = node.names[name]; node == nil {
			return nil, &fs.PathError{Op: "find", Path: p, Err: syscall.ENOENT}
		}
	}
	return node, nil
}

// parent returns the directory that a path's last name is in.
func (d *simDisk) parent(p string) (*simNode, string, error) {
	dir, err := d.find(path.Dir(p))
	if err == nil && dir.names == nil {
		err = &fs.PathError{Op: "find", Path: p, Err: syscall.ENOTDIR}
	}
	return dir, path.Base(p), err
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

type simDir struct {
	*simDisk
	dir string
}

func (d simDir) path(name string) string { return path.Join(d.dir, name) }

func (d simDir) create(name string) (file, error) {
	p := d.path(name)
	if err := d.enter("create", p); err != nil {
		return nil, err
	}
	dir, name, err := d.parent(p)
	if err != nil {
		return nil, err
	}
	if old := dir.names[name]; old != nil && old.names != nil {
		return nil, &fs.PathError{Op: "create", Path: p, Err: syscall.EISDIR}
	}
	node := &simNode{}
	d.change(simName{dir, name, node})
	return &simFile{d.simDisk, p, node}, nil
}

func (d simDir) open(name string) (file, error) {
	p := d.path(name)
	if err := d.enter("open", p); err != nil {
		return nil, err
	}
	node, err := d.find(p)
	if err != nil {
		return nil, err
	}
	return &simFile{d.simDisk, p, node}, nil
}

// A simFile is an open file.
type simFile struct {
	disk *simDisk
	path string
	node *simNode
}

func (f *simFile) Write(b []byte) (int, error) {
	if err := f.disk.enter("write", f.path); err != nil {
		f.node.content = append(f.node.content, b[:len(b)/2]...)
		return len(b) / 2, err
	}
	f.node.content = append(f.node.content, b...)
	return len(b), nil
}

func (f *simFile) Sync() error {
	if err := f.disk.enter("sync", f.path); err != nil {
		return err
	}
	f.node.synced = f.node.content
	return nil
}

func (f *simFile) Truncate(size int64) error {
	if err := f.disk.enter("truncate", f.path); err != nil {
		return err
	}
	f.node.content = slices.Clone(f.node.content[:size])
	return nil
}

func (f *simFile) ReadAt(b []byte, at int64) (int, error) {
	if err := f.disk.enter("read", f.path); err != nil {
		return 0, err
	}
	if at >= int64(len(f.node.content)) {
		return 0, io.EOF
	}
	n := copy(b, f.node.content[at:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
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
	p := d.dir
	if err := d.enter("list", p); err != nil {
		return nil, err
	}
	node, err := d.find(p)
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(node.names)), nil
}

func (d simDir) mkdir(name string) error {
	p := d.path(name)
	if err := d.enter("mkdir", p); err != nil {
		return err
	}
	dir, name, err := d.parent(p)
	if err != nil {
		return err
	}
	if dir.names[name] != nil {
		return &fs.PathError{Op: "mkdir", Path: p, Err: syscall.EEXIST}
	}
	d.change(simName{dir, name, newSimDir()})
	return nil
}

func (d simDir) rename(from, to string) error {
	from, to = d.path(from), d.path(to)
	if err := d.enter("rename", from); err != nil {
		return err
	}
	node, err := d.find(from)
	if err != nil {
		return err
	}
	fromDir, fromName, err := d.parent(from)
	if err != nil {
		return err
	}
	toDir, toName, err := d.parent(to)
	if err != nil {
		return err
	}
	d.change(simName{fromDir, fromName, nil}, simName{toDir, toName, node})
	return nil
}

func (d simDir) remove(name string) error {
	p := d.path(name)
	if err := d.enter("remove", p); err != nil {
		return err
	}
	node, err := d.find(p)
	if err != nil {
		return err
	}
	if len(node.names) > 0 {
		return &fs.PathError{Op: "remove", Path: p, Err: syscall.ENOTEMPTY}
	}
	dir, name, err := d.parent(p)
	if err != nil {
		return err
	}
	d.change(simName{dir, name, nil})
	return nil
}

func (d simDir) sub(dir string) (disk, error) {
	if _, err := d.find(d.path(dir)); err != nil {
		return nil, err
	}
	return simDir{d.simDisk, d.path(dir)}, nil
}

func (d simDir) moved() error { return nil }
func (d simDir) close() error { return nil }

func (d simDir) sync() error {
	p := d.dir
	if err := d.enter("syncDir", p); err != nil {
		return err
	}
	dir, err := d.find(p)
	if err != nil {
		return err
	}
	var rest []simChange
	for _, c := range d.pending {
		if !slices.ContainsFunc(c, func(n simName) bool { return n.dir == dir }) {
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
	p := d.path(name)
	if err := d.enter("lock", p); err != nil {
		return nil, err
	}
	if _, err := d.find(p); err != nil {
		if _, err := d.create(name); err != nil {
			return nil, err
		}
	}
	if err := d.held(name); err != nil {
		return nil, err
	}
	node, _ := d.find(p)
	f := &simFile{d.simDisk, p, node}
	d.locked[node] = f
	return f, nil
}

func (d simDir) held(name string) error {
	if node, err := d.find(d.path(name)); err == nil && d.locked[node] != nil {
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
