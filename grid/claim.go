package grid

import (
	"fmt"
	"strings"

	"sweep/internal/document"
)

// A Claim is a statement that a spec makes about the results of its sweep. It
// affects neither what is run nor the identity of runs. Package analysis
// evaluates what it expects.
type Claim struct {
	Text     string // the claim in words
	Source   string // who made it: paper, section
	Untested string // why nothing here tests it; empty if Expect does

	// Expect is the expression that must be true for all values of the
	// parameters in Each or, if they are in Some, for at least one. Results
	// are averaged over the values of the parameters in Over.
	Expect           string
	Each, Some, Over []string

	Calibrated bool // the model was fitted to it, so that it is not a prediction

	reader *reader
	node   *document.Node
}

// Errorf returns an error at the claim.
func (c *Claim) Errorf(format string, args ...any) *Error {
	return c.reader.at(c.node, format, args...)
}

// ErrorIn returns an error in the string of a key or, if the key has a list,
// in its i-th string. The error is at an offset in the string, or at its
// beginning if the offset is -1 or the string is written with escapes.
func (c *Claim) ErrorIn(key string, i, offset int, format string, args ...any) *Error {
	n := c.node.Entry(key)
	if n.Kind == document.Array {
		n = n.Elements[i]
	}
	return c.reader.at(c.reader.within(n, offset), format, args...)
}

// maxClaims bounds the work that the claims of a spec make.
const maxClaims = 1000

// ParseClaims reads a TOML text without a sweep: only claims that nothing
// tests. The error is an *Error.
func ParseClaims(file string, source []byte) (list []Claim, err error) {
	defer document.Catch[*Error](&err)
	r := &reader{file: file, source: source}
	list = r.claims(r.table(r.document(), "claims", []string{"claim"})["claim"])
	for _, c := range list {
		if c.Untested == "" {
			return nil, c.Errorf("the claim has no sweep that tests it, " +
				"want untested: why not")
		}
	}
	return list, nil
}

// claims reads all [[claim]] of a spec.
func (r *reader) claims(n *document.Node) []Claim {
	if n == nil {
		return nil
	}
	r.want(n.Kind == document.Array && len(n.Elements) <= maxClaims, n,
		fmt.Sprintf("at most %d tables such as [[claim]]", maxClaims))
	list := make([]Claim, len(n.Elements))
	for i, table := range n.Elements {
		list[i] = r.claim(table)
	}
	return list
}

// claimKeys are the keys of a claim.
var claimKeys = []string{
	"text", "source", "expect", "each", "some", "over", "calibrated", "untested",
}

// wantedInClaim says what the keys of a claim hold.
var wantedInClaim = map[string]string{
	"text":       "the claim in words",
	"source":     "who made it, where",
	"expect":     "an expression that must be true",
	"untested":   "why nothing tests it",
	"calibrated": "true or false",
	"each":       "a parameter, or a list of some",
	"some":       "a parameter, or a list of some",
	"over":       "a parameter, or a list of some",
}

// claim reads one [[claim]].
func (r *reader) claim(n *document.Node) Claim {
	keys := r.table(n, "tables such as [[claim]]", claimKeys)
	c := Claim{
		Text:       r.claimText(keys["text"]),
		Source:     r.claimText(keys["source"]),
		Untested:   r.claimText(keys["untested"]),
		Expect:     r.claimText(keys["expect"]),
		Each:       r.claimList(keys["each"]),
		Some:       r.claimList(keys["some"]),
		Over:       r.claimList(keys["over"]),
		Calibrated: r.boolean(keys["calibrated"], wantedInClaim["calibrated"]),
		reader:     r,
		node:       n,
	}
	for _, key := range []string{"text", "source", "expect"} {
		isMissing := keys[key] == nil
		if key == "expect" && keys["untested"] != nil {
			isMissing = false
		}
		r.must(!isMissing, n, "the claim has no key %q: %s", key, wantedInClaim[key])
	}
	if c.Untested != "" && c.Expect != "" {
		r.fail(keys["expect"], "the claim has both untested and expect, want one")
	}
	if c.Each != nil && c.Some != nil {
		some := keys["some"]
		if some.Kind == document.Array {
			some = some.Elements[0]
		}
		r.fail(some, "the claim has both each and some, want one")
	}
	return c
}

// claimText reads a text of a claim; it is empty if n is nil.
func (r *reader) claimText(n *document.Node) string {
	if n == nil {
		return ""
	}
	text := r.text(n, wantedInClaim[n.Key])
	r.want(strings.TrimSpace(text) != "", n, wantedInClaim[n.Key])
	return text
}

// claimList reads a text of a claim or a list of texts; it is nil if n is nil.
func (r *reader) claimList(n *document.Node) (list []string) {
	if n == nil || n.Kind != document.Array {
		if text := r.claimText(n); text != "" {
			list = append(list, text)
		}
		return list
	}
	for _, e := range n.Elements {
		list = append(list, r.claimText(e))
	}
	return list
}
