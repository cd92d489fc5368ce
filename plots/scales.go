package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot"

	"sweep/experiment"
)

func identity(x float64) float64 { return x }

// isLog reports whether a figure asks for a logarithmic axis.
func (f *Figure) isLog(axis string) bool { return slices.Contains(f.Log, axis) }

// mayBeLog reports whether the horizontal axis may be logarithmic without being
// asked for: the figure has no say in it, and no limit of 0 or less.
func (f *Figure) mayBeLog() bool {
	limits, isLimited := f.Limits[experiment.XAxis]
	return f.Log == nil && (!isLimited || limits[0] > 0)
}

// isWithin reports whether a value is within the limits of the horizontal axis.
func (f *Figure) isWithin(x float64) bool {
	limits, isLimited := f.Limits[experiment.XAxis]
	return !isLimited || limits[0] <= x && x <= limits[1]
}

// scale gives the axes of the panels of a metric or column their scales: within
// what can be, the same if they are shared, and the limits that are asked for.
func (d *Data) scale(f *Figure, y string, panels []*plot.Plot) {
	below := make([]*plot.Axis, len(panels))
	upright := make([]*plot.Axis, len(panels))
	for i, p := range panels {
		below[i] = &p.X
		upright[i] = &p.Y
		if f.Kind == experiment.Distribution { // lies on its side
			below[i], upright[i] = upright[i], below[i]
		}
	}
	isSum := f.Kind == experiment.Areas || len(f.Slopes) > 0 // of several columns
	if f.Kind != experiment.Heat && !isSum {
		d.keepShares(f, y, upright)
	}
	f.rescale(experiment.XAxis, below)
	f.rescale(experiment.YAxis, upright)
}

// keepShares keeps axes within what can be: within 0 and 1 if they show a
// share, that is, if no run has measured anything else; and from 0 on if no run
// has measured less. Limits of means may go beyond.
func (d *Data) keepShares(f *Figure, y string, axes []*plot.Axis) {
	measured := d.rangeOf(&f.Figure, y)
	if measured.low < 0 || f.isLog(experiment.YAxis) {
		return
	}
	for _, a := range axes {
		a.Min = max(a.Min, 0)
		if measured.high <= 1 {
			a.Max = min(a.Max, 1)
		}
	}
}

// rescale gives axes one scale if it is shared, so that panels can be compared,
// and the limits that the figure asks for. It takes the ticks from axes without
// data, for which plots would invent some.
func (f *Figure) rescale(name string, axes []*plot.Axis) {
	all := none
	for _, a := range axes {
		all.add(a.Min, a.Max)
	}
	limits, isLimited := f.Limits[name]
	for _, a := range axes {
		if slices.Contains(f.Shared, name) {
			a.Min = all.low
			a.Max = all.high
		}
		if a.Min > a.Max || math.IsInf(a.Min, 0) {
			a.Tick.Marker = plot.ConstantTicks{}
		}
		if !isLimited {
			continue
		}
		a.Min = limits[0]
		a.Max = limits[1]
		if f.isLog(name) || slices.Contains(f.logarithmic, a) {
			a.Min = math.Log10(a.Min)
			a.Max = math.Log10(a.Max)
		}
	}
}
