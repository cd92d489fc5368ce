// Package document reads a TOML text into a tree in which every key and every
// value has its place in the text.
//
// The toml package decides what is valid and decodes the values, but it does
// not tell where they stand. A scanner finds the places (scan.go). Parse joins
// places and values to one tree (parse.go).
package document

import (
	"fmt"
)

// The kinds of nodes.
const (
	Scalar = iota
	Array
	Table
)

// A Node is a table, an array or a scalar.
type Node struct {
	Kind int // Scalar, Array or Table

	// Key is set in the entries of a table, and in the elements of an array
	// that is an entry. KeyPos is the offset of the key in bytes; -1 in
	// elements.
	Key    string
	KeyPos int

	// Pos is the offset of the value in bytes. The value of a table made by a
	// header begins at the header's key, that of a table made by a dotted key
	// at that key.
	Pos int

	// End is the offset behind the value of an entry or, if the entry is a
	// table made by a header, behind the header. It is 0 for a table made by a
	// dotted key, and in elements that have no header.
	End int

	// Value is a scalar's: a bool, int64, float64 or string, or a time.Time
	// for a date or time.
	Value any

	// Entries are a table's, in the order of the document; Elements are an
	// array's.
	Entries, Elements []*Node

	index map[string]*Node // Entries by key
}

// NewTable returns an empty table at an offset.
func NewTable(pos int) *Node {
	return &Node{Kind: Table, Pos: pos, index: map[string]*Node{}}
}

// Entry returns the table's entry with the given key, or nil. The table may
// be nil.
func (n *Node) Entry(key string) *Node {
	if n == nil {
		return nil
	}
	return n.index[key]
}

// add adds an entry, unless the table has the key already.
func (n *Node) add(e *Node) {
	if n.index[e.Key] == nil {
		n.index[e.Key] = e
		n.Entries = append(n.Entries, e)
	}
}

// A Fault is an error in a text.
type Fault struct {
	Pos     int // offset in bytes
	Message string
	Hint    string // on a line of its own; may be empty
}

// Error returns the message.
func (f *Fault) Error() string { return f.Message }

// FaultAt returns a fault at an offset of a text.
func FaultAt(pos int, format string, args ...any) *Fault {
	return &Fault{Pos: pos, Message: fmt.Sprintf(format, args...)}
}

// Catch is deferred: it turns a panic with an error of type F into the error
// that the function returns.
func Catch[F error](err *error) {
	switch fault := recover().(type) {
	case nil:
	case F:
		*err = fault
	default:
		panic(fault)
	}
}
