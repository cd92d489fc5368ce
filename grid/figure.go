package grid

import (
	"fmt"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/internal/document"
)

// maxFigures bounds the figures of a spec.
const maxFigures = 100

// figureKeys are the keys of a figure: fields of an experiment.Figure.
var figureKeys = []string{
	"name", "title", "source", "kind", "x", "y", "colour", "panels", "over", "along", "log",
	"limits", "shared", "hold", "labels", "right",
}

// figures reads all [[figure]] of a spec. They affect neither what is run nor
// the identity of runs.
func (r *reader) figures(n *document.Node, plan *Plan) (list []experiment.Figure) {
	if n == nil {
		return nil
	}
	r.want(n.Kind == document.Array && len(n.Elements) <= maxFigures, n,
		fmt.Sprintf("at most %d tables such as [[figure]]", maxFigures))
	for _, table := range n.Elements {
		f := r.figure(table)
		isKnown := slices.ContainsFunc(list, func(other experiment.Figure) bool {
			return other.Name == f.Name
		})
		r.must(!isKnown, table.Entry("name"), "there are two figures %q, want other names", f.Name)
		r.figureFits(table, &f, plan)
		list = append(list, f)
	}
	return list
}

// figure reads one [[figure]].
func (r *reader) figure(n *document.Node) (f experiment.Figure) {
	keys := r.table(n, "tables such as [[figure]]", figureKeys)
	name := keys["name"]
	r.must(name != nil, n, "the figure has no name, by which commands and files call it")
	f.Name = r.safeName(name)
	f.Title = r.line(keys["title"])
	f.Source = r.line(keys["source"])
	f.X = r.columns(keys["x"])
	f.Y = r.columns(keys["y"])
	f.Colour = r.columns(keys["colour"])
	f.Panels = r.columns(keys["panels"])
	f.Over = r.columns(keys["over"])
	f.Along = r.columns(keys["along"])
	f.Log = r.columns(keys["log"])
	f.Shared = r.columns(keys["shared"])
	f.Limits = r.limits(keys["limits"])
	f.Labels = r.labels(keys["labels"])
	f.Right = r.line(keys["right"])
	f.Hold = r.boolean(keys["hold"], "true or false")
	f.Kind = r.figureKind(keys["kind"], &f)
	axis := r.experiment.Axis().Name
	mayBeSeries := f.Kind == experiment.Lines || f.Kind == experiment.Areas ||
		f.Kind == experiment.Heat
	if mayBeSeries && axis != "" && slices.Equal(f.X, []string{axis}) {
		f.X = nil // a series is along its axis
	}
	if f.Title == "" {
		f.Title = figureTitle(&f, axis)
	}
	return f
}

// figureKind reads what kind a figure is: scatter if something sampled is below
// it, or else lines, unless it says so.
func (r *reader) figureKind(n *document.Node, f *experiment.Figure) string {
	if n != nil {
		return experiment.Kinds()[r.choose(n, experiment.Kinds())]
	}
	if r.sampledIn(f.X) != "" {
		return experiment.Scatter
	}
	return experiment.Lines
}

// sampledIn returns the first name that is that of a sampled parameter; empty
// if none is.
func (r *reader) sampledIn(names []string) string {
	if r.design == nil {
		return ""
	}
	for _, name := range names {
		_, p := r.experiment.Param(name)
		if slices.Contains(r.design.Params, p) {
			return name
		}
	}
	return ""
}

// figureTitle says what a figure without a title shows.
func figureTitle(f *experiment.Figure, axis string) string {
	below := f.X
	if len(below) == 0 && f.OfSeries() {
		below = []string{axis}
	}
	if f.Kind == experiment.Heat && len(f.Y) > 0 {
		below = slices.Concat(f.X, f.Y)
	}
	title := strings.Join(f.Shown(), ", ")
	if len(below) > 0 {
		title += " against " + strings.Join(below, ", ")
	}
	return strings.ReplaceAll(title, "_", " ")
}

// line reads a text that is not blank; it is empty if n is nil.
func (r *reader) line(n *document.Node) string {
	if n == nil {
		return ""
	}
	const want = "a text"
	text := r.text(n, want)
	r.want(strings.TrimSpace(text) != "", n, want)
	return text
}

// columns reads a name or a list of names; it is nil if n is nil. A parameter
// may be named by its symbol.
func (r *reader) columns(n *document.Node) []string {
	if n == nil {
		return nil
	}
	const want = "a name, or a list of names"
	elements := []*document.Node{n}
	if n.Kind == document.Array {
		elements = n.Elements
	}
	names := []string{}
	for _, e := range elements {
		name := r.column(r.text(e, want))
		r.must(!slices.Contains(names, name), e, "%s names %q twice", n.Key, name)
		names = append(names, name)
	}
	return names
}

// column returns the name of the parameter that has a symbol, or the name
// itself.
func (r *reader) column(name string) string {
	if r.experiment.Metric(name) >= 0 {
		return name
	}
	if p, _ := find(r.experiment, name); p != nil {
		return p.Name
	}
	return name
}

// limits reads the least and the largest value on axes.
func (r *reader) limits(n *document.Node) map[string][2]float64 {
	if n == nil {
		return nil
	}
	const want = "a table such as { y = [0, 1] }"
	limits := map[string][2]float64{}
	axes := []string{experiment.XAxis, experiment.YAxis}
	for _, axis := range axes {
		pair := r.table(n, want, axes)[axis]
		if pair == nil {
			continue
		}
		const wantPair = "two numbers such as [0, 1]"
		r.want(len(r.list(pair, wantPair)) == 2, pair, wantPair)
		limits[axis] = [2]float64{r.number(pair.Elements[0]), r.number(pair.Elements[1])}
	}
	return limits
}

// labels reads the titles of axes.
func (r *reader) labels(n *document.Node) map[string]string {
	if n == nil {
		return nil
	}
	e := r.experiment
	known := slices.Concat(e.ParamNames(), e.MetricNames(), e.ColumnNames())
	if axis := e.Axis().Name; axis != "" {
		known = append(known, axis)
	}
	r.want(n.Kind == document.Table, n, "a table of titles by names")
	labels := map[string]string{}
	for _, entry := range n.Entries {
		name := r.column(entry.Key)
		if !slices.Contains(known, name) {
			fault := r.at(keyOf(entry), "labels: nothing is called %q, want a parameter, "+
				"a metric or a column of the series", entry.Key)
			r.refuse(fault.Suggest(entry.Key, known))
		}
		labels[name] = r.line(entry)
	}
	return labels
}

// figureFits rejects a figure that the experiment or the plan does not fit.
func (r *reader) figureFits(n *document.Node, f *experiment.Figure, plan *Plan) {
	if fault := r.experiment.CheckFigure(f); fault != nil {
		at := r.element(n, fault.Key, fault.Name)
		refused := r.at(at, "figure %q: %s", f.Name, fault.Message)
		r.refuse(refused.Suggest(fault.Name, fault.Known))
	}
	if name := r.sampledIn(f.X); name != "" && f.Kind == experiment.Lines {
		r.fail(r.element(n, "x", name), "figure %q: %s is sampled, and lines would join single "+
			"points, want kind = \"scatter\"", f.Name, name)
	}
	if !slices.Contains(f.Log, experiment.XAxis) {
		return
	}
	for _, name := range f.X {
		_, p := r.experiment.Param(name)
		if p < 0 {
			continue
		}
		if v := plan.notPositive(p); !v.IsNull() {
			r.fail(r.element(n, "log", experiment.XAxis), "figure %q: %s has the value %s, "+
				"want positive numbers on a logarithmic axis", f.Name, name, v)
		}
	}
}

// notPositive returns a value of a numeric parameter that is 0 or less; null if
// there is none.
func (p *Plan) notPositive(param int) experiment.Value {
	values := make([]experiment.Value, len(p.experiment.Params))
	for c := range p.Cells() {
		p.Cell(c, values)
		if v := values[param]; !v.IsNull() && v.Float() <= 0 {
			return v
		}
	}
	return experiment.Value{}
}

// element returns the node of a name in the text or the list of a key, or that
// of the key, or the table itself, whichever there is.
func (r *reader) element(table *document.Node, key, name string) *document.Node {
	n := table.Entry(key)
	if n == nil {
		return table
	}
	for _, e := range n.Elements {
		if text, is := e.Value.(string); is && r.column(text) == name {
			return e
		}
	}
	return n
}
