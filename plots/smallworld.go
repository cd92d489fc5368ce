package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"sweep/experiment"
)

// The figures of Palotai, Farkas and Lőrincz, Selection in Scale-Free Small
// World.

const smallWorld = " (Selection in Scale-Free Small World, Figure "

// figure1 shows the distributions of degrees on logarithmic axes, with the
// slopes that were fitted to them; a panel for each cell.
func figure1(d *Data) ([]Figure, string) {
	if len(d.cells) > 2*mostColumns {
		return nil, fmt.Sprintf("%d cells are too many panels", len(d.cells))
	}
	return []Figure{{
		Name:  "figure1",
		Title: "distributions of in- and out-degrees with their slopes" + smallWorld + "1)",
		page: func() page {
			var panels []panel
			for _, g := range d.groupBy(d.all(), d.axes) {
				c := d.degreeChart(&d.cells[g.cells[0]])
				c.title = d.label(d.axes, g.key)
				panels = append(panels, c)
			}
			worlds := d.cells[0].traces[0].count
			return arrange(panels, 6*vg.Centimeter,
				fmt.Sprintf("dots: each degree; marks: bins that double; lines: mean slope over %d worlds; paper: out −1.3, in −2.57", worlds))
		},
	}}, ""
}

// degreeChart returns the distributions of a cell, its worlds taken together.
func (d *Data) degreeChart(c *cell) chart {
	chart := chart{x: "degree k", y: "share of URLs with degree k", logX: true, logY: true}
	for _, side := range []struct {
		column, slope, name string
		look                look
	}{
		{"out_urls", "out_slope", "out", sequence()[0]},
		{"in_urls", "in_slope", "in", sequence()[1]},
	} {
		degrees, shares := shares(&c.traces[d.column(side.column)])
		binned := line{look: side.look, style: dots}
		binned.x, binned.y = doublingBins(degrees, shares)
		slope := c.metrics[d.Experiment.Metric(side.slope)].average()
		fitted := throughCentroid(binned.x, binned.y, slope)
		fitted.look, fitted.style = side.look, plain
		fitted.name = fmt.Sprintf("%s: %s", side.name, withMinus(fmt.Sprintf("%.2f", slope)))
		chart.lines = append(chart.lines,
			line{look: side.look, style: specks, x: degrees, y: shares}, binned, fitted)
	}
	return chart
}

// column returns the index of a column of the series that the experiment
// declares.
func (d *Data) column(name string) int {
	return slices.IndexFunc(d.Experiment.Series.Columns, func(m experiment.Metric) bool { return m.Name == name })
}

// shares returns the degrees above zero that occur, and the share that each
// has of the URLs whose degree is above zero.
func shares(t *trace) (degrees, shares []float64) {
	total := 0.0
	for i, k := range t.axis {
		urls := t.at[i].mean * float64(t.at[i].n)
		if k > 0 && urls > 0 {
			degrees, shares = append(degrees, k), append(shares, urls)
			total += urls
		}
	}
	for i := range shares {
		shares[i] /= total
	}
	return degrees, shares
}

// doublingBins returns the points to which the slopes were fitted, one for
// each bin of degrees from a power of two to the next in which there is any: its
// geometric middle, and its share of URLs over its number of degrees.
func doublingBins(degrees, shares []float64) (x, y []float64) {
	for from := 1.; len(degrees) > 0; from *= 2 {
		sum := 0.0
		for len(degrees) > 0 && degrees[0] < 2*from {
			sum += shares[0]
			degrees, shares = degrees[1:], shares[1:]
		}
		if sum > 0 {
			x, y = append(x, math.Sqrt(from*(2*from-1))), append(y, sum/from)
		}
	}
	return x, y
}

// throughCentroid returns the line of a slope, on logarithmic axes, through
// the middle of points, where the least-squares line goes.
func throughCentroid(x, y []float64, slope float64) line {
	var mx, my moments
	for i := range x {
		mx.add(math.Log(x[i]))
		my.add(math.Log(y[i]))
	}
	at := func(x float64) float64 { return math.Exp(my.mean + slope*(math.Log(x)-mx.mean)) }
	low, high := x[0], x[len(x)-1]
	return line{x: []float64{low, high}, y: []float64{at(low), at(high)}}
}

// figure2 shows the download efficiency over days, RL above WL.
func figure2(d *Data) ([]Figure, string) {
	cells, why := d.foragers("RL", "WL")
	if why != "" {
		return nil, why
	}
	return []Figure{{
		Name:  "figure2",
		Title: "download efficiency over days, RL above WL" + smallWorld + "2)",
		page: func() page {
			var panels []panel
			for _, fleet := range []string{"RL", "WL"} {
				c := d.dayChart("download_efficiency", cells[fleet])
				c.title = fleet
				panels = append(panels, c)
			}
			sameRange(panels)
			return matrix(wrap(panels, 1), 4.2*vg.Centimeter, d.bandNote(cells["RL"]))
		},
	}}, ""
}

// figure3 shows freshness and age over days.
func figure3(d *Data) ([]Figure, string) {
	cells, why := d.foragers("RL", "WL")
	if why != "" {
		return nil, why
	}
	return []Figure{{
		Name:  "figure3",
		Title: "freshness and age over days" + smallWorld + "3)",
		page: func() page {
			both := slices.Concat(cells["RL"], cells["WL"])
			rows := [][]panel{{d.dayChart("freshness", both)}, {d.dayChart("age_hours", both)}}
			return matrix(rows, 4.2*vg.Centimeter, d.bandNote(both))
		},
	}}, ""
}

// foragers returns the one cell of each of the fleets in the experiment
// foraging, or why there is not one.
func (d *Data) foragers(fleets ...string) (cells map[string][]int, why string) {
	const needs = "it shows the algorithms RL and WL"
	if len(d.cells) > mostTraces {
		return nil, "axes beside the algorithm vary"
	}
	cells = map[string][]int{}
	algorithm := d.param(experiment.Algorithm)
	for _, fleet := range fleets {
		for i := range d.cells {
			if d.cells[i].params[algorithm].Text() == fleet {
				cells[fleet] = append(cells[fleet], i)
			}
		}
		switch len(cells[fleet]) {
		case 0:
			return nil, needs
		case 1:
		default:
			return nil, "axes beside the algorithm vary"
		}
	}
	return cells, ""
}

// dayChart is timeChart with days for hours, and algorithms for lines.
func (d *Data) dayChart(column string, cells []int) chart {
	c := d.timeChart(d.column(column), cells, []int{d.param(experiment.Algorithm)}, func(hours float64) float64 { return hours / 24 })
	c.x = "time [days]"
	c.steps = 8
	return c
}
