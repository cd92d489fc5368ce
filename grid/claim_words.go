package grid

import (
	"fmt"
	"math"
	"strings"

	"sweep/grid/internal/document"
)

// asks puts a claim into words, in the terms of the spec.
func (d *claimReader) asks(rule *document.Node, of selection, minus, right *selection) string {
	var b strings.Builder
	d.subject(&b, of)
	if minus != nil {
		fmt.Fprintf(&b, " less that of %s", d.outline(*minus))
	}
	fmt.Fprintf(&b, " %s", rule.Key)
	r := d.claim.Rule
	switch {
	case rule.Key == "rises" || rule.Key == "falls":
		fmt.Fprintf(&b, " with %v", rule.Value)
	case right != nil:
		if r.Times != 1 {
			fmt.Fprintf(&b, " %v times", r.Times)
		}
		fmt.Fprintf(&b, " that of %s", d.outline(*right))
	default:
		fmt.Fprintf(&b, " %v", rule.Value)
	}
	if r.By > 0 {
		fmt.Fprintf(&b, " by %v", r.By)
	}
	if r.Relation == Near {
		fmt.Fprintf(&b, ", %s", d.tolerance())
	}
	return b.String() + d.scope()
}

// scope says over what the claim ranges.
func (d *claimReader) scope() string {
	var names []string
	for _, i := range d.agree {
		names = append(names, d.model.experiment.Params[i].Name)
	}
	switch {
	case names == nil:
		return ""
	case d.claim.Some:
		return ", in some " + strings.Join(names, ", ")
	}
	return ", in every " + strings.Join(names, ", ")
}

// subject writes what is measured where.
func (d *claimReader) subject(b *strings.Builder, of selection) {
	if d.claim.Statistic == StatisticVariation {
		b.WriteString("variation of ")
	}
	for i, m := range d.claim.Measures {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(d.measureName(m))
	}
	if text := d.outline(of); text != "" {
		fmt.Fprintf(b, " of %s", text)
	}
}

// measureName names a measure: "sent", "max of sent in a run".
func (d *claimReader) measureName(m Measure) string {
	e := d.model.experiment
	if m.Take == "" {
		return e.Metrics[m.Index].Name
	}
	return fmt.Sprintf("%s of %s in a run", m.Take, e.Series.Columns[m.Index].Name)
}

// outline describes a selection and its window.
func (d *claimReader) outline(s selection) string {
	text := d.describe(s)
	if !s.window {
		return text
	}
	axis := d.model.experiment.Series.Axis.Name
	switch {
	case math.IsInf(s.after, -1):
		axis = fmt.Sprintf("%s up to %v", axis, s.to)
	case math.IsInf(s.to, 1):
		axis = fmt.Sprintf("%s after %v", axis, s.after)
	default:
		axis = fmt.Sprintf("%s after %v up to %v", axis, s.after, s.to)
	}
	if text == "" {
		return axis
	}
	return text + ", " + axis
}

// tolerance describes how near is near.
func (d *claimReader) tolerance() string {
	if r := d.claim.Rule; r.Relative {
		return fmt.Sprintf("within %v %%", math.Round(r.Within*1e6)/1e4)
	}
	return fmt.Sprintf("within %v", d.claim.Rule.Within)
}
