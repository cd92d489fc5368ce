package command

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sweep/experiment"
)

// read returns what stands for the content of the files that a pattern
// names: "sim.py@sha256:9f86d081884c7d65", for several with blanks between.
func (p *program) read(pattern string) (experiment.Value, error) {
	paths, err := filepath.Glob(pattern)
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("%s: there is no such file", pattern)
	}
	var holds []string
	for _, path := range paths { // sorted
		hash, hashErr := p.hash(path)
		if hashErr != nil {
			return experiment.Value{}, hashErr
		}
		holds = append(holds, filepath.Base(path)+"@sha256:"+hash)
	}
	return experiment.StringValue(strings.Join(holds, " ")), err
}

func (p *program) hash(path string) (string, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: not a regular file", path)
	}
	if err != nil {
		return "", err
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
	_, err = io.Copy(h, f)
	hash := fmt.Sprintf("%.8x", h.Sum(nil))
	if err == nil {
		p.hashes.Store(state, hash)
	}
	return hash, err
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
	return slices.ContainsFunc(p.watch, func(pattern string) bool {
		match, _ := filepath.Match(pattern, arg)
		return match || pattern == arg
	})
}

// unchanged returns an error if the watched files are not those by which the
// run is known.
func (p *program) unchanged(want string) error {
	var holds []string
	for _, name := range p.watch {
		v, err := p.read(p.beside(name))
		if err != nil {
			return err
		}
		holds = append(holds, v.Text())
	}
	if found := short(strings.Join(holds, " ")); holds != nil && found != want {
		return fmt.Errorf("the program was changed while the sweep ran: it is %s, and was %s", found, want)
	}
	return nil
}
