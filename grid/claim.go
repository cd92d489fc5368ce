package grid

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"sweep/grid/internal/document"
)

// A Claim is a statement that a spec makes about the results of its sweep.
// It has no part in what is run, nor in the identity of runs. Package analysis
// understands what it expects.
type Claim struct {
	Place
	Text     string // the claim in words
	Source   string // who made it: paper, section
	Untested string // why nothing here tests it; empty if Expect does

	// Expect is the expression that must be true: at all values of the
	// parameters that Each names, or, if Some does, at one of them at least.
	// Over names those over whose values is averaged.
	Expect           Quoted
	Each, Some, Over []Quoted

	Calibrated bool // what is claimed was fitted, so it is no prediction
}

// A Place is a position in a spec, counted from 1.
type Place struct {
	File         string
	Line, Column int
}

// Errorf returns a fault at the place.
func (p Place) Errorf(format string, args ...any) *Error {
	return &Error{File: p.File, Line: p.Line, Column: p.Column, Message: fmt.Sprintf(format, args...)}
}

// A Quoted is a string of a spec that knows where it stands.
type Quoted struct {
	Place
	Text string

	raw string // the line of the spec where it begins, and all below
}

// At returns the place of the byte at an offset in Text; that of the whole
// string if it is written with escapes.
func (q Quoted) At(offset int) Place {
	start := 0
	for range q.Column - 1 {
		_, size := utf8.DecodeRuneInString(q.raw[start:])
		start += size
	}
	for _, mark := range []string{`"`, `'`, `"""`, `'''`, "\"\"\"\n", "'''\n"} {
		if strings.HasPrefix(q.raw[start:], mark+q.Text) {
			before := q.raw[:start+len(mark)+offset]
			line := strings.Count(before, "\n")
			return Place{q.File, q.Line + line, 1 + utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:])}
		}
	}
	return q.Place
}

// mostClaims bounds the work that the claims of a spec make.
const mostClaims = 1000

// ParseClaims reads a TOML text that has no sweep, only claims that nothing
// tests. Every fault is reported as an *Error.
func ParseClaims(file string, source []byte) (list []Claim, err error) {
	defer catch(&err)
	r := &reader{file: file}
	root := r.document(source)
	r.only(root, "claim")
	list = r.claims(root.Entry("claim"), source)
	for _, c := range list {
		if c.Untested == "" {
			return nil, c.Errorf("the claim has no sweep that tests it, want untested: why not")
		}
	}
	return list, nil
}

// claims reads all [[claim]] of a spec.
func (r *reader) claims(n *document.Node, source []byte) []Claim {
	if n == nil {
		return nil
	}
	if n.Kind != document.Array || len(n.Elements) > mostClaims {
		panic(r.at(n.Pos, "claim is %s, want at most %d tables such as [[claim]]", found(n), mostClaims))
	}
	list := make([]Claim, len(n.Elements))
	for i, t := range n.Elements {
		r.claim(&list[i], t, source)
	}
	return list
}

func (r *reader) claim(c *Claim, t *document.Node, source []byte) {
	if t.Kind != document.Table {
		panic(r.at(t.Pos, "claim holds %s, want tables such as [[claim]]", found(t)))
	}
	r.only(t, "text", "source", "expect", "each", "some", "over", "calibrated", "untested")
	c.Place = Place{r.file, t.Pos.Line, t.Pos.Column}
	read := map[string][]Quoted{"each": nil, "some": nil, "over": nil} // these may be lists
	for _, e := range t.Entries {
		nodes := []*document.Node{e}
		if _, lists := read[e.Key]; lists && e.Kind == document.Array {
			nodes = e.Elements
		}
		for _, n := range nodes {
			text, ok := n.Value.(string)
			if e.Key == "calibrated" {
				c.Calibrated, ok = n.Value.(bool)
				text = "-"
			}
			if !ok || strings.TrimSpace(text) == "" {
				panic(r.at(n.Pos, "%s is %s, want %s", e.Key, found(n), wantedInClaim[e.Key]))
			}
			line := bytes.Join(bytes.SplitAfter(source, []byte("\n"))[n.Pos.Line-1:], nil)
			read[e.Key] = append(read[e.Key], Quoted{Place{r.file, n.Pos.Line, n.Pos.Column}, text, string(line)})
		}
	}
	for _, key := range []string{"text", "source", "expect"} {
		if read[key] == nil && (key != "expect" || read["untested"] == nil) {
			panic(r.at(t.Pos, "the claim has no key %q: %s", key, wantedInClaim[key]))
		}
	}
	first := func(key string) Quoted { return append(read[key], Quoted{})[0] }
	c.Text, c.Source, c.Untested, c.Expect = first("text").Text, first("source").Text, first("untested").Text, first("expect")
	c.Each, c.Some, c.Over = read["each"], read["some"], read["over"]
	switch {
	case c.Untested != "" && c.Expect.Text != "":
		panic(c.Expect.Errorf("the claim has both untested and expect, want one"))
	case c.Each != nil && c.Some != nil:
		panic(c.Some[0].Errorf("the claim has both each and some, want one"))
	}
}

// wantedInClaim says what the keys of a claim hold.
var wantedInClaim = map[string]string{"text": "the claim in words", "source": "who made it, where",
	"expect": "an expression that must be true", "untested": "why nothing tests it", "calibrated": "true or false",
	"each": "a parameter, or a list of some", "some": "a parameter, or a list of some", "over": "a parameter, or a list of some"}
