// Package experiment holds the one declaration by which a simulation joins
// sweep: its parameters, its metrics, its time series, the tables of the papers
// it reproduces, and the function from one point to one result.
//
// Everything that people see of an experiment is derived from it: what a spec
// may vary and between which bounds (package grid), columns with their units
// (package results), tables, figures, help texts and a whole command line
// (package cli). The package itself runs nothing.
//
// A declaration is an [Experiment], best made by [Simulation]: of its parameters, a
// function of a configuration, each pointing to the field that it sets, and of its
// metrics and series, functions of what was measured, each a [Measure] with its
// number, so that values and declarations cannot change places. See the example,
// and examples/walk for a program.
package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"

	"sweep/internal/document"
	"sweep/internal/lists"
)

// Algorithm is the name of the parameter that selects what a run
// simulates. An experiment that has rivals declares a String parameter of
// this name with Choices; the UsedBy lists of its other parameters refer
// to those choices.
const Algorithm = "algorithm"

// An Experiment is one simulation the engine can sweep over.
type Experiment struct {
	// Name is how a spec asks for it, for example "foraging".
	Name string

	// Version is the model version, at least 1. It is part of every run's
	// identity: raise it with any change that can alter a result.
	Version int

	// Title says in one line what is simulated; Source names the papers.
	Title, Source string

	// Params lists the parameters in the order of columns and help texts.
	Params []Param

	// Rules are what several parameters together must satisfy. A spec that
	// breaks one is refused, as one with a value out of range is, unless the
	// rule only warns.
	Rules []Rule

	// Metrics lists what one run measures, in column order.
	Metrics []Metric

	// Series declares the numbers of each row that one run yields over time: the
	// axis, for example hours at a window's end, and then the columns. Without
	// columns the experiment has no series.
	Series []Metric

	// Tables holds tables of the papers, to be printed beside our results.
	Tables []Table

	// Figures holds figures of the papers, drawn of sweeps that they fit.
	Figures []Figure

	// Run computes one point. It must be a pure function of the point:
	// no clock, no global randomness, no map order. It is called from many
	// goroutines at once, starts none, and returns early with ctx's error
	// when ctx ends. An error, like a panic, makes the run a failed row; os.Exit
	// would end the sweep without a word.
	Run func(ctx context.Context, p Point, out *Result) error

	// Declare, if not nil, makes the declaration that a spec asks for: of
	// what the spec's own table and its [grid] say. Such an experiment has
	// nothing else but its Name, Version, Title and Source. The error is that of
	// a Setting's Errorf if the spec is at fault. It must not depend on anything
	// but the request, so that a copy of the spec gives the same runs.
	Declare func(r *Request) (*Experiment, error)
}

// A Metric declares one measured quantity: a column.
type Metric struct {
	Name    string
	Kind    Kind // Int or Float
	Unit    string
	Meaning string
	Source  string
}

// A Table is a table printed in a paper: mean and standard deviation of
// metrics (rows) for the values of one parameter (columns).
type Table struct {
	Name   string // as a spec's [paper] table names it, for example "table2"
	Title  string
	Source string

	Column  string   // the String parameter whose values head the columns
	Headers []string // its values, in the paper's order
	Rows    []TableRow
	Note    string // what its numbers are made of, for example "3 runs of each type"; may be empty
}

// A TableRow is one metric's numbers as printed; index i belongs to
// Headers[i] of the table.
type TableRow struct {
	Metric string
	Label  string // the row's title in the paper
	Mean   []float64
	Std    []float64
	Digits int // decimals printed by the paper
}

// Param returns the declaration named name and its index in e.Params, or
// nil and -1.
func (e *Experiment) Param(name string) (*Param, int) {
	i := slices.IndexFunc(e.Params, func(p Param) bool { return p.Name == name })
	if i < 0 {
		return nil, -1
	}
	return &e.Params[i], i
}

// Metric returns the index of the metric named name, or -1.
func (e *Experiment) Metric(name string) int {
	return slices.IndexFunc(e.Metrics, func(m Metric) bool { return m.Name == name })
}

// Table returns the paper table named name, or nil.
func (e *Experiment) Table(name string) *Table {
	i := slices.IndexFunc(e.Tables, func(t Table) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return &e.Tables[i]
}

// ParamNames returns the names of the parameters, in their order.
func (e *Experiment) ParamNames() []string {
	return lists.Map(e.Params, func(p Param) string { return p.Name })
}

// Places returns the indices of parameters by their names, -1 for one that there is not.
func (e *Experiment) Places(names []string) []int {
	return lists.Map(names, func(name string) int {
		_, i := e.Param(name)
		return i
	})
}

// Defaults returns the defaults of the parameters, in their order.
func (e *Experiment) Defaults() []Value {
	return lists.Map(e.Params, func(p Param) Value { return p.Default })
}

// MetricNames returns the names of the metrics, in their order.
func (e *Experiment) MetricNames() []string { return metricNames(e.Metrics) }

// TableNames returns the names of the papers' tables, in their order.
func (e *Experiment) TableNames() []string {
	return lists.Map(e.Tables, func(t Table) string { return t.Name })
}

// Axis returns the axis of the series; the zero Metric if there is none.
func (e *Experiment) Axis() (m Metric) {
	if len(e.Series) > 0 {
		m = e.Series[0]
	}
	return m
}

// Columns returns the columns of the series, without the axis.
func (e *Experiment) Columns() []Metric { return e.Series[min(1, len(e.Series)):] }

// ColumnNames returns the names of the columns, in their order, without the axis.
func (e *Experiment) ColumnNames() []string { return metricNames(e.Columns()) }

func metricNames(list []Metric) []string {
	return lists.Map(list, func(m Metric) string { return m.Name })
}

// A Point is one run's parameters and seed.
type Point struct {
	Experiment *Experiment
	Values     []Value // one for each of Experiment.Params; null where unused
	Seed       int64   // at least 0
}

// Value returns the named parameter's value; null if the point does not
// use it. It panics if the experiment does not declare it.
func (p Point) Value(name string) Value {
	_, i := p.Experiment.Param(name)
	if i < 0 {
		panic(fmt.Sprintf("experiment: experiment %q has no parameter %q", p.Experiment.Name, name))
	}
	return p.Values[i]
}

// A Result is what one run measured.
type Result struct {
	// Metrics holds one number for each of Experiment.Metrics; NaN stands
	// for "not defined in this run" and becomes null. Int metrics must be
	// whole numbers below 2⁵³ in magnitude.
	Metrics []float64

	// Series holds the rows of the series one after another, each the
	// axis followed by the columns: len is rows × len(Experiment.Series).
	Series []float64
}

// CheckResult reports how a result breaks the declaration: it has as many metrics
// as are declared, a series of whole rows, none of them without its place on the
// axis, no infinity, and a whole number below 2⁵³, or NaN for "not defined",
// wherever an Int is declared.
func (e *Experiment) CheckResult(r *Result) error {
	if got, want := len(r.Metrics), len(e.Metrics); got != want {
		return fmt.Errorf("result has %d metrics, %s declares %d", got, e.Name, want)
	}
	for i := range e.Metrics {
		if err := e.Metrics[i].check(r.Metrics[i]); err != nil {
			return err
		}
	}
	switch {
	case len(e.Columns()) == 0 && len(r.Series) > 0:
		return fmt.Errorf("result has a series, %s declares none", e.Name)
	case len(r.Series) == 0: // as of most runs; the rest takes memory
		return nil
	}
	width := len(e.Series)
	if len(r.Series)%width != 0 {
		return fmt.Errorf("series has %d numbers, want a multiple of %d", len(r.Series), width)
	}
	for i, x := range r.Series {
		if i%width == 0 && math.IsNaN(x) {
			return fmt.Errorf("%s in row %d of the series is missing", e.Series[0].Name, i/width)
		}
		if err := e.Series[i%width].check(x); err != nil {
			return fmt.Errorf("row %d of the series: %w", i/width, err)
		}
	}
	return nil
}

func (m *Metric) check(x float64) error {
	if math.IsInf(x, 0) {
		return fmt.Errorf("%s is infinite", m.Name)
	}
	const limit = 1 << 53 // beyond it, float64 skips integers
	if m.Kind == Int && (x != math.Trunc(x) || math.Abs(x) >= limit) && !math.IsNaN(x) {
		return fmt.Errorf("%s is %v, want a whole number below 2⁵³", m.Name, x)
	}
	return nil
}

// A Request is what a spec says to an experiment that declares itself from
// it, see Experiment.Declare.
type Request struct {
	// File is the spec's path; files that the spec names are beside it.
	File string

	// Table is the spec's table that is named after the experiment, and
	// Parameters its table [parameters]. Nil means that there is none.
	Table, Parameters *Setting

	// Grid are the parameters that the spec's [grid] blocks name, in the order of
	// the document: of each its Name, its Kind, as Default the first of its values,
	// and as Choices all that are strings. Place returns where one stands first,
	// and whether all blocks give it a value, and what they include.
	Grid  []Param
	Place func(name string) (first *Setting, everywhere bool)

	// Read returns what stands for a file that a setting names: what the input
	// reads or, if the spec says so, what it has read before.
	Read func(at *Setting, name string, input *Input) Value
}

// A Setting is a value in a spec, with its place: a scalar (bool, int64, float64
// or string), a list with Elements, or a table with Entries. Its Errorf makes an
// error that tells the place; that of a nil one is the experiment's table. The
// error may be given a Hint.
type Setting = document.Node

var directoryKey = new(int) // of a context's value

// WithDirectory returns a context that tells a run where it may keep files.
func WithDirectory(ctx context.Context, path string) context.Context {
	return context.WithValue(ctx, directoryKey, path)
}

// Directory returns where a run may keep files that are no part of its
// result, such as what a program printed: a directory of its own, which need
// not exist; empty if there is none.
func Directory(ctx context.Context) string {
	path, _ := ctx.Value(directoryKey).(string)
	return path
}
