package analysis

import (
	"slices"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/document"
	"sweep/internal/expr"
	"sweep/results"
)

// maxClaimCells bounds the plans that claims can be made about: their cells are
// listed, and each name in a claim looks at all of them.
const maxClaimCells = 1 << 12

// CheckClaims reports what is wrong with the claims of a spec, as a
// *grid.Error, before anything is computed.
func CheckClaims(spec *grid.Spec) error {
	_, _, err := understand(spec)
	return err
}

// understand makes a Claim of each claim of a spec, without its verdict; of a
// claim about a paper's table one for each row. The resolver has the measures
// of their terms. The error is a *grid.Error.
func understand(spec *grid.Spec) (list []*Claim, r *resolver, err error) {
	defer document.Catch[*grid.Error](&err)
	r = &resolver{experiment: spec.Experiment}
	if len(spec.Claims) == 0 {
		return nil, r, nil
	}
	plan := spec.Plan()
	if n := plan.Cells(); n > maxClaimCells {
		first := &spec.Claims[0]
		panic(first.Errorf("claims about a sweep of %d cells, want at most %d", n, maxClaimCells))
	}
	for i := range plan.Cells() {
		r.cells = append(r.cells, plan.Point(i).Values)
	}
	for i := range spec.Claims {
		r.claim = &spec.Claims[i]
		list = append(list, r.claims()...)
	}
	return list, r, nil
}

// A resolver finds out what the names in claims mean. Its methods panic
// with a *grid.Error.
type resolver struct {
	experiment *experiment.Experiment
	cells      [][]experiment.Value
	claim      *grid.Claim
	each       []int // parameters of each and some
	over       []int // parameters

	measures []func(run *results.Row) float64 // the numbers taken from each run
	keys     []string                         // of the measures, to take each once
	series   bool                             // some are taken from the series
}

// measure returns the position of a measure.
func (r *resolver) measure(key string, take func(run *results.Row) float64) int {
	at := slices.Index(r.keys, key)
	if at >= 0 {
		return at
	}
	r.keys = append(r.keys, key)
	r.measures = append(r.measures, take)
	return len(r.measures) - 1
}

// fault is a fault at a node of the claim's expression.
func (r *resolver) fault(n *expr.Node, format string, args ...any) *grid.Error {
	return r.claim.ErrorIn("expect", 0, n.Start, format, args...)
}

// unknown is the fault of a name that is not known.
func (r *resolver) unknown(n *expr.Node, what string, known []string) *grid.Error {
	fault := r.fault(n, "%s has no %s %q", r.experiment.Name, what, n.Text)
	fault.Hint = expr.HintQuotes(n.Text, known)
	return fault.Suggest(n.Text, known)
}

// claims returns what the claim at hand says, with its cases.
func (r *resolver) claims() (list []*Claim) {
	if r.claim.Untested != "" {
		return []*Claim{{Claim: r.claim, Text: r.claim.Text}}
	}
	each := r.params("each", r.claim.Each)
	r.each = append(each, r.params("some", r.claim.Some)...) // one of both is empty
	r.over = r.params("over", r.claim.Over)
	comparisons := r.comparisons(r.expression())
	for _, c := range comparisons {
		if len(comparisons) > 1 && c.Where == "" {
			named := c.left
			if degree(named) == 0 {
				named = c.right
			}
			c.Where = r.claim.Expect[named.Start:named.End]
		}
		text := r.claim.Text + c.row
		if len(list) == 0 || list[len(list)-1].Text != text {
			list = append(list, &Claim{Claim: r.claim, Text: text})
		}
		last := list[len(list)-1]
		last.Cases = append(last.Cases, r.cases(c)...)
	}
	return list
}

// expression parses what the claim at hand expects.
func (r *resolver) expression() *expr.Node {
	root, err := expr.Parse(r.claim.Expect)
	if fault, ok := err.(*document.Fault); ok {
		panic(r.claim.ErrorIn("expect", 0, fault.Pos, "%s", fault.Message))
	}
	return root
}

// params finds parameters by the names that a key of the claim has.
func (r *resolver) params(key string, names []string) (list []int) {
	for k, name := range names {
		p, i := r.experiment.Param(name)
		if p == nil {
			fault := r.claim.ErrorIn(key, k, -1,
				"%s has no parameter %q", r.experiment.Name, name)
			panic(fault.Suggest(name, r.experiment.ParamNames()))
		}
		list = append(list, i)
	}
	return list
}
