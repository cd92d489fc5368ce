package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// rowsPlot returns a plot of columns of the series of a cell: a row for each
// column, from bottom to top, darker where its mean is larger, and white where
// it is not defined.
func (d *Data) rowsPlot(f *Figure, cells []int) *plot.Plot {
	axis := &d.Experiment.Series[0]
	p := newPlot(f.title, d.metricTitle(f, axis), "")
	all := none // the same greys in all panels
	for _, name := range f.Colour {
		at, _ := d.column(name)
		for _, c := range f.cells {
			for _, row := range d.cells[c].series {
				all.add(row[at].average())
			}
		}
	}
	bands := &bandRows{low: all.low, high: all.high}
	var names []string
	for _, name := range f.Colour {
		at, _ := d.column(name)
		var means []float64
		isEmpty := true
		for _, row := range d.cells[cells[0]].series {
			means = append(means, row[at].average())
			isEmpty = isEmpty && row[at].n == 0
		}
		if isEmpty && len(bands.rows) > 0 {
			continue
		}
		bands.rows = append(bands.rows, means)
		names = append(names, d.rowName(f, name))
	}
	for _, row := range d.cells[cells[0]].series {
		bands.ends = append(bands.ends, row[0].mean)
	}
	p.Add(bands)
	p.NominalY(names...)
	p.Y.Min = -0.5
	p.Y.Max = float64(len(names)) - 0.5
	p.X.Padding = 2
	p.X.Tick.Marker = numbers(1)
	d.scaleTime(f, p)
	f.height = max(f.height, 2.2*vg.Centimeter+min(vg.Length(len(names))*0.22, 8)*vg.Centimeter)
	f.width = max(f.width, wholeWidth)
	f.note = wholeNote + ", from " + threeDigits(all.low) + " (light) to " +
		threeDigits(all.high) + " (dark)"
	f.note += d.ends(f)
	return p
}

// bandRows is a Plotter of rows whose grey changes along the series.
type bandRows struct {
	ends      []float64   // of the windows, ascending: each begins where the one before ends
	rows      [][]float64 // [row][window], NaN: nothing is drawn
	low, high float64     // of the lightest and the darkest
}

// DataRange implements plot.DataRanger.
func (b *bandRows) DataRange() (xmin, xmax, ymin, ymax float64) {
	if len(b.ends) == 0 {
		return 0, 1, 0, 1
	}
	return b.begin(0), b.ends[len(b.ends)-1], 0, float64(len(b.rows) - 1)
}

// begin returns where a window begins; the first is as long as the second.
func (b *bandRows) begin(window int) float64 {
	switch {
	case window > 0:
		return b.ends[window-1]
	case len(b.ends) > 1:
		return 2*b.ends[0] - b.ends[1]
	}
	return b.ends[0] - 1
}

// Plot implements plot.Plotter. Windows of one grey are drawn as one.
func (b *bandRows) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	const gap = 0.06 // of the height of a row, to either side
	for r, row := range b.rows {
		low := toY(float64(r) - 0.5 + gap)
		high := toY(float64(r) + 0.5 - gap)
		from := 0
		for k := range row {
			if k+1 < len(row) && b.color(row[k+1]) == b.color(row[from]) {
				continue
			}
			if of := b.color(row[from]); of != nil {
				left := toX(b.begin(from))
				right := toX(b.ends[k])
				var field vg.Rectangle
				field.Min = vg.Point{X: left, Y: low}
				field.Max = vg.Point{X: right, Y: high}
				c.SetColor(of)
				c.Fill(field.Path())
			}
			from = k + 1
		}
	}
}

// color returns the grey of a value; nil if there is none.
func (b *bandRows) color(value float64) color.Color {
	if math.IsNaN(value) {
		return nil
	}
	if b.low == b.high {
		return greyAt(0.5)
	}
	return greyAt((value - b.low) / (b.high - b.low))
}
