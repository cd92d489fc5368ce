package command

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"sweep/experiment"
)

// directory returns the directory that relative paths begin in: the spec's or,
// if what the spec names is not there, the working directory. The latter is for
// the copy of a spec in a sweep's directory.
func (p *program) directory(spec string) string {
	dir := filepath.Dir(spec)
	for _, name := range p.namedFiles() {
		if placeholder.MatchString(name) || filepath.IsAbs(name) {
			continue
		}
		found, err := filepath.Glob(filepath.Join(dir, name))
		if err != nil || found == nil {
			dir = "."
			break
		}
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return dir // the working directory is gone
	}
	return absolute
}

// namedFiles returns the files that the spec names.
func (p *program) namedFiles() (names []string) {
	names = append(names, p.watch...)
	for i, arg := range p.run {
		path, inDir := strings.CutPrefix(arg, "{dir}/")
		if inDir || i == 0 && p.startsFile() {
			names = append(names, path)
		}
	}
	return names
}

// beside returns the path of a file that the spec names.
func (p *program) beside(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.dir, name)
}

// watched reports whether an argument is the name of a watched file.
func (p *program) watched(arg string) bool {
	for _, pattern := range p.watch {
		match, _ := filepath.Match(pattern, arg)
		if match || pattern == arg {
			return true
		}
	}
	return false
}

// unchanged returns an error if the watched files are not those that the run
// is identified by.
func (p *program) unchanged(want string) error {
	if len(p.watch) == 0 {
		return nil
	}
	var holds []string
	for _, name := range p.watch {
		v, err := p.read(p.beside(name))
		if err != nil {
			return err
		}
		holds = append(holds, v.Text())
	}
	found := short(strings.Join(holds, " "))
	if found != want {
		return fmt.Errorf("the program was changed while the sweep ran: it is %s, and was %s",
			found, want)
	}
	return nil
}

// read returns what stands for the content of the files that a pattern names,
// such as "sim.py@sha256:9f86d081884c7d65", separated by spaces.
func (p *program) read(pattern string) (experiment.Value, error) {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return experiment.Value{}, err
	}
	if len(paths) == 0 {
		return experiment.Value{}, fmt.Errorf("%s: there is no such file", pattern)
	}
	var holds []string
	for _, path := range paths { // sorted
		hash, err := p.hash(path)
		if err != nil {
			return experiment.Value{}, err
		}
		holds = append(holds, filepath.Base(path)+"@sha256:"+hash)
	}
	return experiment.StringValue(strings.Join(holds, " ")), nil
}

// hash returns the first 8 bytes of the SHA-256 of a file's content.
func (p *program) hash(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: not a regular file", path)
	}
	state := fmt.Sprint(path, " ", info.Size(), " ", info.ModTime().UnixNano())
	if known, ok := p.hashes.Load(state); ok {
		return known.(string), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() // nothing was written
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	hash := fmt.Sprintf("%.8x", h.Sum(nil))
	p.hashes.Store(state, hash)
	return hash, nil
}
