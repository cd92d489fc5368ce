package grid

import (
	"bytes"
	"strings"

	"sweep/internal/document"
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

// A Quoted is a string of a spec that knows where it stands.
type Quoted struct {
	Place
	Text string

	spec *Spec
	pos  int
}

// At returns the place of the byte at an offset in Text; that of the whole
// string if it is written with escapes.
func (q Quoted) At(offset int) Place {
	for _, mark := range []string{`"`, `'`, `"""`, `'''`, "\"\"\"\n", "'''\n"} {
		if bytes.HasPrefix(q.spec.Source[q.pos:], []byte(mark+q.Text)) {
			return q.spec.place(q.pos + len(mark) + offset)
		}
	}
	return q.Place
}

// mostClaims bounds the work that the claims of a spec make.
const mostClaims = 1000

// ParseClaims reads a TOML text that has no sweep, only claims that nothing
// tests. Every fault is reported as an *Error.
func ParseClaims(file string, source []byte) (list []Claim, err error) {
	defer document.Catch[*Error](&err)
	s := &Spec{File: file}
	root := s.document(source)
	s.table(root, "claims", "claim")
	list = s.claims(root.Entry("claim"))
	for _, c := range list {
		if c.Untested == "" {
			return nil, c.Errorf("the claim has no sweep that tests it, want untested: why not")
		}
	}
	return list, nil
}

// claims reads all [[claim]] of a spec.
func (s *Spec) claims(n *document.Node) []Claim {
	if n == nil {
		return nil
	}
	s.want(n.Kind == document.Array && len(n.Elements) <= mostClaims, n, "at most %d tables such as [[claim]]", mostClaims)
	list := make([]Claim, len(n.Elements))
	for i, t := range n.Elements {
		s.claim(&list[i], t)
	}
	return list
}

// wantedInClaim says what the keys of a claim hold.
var wantedInClaim = map[string]string{"text": "the claim in words", "source": "who made it, where",
	"expect": "an expression that must be true", "untested": "why nothing tests it", "calibrated": "true or false",
	"each": "a parameter, or a list of some", "some": "a parameter, or a list of some", "over": "a parameter, or a list of some"}

func (s *Spec) claim(c *Claim, t *document.Node) {
	s.table(t, "tables such as [[claim]]", "text", "source", "expect", "each", "some", "over", "calibrated", "untested")
	c.Place = s.place(t.Pos)
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
			s.want(ok && strings.TrimSpace(text) != "", n, "%s", wantedInClaim[e.Key])
			read[e.Key] = append(read[e.Key], Quoted{s.place(n.Pos), text, s, n.Pos})
		}
	}
	for _, key := range []string{"text", "source", "expect"} {
		s.must(read[key] != nil || key == "expect" && read["untested"] != nil, t.Pos, "the claim has no key %q: %s", key, wantedInClaim[key])
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
