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
//go:embed *.toml claims/untested.toml records/*.gz records/docs-site/*.parquet
//go:embed records/sites/*/*.parquet
var FS embed.FS // read-only, as embedding demands a variable

// File returns the content of a file that comes with the sweeps, by the path
// that one of their specs, or a copy of it elsewhere, gives it.
func File(path string) (data []byte, ok bool) {
	_, name, ok := strings.Cut("/"+filepath.ToSlash(path), "/records/")
	if !ok {
		return nil, false
	}
	data, err := FS.ReadFile("records/" + name)
	return data, err == nil
}
