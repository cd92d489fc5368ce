// Package document reads a TOML text into a tree in which every key and
// every element knows its place in the text.
//
// The toml package alone decides what is valid TOML. Its parser tells the
// places of keys and values, of which the tree is made.
package document

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Limits of what is read. A spec is written by people; these are far above
// anything they write and low enough to keep any input cheap.
const (
	MaxSize = 1 << 20 // bytes
	MaxKeys = 1 << 15 // in all; the toml package compares each with many others
	MaxKey  = 8       // parts of a dotted key
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

	// Key is set in the entries of a table, and in the elements of the lists
	// that they are. KeyPos is where it stands, in bytes; -1 in elements.
	Key    string
	KeyPos int

	// Pos is where the value begins, in bytes. For a table made by a header it
	// is the header's key; for one made by a dotted key, that key.
	Pos int

	// End is where the value of an entry ends; of a table made by a header, the
	// header. It is 0 for a table made by a dotted key, and in elements.
	End int

	// Value is a scalar's: bool, int64, float64, string, or of another type
	// for a date or time.
	Value any

	// Entries are a table's, in the order of the document; Elements are
	// an array's.
	Entries, Elements []*Node

	index map[string]*Node // Entries by key
}

// Entry returns the table's entry with the given key, or nil. The table may
// be nil.
func (n *Node) Entry(key string) *Node {
	if n == nil {
		return nil
	}
	return n.index[key]
}

// Found describes the node for a message: what was found.
func (n *Node) Found() string {
	switch v := n.Value.(type) {
	case nil:
		return []string{Array: "a list", Table: "a table"}[n.Kind]
	case bool:
		return fmt.Sprint("the boolean ", v)
	case int64:
		return fmt.Sprint("the integer ", v)
	case float64:
		return "the number " + strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		if len(v) > 40 {
			return "a long string"
		}
		return "the string " + strconv.Quote(v)
	}
	return "a date or time"
}

// NewTable returns a table at a place; the entries' keys differ.
func NewTable(pos int, entries ...*Node) *Node {
	n := &Node{Kind: Table, Pos: pos, index: map[string]*Node{}}
	for _, e := range entries {
		n.add(e)
	}
	return n
}

// add adds an entry, unless the table has the key already.
func (n *Node) add(e *Node) {
	if n.index[e.Key] == nil {
		n.index[e.Key] = e
		n.Entries = append(n.Entries, e)
	}
}

// A Fault is what is wrong with a text.
type Fault struct {
	At      *Node // where; nil: the whole
	Message string
	Hint    string // on a line of its own; may be empty
}

// Error returns the message.
func (f *Fault) Error() string { return f.Message }

// Errorf returns a fault at the node or, if it is nil, of the whole.
func (n *Node) Errorf(format string, args ...any) *Fault {
	return &Fault{At: n, Message: fmt.Sprintf(format, args...)}
}

// FaultAt returns a fault at a byte of a text.
func FaultAt(pos int, format string, args ...any) *Fault {
	return (&Node{Pos: pos}).Errorf(format, args...)
}

// Catch makes an error of type F with which a function panics its error. It is
// deferred.
func Catch[F error](err *error) {
	switch fault := recover().(type) {
	case nil:
	case F:
		*err = fault
	default:
		panic(fault)
	}
}

// Parse reads a TOML text. The result is a table. Every error is a *Fault, At
// a place.
func Parse(source []byte) (root *Node, err error) {
	defer Catch[*Fault](&err)
	if len(source) > MaxSize {
		return nil, FaultAt(0, "the file has more than %d bytes", MaxSize)
	}
	text := string(source)
	for at, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[at:], "\ufffd") {
			return nil, FaultAt(at, "byte 0x%02x at offset %d is not UTF-8, want a text file", text[at], at)
		}
	}
	b := &builder{text: text}
	root = b.document(source)
	var values map[string]any
	if err := cmp.Or(toml.Unmarshal(source, &values), b.parser.Error()); err != nil {
		at := 0
		if d, is := errors.AsType[*toml.DecodeError](err); is {
			line, column := d.Position()
			above := strings.SplitAfterN(text, "\n", line)[:line-1]
			at = min(len(strings.Join(above, ""))+column-1, len(text))
		}
		fault := FaultAt(at, "%s", strings.TrimPrefix(err.Error(), "toml: "))
		if r, size := utf8.DecodeRuneInString(text[at:]); size > 1 { // the toml package names its first byte
			fault.Message = fmt.Sprintf("unexpected character %U %q", r, r)
		}
		for _, a := range advice {
			if fits, _ := regexp.MatchString(a[0], err.Error()+"|"+text[at:]); fits && fault.Hint == "" {
				fault.Hint = a[1]
			}
		}
		return nil, fault
	}
	return root, nil
}

// advice helps with an error of the toml package: by what it says and, after a
// bar, what stands there.
var advice = [][2]string{
	{`^[^|]*already exists`, "each of several blocks is [[grid]], or [[claim]]; other tables are there once"},
	{`^[^|]*\|[“”„‘’]`, "quotation marks are \" or '"},
	{`^[^|]*\|[^\x00-\x7f]`, `letters such as "β" need quotation marks, and spaces must be plain ones`},
	{`^[^|]*(newline|after key|of key)[^|]*\|[!-~]`, "a line is key = value, a comment begins with #"},
	{`^[^|]*(value|keyword)[^|]*\|[A-Za-z]`, "a text needs quotation marks; true and false are in small letters"},
	{`^[^|]*value[^|]*\|\.`, "a number begins with a digit, such as 0.5"},
}

// A builder makes a tree of what the parser finds. Of a text that is no TOML
// it may be a strange one: that is rejected afterwards. It panics with a *Fault.
type builder struct {
	text   string
	parser unstable.Parser
	keys   int // so far
}

func (b *builder) document(source []byte) *Node {
	root := NewTable(0)
	table := root
	b.parser.Reset(source)
	for b.parser.NextExpression() {
		e := b.parser.Expression()
		key, end := b.key(e.Key())
		last := key[len(key)-1]
		switch e.Kind {
		case unstable.KeyValue:
			b.keyValue(table, e)
		case unstable.Table:
			table = descend(root, key)
			table.End = b.after(end, ']')
		case unstable.ArrayTable:
			outer := descend(root, key[:len(key)-1])
			outer.add(&Node{Kind: Array, Key: last.Key, KeyPos: last.KeyPos, Pos: last.Pos})
			table = NewTable(last.Pos)
			table.Key, table.KeyPos, table.End = last.Key, -1, b.after(end, ']')+1
			list := outer.Entry(last.Key)
			list.Elements = append(list.Elements, table)
		}
	}
	return root
}

// after returns the place behind the next byte c.
func (b *builder) after(at int, c byte) int { return at + 1 + strings.IndexByte(b.text[at:], c) }

// key returns tables of the parts of a dotted key, and where it ends.
func (b *builder) key(parts unstable.Iterator) (key []*Node, end int) {
	for parts.Next() {
		part := parts.Node()
		n := NewTable(int(part.Raw.Offset))
		if len(key) == MaxKey {
			panic(FaultAt(n.Pos, "a dotted key has more than %d parts", MaxKey))
		}
		if b.keys++; b.keys > MaxKeys {
			panic(FaultAt(n.Pos, "the file has more than %d keys", MaxKeys))
		}
		n.Key, n.KeyPos = string(part.Data), n.Pos
		key, end = append(key, n), n.Pos+int(part.Raw.Length)
	}
	return key, end
}

// descend follows a key from a table, making the tables that are missing.
// An array of tables stands for its last element.
func descend(table *Node, key []*Node) *Node {
	for _, part := range key {
		table.add(part)
		table = table.Entry(part.Key)
		if n := len(table.Elements); n > 0 {
			table = table.Elements[n-1]
		}
		if table.Kind != Table {
			return NewTable(0) // it is no TOML
		}
	}
	return table
}

// keyValue adds key = value to a table.
func (b *builder) keyValue(table *Node, e *unstable.Node) {
	key, end := b.key(e.Key())
	at := b.after(end, '=')
	at += len(b.text[at:]) - len(strings.TrimLeft(b.text[at:], " \t"))
	last := key[len(key)-1]
	n := b.value(e.Value(), last.Key, at)
	n.KeyPos, n.End = last.KeyPos, int(e.Raw.Offset+e.Raw.Length)
	descend(table, key[:len(key)-1]).add(n)
}

// value returns the value at a place.
func (b *builder) value(v *unstable.Node, key string, at int) *Node {
	n := &Node{Kind: Scalar, Key: key, KeyPos: -1, Pos: at}
	text := string(v.Data)
	switch v.Kind {
	case unstable.Array:
		n.Kind = Array
		for list := v.Children(); list.Next(); {
			n.Elements = append(n.Elements, b.value(list.Node(), key, b.begin(list.Node(), at)))
		}
	case unstable.InlineTable:
		n.Kind, n.index = Table, map[string]*Node{}
		for list := v.Children(); list.Next(); {
			b.keyValue(n, list.Node())
		}
	case unstable.String:
		n.Value = text
	case unstable.Bool:
		n.Value = text == "true"
	case unstable.Integer: // one that is too large is rejected afterwards
		n.Value, _ = strconv.ParseInt(text, 0, 64)
	case unstable.Float:
		x, _ := strconv.ParseFloat(strings.NewReplacer("_", "", "+nan", "nan", "-nan", "nan").Replace(text), 64)
		n.Value = x
		if digits, _, _ := strings.Cut(strings.ToLower(text), "e"); x == 0 && strings.Trim(digits, "+-0._") != "" {
			panic(FaultAt(at, "%.40s is too near to 0 for a number", text))
		}
	default:
		n.Value = v.Kind
	}
	return n
}

// begin returns where an element of a list begins, of which the parser does
// not tell it if it is a list itself: before its first element. An empty one,
// or one of lists, which nothing takes, is said to be at outer.
func (b *builder) begin(v *unstable.Node, outer int) int {
	switch {
	case v.Kind != unstable.Array:
		return int(v.Raw.Offset)
	case v.Child() == nil || v.Child().Kind == unstable.Array:
		return outer
	}
	return max(outer, strings.LastIndexByte(b.text[:b.begin(v.Child(), outer)], '['))
}
