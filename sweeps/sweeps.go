// Package sweeps holds the specs of the papers' results, embedded in the
// binary so that they can be run by name anywhere.
package sweeps

import (
	"embed"
	"path/filepath"
	"strings"
)

// FS holds NAME.toml for each sweep, and in claims/untested.toml the claims
// of the papers that no sweep can test; in records what they read.
//
//go:embed *.toml claims/untested.toml records/*.gz
var FS embed.FS // read-only, as embedding demands a variable

// File returns the content of a file that a sweep names, by its path beside
// sweeps/NAME.toml.
func File(path string) (data []byte, ok bool) {
	name, ok := strings.CutPrefix(filepath.ToSlash(path), "sweeps/")
	if !ok {
		return nil, false
	}
	data, err := FS.ReadFile(name)
	return data, err == nil
}
