package grid

import (
	"fmt"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/grid/internal/document"
	"sweep/grid/internal/tuples"
)

// mostChecked bounds how often one rule is checked on one block. A block
// with more combinations of the rule's parameters is checked on some of
// them, evenly spaced and with both ends of each axis; what is not found
// there fails when it is run.
const mostChecked = 1 << 12

// obeyed checks the experiment's rules on the points that a block adds. It
// returns the first that is broken, and keeps those that only warn.
func (r *reader) obeyed(u *union, s *segment) error {
	for i := range r.model.experiment.Rules {
		rule := &r.model.experiment.Rules[i]
		switch err := r.judge(rule).block(u, s); {
		case err == nil:
		case rule.Warns:
			r.warnings = append(r.warnings, err)
		default:
			return err
		}
	}
	return nil
}

// A judge checks one rule.
type judge struct {
	*reader
	rule   *experiment.Rule
	params []int              // those of the rule
	values []experiment.Value // defaults, but for the rule's parameters
}

func (r *reader) judge(rule *experiment.Rule) *judge {
	j := &judge{reader: r, rule: rule}
	for i := range r.model.experiment.Params {
		j.values = append(j.values, r.model.experiment.Params[i].Default)
	}
	for _, name := range rule.Params {
		_, i := r.model.experiment.Param(name)
		j.params = append(j.params, i)
	}
	return j
}

// block checks the points that a block adds.
func (j *judge) block(u *union, s *segment) error {
	if err := j.product(u, s); err != nil {
		return err
	}
	for _, in := range s.block.includes {
		if err := j.included(in); err != nil {
			return err
		}
	}
	return nil
}

// check checks the rule on the values at hand.
func (j *judge) check() error {
	return j.rule.Check(experiment.Point{Experiment: j.model.experiment, Values: j.values})
}

// product checks the tuples of a block.
func (j *judge) product(u *union, s *segment) error {
	b, set := s.block, j.subject(u, s)
	if set == nil {
		return nil
	}
	groups := j.groups(b)
	levels := make([][]tuples.Run, len(groups))
	for k, g := range groups {
		levels[k] = set.Level(g)
	}
	indices := thin(levels)
	tuple := make([]int64, len(b.groups))
	for n := range combinations(indices) {
		for k, g := range groups {
			tuple[g] = indices[k][n%len(indices[k])]
			n /= len(indices[k])
		}
		for _, i := range j.params {
			j.values[i] = b.base[i]
			if g := b.place[i].group; g >= 0 {
				j.values[i] = b.axis(i).values.At(tuple[g])
			}
		}
		if err := j.check(); err != nil && u.occurs(set, groups, tuple) {
			return j.fault(b, tuple, err)
		}
	}
	return nil
}

// subject returns the tuples of a segment whose points use all of the
// rule's parameters.
func (j *judge) subject(u *union, s *segment) *tuples.Set {
	var parts []*tuples.Set
	for _, v := range s.block.variants {
		if j.uses(v) {
			parts = append(parts, u.build.Both(s.set, u.box(s.block, v, nil)))
		}
	}
	return u.build.Union(parts...)
}

func (j *judge) uses(v *variant) bool {
	return !slices.ContainsFunc(j.params, func(i int) bool { return !v.uses[i] })
}

// groups returns the groups of a block that hold parameters of the rule;
// the others do not matter to it.
func (j *judge) groups(b *block) []int {
	var groups []int
	for _, i := range j.params {
		if g := b.place[i].group; g >= 0 && !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	return groups
}

// thin lists the indices of each level: all, or, of long levels, as many as
// leave no more than mostChecked combinations.
func thin(levels [][]tuples.Run) [][]int64 {
	each := int64(mostChecked)
	for ; each > 1; each-- {
		n := int64(1)
		for _, runs := range levels {
			n = min(n*min(length(runs), each), mostChecked+1)
		}
		if n <= mostChecked {
			break
		}
	}
	indices := make([][]int64, len(levels))
	for k, runs := range levels {
		indices[k] = spaced(runs, each)
	}
	return indices
}

func length(runs []tuples.Run) (n int64) {
	for _, r := range runs {
		n += r.Last - r.First + 1
	}
	return n
}

// spaced returns at most n ≥ 1 of the indices, evenly spaced: all, or else
// the first and, if n is above 1, the last among them.
func spaced(runs []tuples.Run, n int64) []int64 {
	total := length(runs)
	n = min(n, total)
	var indices []int64
	before := int64(0) // indices of earlier runs
	for _, r := range runs {
		end := before + r.Last - r.First + 1
		for int64(len(indices)) < n {
			at := total - 1
			if k := int64(len(indices)); k < n-1 || k == 0 {
				at = k * ((total - 1) / max(n-1, 1))
			}
			if at >= end {
				break
			}
			indices = append(indices, r.First+at-before)
		}
		before = end
	}
	return indices
}

// combinations returns the number of ways to take one index of each list.
func combinations(indices [][]int64) int {
	n := 1
	for _, list := range indices {
		n *= len(list)
	}
	return n
}

// occurs reports whether a set has a tuple that agrees with the given one
// in some groups.
func (u *union) occurs(set *tuples.Set, groups []int, tuple []int64) bool {
	levels := make([][]tuples.Run, len(tuple))
	for g := range levels {
		levels[g] = set.Level(g)
		if slices.Contains(groups, g) {
			levels[g] = []tuples.Run{{First: tuple[g], Last: tuple[g]}}
		}
	}
	return u.build.Both(set, u.build.Box(levels)) != nil
}

// included checks a point that a block includes.
func (j *judge) included(in inclusion) error {
	for _, i := range j.params {
		if j.values[i] = in.values[i]; j.values[i].IsNull() {
			return nil
		}
	}
	err := j.check()
	if err == nil {
		return nil
	}
	for _, name := range j.rule.Params {
		if n := in.node.Entry(name); n != nil {
			return j.at(n.Pos, "%v", err)
		}
	}
	return j.at(in.node.Pos, "%v", err)
}

// fault points a broken rule at the first of its parameters that the block
// names. Where axes meet that need not, it says how to keep them apart.
func (j *judge) fault(b *block, tuple []int64, err error) error {
	pos := b.pos
	var pattern []string
	for k := len(j.params) - 1; k >= 0; k-- {
		i := j.params[k]
		n := b.nodes[i]
		if n == nil {
			continue
		}
		pos = n.Pos
		if g := b.place[i].group; g >= 0 {
			if n.Kind == document.Array {
				pos = n.Elements[tuple[g]].Pos
			}
			pattern = append(pattern, fmt.Sprintf("%s = %s", j.rule.Params[k], quoted(j.values[i])))
		}
	}
	fault := j.at(pos, "%v", err)
	if len(pattern) > 0 {
		slices.Reverse(pattern)
		fault.hint("if only these must not meet: exclude = [{ %s }]", strings.Join(pattern, ", "))
	}
	return fault
}

// quoted writes a value as a spec does.
func quoted(v experiment.Value) string {
	if v.Kind() == experiment.String {
		return fmt.Sprintf("%q", v.Text())
	}
	return v.String()
}
