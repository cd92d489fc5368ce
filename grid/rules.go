package grid

import (
	"encoding/binary"
	"fmt"
	"strings"

	"sweep/experiment"
	"sweep/grid/internal/document"
)

// A ruleCheck checks one of the experiment's rules on the cells that a block
// adds.
type ruleCheck struct {
	*reader
	rule   *experiment.Rule
	params []int // those of the rule
	block  *block

	values []experiment.Value // defaults, but for the rule's parameters
	seen   map[string]bool    // combinations that were checked
	fault  *Error             // of the first cell that breaks the rule
}

// ruleChecks are the checks of all rules on one block.
type ruleChecks []*ruleCheck

func (r *reader) rules(b *block) ruleChecks {
	e := r.model.experiment
	var list ruleChecks
	for k := range e.Rules {
		c := &ruleCheck{reader: r, rule: &e.Rules[k], block: b, seen: map[string]bool{}}
		for i := range e.Params {
			c.values = append(c.values, e.Params[i].Default)
		}
		for _, name := range c.rule.Params {
			_, i := e.Param(name)
			c.params = append(c.params, i)
		}
		list = append(list, c)
	}
	return list
}

// check checks a cell: of the block's product, or one that it includes, in
// which case table is the include and tuple nil. row tells its values apart.
func (list ruleChecks) check(row []uint32, values []experiment.Value, table *document.Node, tuple []int) {
	for _, c := range list {
		if err := c.check(row, values); err != nil {
			c.fault = c.at(c.place(table, tuple), "%v", err)
			if tuple != nil {
				c.separate(c.fault)
			}
		}
	}
}

// judge refuses the spec if a rule is broken that does not only warn.
func (list ruleChecks) judge() {
	for _, c := range list {
		switch {
		case c.fault == nil:
		case c.rule.Warns:
			c.warnings = append(c.warnings, c.fault)
		default:
			panic(c.fault)
		}
	}
}

// check checks the rule unless it is known to be broken, or does not apply,
// or was checked on these values.
func (c *ruleCheck) check(row []uint32, values []experiment.Value) error {
	if c.fault != nil {
		return nil
	}
	var buffer [64]byte
	key := buffer[:0]
	for _, i := range c.params {
		// A file that is not named is an empty value, unless others take its place.
		if p := &c.model.experiment.Params[i]; values[i].IsNull() && (p.Input == nil || p.Replaces != nil) {
			return nil
		}
		c.values[i] = values[i]
		key = binary.AppendUvarint(key, uint64(row[i]))
	}
	if c.seen[string(key)] {
		return nil
	}
	c.seen[string(key)] = true
	return c.rule.Check(experiment.Point{Experiment: c.model.experiment, Values: c.values})
}

// place returns where the first of the rule's parameters stands that a table
// names.
func (c *ruleCheck) place(table *document.Node, tuple []int) document.Pos {
	for k, i := range c.params {
		n := table.Entry(c.rule.Params[k])
		switch {
		case n == nil:
		case n.Kind == document.Array:
			return n.Elements[tuple[c.block.axes[i].group]].Pos
		default:
			return n.Pos
		}
	}
	return table.Pos
}

// separate adds how to keep axes apart that need not meet.
func (c *ruleCheck) separate(fault *Error) {
	var pattern []string
	for k, i := range c.params {
		if c.block.axes[i] != nil {
			pattern = append(pattern, fmt.Sprintf("%s = %s", c.rule.Params[k], quoted(c.values[i])))
		}
	}
	if len(pattern) > 0 {
		fault.hint("if only these must not meet: exclude = [{ %s }]", strings.Join(pattern, ", "))
	}
}

// quoted writes a value as a spec does.
func quoted(v experiment.Value) string {
	if v.Kind() == experiment.String {
		return fmt.Sprintf("%q", v.Text())
	}
	return v.String()
}
