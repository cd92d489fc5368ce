package cli

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2/maybe"
	"github.com/spf13/cobra"

	"sweep/grid"
	"sweep/results"
)

// defaultOutput is where sweeps have their directories if -o names no other.
const defaultOutput = "out"

// outputDir returns the directory of a sweep: the one given, or that of its
// name.
func outputDir(given string, spec *grid.Spec) string {
	if given != "" {
		return given
	}
	return filepath.Join(defaultOutput, spec.Name)
}

// open opens the directory of a sweep for reading, and warns of what is
// corrupt there.
func (p *Program) open(cmd *cobra.Command, dir string) (*results.Reader, error) {
	reader, err := results.OpenReader(dir, p.Experiments)
	if err == nil {
		sayEach(cmd.ErrOrStderr(), "warning", reader.Damage)
	}
	return reader, err
}

// openAll opens several directories.
func (p *Program) openAll(cmd *cobra.Command, dirs []string) ([]*results.Reader, error) {
	var readers []*results.Reader
	for _, dir := range dirs {
		reader, err := p.open(cmd, dir)
		if err != nil {
			return nil, err
		}
		readers = append(readers, reader)
	}
	return readers, nil
}

func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// replaceFile writes a file, and makes its directory. The file appears as a
// whole or not at all. One that has the content already is left alone: it may
// be a program that runs on another machine, over a file system that forgets
// files in use. The umask limits the permissions.
func replaceFile(path string, content []byte, perm os.FileMode) error {
	old, err := os.ReadFile(path)
	if err == nil && bytes.Equal(old, content) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return maybe.WriteFile(path, content, perm)
}

// copyFile copies a file; what may be executed stays so.
func copyFile(to, from string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	return replaceFile(to, content, 0o666|info.Mode()&0o111)
}

// closeInto is deferred to close what a function has opened. It sets the
// function's error, unless there is one already.
func closeInto(c io.Closer, err *error) {
	closeErr := c.Close()
	if *err == nil {
		*err = closeErr
	}
}
