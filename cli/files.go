package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2/maybe"
	"github.com/spf13/cobra"

	"sweep/grid"
	"sweep/internal/disk"
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

// resultsIn returns the directory that a DIR or SPEC names: that of a SPEC is
// the one into which "sweep run" writes. The error is one of the command's use
// if there is neither.
func (p *Program) resultsIn(name string) (dir string, err error) {
	dir, _, err = p.resultsOf(name)
	return dir, err
}

// resultsOf is resultsIn, and returns also the SPEC; nil for a DIR.
func (p *Program) resultsOf(name string) (dir string, spec *grid.Spec, err error) {
	info, err := os.Stat(name)
	if err == nil && !info.IsDir() && !strings.HasSuffix(name, suffix) {
		return "", nil, usage("want a directory of results, a file that ends in "+suffix+
			", or the name of a sweep", "%s is neither a directory nor a SPEC", name)
	}
	_, err = os.Lstat(name)
	if err == nil && !strings.HasSuffix(name, suffix) || isDirectory(name) {
		return name, nil, nil
	}
	spec, err = p.loadSpec(name, "")
	if missing, is := errors.AsType[*failure](err); is {
		missing.message = fmt.Sprintf("there is no directory %s: %s", name, missing.message)
	}
	if err != nil {
		return "", nil, err
	}
	dir = outputDir("", spec)
	return dir, spec, areThere(name, dir, "")
}

// areThere returns a fault of the command's use if there are no results of a
// SPEC in the directory into which "sweep run" with this -o writes.
func areThere(name, dir, output string) error {
	if isDirectory(dir) {
		return nil
	}
	run := name
	if output != "" {
		run += " -o " + output
	}
	return usage(fmt.Sprintf(`"sweep run %s" computes them`, run),
		"there are no results of %s: want the directory %s", name, dir)
}

// open opens the results that a DIR or SPEC names for reading, and warns of
// what is corrupt there, or of another model version. The figures, the title
// and the description are those of the SPEC, as far as the results have what
// figures show.
func (p *Program) open(cmd *cobra.Command, name string) (*results.Reader, error) {
	dir, spec, err := p.resultsOf(name)
	if err != nil {
		return nil, err
	}
	reader, err := results.OpenReaderAsRecorded(dir, p.Experiments)
	if err != nil {
		return nil, err
	}
	p.warnOfVersion(cmd, reader)
	sayEach(cmd.ErrOrStderr(), "warning", reader.Damage)
	if spec != nil {
		for _, fault := range reader.Spec.TellAs(spec) {
			fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s has no such results: %v\n", dir, fault)
		}
	}
	return reader, nil
}

// warnOfVersion warns of results of another model version than the program has.
func (p *Program) warnOfVersion(cmd *cobra.Command, reader *results.Reader) {
	if other := p.otherVersion(reader); other != "" {
		say(cmd.ErrOrStderr(), "warning: %s: %s: they are shown, and cannot go on",
			reader.Dir, other)
	}
}

// otherVersion says of which model version results are, if the program has
// another one; else it returns nothing.
func (p *Program) otherVersion(reader *results.Reader) string {
	recorded := reader.Plan.Experiment()
	for _, e := range p.Experiments {
		if e.Name == recorded.Name && e.Version != recorded.Version {
			return fmt.Sprintf("the runs are of %s, model version %d, and the program has %d",
				e.Name, recorded.Version, e.Version)
		}
	}
	return ""
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

// refuseResult refuses to write something else into a file of results.
func refuseResult(flag, path string) error {
	if !results.IsResult(path) {
		return nil
	}
	return usage("name another file", "%s is %q, which holds results of a sweep", flag, path)
}

// isSpecial reports whether a name is that of something which is no file and no
// directory, such as /dev/null or a pipe. It must not be replaced, nor be read.
func isSpecial(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.IsDir() && !info.Mode().IsRegular()
}

// replaceFile writes a file, and makes its directory. The file appears as a
// whole or not at all. One that has the content already is left alone: it may
// be a program that runs on another machine, over a file system that forgets
// files in use. The umask limits the permissions. A device or a pipe is written
// to, as a shell does.
func replaceFile(path string, content []byte, perm os.FileMode) error {
	if isSpecial(path) {
		return writeInto(path, content)
	}
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

// writeInto writes to a device or a pipe.
func writeInto(path string, content []byte) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer closeInto(f, &err)
	_, err = f.Write(content)
	return err
}

// copyFile copies a file as replaceFile writes one; what may be executed stays
// so. A program may be large, so neither file is held in memory.
func copyFile(to, from string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	same, err := holds(to, source, info.Size())
	if err != nil || same {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	temporary := filepath.Join(filepath.Dir(to), disk.Temporary(filepath.Base(to)))
	if err := copyNew(temporary, source, 0o666|info.Mode()&0o111); err != nil {
		os.Remove(temporary)
		return err
	}
	return os.Rename(temporary, to)
}

// copyNew writes a file that replaces what an interrupted copy left there.
func copyNew(path string, source io.ReadSeeker, perm os.FileMode) (err error) {
	if _, err := source.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	defer closeInto(f, &err)
	if _, err := io.Copy(f, source); err != nil {
		return err
	}
	return f.Sync()
}

// holds says whether the file at path has the content of source, size bytes. A
// missing file has not.
func holds(path string, source io.Reader, size int64) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() != size {
		return false, err
	}
	const block = 1 << 16
	old := bufio.NewReaderSize(f, block)
	fresh := bufio.NewReaderSize(source, block)
	for {
		want, wantErr := fresh.Peek(block)
		have, haveErr := old.Peek(block)
		if !bytes.Equal(want, have) {
			return false, nil
		}
		if wantErr != nil {
			return wantErr == io.EOF && haveErr == io.EOF, nil
		}
		fresh.Discard(len(want))
		old.Discard(len(have))
	}
}

// closeInto is deferred to close what a function has opened. It sets the
// function's error, unless there is one already.
func closeInto(c io.Closer, err *error) {
	closeErr := c.Close()
	if *err == nil {
		*err = closeErr
	}
}
