package experiment

import (
	"fmt"
	"slices"
	"strings"
)

// A FigureFault is what is wrong with a figure.
type FigureFault struct {
	Key     string   // what names it in a spec, for example "x"
	Name    string   // of its elements the one at fault; empty: no single one
	Message string   // what was found, and what is accepted
	Known   []string // names that may have been meant
}

// Error returns the message.
func (f *FigureFault) Error() string { return f.Message }

// A figureChecker keeps the first fault that it finds in a figure.
type figureChecker struct {
	*Experiment
	figure *Figure
	fault  *FigureFault
}

// CheckFigure returns the first thing that a figure names and the experiment
// does not have, or that does not go together; nil if there is none. It does
// not look at the figure's own name and title.
func (e *Experiment) CheckFigure(f *Figure) *FigureFault {
	c := &figureChecker{Experiment: e, figure: f}
	c.want(slices.Contains(Kinds(), f.Kind), "kind", "kind is %q, want one of %s",
		f.Kind, strings.Join(Kinds(), ", "))
	c.horizontal()
	c.vertical()
	c.parameters("colour", c.groups())
	c.parameters("panels", f.Panels)
	c.parameters("over", f.Over)
	shown := slices.Concat(f.X, c.groups(), f.Panels)
	if f.Kind == Heat {
		shown = append(shown, f.Y...)
	}
	for _, name := range f.Over {
		c.want(!slices.Contains(shown, name), "over",
			"over names %s, whose values the figure shows, want another parameter", name)
	}
	c.parameters("along", f.Along)
	againstMetric := f.Kind == Lines && len(f.X) == 1 && e.Metric(f.X[0]) >= 0
	c.want(len(f.Along) == 0 || againstMetric, "along",
		"along is for lines whose x is a metric")
	c.want(!f.Hold || f.OfSeries(), "hold", "hold is for lines of a series, which have no x")
	c.axes()
	c.marks()
	c.conditions()
	return c.fault
}

// want notes a fault of a key if not ok.
func (c *figureChecker) want(ok bool, key, format string, args ...any) {
	if !ok && c.fault == nil {
		c.fault = &FigureFault{Key: key, Message: fmt.Sprintf(format, args...)}
	}
}

// names notes the first of some names that is not known.
func (c *figureChecker) names(key, accepted string, names, known []string) {
	for _, name := range names {
		if slices.Contains(known, name) || c.fault != nil {
			continue
		}
		list := strings.Join(known, ", ")
		if list == "" {
			list = "there is none"
		}
		const longest = 400 // bytes that a message can show
		if len(list) > longest {
			end := strings.LastIndex(list[:longest], ", ")
			list = list[:end] + ", …"
		}
		c.fault = &FigureFault{
			Key:     key,
			Name:    name,
			Message: fmt.Sprintf("%s names %q, want %s: %s", key, name, accepted, list),
			Known:   known,
		}
	}
}

func (c *figureChecker) parameters(key string, names []string) {
	c.names(key, "a parameter", names, c.ParamNames())
}

// groups returns the parameters in Colour.
func (c *figureChecker) groups() []string {
	if c.figure.Kind == Heat {
		return nil
	}
	return c.figure.Colour
}

// numeric returns the names of the parameters that are numbers.
func (c *figureChecker) numeric() (names []string) {
	for i := range c.Params {
		p := &c.Params[i]
		if p.Kind == Int || p.Kind == Float {
			names = append(names, p.Name)
		}
	}
	return names
}

// horizontal checks X.
func (c *figureChecker) horizontal() {
	f := c.figure
	switch f.Kind {
	case Heat:
		c.want(len(f.X) > 0 || f.OfSeries(), "x", "there is no x, and a heat figure with y needs "+
			"a parameter there")
		c.want(len(f.X) == 1 || len(f.Y) == 0, "x", "x has %d names, want one parameter", len(f.X))
		c.parameters("x", f.X)
	case Distribution:
		c.want(len(f.X) == 0, "x", "a distribution has no x: y names what is distributed, "+
			"colour what its rows are")
	case Areas:
		c.want(len(f.X) == 0, "x", "areas have no x: they show the series along its axis")
	case Scatter:
		c.want(len(f.X) > 0, "x", "there is no x, want a numeric parameter or a metric")
		known := append(c.numeric(), c.MetricNames()...)
		c.names("x", "a numeric parameter or a metric", f.X, known)
	default:
		known := c.numeric()
		accepted := "a numeric parameter"
		if len(f.X) == 1 {
			known = append(known, c.MetricNames()...)
			accepted += ", a metric, or the axis of the series"
			if axis := c.Axis().Name; axis != "" {
				known = append(known, axis)
			}
		}
		c.names("x", accepted, f.X, known)
		c.want(len(f.X) == 0 || f.X[0] != c.Axis().Name, "x",
			"x is the axis of the series: leave it out")
	}
}

// vertical checks Y and, for Heat, Colour.
func (c *figureChecker) vertical() {
	f := c.figure
	if f.Kind == Heat {
		c.want(len(f.Y) <= 1, "y", "y has %d names, want one parameter", len(f.Y))
		c.parameters("y", f.Y)
		c.want(len(f.Colour) > 0, "colour", "there is no colour, want the metrics to be shown")
		if f.OfSeries() {
			c.names("colour", "a column of the series, or a metric with an x", f.Colour,
				c.ColumnNames())
			return
		}
		c.names("colour", "a metric", f.Colour, c.MetricNames())
		return
	}
	if f.OfSeries() {
		c.want(len(c.Columns()) > 0, "x",
			"there is no x, and no series that could be shown without")
		c.want(len(f.Y) > 0, "y", "there is no y, want columns of the series")
		c.names("y", "a column of the series, or a metric with an x", f.Y, c.ColumnNames())
		return
	}
	c.want(len(f.Y) > 0, "y", "there is no y, want metrics")
	c.names("y", "a metric", f.Y, c.MetricNames())
}

// axes checks Log, Limits and Shared.
func (c *figureChecker) axes() {
	f := c.figure
	both := []string{XAxis, YAxis}
	c.names("log", "an axis", f.Log, both)
	c.names("shared", "an axis", f.Shared, both)
	c.want(f.Kind != Heat || len(f.Log) == 0, "log", "a heat figure has no logarithmic axes")
	c.want(f.Kind != Heat || len(f.Limits) == 0, "limits", "a heat figure has no limits")
	for _, axis := range both {
		limits, is := f.Limits[axis]
		if !is {
			continue
		}
		low := limits[0]
		c.want(low < limits[1], "limits", "limits of %s are %s and %s, want the smaller first",
			axis, formatFloat(low), formatFloat(limits[1]))
		c.want(low > 0 || !slices.Contains(f.Log, axis), "limits",
			"limits of %s begin at %s, want a positive number on a logarithmic axis",
			axis, formatFloat(low))
	}
}

// marks checks Bounds, Marks and Slopes.
func (c *figureChecker) marks() {
	f := c.figure
	if f.Right != "" {
		isAlone := f.Kind == Lines && f.OfSeries() && len(f.Y) == 1 && len(f.Colour) == 0
		c.want(isAlone, "right", "right is for lines of a series with one column y and no colour")
		c.names("right", "a column of the series", []string{f.Right}, c.ColumnNames())
	}
	for y := range f.Bounds {
		c.want(slices.Contains(f.Y, y), "bounds", "a bound of %q, which is not in Y", y)
	}
	if f.Marks != "" {
		c.parameters("marks", []string{f.Marks})
	}
	for _, s := range f.Slopes {
		c.want(slices.Contains(f.Y, s.Y) && c.Metric(s.Metric) >= 0, "slopes",
			"a slope of %q has no panel or no metric", s.Y)
	}
}

// conditions checks Where.
func (c *figureChecker) conditions() {
	for _, condition := range c.figure.Where {
		c.parameters("where", []string{condition.Param})
		p, _ := c.Param(condition.Param)
		if p == nil {
			return
		}
		for _, v := range condition.Is {
			err := p.Check(v)
			c.want(err == nil, "where", "%v", err)
		}
	}
}
