package results

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A pending is a file under construction. It bears a temporary name until
// publish, so that a file with its proper name is always whole.
type pending struct {
	*os.File
	path string
}

// create starts a file that is to be called path, in an existing directory.
func create(path string) (*pending, error) {
	f, err := os.OpenFile(temporary(path), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return nil, err
	}
	return &pending{f, path}, nil
}

func temporary(path string) string {
	dir, base := filepath.Split(path)
	return filepath.Join(dir, "."+base+".tmp")
}

func isTemporary(name string) bool {
	return strings.HasPrefix(name, ".") && strings.HasSuffix(name, ".tmp")
}

// seal makes the content durable and closes the file, which keeps its
// temporary name.
func (p *pending) seal() error {
	return errors.Join(p.Sync(), p.Close())
}

// publish gives a sealed file its name. The name is durable after syncDir.
func (p *pending) publish() error {
	return os.Rename(temporary(p.path), p.path)
}

// discard closes and removes what has been written.
func (p *pending) discard() {
	p.Close() // may be closed already; the removal is what counts
	os.Remove(temporary(p.path))
}

// writeFile writes a whole small file atomically and durably.
func writeFile(path string, content []byte) error {
	p, err := create(path)
	if err != nil {
		return err
	}
	_, err = p.Write(content)
	if err = errors.Join(err, p.seal()); err != nil {
		p.discard()
		return err
	}
	if err := p.publish(); err != nil {
		p.discard()
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes renames within a directory durable. File systems that
// cannot do so say EINVAL or "not supported", which is no fault of ours.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

// remove removes a file that may be absent.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
