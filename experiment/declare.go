package experiment

import (
	"context"

	"sweep/internal/document"
)

// A Request is what a spec says to an experiment that declares itself from
// it, see Experiment.Declare.
type Request struct {
	// File is the spec's path; files that the spec names are beside it.
	File string

	// Table is the spec's table that is named after the experiment, and
	// Parameters its table [parameters]. Nil means that there is none.
	Table, Parameters *Setting

	// Grid are the parameters that the spec's [grid] blocks name, in the order of
	// the document: of each its Name, its Kind, as Default the first of its values,
	// and as Choices all that are strings. Place returns where one stands first,
	// and whether all blocks have it.
	Grid  []Param
	Place func(name string) (first *Setting, everywhere bool)

	// Read returns what stands for a file that a setting names: what the input
	// reads or, if the spec says so, what it has read before.
	Read func(at *Setting, name string, input *Input) Value
}

// A Setting is a value in a spec, with its place: a scalar (bool, int64, float64
// or string), a list with Elements, or a table with Entries. Its Errorf makes an
// error that tells the place; that of a nil one is the experiment's table. The
// error may be given a Hint.
type Setting = document.Node

var directoryKey = new(int) // of a context's value

// WithDirectory returns a context that tells a run where it may keep files.
func WithDirectory(ctx context.Context, path string) context.Context {
	return context.WithValue(ctx, directoryKey, path)
}

// Directory returns where a run may keep files that are no part of its
// result, such as what a program printed: a directory of its own, which need
// not exist; empty if there is none.
func Directory(ctx context.Context) string {
	path, _ := ctx.Value(directoryKey).(string)
	return path
}
