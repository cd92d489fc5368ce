// Package plots draws figures of a sweep's results.
//
// The way through the package, in the order the data takes:
//
//   - data.go reads a directory (results.Reader) into the numbers that figures
//     show, one cell of the grid after another; sample.go describes the runs of
//     a cell, trace.go what they did over time.
//   - axes.go finds out what the sweep varies: which parameters are axes, and
//     which of them are quantities; groups.go deals cells out to panels and
//     lines.
//   - figure.go lists the figures that fit the data: those of any sweep
//     (distributions.go, curves.go, maps.go, sensitivity.go, series.go) and
//     those of the papers (smallworld.go, thesis.go).
//   - A figure is a page of panels (page.go): a chart of lines (chart.go), strips
//     of runs (strips.go) or a grid of values (gridmap.go).
//   - All of them look as style.go and palette.go say; ticks.go and labels.go
//     put the numbers and the names.
//
// # Design
//
// Figures are made for a column of 8.5 cm or a page of 17.5 cm, and are to be
// printed at that size: the smallest letters are 7 pt. An algorithm has one
// colour, one dash pattern and one marker in every figure (palette.go), so
// that lines can be told apart without colour. Values of a quantity go from
// light to dark. Lines bear their names at their ends instead of a legend.
// Bands and bars are the limits of the mean at 95 % confidence (Student's t) over
// the runs of a cell, that is, over seeds.
package plots
