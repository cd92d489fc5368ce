package experiment

import (
	"math"
	"slices"
	"strings"

	"sweep/internal/lists"
)

// The kinds of panels of a figure: lines through means with their limits; a map
// of fields, darker where the mean is larger; strips of single runs.
const (
	Lines  = "lines"
	Map    = "map"
	Strips = "strips"
)

// A Figure is a figure as data: what is shown, not how it is drawn. An
// experiment declares those of its papers. It shows the cells of a sweep that
// satisfy Where; of what varies among them, X, Rows, Colour and Facets name all.
type Figure struct {
	Name   string // for files and command lines, for example "figure7.8"
	Title  string // what it shows, in a line
	Source string // the paper, and the figure's number there
	Kind   string // Lines, Map or Strips: what its panels are

	// X names parameters that go to the right. Lines without one go along
	// the axis of the series. With several, each has a panel of its own, in
	// which means are taken over the others.
	X []string

	// Y names metrics or, along the series, its columns: what goes up in
	// Lines, to the right in Strips, and is the colour of a Map. Each has
	// panels of its own, unless there are Slopes.
	Y []string

	// Rows names the parameter that goes up in a Map. Without it, the map
	// shows how far each parameter of X moves each metric of Y.
	Rows string

	// Colour and Facets name the parameters that tell lines or strips, and
	// panels, apart; the first of them must vary. If both are nil, whatever
	// varies is assigned to them.
	Colour, Facets []string

	Where []Condition

	// Labels are the titles of axes by the names of what they show, where
	// the paper has its own.
	Labels map[string]string

	// ScaleFrom is the value of the series' axis from which on lines set the
	// scale of y.
	ScaleFrom float64

	// Marks names a parameter at whose multiples vertical lines are drawn, for
	// example the slots between two switches.
	Marks string

	// Slopes make a distribution of each column of Y, which counts how many
	// have the value on the axis: shown as shares, and in bins that double, on
	// logarithmic axes, with a line of the slope that runs measured.
	Slopes []Slope
}

// A Condition restricts a parameter to some values, or to a range; it is
// not satisfied by null.
type Condition struct {
	Param    string
	Is       []Value // nil: by range
	From, To float64 // both included; infinite: no bound
}

// A Slope belongs to the distribution of a column.
type Slope struct {
	Y      string
	Label  string
	Metric string  // the measured slope
	Paper  float64 // what the paper says it is
}

// Holds reports whether a value satisfies the condition.
func (c *Condition) Holds(v Value) bool {
	switch {
	case v.IsNull():
		return false
	case c.Is != nil:
		return slices.Contains(c.Is, v)
	}
	return c.From <= v.Float() && v.Float() <= c.To
}

// String says what is demanded, for example "N ≤ 16".
func (c *Condition) String() string {
	if c.Is != nil {
		return c.Param + " = " + strings.Join(lists.Map(c.Is, Value.String), " or ")
	}
	text := c.Param
	if !math.IsInf(c.From, -1) {
		text = formatFloat(c.From) + " ≤ " + text
	}
	if !math.IsInf(c.To, 1) {
		text += " ≤ " + formatFloat(c.To)
	}
	return text
}

// validateFigures finds figures of what the experiment does not have.
func (e *Experiment) validateFigures() {
	seen := map[string]bool{}
	for i := range e.Figures {
		f := &e.Figures[i]
		must(!seen[f.Name] && f.Name != "" && f.Title != "" && f.Source != "", "figure %q comes twice, or lacks its name, title or source", f.Name)
		seen[f.Name] = true
		must(slices.Contains([]string{Lines, Map, Strips}, f.Kind), "figure %q: no kind %q", f.Name, f.Kind)
		must(f.Kind != Map || len(f.X) > 0, "figure %q: a map needs X", f.Name)
		e.validateX(f)
		e.validateY(f)
	}
}

// validateX finds what a figure shows of unknown parameters, or not as such.
func (e *Experiment) validateX(f *Figure) {
	known := func(name string) *Param {
		p, _ := e.Param(name)
		must(p != nil, "figure %q: no parameter %q", f.Name, name)
		return p
	}
	for _, c := range f.Where {
		p := known(c.Param)
		for _, v := range c.Is {
			err := p.Check(v)
			must(err == nil, "figure %q: %v", f.Name, err)
		}
	}
	for _, name := range f.X {
		kind := known(name).Kind
		must(f.Kind != Lines || kind == Int || kind == Float, "figure %q: %q is no number, and cannot be an axis of lines", f.Name, name)
	}
	some := slices.DeleteFunc([]string{f.Rows, f.Marks}, func(name string) bool { return name == "" })
	for _, name := range slices.Concat(f.Colour, f.Facets, some) {
		known(name)
	}
}

// validateY finds what a figure shows of unknown metrics and columns.
func (e *Experiment) validateY(f *Figure) {
	known := e.Metrics
	if f.Kind == Lines && len(f.X) == 0 {
		known = e.Columns()
	}
	must(len(f.Y) > 0, "figure %q: it shows no metric and no column of the series", f.Name)
	for _, y := range f.Y {
		must(slices.ContainsFunc(known, func(m Metric) bool { return m.Name == y }), "figure %q: no metric or column %q", f.Name, y)
	}
	for _, s := range f.Slopes {
		must(slices.Contains(f.Y, s.Y) && e.Metric(s.Metric) >= 0, "figure %q: a slope of %q has no panel or no metric", f.Name, s.Y)
	}
}
