package experiment

import (
	"math"
	"slices"
	"strings"
)

// The kinds of panels in a figure.
const (
	Lines        = "lines"        // through means, with their confidence limits
	Scatter      = "scatter"      // single runs, and a smooth line through them
	Heat         = "heat"         // fields that are darker where a mean is larger
	Distribution = "distribution" // a row of single runs for each cell
	Areas        = "areas"        // columns of a series, one on top of another
)

// Kinds returns the kinds of figures.
func Kinds() []string { return []string{Lines, Scatter, Heat, Distribution, Areas} }

// The axes of a figure, as Log, Limits and Shared name them. The vertical axis
// is that of Y, although a Distribution has it below.
const (
	XAxis = "x"
	YAxis = "y"
)

// A Figure is a figure as data: what is shown, not how it is drawn. Experiments
// declare those of papers, specs those of their sweeps. It shows the cells of a
// sweep that satisfy Where.
//
// What else varies among these cells than the figure names has panels of its
// own. But a figure with a Source, which is that of a paper, does not fit then,
// and also if what it names first in Colour and Panels does not vary.
//
// Its Name has letters, digits, '.', '_' and '-', and begins with a letter or a
// digit, so that files can have it.
type Figure struct {
	Name   string // for files and command lines, for example "figure7.8"
	Title  string // what it shows, in a line
	Source string // the paper, and the figure's number there; empty for others
	Kind   string // one of Kinds

	// X names what is on the horizontal axis: numeric parameters, each in its
	// own panels, with means over the others; or for Lines a single metric.
	// For Scatter it may name metrics, too. Lines without X show the series
	// along its axis, and so do Areas, and Heat with a row for each column. A
	// Distribution has none.
	X []string

	// Y names what is on the vertical axis: metrics or, along the series, its
	// columns, each in its own panels, unless there are Slopes. For Heat it is
	// a parameter, or nothing: the fields then say how far each parameter of X
	// moves each metric of Colour. Areas are piled up in its order.
	Y []string

	// Right names a column that Lines of a series show beside that of Y, with
	// an axis of its own at the right.
	Right string

	// Means are spans on the series' axis over which the mean of each line is
	// drawn, too.
	Means [][2]float64

	// Colour names the metrics of Heat, each in its own panels, or columns of
	// the series, all in one. For the others it names the parameters that
	// distinguish lines, rows or dots. Panels names the parameters that
	// distinguish panels. If both are nil, all other parameters that vary are
	// assigned to them.
	Colour, Panels []string

	// Over names parameters over whose values means are taken first: limits are
	// then those over the means. Those that do not vary are ignored.
	Over []string

	// Along names the parameters along which Lines against a metric join the
	// means of cells. The first must vary if the figure is that of a paper.
	Along []string

	// Log names the axes that are logarithmic. If it is nil, X is, where its
	// values suggest it and its limits are above 0.
	Log []string

	// Limits are the least and the largest value on an axis, by its name.
	Limits map[string][2]float64

	// Shared names the axes that have the same scale in all panels of a metric.
	// Otherwise each panel has its own.
	Shared []string

	// Hold makes runs whose series has ended keep their last values. Otherwise
	// means are over the runs that go on.
	Hold bool

	// Bounds are values that metrics of Y cannot exceed, drawn as lines.
	Bounds map[string]float64

	Where []Condition

	// Labels are the titles of axes, where the paper has its own, by the names
	// of the parameters, metrics or columns. In the Areas of a spec, those of
	// columns are the names of areas.
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

// Shown returns the names of the metrics or columns that a figure shows.
func (f *Figure) Shown() []string {
	if f.Kind == Heat {
		return f.Colour
	}
	return f.Y
}

// OfSeries reports whether a figure shows the series along its axis.
func (f *Figure) OfSeries() bool {
	along := f.Kind == Lines || f.Kind == Areas || f.Kind == Heat && len(f.Y) == 0
	return along && len(f.X) == 0
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
