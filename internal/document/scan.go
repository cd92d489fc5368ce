package document

import (
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
)

// The limits of a text. They are far above what people write, and low enough
// to keep every text cheap to read.
const (
	MaxSize  = 1 << 20 // bytes
	MaxKeys  = 1 << 15 // in all
	MaxKey   = 8       // parts of a dotted key
	MaxDepth = 64      // nested lists and inline tables
)

// The tokens of TOML. A scalar is a string of several lines, a string of one,
// a date, which may have blanks within, or another word.
var (
	blanks = regexp.MustCompile(`^(?:[ \t\r\n]|#[^\n]*)+`)
	keys   = regexp.MustCompile(`^(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')`)
	scalar = regexp.MustCompile(`^(?:"""(?s:[^\\]|\\.)*?"{3,5}|'''(?s:.)*?'{3,5}|` +
		`"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\d+[:-](?: *[\d:TtZz.+-])*|[\w.+-]+)`)
)

// byteOrderMark may begin a text.
const byteOrderMark = "\ufeff"

// A scanner makes a tree of the keys and values of a text. It knows where they
// stand, but does not decode the values. It does not judge either: it accepts
// all valid TOML and more, and stops at text that it cannot read. It panics
// with a *Fault if the text exceeds a limit.
type scanner struct {
	text string
	at   int // the next byte; the end of the text once the scanner has stopped
	keys int // the number of keys so far

	again *Node // the first key that its table already has
}

// token reads a token of a form; it is empty if there is none.
func (s *scanner) token(form *regexp.Regexp) string {
	token := form.FindString(s.text[s.at:])
	s.at += len(token)
	return token
}

// take skips blanks and then reads a sign, if it follows.
func (s *scanner) take(sign string) bool {
	s.token(blanks)
	is := strings.HasPrefix(s.text[s.at:], sign)
	if is {
		s.at += len(sign)
	}
	return is
}

// must is take, but stops the scanner if the sign does not follow.
func (s *scanner) must(sign string) {
	if !s.take(sign) {
		s.stop()
	}
}

func (s *scanner) stop()       { s.at = len(s.text) }
func (s *scanner) ended() bool { return s.at == len(s.text) }

// document reads the whole text.
func (s *scanner) document() *Node {
	root := NewTable(0)
	table := root
	s.take(byteOrderMark)
	for s.token(blanks); !s.ended(); s.token(blanks) {
		if s.take("[") {
			table = s.header(root)
		} else {
			s.keyValue(table, 0)
		}
	}
	return root
}

// header reads the rest of a header such as [a.b] or [[a.b]] and returns the
// table that it begins.
func (s *scanner) header(root *Node) *Node {
	isArray := s.take("[")
	key := s.key()
	last := key[len(key)-1]
	outer := descend(root, key[:len(key)-1])
	s.must("]")
	if !isArray {
		table := descend(outer, key[len(key)-1:])
		table.End = s.at
		return table
	}
	s.must("]")
	outer.add(&Node{Kind: Array, Key: last.Key, KeyPos: last.KeyPos, Pos: last.Pos})
	list := outer.Entry(last.Key)
	table := NewTable(last.Pos)
	table.Key = last.Key
	table.KeyPos = -1
	table.End = s.at
	list.Elements = append(list.Elements, table)
	return table
}

// key reads a key with one part or several, and returns a table for each.
func (s *scanner) key() (parts []*Node) {
	for {
		s.token(blanks)
		pos := s.at
		name := s.token(keys)
		if name == "" {
			s.stop()
		}
		part := NewTable(pos)
		part.Key = keyName(name)
		part.KeyPos = pos
		parts = append(parts, part)
		s.keys++
		if len(parts) > MaxKey {
			panic(FaultAt(pos, "a dotted key has more than %d parts", MaxKey))
		}
		if s.keys > MaxKeys {
			panic(FaultAt(pos, "the file has more than %d keys", MaxKeys))
		}
		if !s.take(".") {
			return parts
		}
	}
}

// keyName returns the key that a token denotes.
func keyName(token string) string {
	if !strings.ContainsAny(token, `"'`) {
		return token
	}
	var decoded struct{ Key string }
	_, err := toml.Decode("Key = "+token, &decoded)
	if err != nil {
		return token // the text is rejected, too
	}
	return decoded.Key
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

// keyValue reads key = value into a table.
func (s *scanner) keyValue(table *Node, depth int) {
	key := s.key()
	last := key[len(key)-1]
	s.must("=")
	s.token(blanks)
	n := s.value(last.Key, depth)
	n.KeyPos = last.KeyPos
	n.End = s.at
	table = descend(table, key[:len(key)-1])
	if table.Entry(n.Key) != nil && s.again == nil {
		s.again = last
	}
	table.add(n)
}

// value reads the value of a key, or an element of it, at a depth of nesting.
func (s *scanner) value(key string, depth int) *Node {
	if depth > MaxDepth {
		panic(FaultAt(s.at, "lists and inline tables are nested more than %d deep",
			MaxDepth))
	}
	n := &Node{Key: key, KeyPos: -1, Pos: s.at}
	switch {
	case s.take("["):
		n.Kind = Array
		for s.more("]") {
			n.Elements = append(n.Elements, s.value(key, depth+1))
			s.take(",")
		}
	case s.take("{"):
		n.Kind = Table
		n.index = map[string]*Node{}
		for s.more("}") {
			s.keyValue(n, depth+1)
			s.take(",")
		}
	case s.token(scalar) == "":
		s.stop()
	}
	return n
}

// more skips blanks and reports whether an element follows; otherwise it reads
// the closing bracket.
func (s *scanner) more(closing string) bool {
	return !s.take(closing) && !s.ended()
}
