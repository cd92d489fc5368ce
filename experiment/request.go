package experiment

import "fmt"

// A Request is what a spec says to an experiment that declares itself from it:
// see Experiment.Declare.
type Request struct {
	// File is the spec's path. Files that the spec names are relative to its
	// directory.
	File string

	// Table is the spec's table that is named after the experiment, and
	// Parameters its table [parameters]; nil if the spec does not have it.
	Table, Parameters *Setting

	// Grid holds the parameters that the spec's [grid] blocks name, in the
	// order of the document.
	Grid []GridParam

	// Read returns the value that stands for a file that a setting names. It
	// reads the file by the input, unless the spec's [[inputs]] say what was in
	// it. An error is to be returned by Declare as it is.
	Read func(at *Setting, name string, input *Input) (Value, error)
}

// A GridParam is a parameter that [grid] blocks name. Its Param has a Name, a
// Kind, the first of its values as Default, and its strings as Choices.
type GridParam struct {
	Param

	// At is where the parameter is named first.
	At *Setting

	// Everywhere reports whether every block, and every point that a block
	// includes, gives the parameter a value.
	Everywhere bool
}

// A Setting is a value in a spec that knows its place: a scalar, a list or a
// table.
type Setting struct {
	Key   string // in the table that holds the setting; for an element, the key of its list
	Pos   int    // offset of the value in the spec, in bytes
	Found string // describes the value in messages, for example "the integer 3"

	// Value is a scalar's: a bool, int64, float64 or string, or a time.Time;
	// nil in lists and tables.
	Value any

	// List holds the elements of a list, Table the entries of a table in the
	// order of the document. Either is nil in settings of another kind.
	List, Table []*Setting
}

// Entry returns the entry of a table that has a key, or nil. The setting may be
// nil.
func (s *Setting) Entry(key string) *Setting {
	if s != nil {
		for _, e := range s.Table {
			if e.Key == key {
				return e
			}
		}
	}
	return nil
}

// Errorf returns a fault at the setting or, if it is nil, at the experiment's
// table.
func (s *Setting) Errorf(format string, args ...any) *Fault {
	return &Fault{At: s, Message: fmt.Sprintf(format, args...)}
}

// A Fault is an error in a spec that Declare found.
type Fault struct {
	At      *Setting // nil: the experiment's table
	Message string
	Hint    string // on a line of its own; may be empty
}

// Error returns the message.
func (f *Fault) Error() string { return f.Message }
