// Package must panics at an error that no test, and no tool of ours, expects.
package must

// Get returns what was made without an error.
func Get[T any](v T, err error) T {
	OK(err)
	return v
}

// OK panics if there is an error.
func OK(err error) {
	if err != nil {
		panic(err)
	}
}
