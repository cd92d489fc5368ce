package results

import (
	"slices"
	"strings"

	"sweep/experiment"
)

// A column is one column of a Parquet file. The exported part of it is
// written into the file's metadata.
type column struct {
	Name    string `json:"name"`
	Role    string `json:"role"` // engine, parameter, metric, series or statistic
	Kind    string `json:"kind"` // bool, int, float or string
	Unit    string `json:"unit"`
	Meaning string `json:"meaning"`

	optional bool
	coding   coding
}

// A coding says how a column's values are laid out before compression.
//
// Columns of few distinct values, as parameters are, would be smaller in a
// dictionary. But parquet-go v0.32 cuts the runs of dictionary indices
// differently on processors with AVX2 (its test for eight equal indices
// takes 1,1,1,1,2,2,2,2 for equal, which does no harm but to the cut), and
// the files must be the same bytes everywhere. Compression makes up for
// most of it.
type coding uint8

const (
	plain   coding = iota
	delta          // integers that climb or stay close to each other
	delta32        // the same, as int32
)

// paramColumns are the parameters under their spec names, null where a
// point does not use them.
func paramColumns(e *experiment.Experiment) []column {
	columns := make([]column, len(e.Params))
	for i := range e.Params {
		p := &e.Params[i]
		c := column{
			Name: p.Name, Role: "parameter", Kind: p.Kind.String(), Unit: p.Unit, Meaning: p.Meaning,
			optional: true,
		}
		if p.UsedBy != nil {
			c.Meaning += "; null unless " + experiment.Algorithm + " is " + strings.Join(p.UsedBy, " or ")
		}
		for k := range e.Params {
			if q := &e.Params[k]; slices.Contains(q.Replaces, p.Name) {
				c.Meaning += "; null where there is a " + q.Name
			}
		}
		columns[i] = c
	}
	return columns
}

func metricColumns(role string, metrics []experiment.Metric) []column {
	columns := make([]column, len(metrics))
	for i, m := range metrics {
		columns[i] = column{
			Name: m.Name, Role: role, Kind: m.Kind.String(), Unit: m.Unit, Meaning: m.Meaning,
			optional: true,
		}
	}
	return columns
}

// runColumns are the columns of runs.parquet and of segments.
func runColumns(e *experiment.Experiment) []column {
	columns := []column{
		{Name: "run_id", Role: "engine", Kind: "string", Meaning: "identity of the run: a hash of experiment, model version, parameters and seed"},
		{Name: "experiment", Role: "engine", Kind: "string", Meaning: "name of the experiment"},
	}
	columns = append(columns, paramColumns(e)...)
	columns = append(columns,
		column{Name: "seed", Role: "engine", Kind: "int", Meaning: "seed of the run's random numbers", coding: delta},
		column{Name: "status", Role: "engine", Kind: "string", Meaning: "ok or failed"},
		column{Name: "error", Role: "engine", Kind: "string", Meaning: "why the run failed; null unless failed", optional: true},
	)
	return append(columns, metricColumns("metric", e.Metrics)...)
}

// Positions of the engine's columns in runs.parquet; the parameters begin
// at paramsAt, the others follow them.
const (
	idAt     = 0
	paramsAt = 2
)

func seedAt(e *experiment.Experiment) int    { return paramsAt + len(e.Params) }
func statusAt(e *experiment.Experiment) int  { return seedAt(e) + 1 }
func metricsAt(e *experiment.Experiment) int { return seedAt(e) + 3 }

// Position of the axis in series.parquet; the series' columns follow it.
const axisAt = 2

// seriesColumns are the columns of series.parquet.
func seriesColumns(e *experiment.Experiment) []column {
	columns := []column{
		{Name: "run_id", Role: "engine", Kind: "string", Meaning: "identity of the run, as in runs.parquet"},
		{Name: "window", Role: "engine", Kind: "int", Meaning: "number of the row within its run, from 0", coding: delta32},
	}
	columns = append(columns, metricColumns("series", []experiment.Metric{e.Series.Axis})...)
	return append(columns, metricColumns("series", e.Series.Columns)...)
}

// summaryColumns are the columns of summary.parquet.
func summaryColumns(e *experiment.Experiment) []column {
	statistic := func(name, meaning string) column {
		return column{Name: name, Role: "statistic", Kind: "float", Meaning: meaning, optional: true}
	}
	count := func(name, meaning string) column {
		return column{Name: name, Role: "statistic", Kind: "int", Meaning: meaning, coding: delta}
	}
	columns := paramColumns(e)
	return append(columns,
		column{Name: "metric", Role: "engine", Kind: "string", Meaning: "what was measured"},
		column{Name: "unit", Role: "engine", Kind: "string", Meaning: "unit of the metric; empty if it has none"},
		count("n", "runs of the cell in which the metric is defined"),
		statistic("mean", "arithmetic mean; null if n is 0"),
		statistic("std", "standard deviation with n-1; null if n is below 2"),
		statistic("sem", "standard error of the mean, std/sqrt(n)"),
		statistic("ci_low", "lower 95 % confidence limit of the mean by Student's t"),
		statistic("ci_high", "upper 95 % confidence limit of the mean by Student's t"),
		statistic("min", "smallest value"),
		statistic("median", "middle value, or the mean of the two middle ones"),
		statistic("max", "largest value"),
		count("n_failed", "runs of the cell that failed"),
	)
}

func hasSeries(e *experiment.Experiment) bool { return len(e.Series.Columns) > 0 }
