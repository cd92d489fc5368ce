// Package document reads a TOML text into a tree in which every key and
// every element knows its position.
//
// The values come from the toml package, which alone decides what is valid
// TOML. It reports no positions for what it accepts, so a scanner walks
// over the same text first (scan.go), notes where things are, and refuses
// what would keep the toml package busy for long: large, deep or undecodable
// text. Then the two are joined.
package document

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// Limits of what is read. A spec is written by people; these are far above
// anything they write and low enough to keep any input cheap.
const (
	MaxSize  = 1 << 20 // bytes
	MaxDepth = 32      // brackets within brackets
	MaxKey   = 8       // parts of a dotted key
)

// Pos is a position in the text, counted from 1; a column is a character,
// not a byte.
type Pos struct{ Line, Column int }

// Kind tells what a Node is.
type Kind uint8

// The kinds of nodes.
const (
	Scalar Kind = iota
	Array
	Table
)

// A Node is a table, an array or a scalar.
type Node struct {
	Kind Kind

	// Pos is where the value begins. For a table made by a header it is
	// the header's key; for one made by a dotted key, that key.
	Pos Pos

	// Key and KeyPos are set in the entries of a table.
	Key    string
	KeyPos Pos

	// Value is a scalar's value as the toml package decodes it: bool,
	// int64, float64, string, or a time.
	Value any

	// Entries are a table's, in the order of the document; Elements are
	// an array's.
	Entries, Elements []*Node

	index map[string]*Node // Entries by key
}

// Entry returns the table's entry with the given key, or nil.
func (n *Node) Entry(key string) *Node { return n.index[key] }

// A Fault is why a text could not be read.
type Fault struct {
	Pos     Pos
	Message string
}

func (f *Fault) Error() string {
	return fmt.Sprintf("%d:%d: %s", f.Pos.Line, f.Pos.Column, f.Message)
}

// Parse reads a TOML text. The result is a table. Every error is a *Fault.
func Parse(source []byte) (*Node, error) {
	if len(source) > MaxSize {
		return nil, &Fault{Pos{1, 1}, fmt.Sprintf("the file has more than %d bytes", MaxSize)}
	}
	text := string(source)
	if at, ok := firstInvalid(text); ok {
		return nil, &Fault{position(text, at), fmt.Sprintf("byte 0x%02x at offset %d is not UTF-8", text[at], at)}
	}
	s := &scanner{text: text, last: Pos{1, 1}}
	root, refused := s.document()
	if refused != nil && !refused.unknown {
		return nil, &Fault{s.pos(refused.at), refused.message}
	}
	var values map[string]any
	if _, err := toml.Decode(text, &values); err != nil {
		var p toml.ParseError
		if errors.As(err, &p) {
			return nil, &Fault{position(text, p.Position.Start), lower(p.Message)}
		}
		return nil, &Fault{Pos{1, 1}, lower(err.Error())}
	}
	if refused != nil {
		return nil, &Fault{s.pos(refused.at), refused.message}
	}
	if f := root.join(values); f != nil {
		return nil, f
	}
	return root, nil
}

// join copies the decoded values into the scanned tree. The two agree
// unless the scanner misreads TOML; a fuzz target hunts for that, and
// should it happen the user is told rather than given wrong positions.
func (n *Node) join(value any) *Fault {
	mismatch := &Fault{n.Pos, "this value is written in a way that cannot be read here"}
	switch n.Kind {
	case Table:
		table, ok := value.(map[string]any)
		if !ok || len(table) != len(n.Entries) {
			return mismatch
		}
		for _, e := range n.Entries {
			v, ok := table[e.Key]
			if !ok {
				return mismatch
			}
			if f := e.join(v); f != nil {
				return f
			}
		}
	case Array:
		elements, ok := value.([]any)
		if tables, yes := value.([]map[string]any); yes {
			ok = true
			for _, t := range tables {
				elements = append(elements, t)
			}
		}
		if !ok || len(elements) != len(n.Elements) {
			return mismatch
		}
		for i, e := range n.Elements {
			if f := e.join(elements[i]); f != nil {
				return f
			}
		}
	default:
		switch value.(type) {
		case map[string]any, []any, []map[string]any:
			return mismatch
		}
		n.Value = value
	}
	return nil
}

// AppendTables appends an array of tables under a comment of one line to a
// TOML text that has no such key, and leaves the text as it is.
func AppendTables(source []byte, comment, name string, tables []map[string]string) []byte {
	var text bytes.Buffer
	text.Write(source)
	if n := len(source); n > 0 && source[n-1] != '\n' {
		text.WriteByte('\n')
	}
	fmt.Fprintf(&text, "\n# %s\n", comment)
	if err := toml.NewEncoder(&text).Encode(map[string]any{name: tables}); err != nil {
		panic(fmt.Sprintf("document: strings cannot be written as TOML: %v", err)) // in memory
	}
	return text.Bytes()
}

// firstInvalid returns the offset of the first byte that is not part of
// valid UTF-8.
func firstInvalid(text string) (int, bool) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i, true
		}
		i += size
	}
	return 0, false
}

// position returns the line and column of a byte offset.
func position(text string, offset int) Pos {
	offset = max(0, min(offset, len(text)))
	before := text[:offset]
	start := strings.LastIndexByte(before, '\n') + 1
	return Pos{1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[start:])}
}

// lower turns the toml package's messages into this project's form.
func lower(message string) string {
	message = strings.TrimSuffix(strings.TrimPrefix(message, "toml: "), ".")
	r, size := utf8.DecodeRuneInString(message)
	if size == 0 {
		return "not valid TOML"
	}
	return strings.ToLower(string(r)) + message[size:]
}
