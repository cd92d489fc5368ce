package command

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"sweep/experiment"
	"sweep/internal/document"
)

// params returns the parameters that the spec names: those in its grid, then
// those that only [parameters] has.
func params(r *experiment.Request) []experiment.Param {
	p := paramList{described: table{r.Parameters}}
	for _, g := range r.Grid {
		p.add(g.Param, g.At, g.Everywhere)
	}
	if r.Parameters != nil {
		for _, s := range r.Parameters.Table {
			if !slices.Contains(p.names(), s.Key) {
				p.add(experiment.Param{Name: s.Key}, s, true)
			}
		}
	}
	return p.list
}

// A paramList collects parameters.
type paramList struct {
	described table // [parameters]
	list      []experiment.Param
}

func (l *paramList) names() (names []string) {
	for _, p := range l.list {
		names = append(names, p.Name)
	}
	return names
}

// add describes a parameter, which the spec has at a place, checks it and adds
// it. If it does not have a value everywhere in the grid, it needs a default.
func (l *paramList) add(p experiment.Param, at *experiment.Setting, everywhere bool) {
	here := table{at}
	here.must(experiment.CheckName("parameter", p.Name))
	if slices.Contains([]string{templateParam, programParam, "dir"}, p.Name) {
		here.fail("", "",
			"%q says where the program is or how it was started, want another name", p.Name)
	}
	for _, other := range l.list {
		if variable(other.Name) == variable(p.Name) {
			here.fail("", "", "%s and %s are both %s in the environment, want names that differ "+
				"by more than case and . - _", other.Name, p.Name, variable(p.Name))
		}
	}
	own := l.described.below(p.Name, paramKeys)
	own.describe(&p)
	if p.Default.IsNull() {
		hint := document.DidYouMean(p.Name, l.names())
		if len(at.Table) > 0 && !slices.Contains(paramKeys, at.Table[0].Key) {
			hint = fmt.Sprintf("a name with a dot needs quotes: %q", p.Name+"."+at.Table[0].Key)
		}
		here.fail("", hint, "%s has no value%s, want finite numbers or quoted texts in [grid], "+
			"or a default in [parameters]", p.Name, instead(at))
	}
	byDefault := own.Entry("default")
	table{cmp.Or(byDefault, at)}.must(p.Check(p.Default))
	if !everywhere && byDefault == nil {
		near := document.DidYouMean(p.Name, l.names())
		here.fail("", near, "%s is not in every [[grid]] and include: give it there, "+
			"or a default in [parameters]", p.Name)
	}
	l.list = append(l.list, p)
}

// instead tells what stands in the place of a value, if that is a scalar.
func instead(at *experiment.Setting) string {
	if len(at.List) > 0 {
		at = at.List[0]
	}
	if at.List != nil || at.Table != nil {
		return ""
	}
	return " but " + at.Found
}

// describe reads what [parameters] says about a parameter.
func (t table) describe(p *experiment.Param) {
	p.Unit = t.text("unit")
	p.Symbol = t.text("symbol")
	p.Meaning = t.textOr("meaning", "a parameter of the program")
	p.Source = t.textOr("source", "the spec")
	if v := t.value("default"); !v.IsNull() {
		p.Default = v
		widens := p.Kind == experiment.Int && v.Kind() == experiment.Float
		if p.Kind == experiment.Null || widens {
			p.Kind = v.Kind()
		}
		if v.Kind() == experiment.String && !slices.Contains(p.Choices, v.Text()) {
			p.Choices = append(p.Choices, v.Text())
		}
	}
	p.Kind = t.kind(p.Kind)
	p.Default = asKind(p.Default, p.Kind)
	p.Min = t.bound("min", math.Inf(-1))
	p.Max = t.bound("max", math.Inf(1))
}

// asKind returns a number as one of another kind, if that can hold it.
func asKind(v experiment.Value, kind experiment.Kind) experiment.Value {
	x := v.Float()
	switch {
	case kind == experiment.Float && v.Kind() == experiment.Int:
		return experiment.FloatValue(x)
	case kind == experiment.Int && v.Kind() == experiment.Float && x == math.Trunc(x):
		return experiment.IntValue(int64(x))
	}
	return v
}
