package grid

import (
	"fmt"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/internal/document"
)

// checkRules checks the rules of the experiment in every cell. It returns
// which parameters vary.
func (x *expander) checkRules() (varies []bool) {
	var checks []*ruleCheck
	for i := range x.experiment.Rules {
		rule := &x.experiment.Rules[i]
		checks = append(checks, &ruleCheck{
			rule:   rule,
			params: x.experiment.Places(rule.Params),
			seen:   map[string]bool{},
		})
	}
	first := x.plan.Point(0).Values
	values := slices.Clone(first)
	varies = make([]bool, len(first))
	for _, c := range x.plan.cells {
		c.fill(values)
		for i, v := range values {
			varies[i] = varies[i] || v != first[i]
		}
		for _, check := range checks {
			x.checkRule(check, c, values)
		}
	}
	return varies
}

// A ruleCheck checks a rule in cells, once for the same values.
type ruleCheck struct {
	rule   *experiment.Rule
	params []int
	key    []byte // of the values
	seen   map[string]bool
	warned bool // one warning is enough
}

// checkRule checks a rule in a cell, unless one of its parameters is null.
func (x *expander) checkRule(check *ruleCheck, c cell, values []experiment.Value) {
	check.key = check.key[:0]
	for _, i := range check.params {
		p := &x.experiment.Params[i]
		// A file that the point does not name is an empty value, unless other
		// parameters take its place.
		if values[i].IsNull() && (p.Input == nil || p.Replaces != nil) {
			return
		}
		check.key = appendKey(check.key, values[i])
	}
	if check.warned || check.seen[string(check.key)] {
		return
	}
	check.seen[string(check.key)] = true
	err := check.rule.Check(experiment.Point{Experiment: x.experiment, Values: values})
	if err == nil {
		return
	}
	fault := x.broken(c, check.params, values, err)
	if !check.rule.Warns {
		x.refuse(fault)
	}
	check.warned = true
	x.warnings = append(x.warnings, fault)
}

// broken returns the error of a cell that breaks a rule about some
// parameters, at the first of them that the spec sets. If some are axes, the
// hint tells how to exclude these values.
func (x *expander) broken(
	c cell, params []int, values []experiment.Value, fault error,
) *Error {
	var at *document.Node
	var apart []string
	for _, i := range params {
		n := x.settingOf(c.node, i)
		for _, a := range slices.Concat(c.loops...) {
			if a.param != i {
				continue
			}
			value := values[i]
			if n.Kind == document.Array {
				n = n.Elements[slices.Index(a.values, value)]
				value = experiment.ValueOf(n.Value) // a file is its path
			}
			text, _ := value.MarshalJSON() // which is TOML, too
			name := tomlKey(x.experiment.Params[i].Name)
			apart = append(apart, fmt.Sprintf("%s = %s", name, text))
		}
		if at == nil {
			at = n
		}
	}
	if at == nil {
		at = c.node
	}
	hint := ""
	if apart != nil {
		hint = fmt.Sprintf("\nhint: if only these must not meet: exclude = [{ %s }]",
			strings.Join(apart, ", "))
	}
	return x.at(at, "%v%s", fault, hint)
}

// settingOf returns the entry of a table that sets a parameter, or nil.
func (r *reader) settingOf(table *document.Node, param int) *document.Node {
	for _, n := range table.Entries {
		if _, i := find(r.experiment, n.Key); i == param {
			return n
		}
	}
	return nil
}

// inOrder returns the parameters that vary, first those that the document
// names, in its order.
func inOrder(varies []bool, blocks []*Block) (varying []int) {
	take := func(i int) {
		if varies[i] && !slices.Contains(varying, i) {
			varying = append(varying, i)
		}
	}
	for _, b := range blocks {
		for _, s := range b.settings {
			take(s.param)
		}
	}
	for i := range varies {
		take(i)
	}
	return varying
}
