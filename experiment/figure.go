package experiment

import (
	"math"
	"slices"
	"strings"
)

// The kinds of panels in a figure: lines through means with their confidence
// limits, a map whose fields are darker where the mean is larger, strips of
// single runs, and the exchange of one metric for another.
const (
	Lines    = "lines"
	Map      = "map"
	Strips   = "strips"
	Exchange = "exchange"
)

// A Figure is a figure as data: what is shown, not how it is drawn. It shows
// the cells of a sweep that satisfy Where. X, Rows, Colour and Facets together
// name all parameters that vary among those cells.
type Figure struct {
	Name   string // for files and command lines, for example "figure7.8"
	Title  string // what it shows, in a line
	Source string // the paper, and the figure's number there
	Kind   string // Lines, Map, Strips or Exchange: what its panels are

	// X names the parameters on the horizontal axis. Lines without one show the
	// series along its axis. If there are several, each has its own panel, with
	// means over the others.
	X []string

	// Y names metrics or, along the series, its columns: they are on the
	// vertical axis of Lines, on the horizontal axis of Strips, and the colour
	// of a Map. Each has its own panels, unless there are Slopes.
	Y []string

	// Rows names the parameter on the vertical axis of a Map. Without it, the
	// map shows how far each parameter of X moves each metric of Y.
	Rows string

	// Against names the metric on the horizontal axis of an Exchange, whose
	// points are the means of cells. Lines join those that differ in X only.
	Against string

	// Bounds are values that metrics of Y cannot exceed, drawn as lines.
	Bounds map[string]float64

	// Colour names the parameters that distinguish lines or strips, Facets
	// those that distinguish panels; the first of all these must vary. If both
	// are nil, all other parameters that vary are assigned to them.
	Colour, Facets []string

	Where []Condition

	// Labels are the titles of axes, where the paper has its own, by the names
	// of the parameters, metrics or columns.
	Labels map[string]string

	// ScaleFrom is the value on the series' axis from which the lines determine
	// the scale of the vertical axis.
	ScaleFrom float64

	// Marks names a parameter at whose multiples vertical lines are drawn, for
	// example the slots between two switches.
	Marks string

	// Slopes show each column of Y as a distribution, if it counts how many
	// have the value on the series' axis: as shares in bins that double, on
	// logarithmic axes, with a line of the slope that the runs measured.
	Slopes []Slope
}

// A Condition restricts a parameter to some values, or to a range. Null does
// not satisfy it.
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
		texts := make([]string, len(c.Is))
		for i, v := range c.Is {
			texts[i] = v.String()
		}
		return c.Param + " = " + strings.Join(texts, " or ")
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
