// Package document reads a TOML text into a tree in which every key and
// every element knows its position.
//
// The values come from the toml package, which alone decides what is valid
// TOML. It reports no positions for what it accepts, so a scanner walks
// over the same text first, notes where things are, and refuses what would
// keep the toml package busy for long: large, deep or undecodable text. Then
// the two are joined.
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

	// From and To delimit the value in the text, in bytes; of a table made
	// by a header, the header. Both are 0 for a table made by a dotted key.
	From, To int

	index map[string]*Node // Entries by key
}

// Entry returns the table's entry with the given key, or nil.
func (n *Node) Entry(key string) *Node { return n.index[key] }

// NewTable returns a table at a position; the entries' keys differ.
func NewTable(pos Pos, entries ...*Node) *Node {
	n := &Node{Kind: Table, Pos: pos, Entries: entries, index: map[string]*Node{}}
	for _, e := range entries {
		n.index[e.Key] = e
	}
	return n
}

// Rename gives an entry of the table another key, unless there is one.
func (n *Node) Rename(e *Node, key string) bool {
	if n.index[key] != nil {
		return false
	}
	delete(n.index, e.Key)
	e.Key, n.index[key] = key, e
	return true
}

// A Fault is why a text could not be read.
type Fault struct {
	Pos     Pos
	Message string
}

// notUnderstood is the message of what the toml package accepts and the
// scanner does not.
const notUnderstood = "this is written in a way that cannot be read here"

// Parse reads a TOML text. The result is a table; nil with a fault.
func Parse(source []byte) (*Node, *Fault) {
	if len(source) > MaxSize {
		return nil, &Fault{Pos{1, 1}, fmt.Sprintf("the file has more than %d bytes", MaxSize)}
	}
	text := string(source)
	for at, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[at:], "\ufffd") {
			return nil, &Fault{position(text, at), fmt.Sprintf("byte 0x%02x at offset %d is not UTF-8", text[at], at)}
		}
	}
	root, fault := scan(text)
	if fault != nil && fault.Message != notUnderstood {
		return nil, fault
	}
	var values map[string]any
	if _, err := toml.Decode(text, &values); err != nil {
		var p toml.ParseError
		if errors.As(err, &p) {
			return nil, &Fault{position(text, p.Position.Start), lower(p.Message)}
		}
		return nil, &Fault{Pos{1, 1}, lower(err.Error())}
	}
	if fault == nil {
		fault = root.join(values)
	}
	if fault != nil {
		return nil, fault
	}
	return root, nil
}

// join copies the decoded values into the scanned tree. The two agree
// unless the scanner misreads TOML; a fuzz target hunts for that, and
// should it happen the user is told rather than given wrong positions.
func (n *Node) join(value any) *Fault {
	children, ok := n.Entries, true
	var parts []any // values of the children
	switch value := value.(type) {
	case map[string]any:
		ok = n.Kind == Table && len(value) == len(n.Entries)
		for _, e := range n.Entries {
			v, has := value[e.Key]
			ok = ok && has
			parts = append(parts, v)
		}
	case []map[string]any:
		ok, children = n.Kind == Array, n.Elements
		for _, v := range value {
			parts = append(parts, v)
		}
	case []any:
		ok, children, parts = n.Kind == Array, n.Elements, value
	default:
		ok, n.Value = n.Kind == Scalar, value
	}
	if !ok || len(parts) != len(children) {
		return &Fault{n.Pos, notUnderstood}
	}
	for i, c := range children {
		if f := c.join(parts[i]); f != nil {
			return f
		}
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
	if message == "" {
		return "not valid TOML"
	}
	r, size := utf8.DecodeRuneInString(message)
	return strings.ToLower(string(r)) + message[size:]
}

// A scanner finds the tables, keys and elements of a TOML text. It is
// exact for valid TOML and need not notice invalid TOML: there it may stop
// or build a strange tree, because the toml package, which comes next,
// rejects the text anyway. It never recurses deeper than MaxDepth and
// looks at each byte a bounded number of times. It stops by a panic with a
// *Fault, which scan recovers.
type scanner struct {
	text string
	at   int

	// Positions are asked for in ascending order nearly always, so the
	// last answer, for offset counted, is the start of the next search.
	last    Pos
	counted int
}

// scan scans a whole text.
func scan(text string) (root *Node, fault *Fault) {
	defer func() {
		if r := recover(); r != nil {
			var is bool
			if fault, is = r.(*Fault); !is {
				panic(r)
			}
		}
	}()
	s := &scanner{text: text, last: Pos{1, 1}}
	s.at = len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	root = NewTable(Pos{1, 1})
	current := root
	for s.blank(); s.at < len(s.text); s.blank() {
		if s.peek() == '[' {
			current = s.header(root)
		} else {
			s.keyValue(current, 0)
		}
	}
	return root, nil
}

// stop ends the scan with a fault at an offset.
func (s *scanner) stop(at int, format string, args ...any) {
	panic(&Fault{position(s.text, at), fmt.Sprintf(format, args...)})
}

// expect ends the scan if the scanner does not understand the text, which is
// normally because it is not TOML.
func (s *scanner) expect(ok bool) {
	if !ok {
		s.stop(s.at, notUnderstood)
	}
}

// pos returns the position of a byte offset.
func (s *scanner) pos(offset int) Pos {
	if offset < s.counted {
		return position(s.text, offset)
	}
	for _, r := range s.text[s.counted:offset] {
		if r == '\n' {
			s.last = Pos{s.last.Line + 1, 1}
		} else {
			s.last.Column++
		}
	}
	s.counted = offset
	return s.last
}

// A part is one part of a dotted key.
type part struct {
	text string
	pos  Pos
}

// add appends an entry, unless the table has the key already.
func (n *Node) add(key part, value *Node) bool {
	if n.index[key.text] != nil {
		return false
	}
	value.Key, value.KeyPos = key.text, key.pos
	n.index[key.text] = value
	n.Entries = append(n.Entries, value)
	return true
}

// header scans [a.b] or [[a.b]] and returns the table it opens.
func (s *scanner) header(root *Node) *Node {
	start := s.at
	s.at++
	list := s.skip('[')
	key := s.key()
	s.expect(s.skip(']') && (!list || s.skip(']')))
	if !list {
		table := s.descend(root, key)
		table.From, table.To = start, s.at
		return table
	}
	last := key[len(key)-1]
	table := s.descend(root, key[:len(key)-1])
	array := table.Entry(last.text)
	if array == nil {
		array = &Node{Kind: Array, Pos: last.pos}
		table.add(last, array)
	}
	s.expect(array.Kind == Array)
	table = NewTable(last.pos)
	table.From, table.To = start, s.at
	array.Elements = append(array.Elements, table)
	return table
}

// descend follows a key from a table, making the tables that are missing.
// An array of tables stands for its last element.
func (s *scanner) descend(table *Node, key []part) *Node {
	for _, p := range key {
		next := table.Entry(p.text)
		if next == nil {
			next = NewTable(p.pos)
			table.add(p, next)
		}
		if next.Kind == Array && len(next.Elements) > 0 {
			next = next.Elements[len(next.Elements)-1]
		}
		s.expect(next.Kind == Table)
		table = next
	}
	return table
}

// keyValue scans key = value into a table.
func (s *scanner) keyValue(table *Node, depth int) {
	key := s.key()
	s.expect(s.skip('='))
	s.space()
	value := s.value(depth)
	table = s.descend(table, key[:len(key)-1])
	s.expect(table.add(key[len(key)-1], value))
}

// key scans a dotted key and the space around it.
func (s *scanner) key() []part {
	var key []part
	for {
		s.space()
		if len(key) == MaxKey {
			s.stop(s.at, "a dotted key has more than %d parts", MaxKey)
		}
		start := s.at
		key = append(key, part{s.keyPart(), s.pos(start)})
		s.space()
		if !s.skip('.') {
			return key
		}
	}
}

func (s *scanner) keyPart() string {
	start, quote := s.at, s.peek()
	if quote == '"' || quote == '\'' {
		end := strings.IndexByte(s.text[start+1:], quote)
		s.expect(end >= 0)
		text := s.text[start+1 : start+1+end]
		if quote == '"' && strings.Contains(text, `\`) {
			// Nothing that a spec may be keyed by needs an escape.
			s.stop(start, "a key contains an escape sequence, want a plain name")
		}
		s.at += len(text) + 2
		return text
	}
	for s.at < len(s.text) && bare(s.text[s.at]) {
		s.at++
	}
	s.expect(s.at > start)
	return s.text[start:s.at]
}

func bare(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// value scans a value inside depth brackets.
func (s *scanner) value(depth int) *Node {
	start, c := s.at, s.peek()
	if (c == '[' || c == '{') && depth == MaxDepth {
		s.stop(start, "brackets are nested more than %d deep", MaxDepth)
	}
	n := &Node{Kind: Scalar, Pos: s.pos(start)}
	switch c {
	case '[':
		n.Kind = Array
		s.list(']', func() { n.Elements = append(n.Elements, s.value(depth+1)) })
	case '{':
		n = NewTable(n.Pos)
		s.list('}', func() { s.keyValue(n, depth+1) })
	case '"', '\'':
		s.quoted(c)
	default:
		end := strings.IndexAny(s.text[start:], ",]}#\n")
		if end < 0 {
			end = len(s.text) - start
		}
		text := strings.TrimRight(s.text[start:start+end], " \t\r")
		s.expect(text != "")
		s.at += len(text)
	}
	n.From, n.To = start, s.at
	return n
}

// quoted skips a string in any of TOML's four quotations.
func (s *scanner) quoted(quote byte) {
	q := string(quote)
	long := strings.HasPrefix(s.text[s.at:], q+q+q)
	s.at++
	if long {
		s.at += 2
	}
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '\\' && quote == '"':
			s.at++ // and the escaped character, below
		case c == '\n':
			s.expect(long)
		case c == quote && !long:
			s.at++
			return
		case c == quote && strings.HasPrefix(s.text[s.at:], q+q+q):
			s.at += 3
			// Up to two quotes may stand before the closing three.
			for range 2 {
				s.skip(quote)
			}
			return
		}
		s.at++
	}
	s.at = len(s.text)
	s.expect(false)
}

// list scans from an opening bracket to the closing one; items are
// separated by commas, and a comma may follow the last.
func (s *scanner) list(closing byte, item func()) {
	s.at++
	for s.blank(); !s.skip(closing); s.blank() {
		item()
		s.blank()
		s.expect(s.skip(',') || s.peek() == closing)
	}
}

// peek returns the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// skip skips the byte c and reports whether it was there.
func (s *scanner) skip(c byte) bool {
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

// space skips spaces and tabs.
func (s *scanner) space() {
	for s.skip(' ') || s.skip('\t') {
	}
}

// blank skips white space, ends of lines and comments.
func (s *scanner) blank() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		case '#':
			n := strings.IndexByte(s.text[s.at:], '\n')
			if n < 0 {
				n = len(s.text) - s.at
			}
			s.at += n
		default:
			return
		}
	}
}
