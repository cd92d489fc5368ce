package results

import (
	"errors"
	"path/filepath"
	"strings"
)

// A pending is a file under construction. It bears a temporary name until
// publish, so that a file with its proper name is always whole.
type pending struct {
	output
	disk disk
	path string
}

// create starts a file that is to be called path, in an existing directory.
func create(d disk, path string) (*pending, error) {
	f, err := d.create(temporary(path))
	if err != nil {
		return nil, err
	}
	return &pending{f, d, path}, nil
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

// publish gives a sealed file its name. The name is durable once the
// directory is synced.
func (p *pending) publish() error {
	return p.disk.rename(temporary(p.path), p.path)
}

// discard closes and removes what has been written.
func (p *pending) discard() {
	p.Close() // may be closed already; the removal is what counts
	p.disk.remove(temporary(p.path))
}

// writeFile writes a whole small file atomically and durably.
func writeFile(d disk, path string, content []byte) error {
	p, err := create(d, path)
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
	return d.syncDir(filepath.Dir(path))
}
