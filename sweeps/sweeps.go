// Package sweeps holds the specs of the papers' results, embedded in the
// binary so that they can be run by name anywhere.
package sweeps

import "embed"

// FS holds NAME.toml for each sweep, and in claims/untested.toml the claims
// of the papers that no sweep can test.
//
//go:embed *.toml claims/untested.toml
var FS embed.FS // read-only, as embedding demands a variable
