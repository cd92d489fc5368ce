package cli

import (
	"text/tabwriter"

	"sweep/internal/report"
)

// flush ends a table whose writer keeps everything in memory.
func flush(table *tabwriter.Writer) {
	if err := table.Flush(); err != nil {
		panic(err)
	}
}

// count writes a number of things with thousands separated.
func count(n int64, thing string) string { return report.Count(n, thing) }
