//go:build race

package testutil

// Race reports whether the race detector is on, under which programs take
// several times the memory.
const Race = true
