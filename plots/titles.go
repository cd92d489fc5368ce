package plots

import (
	"cmp"
	"strings"

	"sweep/experiment"
)

// label is what the rows of the papers' tables call a metric, or its own name.
func (d *Data) label(name string) string {
	for _, t := range d.Experiment.Tables {
		for _, r := range t.Rows {
			if r.Metric == name {
				label, _, _ := strings.Cut(r.Label, " (")
				return label
			}
		}
	}
	return spaced(name)
}

// rowName names the row or the area of a column of the series: the figure's
// label, or else that of tables.
func (d *Data) rowName(f *Figure, column string) string {
	label, is := f.Labels[column]
	if is {
		return label
	}
	return d.label(column)
}

// metricTitle is the title of an axis that shows a metric or a column.
func (d *Data) metricTitle(f *Figure, m *experiment.Metric) string {
	return f.axisTitle(m.Name, d.label(m.Name), m.Unit)
}

// paramTitle is the title of an axis that shows a parameter, with its symbol.
func (d *Data) paramTitle(f *Figure, param string) string {
	p, _ := d.Experiment.Param(param)
	name := spaced(p.Name)
	if p.Symbol != "" && p.Symbol != p.Name {
		name += " " + p.Symbol
	}
	return f.axisTitle(p.Name, name, p.Unit)
}

// axisTitle is the paper's title of an axis, or else a text with its unit,
// unless the unit repeats the text.
func (f *Figure) axisTitle(name, text, unit string) string {
	if unit != "" && unit != text && unit != text+"s" {
		text += " [" + unit + "]"
	}
	return cmp.Or(f.Labels[name], text)
}

// spaced makes words of an identifier.
func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// name names cells by their values of parameters, for example "FPA, β = 0.3";
// null has no name.
func (d *Data) name(params []string, cells []int) string {
	var parts []string
	for i, v := range d.common(cells, params) {
		if !v.IsNull() {
			parts = append(parts, d.valueName(params[i], v))
		}
	}
	return strings.Join(parts, ", ")
}

func (d *Data) valueName(param string, v experiment.Value) string {
	p, _ := d.Experiment.Param(param)
	switch p.Kind {
	case experiment.String:
		return d.choiceName(p, v)
	case experiment.Bool:
		if v.Bool() {
			return spaced(p.Name)
		}
		return "not " + spaced(p.Name)
	}
	const unbroken = "\u00a0=\u00a0"
	if p.Symbol != "" {
		return p.Symbol + unbroken + d.valueText(p, v)
	}
	return spaced(p.Name) + unbroken + d.valueText(p, v)
}

// choiceName names a choice or a file, with blanks for underscores unless two
// choices would be the same then. Files with the same name have their
// paths.
func (d *Data) choiceName(p *experiment.Param, v experiment.Value) string {
	if v.Name() == "" {
		return "no " + spaced(p.Name)
	}
	name := spaced(v.Name())
	for _, w := range d.values(d.all(), p.Name) {
		if w == v {
			continue
		}
		if p.Input != nil && w.Name() == v.Name() {
			return v.String()
		}
		if spaced(w.Name()) == name {
			name = v.Name()
		}
	}
	return name
}

// valueText writes the value of a parameter. A number has four digits, or all
// if two numbers would be the same with four.
func (d *Data) valueText(p *experiment.Param, v experiment.Value) string {
	switch {
	case v.IsNull():
		return "none"
	case !v.Kind().IsNumber():
		return v.String()
	}
	text := formatNumber(v.Float(), 4)
	for _, w := range d.values(d.all(), p.Name) {
		if w != v && w.Kind().IsNumber() && formatNumber(w.Float(), 4) == text {
			return withMinus(v.String())
		}
	}
	return text
}
