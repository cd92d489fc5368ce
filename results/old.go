package results

import "sweep/internal/report"

// Format goes with the last command that prints without a report.Table.
type Format = report.Format

// The formats.
const (
	Text     = report.Text
	Markdown = report.Markdown
	CSV      = report.CSV
	JSON     = report.JSON
)
