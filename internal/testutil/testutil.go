// Package testutil holds what the tests of several packages share: a panic at
// errors that a test does not expect, and the flag -thorough.
package testutil

import (
	"flag"
	"testing"
)

var thorough = flag.Bool("thorough", false, "also run what takes long, as .ci/run does")

// Thorough reports whether tests are run with -thorough.
func Thorough() bool { return *thorough }

// IfThorough returns the first value with -thorough, the other one without.
func IfThorough[T any](with, without T) T {
	if *thorough {
		return with
	}
	return without
}

// NeedsThorough skips a test without -thorough, and says why.
func NeedsThorough(t testing.TB, why string) {
	t.Helper()
	if !*thorough {
		t.Skipf("%s: run it with -thorough", why)
	}
}

// Must returns what was made without an error.
func Must[T any](v T, err error) T {
	NoError(err)
	return v
}

// NoError panics if there is an error.
func NoError(err error) {
	if err != nil {
		panic(err)
	}
}
