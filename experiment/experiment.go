// Package experiment holds the one declaration by which a simulation joins
// sweep. Everything that people see of an experiment follows from it: what a
// spec may vary and within which bounds, columns with their units, tables,
// figures, help texts and a whole command line. The package itself runs
// nothing.
//
// To write an experiment of your own:
//
//   - Give the configuration of one point a struct, and list its parameters in
//     a function that returns a [Param] for each field, with a pointer to the
//     field. [FloatValue], [IntValue], [BoolValue] and [StringValue] make
//     defaults.
//   - List what a run measures in a function that returns a [Measured] number
//     for each metric, and in another one for each column of the time series,
//     if there is one.
//   - Write the function that simulates one point under one seed: a pure
//     function, since runs are repeated, shared and compared by their bits.
//   - Join them by [Simulation] to an [Experiment], and pass it to cli.Main.
//
// The example does so in one file; examples/walk is a whole program. Beyond
// that, an Experiment may have a [Rule] for parameters that must fit together,
// an [Input] for a parameter that names a file, and each [Table] and [Figure]
// of the papers that it reproduces. One that only a spec can declare, such as
// any program, has Declare, which reads a [Request].
package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
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
	// breaks one is refused, unless the rule only warns.
	Rules []Rule

	// Metrics lists what one run measures, in column order.
	Metrics []Metric

	// Series declares the numbers in each row of the time series that a run
	// yields: the axis, for example hours at the end of a window, and then the
	// columns. Without columns, the experiment has no series.
	Series []Metric

	// Tables holds tables of the papers, to be printed beside our results.
	Tables []Table

	// Figures holds figures of the papers, drawn from sweeps that they fit.
	Figures []Figure

	// Run computes one point. It must be a pure function of the point: no
	// clock, no global randomness, no map order. It is called from many
	// goroutines at once, must not start any, and should return early with
	// ctx's error when ctx ends. An error or a panic makes the run a failed
	// row; os.Exit would end the sweep without a message.
	Run func(ctx context.Context, p Point, out *Result) error

	// Ready, if not nil, looks at what runs need of this machine, such as a
	// program. It is called before runs are executed, and to plan them, but not
	// to read results. The error is a *Fault; warnings leave the runs to be
	// tried. seeds is the number of seeds of a cell.
	Ready func(seeds int64) (warnings []*Fault, err error)

	// Declare, if not nil, makes the declaration from what a spec says in
	// its table named after the experiment and in its [grid]. Such an
	// experiment has only a Name, Version, Title and Source of its own. The
	// declaration has the same Name and Version. If the spec is at fault, the
	// error is a *Fault with the place. The declaration must depend on nothing
	// but the request, so that a copy of the spec gives the same runs.
	Declare func(r *Request) (*Experiment, error)

	// Schema, if not empty, is a JSON object with the JSON Schemas (draft 7) of
	// the tables that Declare reads, by their names, for editors to complete
	// and check specs with.
	Schema []byte
}

// A Metric declares one measured quantity: a column.
type Metric struct {
	Name    string
	Kind    Kind // Int or Float
	Unit    string
	Meaning string
	Source  string

	// From says where in what a program wrote the number is found, if that is
	// not part of a run's identity: numbers from two places are not the same
	// metric.
	From string
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
	Note    string // how its numbers were made, for example "3 runs of each type"; may be empty
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
	names := make([]string, len(e.Params))
	for i := range e.Params {
		names[i] = e.Params[i].Name
	}
	return names
}

// Places returns the indices of parameters by their names; -1 for a name that
// no parameter has.
func (e *Experiment) Places(names []string) []int {
	indices := make([]int, len(names))
	for i, name := range names {
		_, indices[i] = e.Param(name)
	}
	return indices
}

// Defaults returns the defaults of the parameters, in their order.
func (e *Experiment) Defaults() []Value {
	values := make([]Value, len(e.Params))
	for i := range e.Params {
		values[i] = e.Params[i].Default
	}
	return values
}

// MetricNames returns the names of the metrics, in their order.
func (e *Experiment) MetricNames() []string { return metricNames(e.Metrics) }

// NamesOf returns the names of parameters, given by their positions.
func (e *Experiment) NamesOf(params []int) (names []string) {
	for _, p := range params {
		names = append(names, e.Params[p].Name)
	}
	return names
}

// TableNames returns the names of the papers' tables, in their order.
func (e *Experiment) TableNames() []string {
	names := make([]string, len(e.Tables))
	for i, t := range e.Tables {
		names[i] = t.Name
	}
	return names
}

// Axis returns the axis of the series; the zero Metric if there is none.
func (e *Experiment) Axis() Metric {
	if len(e.Series) == 0 {
		return Metric{}
	}
	return e.Series[0]
}

// Columns returns the columns of the series, without the axis.
func (e *Experiment) Columns() []Metric { return e.Series[min(1, len(e.Series)):] }

// ColumnNames returns the names of the columns, in their order, without the
// axis.
func (e *Experiment) ColumnNames() []string { return metricNames(e.Columns()) }

func metricNames(list []Metric) []string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	return names
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

	// Usage may be set by runs that other processes compute. It is no part of
	// the outcome: the same run may use more elsewhere.
	Usage Usage
}

// A Usage tells what the program of a run has used of the machine.
type Usage struct {
	Started    time.Time // when it began to work on the run; zero: no program did
	CPUSeconds float64   // of processor time; NaN: not known
	PeakMemory int64     // in bytes; 0: not known
}

// CheckResult returns an error if a result breaks the declaration. It must have
// as many metrics as are declared, and whole rows in its series, each with a
// value on the axis. No number is infinite, and those of an Int are whole
// numbers below 2⁵³, or NaN for "not defined".
func (e *Experiment) CheckResult(r *Result) error {
	if len(r.Metrics) != len(e.Metrics) {
		return fmt.Errorf("result has %d metrics, %s declares %d",
			len(r.Metrics), e.Name, len(e.Metrics))
	}
	for i := range e.Metrics {
		if err := e.Metrics[i].check(r.Metrics[i]); err != nil {
			return err
		}
	}
	if len(r.Series) == 0 {
		return nil
	}
	if len(e.Columns()) == 0 {
		return fmt.Errorf("result has a series, %s declares none", e.Name)
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

// WithDirectory returns a context that tells a run where it may keep files.
func WithDirectory(ctx context.Context, path string) context.Context {
	a := AttemptOf(ctx)
	a.Directory = path
	return WithAttempt(ctx, a)
}

// Directory returns the directory where a run may keep files that do not belong
// to its result, such as what a program printed. Each run has its own. The
// directory need not exist; the path is empty if there is none.
func Directory(ctx context.Context) string { return AttemptOf(ctx).Directory }

// ErrOutOfMemory is what the error of a run wraps that may succeed with more
// memory: the system ended what it had started, for lack of it.
var ErrOutOfMemory = errors.New("out of memory")

// An Attempt is one execution of a run.
type Attempt struct {
	RunID     string
	Number    int    // 1, 2, … in this process
	Directory string // where the run may keep files; empty: nowhere
}

var attemptKey = new(int) // of a context's value

// WithAttempt returns a context that tells a run which attempt is made at it.
func WithAttempt(ctx context.Context, a Attempt) context.Context {
	return context.WithValue(ctx, attemptKey, a)
}

// AttemptOf returns which attempt is made at a run; zero if that is not known.
func AttemptOf(ctx context.Context) Attempt {
	a, _ := ctx.Value(attemptKey).(Attempt)
	return a
}

var gpusKey = new(int) // of a context's value

// WithGPUs returns a context that tells a run which GPUs it has to itself, as
// in "0,1".
func WithGPUs(ctx context.Context, list string) context.Context {
	return context.WithValue(ctx, gpusKey, list)
}

// GPUs returns the GPUs that a run has to itself, as CUDA_VISIBLE_DEVICES lists
// them; empty if the spec asks for none.
func GPUs(ctx context.Context) string {
	list, _ := ctx.Value(gpusKey).(string)
	return list
}
