package results

import "fmt"

// A DataError says that a directory or file cannot be used as it is:
// corrupt, or the results of something else.
type DataError struct {
	Path    string // the file or directory
	Message string // what was found, and what was expected
	Hint    string // what to do about it; empty if there is no advice
	Err     error  // the cause, or nil
}

// Error returns the path and the message, without the hint.
func (e *DataError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Path, e.Message, e.Err)
	}
	return e.Path + ": " + e.Message
}

// Unwrap returns the cause.
func (e *DataError) Unwrap() error { return e.Err }
