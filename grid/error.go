package grid

import (
	"fmt"

	"sweep/grid/internal/document"
)

// Error is one fault in a spec, with its position.
type Error struct {
	File         string
	Line, Column int // from 1, the column in characters
	Message      string

	// Hint is a suggestion to be printed on a line of its own, for
	// example `did you mean "gamma"?`; empty if there is none.
	Hint string
}

// Error returns the fault on one line, without the hint:
// file:line:column: message.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// Detail returns the fault and, on a second line, its hint if it has one.
func (e *Error) Detail() string {
	if e.Hint == "" {
		return e.Error()
	}
	return e.Error() + "\nhint: " + e.Hint
}

// at returns a fault at a position.
func (r *reader) at(pos document.Pos, format string, args ...any) *Error {
	return &Error{File: r.file, Line: pos.Line, Column: pos.Column, Message: fmt.Sprintf(format, args...)}
}

// hint adds a hint to the fault.
func (e *Error) hint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// meant adds a "did you mean", if there is a word to suggest.
func (e *Error) meant(word string) *Error {
	if word != "" {
		e.Hint = fmt.Sprintf("did you mean %q?", word)
	}
	return e
}
