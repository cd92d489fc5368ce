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
	Text     string // the claim in words
	Source   string // who made it: paper, section
	Untested string // why nothing here tests it; empty if Expect does

	// Expect is the expression that must be true: at all values of the
	// parameters that Each names, or, if Some does, at one of them at least.
	// Over names those over whose values is averaged.
	Expect           string
	Each, Some, Over []string

	Calibrated bool // what is claimed was fitted, so it is no prediction

	spec *Spec
	node *document.Node
}

// Errorf returns a fault of the claim.
func (c *Claim) Errorf(format string, args ...any) *Error {
	return c.spec.at(c.node.Pos, format, args...)
}

// ErrorIn returns a fault of the string of a key, the i-th if the key has a list:
// where it begins if the offset is -1, else at a byte of it, unless it is written
// with escapes.
func (c *Claim) ErrorIn(key string, i, offset int, format string, args ...any) *Error {
	n := c.node.Entry(key)
	if n.Kind == document.Array {
		n = n.Elements[i]
	}
	return c.spec.at(c.spec.within(n, offset), format, args...)
}

// within returns the place of a byte of a string: where the string begins if the
// byte is -1, or if it is written with escapes.
func (s *Spec) within(n *document.Node, offset int) int {
	for _, mark := range []string{`"`, `'`, `"""`, "'''", "\"\"\"\n", "'''\n"} {
		if offset >= 0 && bytes.HasPrefix(s.Source[n.Pos:], []byte(mark+n.Value.(string))) {
			return n.Pos + len(mark) + offset
		}
	}
	return n.Pos
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
	s.want(n.Kind == document.Array && len(n.Elements) <= mostClaims, n,
		"at most %d tables such as [[claim]]", mostClaims)
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
	c.spec, c.node = s, t
	read := map[string][]string{"each": nil, "some": nil, "over": nil} // these may be lists
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
			read[e.Key] = append(read[e.Key], text)
		}
	}
	for _, key := range []string{"text", "source", "expect"} {
		s.must(read[key] != nil || key == "expect" && read["untested"] != nil, t.Pos, "the claim has no key %q: %s", key, wantedInClaim[key])
	}
	first := func(key string) string { return append(read[key], "")[0] }
	c.Text, c.Source, c.Untested, c.Expect = first("text"), first("source"), first("untested"), first("expect")
	c.Each, c.Some, c.Over = read["each"], read["some"], read["over"]
	switch {
	case c.Untested != "" && c.Expect != "":
		panic(c.ErrorIn("expect", 0, -1, "the claim has both untested and expect, want one"))
	case c.Each != nil && c.Some != nil:
		panic(c.ErrorIn("some", 0, -1, "the claim has both each and some, want one"))
	}
}
