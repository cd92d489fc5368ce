package grid

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sweep/experiment"
	"sweep/internal/document"
)

// A reader reads the nodes of a spec and checks what they hold. It rejects a
// spec in one way: refuse panics with an *Error, which Parse returns.
type reader struct {
	file   string
	source []byte

	experiment *experiment.Experiment // declares the parameters; nil until it is known
	design     *Design                // of sampled ranges; nil without [sample]
	inputs     inputs
	warnings   []*Error
}

// Error is one fault in a spec, with its position.
type Error struct {
	File         string
	Line, Column int // from 1, the column in characters
	Message      string

	// Hint is a suggestion to be printed on a line of its own, for
	// example `did you mean "gamma"?`; empty if there is none.
	Hint string

	// Experiment is the name of one that the program does not have, if that is
	// the fault.
	Experiment string
}

// Error returns the fault on one line, without the hint:
// file:line:column: message.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// Suggest adds the hint "did you mean" if a known word is close to the one
// found.
func (e *Error) Suggest(word string, known []string) *Error {
	if hint := document.DidYouMean(word, known); hint != "" {
		e.Hint = hint
	}
	return e
}

// document parses the source.
func (r *reader) document() *document.Node {
	root, err := document.Parse(r.source)
	if fault, is := errors.AsType[*document.Fault](err); is {
		at := &document.Node{Pos: fault.Pos}
		r.fail(at, "%s\nhint: %s", fault.Message, fault.Hint)
	}
	return root
}

// at returns an error at a node. The message may be followed by a line that
// begins with "hint: ".
func (r *reader) at(n *document.Node, format string, args ...any) *Error {
	line, column := r.place(n.Pos)
	message, hint, _ := strings.Cut(fmt.Sprintf(format, args...), "\nhint: ")
	return &Error{
		File:    r.file,
		Line:    line,
		Column:  column,
		Message: message,
		Hint:    hint,
	}
}

// place returns the line and the column of an offset in the source.
func (r *reader) place(pos int) (line, column int) {
	before := r.source[:pos]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}

// within returns a node at an offset in the text of a string. It returns the
// string itself if the offset is -1, or if the string is written with escapes.
func (r *reader) within(n *document.Node, offset int) *document.Node {
	if offset < 0 {
		return n
	}
	text := n.Value.(string)
	written := r.source[n.Pos:]
	for _, mark := range []string{`"`, `'`, `"""`, "'''", "\"\"\"\n", "'''\n"} {
		if bytes.HasPrefix(written, []byte(mark+text)) {
			return &document.Node{Pos: n.Pos + len(mark) + offset}
		}
	}
	return n
}

// keyOf returns a node at the key of another, for errors about the key.
func keyOf(n *document.Node) *document.Node { return &document.Node{Pos: n.KeyPos} }

// refuse rejects the spec. Every rejection in this package ends here.
func (r *reader) refuse(fault *Error) { panic(fault) }

// fail rejects the spec because of a node.
func (r *reader) fail(n *document.Node, format string, args ...any) {
	r.refuse(r.at(n, format, args...))
}

// must rejects the spec unless ok.
func (r *reader) must(ok bool, n *document.Node, format string, args ...any) {
	if !ok {
		r.fail(n, format, args...)
	}
}

// want rejects a value unless ok. The error tells what was found and what is
// accepted.
func (r *reader) want(ok bool, n *document.Node, accepted string) {
	if ok {
		return
	}
	verb := "is"
	if n.KeyPos < 0 { // an element of a list
		verb = "holds"
	}
	r.fail(n, "%s %s %s, want %s", n.Key, verb, found(n), accepted)
}

// found describes a node for a message.
func found(n *document.Node) string {
	switch n.Kind {
	case document.Array:
		return "a list"
	case document.Table:
		return "a table"
	}
	const longest = 40 // bytes of a string that a message can show
	switch v := n.Value.(type) {
	case bool:
		return fmt.Sprint("the boolean ", v)
	case int64:
		return fmt.Sprint("the integer ", v)
	case float64:
		return "the number " + strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		if len(v) > longest {
			return "a long string"
		}
		return "the string " + strconv.Quote(v)
	}
	return "a date or time"
}

// text reads a string.
func (r *reader) text(n *document.Node, accepted string) string {
	text, ok := n.Value.(string)
	r.want(ok, n, accepted)
	return text
}

// choose reads one of several names and returns its index.
func (r *reader) choose(n *document.Node, names []string) int {
	name := r.text(n, "one of "+strings.Join(names, ", "))
	i := slices.Index(names, name)
	if i < 0 {
		r.refuse(r.unknownName(n, names))
	}
	return i
}

// unknownName is the fault of a name that is not one of several.
func (r *reader) unknownName(n *document.Node, names []string) *Error {
	name := n.Value.(string)
	fault := r.at(n, "unknown %s %q, want one of %s", n.Key, name, strings.Join(names, ", "))
	return fault.Suggest(name, names)
}

// integer reads an integer of at least min.
func (r *reader) integer(n *document.Node, min int64) int64 {
	x, ok := n.Value.(int64)
	if !ok || x < min {
		r.want(false, n, fmt.Sprintf("an integer of at least %d", min))
	}
	return x
}

// boolean reads true or false; a node that is nil is false.
func (r *reader) boolean(n *document.Node, accepted string) bool {
	if n == nil {
		return false
	}
	is, ok := n.Value.(bool)
	r.want(ok, n, accepted)
	return is
}

// number reads a finite number.
func (r *reader) number(n *document.Node) float64 {
	x, ok := numberIn(n)
	if whole, isInt := n.Value.(int64); isInt {
		ok = exact(whole)
	}
	r.want(ok, n, "a finite number")
	return x
}

// numberIn returns the finite number that a node holds, if it does.
func numberIn(n *document.Node) (x float64, ok bool) {
	switch v := n.Value.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, isFinite(v)
	}
	return 0, false
}

func isFinite(x float64) bool { return x-x == 0 }

// interval reads two integers such as 1..30.
func interval(text string) (first, last int64, ok bool) {
	from, to, isPair := strings.Cut(text, "..")
	first, err1 := strconv.ParseInt(from, 10, 64)
	last, err2 := strconv.ParseInt(to, 10, 64)
	return first, last, isPair && err1 == nil && err2 == nil
}

// exact reports whether a float64 holds the integer exactly.
func exact(i int64) bool {
	f := float64(i)
	return f < 1<<63 && int64(f) == i
}

// table reads a table that may only have the given keys, and returns its
// entries by key.
func (r *reader) table(
	n *document.Node, accepted string, keys []string,
) map[string]*document.Node {
	r.want(n.Kind == document.Table, n, accepted)
	entries := map[string]*document.Node{}
	for _, e := range n.Entries {
		entries[e.Key] = e
		if !slices.Contains(keys, e.Key) {
			r.unknownKey(e, keys)
		}
	}
	return entries
}

// unknownKey rejects a key that is not among the known ones.
func (r *reader) unknownKey(n *document.Node, known []string) {
	inGrid := slices.Contains(directives, n.Key)
	if n.Key == includeKey && n.Kind == document.Scalar {
		inGrid = false // in other programs it names a file to read
	}
	hint := ""
	if p, _ := find(r.experiment, n.Key); p != nil || inGrid {
		hint = "\nhint: " + n.Key + " belongs below [grid]"
	} else if r.experiment != nil && r.experiment.Declare != nil && n.Kind != document.Table {
		hint = "\nhint: parameters stand below [grid], keys of " + r.experiment.Name +
			" below [" + r.experiment.Name + "]"
	}
	list := strings.Join(known, ", ")
	fault := r.at(keyOf(n), "unknown key %.60q, want %s%s", n.Key, list, hint)
	r.refuse(fault.Suggest(n.Key, known))
}

// list reads a list and returns its elements.
func (r *reader) list(n *document.Node, accepted string) []*document.Node {
	r.want(n.Kind == document.Array, n, accepted)
	return n.Elements
}

// value reads a scalar as a value of a parameter.
func (r *reader) value(p *experiment.Param, n *document.Node) experiment.Value {
	read := n.Value
	what := ""
	switch x := n.Value.(type) {
	case int64:
		if p.Kind == experiment.Float {
			r.must(exact(x), n, "%s is %d, which a 64-bit float cannot hold exactly",
				p.Name, x)
			read = float64(x)
		}
	case float64:
		if !isFinite(x) {
			what = fmt.Sprint(x)
		}
	}
	v := experiment.ValueOf(read)
	if v.Kind() != p.Kind && what == "" {
		what = found(n)
	}
	if what != "" {
		hint := ""
		if p.Kind == experiment.String {
			hint = "\nhint: a text needs quotation marks"
		}
		r.fail(n, "%s is %s, want %s%s", p.Name, what, p.Accepts(), hint)
	}
	if p.Input != nil {
		return r.input(p.Name, p.Input, n, v.Text())
	}
	if err := p.Check(v); err != nil {
		r.refuse(r.at(n, "%v", err).Suggest(v.Text(), p.Choices))
	}
	return v
}

// end reads the from or the to of a range.
func (r *reader) end(p *experiment.Param, n *document.Node) float64 {
	r.value(p, n)
	if whole, isInt := n.Value.(int64); isInt {
		r.must(exact(whole), n,
			"%s is %d, too large for a range, want at most 2^53", p.Name, whole)
	}
	return r.number(n)
}

// find returns the parameter with a name or, if only one has it, with a
// symbol.
func find(e *experiment.Experiment, name string) (*experiment.Param, int) {
	if e == nil || name == "" {
		return nil, -1
	}
	if p, i := e.Param(name); p != nil {
		return p, i
	}
	found := -1
	for i := range e.Params {
		if e.Params[i].Symbol != name {
			continue
		}
		if found >= 0 {
			return nil, -1 // ambiguous
		}
		found = i
	}
	if found < 0 {
		return nil, -1
	}
	return &e.Params[found], found
}

// param finds the parameter that a setting names. No setting before it in its
// table may name the same one. Besides parameters, the table may have other
// keys.
func (r *reader) param(s *setting, before []setting, keysBeside []string) *experiment.Param {
	n := s.node
	p, i := find(r.experiment, n.Key)
	if p == nil {
		r.unknownParam(n, keysBeside)
	}
	for _, other := range before {
		if other.param == i {
			r.fail(keyOf(n), "%s is %s, which is already set", n.Key, p.Name)
		}
	}
	s.param = i
	return p
}

// unknownParam rejects a key that names no parameter.
func (r *reader) unknownParam(n *document.Node, keysBeside []string) {
	hint := fmt.Sprintf("sweep params %s lists the parameters", r.experiment.Name)
	if key := document.Nearest(n.Key, keysOf(r.experiment)); key != "" {
		hint = key + " belongs above the first [grid]"
	}
	known := append(r.experiment.ParamNames(), keysBeside...)
	fault := r.at(keyOf(n), "unknown key %.60q, %s has no such parameter\nhint: %s",
		n.Key, r.experiment.Name, hint)
	r.refuse(fault.Suggest(n.Key, known))
}
