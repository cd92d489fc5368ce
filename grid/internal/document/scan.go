package document

import (
	"fmt"
	"strings"
)

// A scanner finds the tables, keys and elements of a TOML text. It is
// exact for valid TOML and need not notice invalid TOML: there it may stop
// or build a strange tree, because the toml package, which comes next,
// rejects the text anyway. It never recurses deeper than MaxDepth and
// looks at each byte a bounded number of times.
type scanner struct {
	text string
	at   int

	// Positions are asked for in ascending order nearly always, so the
	// last answer, for offset counted, is the start of the next search.
	last    Pos
	counted int
}

// A refusal ends a scan. It is unknown if the scanner did not understand
// the text, which is normally because it is not TOML.
type refusal struct {
	at      int
	message string
	unknown bool
}

func (s *scanner) lost() *refusal {
	return &refusal{at: s.at, message: "this is written in a way that cannot be read here", unknown: true}
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

func newTable(pos Pos) *Node {
	return &Node{Kind: Table, Pos: pos, index: map[string]*Node{}}
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

// document scans the whole text.
func (s *scanner) document() (*Node, *refusal) {
	s.at = len(s.text) - len(strings.TrimPrefix(s.text, "\ufeff"))
	root := newTable(Pos{1, 1})
	current := root
	for {
		s.blank()
		if s.at == len(s.text) {
			return root, nil
		}
		var r *refusal
		if s.peek() == '[' {
			current, r = s.header(root)
		} else {
			r = s.keyValue(current, 0)
		}
		if r != nil {
			return root, r
		}
	}
}

// header scans [a.b] or [[a.b]] and returns the table it opens.
func (s *scanner) header(root *Node) (*Node, *refusal) {
	s.at++
	list := s.peek() == '['
	if list {
		s.at++
	}
	key, r := s.key()
	if r != nil {
		return nil, r
	}
	for n := 0; n < 2; n++ {
		if n == 0 || list {
			if s.peek() != ']' {
				return nil, s.lost()
			}
			s.at++
		}
	}
	table, last := root, key[len(key)-1]
	if table = s.descend(table, key[:len(key)-1]); table == nil {
		return nil, s.lost()
	}
	if !list {
		if table = s.descend(table, key[len(key)-1:]); table == nil {
			return nil, s.lost()
		}
		return table, nil
	}
	array := table.Entry(last.text)
	if array == nil {
		array = &Node{Kind: Array, Pos: last.pos}
		table.add(last, array)
	}
	if array.Kind != Array {
		return nil, s.lost()
	}
	table = newTable(last.pos)
	array.Elements = append(array.Elements, table)
	return table, nil
}

// descend follows a key from a table, making the tables that are missing.
// An array of tables stands for its last element. It returns nil where a
// table cannot be.
func (s *scanner) descend(table *Node, key []part) *Node {
	for _, p := range key {
		next := table.Entry(p.text)
		if next == nil {
			next = newTable(p.pos)
			table.add(p, next)
		}
		if next.Kind == Array && len(next.Elements) > 0 {
			next = next.Elements[len(next.Elements)-1]
		}
		if next.Kind != Table {
			return nil
		}
		table = next
	}
	return table
}

// keyValue scans key = value into a table.
func (s *scanner) keyValue(table *Node, depth int) *refusal {
	key, r := s.key()
	if r != nil {
		return r
	}
	if s.peek() != '=' {
		return s.lost()
	}
	s.at++
	s.space()
	value, r := s.value(depth)
	if r != nil {
		return r
	}
	if table = s.descend(table, key[:len(key)-1]); table == nil || !table.add(key[len(key)-1], value) {
		return s.lost()
	}
	return nil
}

// A part is one part of a dotted key.
type part struct {
	text string
	pos  Pos
}

// key scans a dotted key and the space around it.
func (s *scanner) key() ([]part, *refusal) {
	var key []part
	for {
		s.space()
		if len(key) == MaxKey {
			return nil, &refusal{at: s.at, message: fmt.Sprintf("a dotted key has more than %d parts", MaxKey)}
		}
		start := s.at
		var text string
		switch c := s.peek(); c {
		case '"', '\'':
			end := strings.IndexByte(s.text[s.at+1:], c)
			if end < 0 {
				return nil, s.lost()
			}
			text = s.text[s.at+1 : s.at+1+end]
			if c == '"' && strings.Contains(text, `\`) {
				// Nothing that a spec may be keyed by needs an escape.
				return nil, &refusal{at: start, message: "a key contains an escape sequence, want a plain name"}
			}
			s.at += len(text) + 2
		default:
			for s.at < len(s.text) && bare(s.text[s.at]) {
				s.at++
			}
			if text = s.text[start:s.at]; text == "" {
				return nil, s.lost()
			}
		}
		key = append(key, part{text, s.pos(start)})
		s.space()
		if s.peek() != '.' {
			return key, nil
		}
		s.at++
	}
}

// value scans a value inside depth brackets.
func (s *scanner) value(depth int) (*Node, *refusal) {
	start := s.at
	c := s.peek()
	if (c == '[' || c == '{') && depth == MaxDepth {
		return nil, &refusal{at: start, message: fmt.Sprintf("brackets are nested more than %d deep", MaxDepth)}
	}
	switch c {
	case '[':
		return s.array(depth + 1)
	case '{':
		return s.inline(depth + 1)
	case '"', '\'':
		if !s.quoted(c) {
			return nil, s.lost()
		}
	default:
		n := strings.IndexAny(s.text[start:], ",]}#\n")
		if n < 0 {
			n = len(s.text) - start
		}
		if strings.TrimSpace(s.text[start:start+n]) == "" {
			return nil, s.lost()
		}
		s.at += n
	}
	return &Node{Kind: Scalar, Pos: s.pos(start)}, nil
}

// quoted skips a string in any of TOML's four quotations.
func (s *scanner) quoted(quote byte) bool {
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
		case c == '\n' && !long:
			return false
		case c == quote && !long:
			s.at++
			return true
		case c == quote && strings.HasPrefix(s.text[s.at:], q+q+q):
			s.at += 3
			// Up to two quotes may stand before the closing three.
			for n := 0; n < 2 && s.peek() == quote; n++ {
				s.at++
			}
			return true
		}
		s.at++
	}
	s.at = len(s.text)
	return false
}

func (s *scanner) array(depth int) (*Node, *refusal) {
	n := &Node{Kind: Array, Pos: s.pos(s.at)}
	r := s.list(']', func() *refusal {
		e, r := s.value(depth)
		n.Elements = append(n.Elements, e)
		return r
	})
	return n, r
}

func (s *scanner) inline(depth int) (*Node, *refusal) {
	n := newTable(s.pos(s.at))
	r := s.list('}', func() *refusal { return s.keyValue(n, depth) })
	return n, r
}

// list scans from an opening bracket to the closing one; items are
// separated by commas, and a comma may follow the last.
func (s *scanner) list(closing byte, item func() *refusal) *refusal {
	s.at++
	for {
		s.blank()
		if s.peek() == closing {
			s.at++
			return nil
		}
		if r := item(); r != nil {
			return r
		}
		s.blank()
		switch s.peek() {
		case ',':
			s.at++
		case closing:
		default:
			return s.lost()
		}
	}
}

// peek returns the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// space skips spaces and tabs.
func (s *scanner) space() {
	for s.peek() == ' ' || s.peek() == '\t' {
		s.at++
	}
}

// blank skips white space, ends of lines and comments.
func (s *scanner) blank() {
	for {
		switch s.peek() {
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

func bare(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}
