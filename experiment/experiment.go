// Package experiment holds the one declaration by which an experiment joins
// the engine: its parameters, its metrics, its time series, the tables of
// the papers it reproduces, and the function from one point to one result.
//
// Everything a user sees of an experiment is derived from it: spec
// validation and canonical points (package grid), columns, units and
// tables (package results), help texts (command sweep). The package knows
// no experiment and does no work; it is the vocabulary that the packages
// on both sides share.
package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
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

	// Series describes the rows that one run yields over time; without
	// columns the experiment has no series.
	Series Series

	// Tables holds tables of the papers, to be printed beside our results.
	Tables []Table

	// Run computes one point. It must be a pure function of the point:
	// no clock, no global randomness, no map order. It is called from many
	// goroutines at once, starts none, and returns early with ctx's error
	// when ctx ends. An error, like a panic, makes the run a failed row.
	Run func(ctx context.Context, p Point, out *Result) error
}

// A Param declares one parameter.
type Param struct {
	Name   string // name in specs and columns, for example "beta"
	Symbol string // the papers' symbol, for example "β"; empty if none
	Kind   Kind
	Unit   string // empty if dimensionless

	// Default is the value of a point whose spec does not name the
	// parameter. It must satisfy Check.
	Default Value

	// Min and Max bound an Int or Float parameter, both included unless
	// MinOpen or MaxOpen says otherwise. Every number must be bounded.
	Min, Max         float64
	MinOpen, MaxOpen bool

	// Choices are the accepted values of a String parameter, unless it is
	// an Input.
	Choices []string

	// Input, if not nil, makes a String parameter name a file that runs
	// read. Its default is null: no file.
	Input *Input

	// Replaces names parameters that an Input takes the place of: they are
	// null in points in which it is not. One parameter of an experiment may
	// have it; nil means none.
	Replaces []string

	// UsedBy lists the algorithms that use the parameter; nil means all.
	// In points of other algorithms the parameter is null.
	UsedBy []string

	// Group gathers parameters in help texts, for example "site".
	Group string

	// Meaning is one sentence; Source is the paper and section it comes
	// from, or how the default was obtained.
	Meaning, Source string
}

// A Rule is a demand on several parameters together. It does not apply to
// points in which one of them is null.
type Rule struct {
	// Params names the parameters that Check reads, first those that are
	// most likely at fault: of these, the first that a spec sets is pointed
	// at.
	Params []string

	// Check returns nil if the values are acceptable together. The error
	// names them and says what would be accepted. It is called for each
	// combination of values, so it should be quick, with a point in which all
	// other parameters and the seed say nothing.
	Check func(Point) error

	// Warns makes what breaks the rule a doubt about the spec, of which a
	// person is told, instead of a reason to refuse it.
	Warns bool
}

// An Input declares how a parameter's file becomes a value.
type Input struct {
	// Accepts says what may be named, for example "a CSV file".
	Accepts string

	// Read reads what is at a path and returns the value that stands for
	// it in points: a String that depends on the content and at most the last
	// element of the path, so that a run stays a pure function of its
	// parameters. The error names the path, and the place in the file if it
	// is malformed. Read may keep what it read for the runs to come.
	Read func(path string) (Value, error)

	// Describe, if not nil, says in a few words what was read for a value, for
	// example "30 pages, 90 slots"; nothing if it was not read.
	Describe func(Value) string
}

// A Metric declares one measured quantity: a column.
type Metric struct {
	Name    string
	Kind    Kind // Int or Float
	Unit    string
	Meaning string
	Source  string
}

// A Series declares the rows one run yields over time.
type Series struct {
	Axis    Metric // the time column, for example hours at a window's end
	Columns []Metric
}

// A Table is a table printed in a paper: mean and standard deviation of
// metrics (rows) for the values of one parameter (columns).
type Table struct {
	Name   string // as a spec's [paper] table names it, for example "table2"
	Title  string
	Source string

	Column  string   // the parameter whose values head the columns
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
	for i := range e.Params {
		if e.Params[i].Name == name {
			return &e.Params[i], i
		}
	}
	return nil, -1
}

// Metric returns the index of the metric named name, or -1.
func (e *Experiment) Metric(name string) int {
	for i := range e.Metrics {
		if e.Metrics[i].Name == name {
			return i
		}
	}
	return -1
}

// Table returns the paper table named name, or nil.
func (e *Experiment) Table(name string) *Table {
	for i := range e.Tables {
		if e.Tables[i].Name == name {
			return &e.Tables[i]
		}
	}
	return nil
}

// Uses reports whether points of the given algorithm use the parameter.
func (p *Param) Uses(algorithm string) bool {
	if p.UsedBy == nil {
		return true
	}
	for _, a := range p.UsedBy {
		if a == algorithm {
			return true
		}
	}
	return false
}

// Check reports whether v is an acceptable value of the parameter. The
// error names what was found and what would be accepted. Of an Input it
// accepts every string: only Read can tell.
func (p *Param) Check(v Value) error {
	if p.Input != nil && v.IsNull() {
		return nil
	}
	if v.Kind() != p.Kind {
		return fmt.Errorf("%s is %s, want %s", p.Name, v.Kind().noun(), p.Accepts())
	}
	switch p.Kind {
	case Int, Float:
		x := v.Float()
		low := x < p.Min || p.MinOpen && x == p.Min
		high := x > p.Max || p.MaxOpen && x == p.Max
		if x != x || low || high {
			return fmt.Errorf("%s is %s, want %s", p.Name, v, p.Accepts())
		}
	case String:
		if p.Input != nil || p.Choices == nil {
			return nil
		}
		for _, c := range p.Choices {
			if c == v.Text() {
				return nil
			}
		}
		return fmt.Errorf("%s is %q, want %s", p.Name, v.Text(), p.Accepts())
	}
	return nil
}

// Parse reads a value of the parameter from its text, as on a command
// line, and checks it. The error is that of Check.
func (p *Param) Parse(text string) (Value, error) {
	v := StringValue(text)
	switch p.Kind {
	case Bool:
		if b, err := strconv.ParseBool(text); err == nil {
			v = BoolValue(b)
		}
	case Int:
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			v = IntValue(i)
		}
	case Float:
		if f, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
			v = FloatValue(f)
		}
	}
	if v.Kind() != p.Kind {
		return Value{}, fmt.Errorf("%s is %q, want %s", p.Name, text, p.Accepts())
	}
	return v, p.Check(v)
}

// Accepts describes the accepted values for a person, for example
// "a number in (0, 1]".
func (p *Param) Accepts() string {
	open, shut := "[", "]"
	if p.MinOpen {
		open = "("
	}
	if p.MaxOpen {
		shut = ")"
	}
	switch p.Kind {
	case Bool:
		return "true or false"
	case Int:
		return fmt.Sprintf("an integer in %s%s, %s%s", open, formatFloat(p.Min), formatFloat(p.Max), shut)
	case Float:
		return fmt.Sprintf("a number in %s%s, %s%s", open, formatFloat(p.Min), formatFloat(p.Max), shut)
	case String:
		if p.Input != nil {
			return p.Input.Accepts
		}
		if p.Choices == nil {
			return "a text"
		}
		return "one of " + strings.Join(p.Choices, ", ")
	}
	return "nothing"
}

// reserved are the columns the engine itself writes, but for the summary's
// "n": a parameter may be called N, as papers call theirs, though not n.
var reserved = []string{
	"run_id", "experiment", "seed", "status", "error", "window", "metric", "cell",
	"unit", "mean", "std", "sem", "ci_low", "ci_high", "min", "median", "max", "n_failed",
}

// directives are the keys of a spec's [grid] that are not parameters.
var directives = []string{"zip", "exclude", "include"}

var columnName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// Validate judges a declaration; it is meant for an experiment's tests and
// for the engine's start, and finds what would otherwise surface as a
// strange column or an unusable parameter.
func (e *Experiment) Validate() error {
	fault := func(format string, args ...any) error {
		return fmt.Errorf("experiment %q: "+format, append([]any{e.Name}, args...)...)
	}
	if !columnName.MatchString(e.Name) {
		return fault("name is not an identifier")
	}
	if e.Version < 1 {
		return fault("version %d is below 1", e.Version)
	}
	if e.Run == nil || len(e.Metrics) == 0 {
		return fault("needs Run and at least one metric")
	}
	seen := map[string]bool{}
	for _, r := range slices.Concat(reserved, directives) {
		seen[r] = true
	}
	claim := func(name string) error {
		if !columnName.MatchString(name) {
			return fault("%q is not an identifier", name)
		}
		if key := strings.ToLower(name); seen[key] || name == "n" {
			return fault("%q is declared twice, differs only by case, or is a name of the engine's own", name)
		} else {
			seen[key] = true
		}
		return nil
	}
	selector, _ := e.Param(Algorithm)
	for i := range e.Params {
		p := &e.Params[i]
		if err := claim(p.Name); err != nil {
			return err
		}
		if p.Meaning == "" || p.Source == "" {
			return fault("parameter %q lacks its meaning or source", p.Name)
		}
		if err := p.Check(p.Default); err != nil {
			return fault("default: %v", err)
		}
		if err := e.validateInput(p); err != nil {
			return fault("parameter %q: %v", p.Name, err)
		}
		for _, a := range p.UsedBy {
			if selector == nil || p.Name == Algorithm || selector.Check(StringValue(a)) != nil {
				return fault("parameter %q is used by unknown algorithm %q", p.Name, a)
			}
		}
	}
	if err := e.validateRules(); err != nil {
		return fault("%v", err)
	}
	for _, m := range e.Metrics {
		if err := claim(m.Name); err != nil {
			return err
		}
		if m.Kind != Int && m.Kind != Float || m.Meaning == "" {
			return fault("metric %q lacks a numeric kind or its meaning", m.Name)
		}
	}
	if err := e.Series.validate(); err != nil {
		return fault("series: %v", err)
	}
	for _, t := range e.Tables {
		column, _ := e.Param(t.Column)
		if column == nil {
			return fault("table %q: no parameter %q", t.Name, t.Column)
		}
		for _, h := range t.Headers {
			if err := column.Check(StringValue(h)); err != nil {
				return fault("table %q: %v", t.Name, err)
			}
		}
		for _, r := range t.Rows {
			if e.Metric(r.Metric) < 0 || len(r.Mean) != len(t.Headers) || len(r.Std) != len(t.Headers) {
				return fault("table %q: row %q has no metric or the wrong number of cells", t.Name, r.Metric)
			}
		}
	}
	return nil
}

// validateInput judges what a parameter says of files.
func (e *Experiment) validateInput(p *Param) error {
	if p.Input == nil {
		if p.Replaces != nil {
			return errors.New("replaces others and is no input")
		}
		return nil
	}
	if p.Kind != String || p.Choices != nil || !p.Default.IsNull() || p.Input.Accepts == "" || p.Input.Read == nil {
		return errors.New("an input is a string without choices whose default is null, and needs Accepts and Read")
	}
	for _, name := range p.Replaces {
		if q, _ := e.Param(name); q == nil || name == Algorithm || q == p {
			return fmt.Errorf("replaces %q, which is no other parameter", name)
		}
	}
	for i := range e.Params {
		if q := &e.Params[i]; q != p && p.Replaces != nil && q.Replaces != nil {
			return fmt.Errorf("replaces others, as %q does", q.Name)
		}
	}
	return nil
}

// validateRules finds rules on unknown parameters, and those that the
// defaults break.
func (e *Experiment) validateRules() error {
	values := make([]Value, len(e.Params))
	for i := range e.Params {
		values[i] = e.Params[i].Default
	}
	for _, r := range e.Rules {
		if r.Check == nil || len(r.Params) == 0 {
			return fmt.Errorf("a rule lacks its parameters or its check")
		}
		applies := true
		for _, name := range r.Params {
			p, i := e.Param(name)
			if p == nil {
				return fmt.Errorf("a rule is on the unknown parameter %q", name)
			}
			applies = applies && !values[i].IsNull()
		}
		if !applies {
			continue
		}
		if err := r.Check(Point{Experiment: e, Values: values}); err != nil {
			return fmt.Errorf("the defaults break a rule: %w", err)
		}
	}
	return nil
}

// validate judges a series by itself: its columns share a file with run_id
// and window only.
func (s *Series) validate() error {
	if len(s.Columns) == 0 {
		return nil
	}
	seen := map[string]bool{"run_id": true, "window": true}
	for _, m := range append([]Metric{s.Axis}, s.Columns...) {
		key := strings.ToLower(m.Name)
		if !columnName.MatchString(m.Name) || seen[key] {
			return fmt.Errorf("%q is not an identifier, is declared twice, differs only by case, or is a column of the engine", m.Name)
		}
		seen[key] = true
		if m.Kind != Int && m.Kind != Float || m.Meaning == "" {
			return fmt.Errorf("%q lacks a numeric kind or its meaning", m.Name)
		}
	}
	return nil
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
	// axis followed by the columns: len is rows × (1 + len(Columns)).
	Series []float64
}
