package results

import "sweep/experiment"

// A Column is a column of an exported file, as the file's metadata describes
// it.
type Column = column

// Columns returns the columns of runs.parquet, series.parquet and
// summary.parquet.
func Columns(e *experiment.Experiment) (runs, series, summary []Column) {
	return runColumns(e), seriesColumns(e), summaryColumns(e)
}
