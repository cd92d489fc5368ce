// Package sweeps holds the specs of the papers' results, embedded in the
// binary so that they can be run by name anywhere.
package sweeps

import (
	"embed"
	"io/fs"
	"path/filepath"
	"strings"
)

//go:embed *.toml claims/untested.toml records/*.gz
var specs embed.FS // read-only, as embedding demands a variable

const suffix = ".toml"

// List returns the names of the embedded specs, sorted.
func List() []string {
	files, err := fs.Glob(specs, "*"+suffix)
	if err != nil {
		panic("sweeps: " + err.Error()) // the pattern is a constant
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, suffix)
	}
	return files
}

// Read returns the text of the named spec and the file it came from, for
// messages; ok is false if List has no such name.
func Read(name string) (file string, source []byte, ok bool) {
	source, err := specs.ReadFile(name + suffix)
	return "sweeps/" + name + suffix, source, err == nil
}

// File returns the content of a file that an embedded spec names, by the path
// of the file that Read says the spec came from and the name in it.
func File(path string) (data []byte, ok bool) {
	name, ok := strings.CutPrefix(filepath.ToSlash(path), "sweeps/")
	if !ok {
		return nil, false
	}
	data, err := specs.ReadFile(name)
	return data, err == nil
}

// Untested returns the claims of the papers that no sweep can test: the file
// they came from, for messages, and its text.
func Untested() (file string, source []byte) {
	const name = "claims/untested.toml"
	source, err := specs.ReadFile(name)
	if err != nil {
		panic("sweeps: " + err.Error()) // the file is embedded above
	}
	return "sweeps/" + name, source
}
