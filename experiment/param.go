package experiment

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Param declares one parameter.
type Param struct {
	Name   string // name in specs and columns, for example "beta"
	Symbol string // the papers' symbol, for example "β"; empty if none
	Kind   Kind
	Unit   string // empty if dimensionless

	// To points to the field of a configuration that Configure sets. It is nil
	// if Run reads points itself.
	To any

	// Default is the value where a spec does not name the parameter. It must
	// satisfy Check.
	Default Value

	// Min and Max bound an Int or Float parameter, and are themselves accepted
	// unless MinOpen or MaxOpen is true. Every number must have bounds, of
	// which one is not 0.
	Min, Max         float64
	MinOpen, MaxOpen bool

	// Choices are the accepted values of a String parameter; nil accepts all.
	// Each comes once. It is nil for an Input.
	Choices []string

	// Input, if not nil, makes a String parameter name a file that runs
	// read. Its default is null: no file.
	Input *Input

	// Replaces names the parameters that an Input replaces: they are null in
	// points where the Input is not. Only one parameter of an experiment may
	// have Replaces.
	Replaces []string

	// UsedBy lists the algorithms that use the parameter, of the choices of the
	// parameter that is called Algorithm; nil means all. In points of other
	// algorithms the parameter is null.
	UsedBy []string

	// Identity marks a parameter that only tells runs of one version of what is
	// run from those of another, such as the content of a program's files. When
	// versions are compared, runs are paired whatever its value.
	Identity bool

	// Group gathers parameters in help texts, for example "site".
	Group string

	// Meaning is one sentence; Source is the paper and section it comes
	// from, or how the default was obtained.
	Meaning, Source string
}

// A Rule is a condition on several parameters together. It does not apply to
// points in which one of them is null.
type Rule struct {
	// Params names the parameters that Check reads, beginning with those that
	// are most likely at fault: a message points at the first one that the
	// spec sets.
	Params []string

	// Check returns nil if the values are acceptable together. The error names
	// them and says what would be accepted. Check is called for each
	// combination of their values, so it should be quick and depend on nothing
	// else.
	Check func(Point) error

	// Warns makes a breach of the rule a warning, instead of a reason to refuse
	// the spec.
	Warns bool
}

// An Input declares how a parameter's file becomes a value.
type Input struct {
	// Accepts says what may be named, for example "a CSV file".
	Accepts string

	// Columns are the names of the columns that Read looks for, if the file is
	// a table.
	Columns []string

	// Read reads the file at a path and returns the value that stands for it in
	// points: a String, not empty, that depends on the content, on columns and
	// at most on the last element of the path, so that a run stays a pure
	// function of its parameters. The error names the path and, if the file is
	// malformed, the position in it. Read may keep what it read for runs.
	//
	// columns tells what some of the Columns are called in the spec's files, by
	// their names. A table may have a column by either name; the spec's counts
	// first.
	Read func(path string, columns map[string]string) (Value, error)

	// Describe, if not nil, says in a few words what was read for a value, for
	// example "30 pages, 90 slots". It may take several lines, and is empty if
	// the file was not read.
	Describe func(Value) string
}

// Uses reports whether points of the given algorithm use the parameter.
func (p *Param) Uses(algorithm string) bool {
	return p.UsedBy == nil || slices.Contains(p.UsedBy, algorithm)
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
		if p.Kind == Int && x == p.Max {
			high = high || v.Int() > int64(x) // float64 rounds large integers
		}
		if x != x || low || high {
			return fmt.Errorf("%s is %s, want %s", p.Name, v, p.Accepts())
		}
	case String:
		if p.Input != nil || p.Choices == nil || slices.Contains(p.Choices, v.Text()) {
			return nil
		}
		return fmt.Errorf("%s is %q, want %s", p.Name, v.Text(), p.Accepts())
	}
	return nil
}

// Parse reads a value of the parameter from its text, as on a command
// line, and checks it. The error is that of Check.
func (p *Param) Parse(text string) (Value, error) {
	var x any = text
	var err error
	switch p.Kind {
	case Bool:
		x, err = strconv.ParseBool(text)
	case Int:
		x, err = strconv.ParseInt(text, 10, 64)
	case Float:
		x, err = strconv.ParseFloat(text, 64)
	}
	v := ValueOf(x)
	if err != nil || v.IsNull() {
		return Value{}, fmt.Errorf("%s is %q, want %s", p.Name, text, p.Accepts())
	}
	return v, p.Check(v)
}

// Accepts describes the accepted values for a person, for example
// "a number in (0, 1]".
func (p *Param) Accepts() string {
	switch p.Kind {
	case Bool:
		return "true or false"
	case Int, Float:
		if math.IsInf(p.Min, -1) && math.IsInf(p.Max, 1) {
			return p.Kind.noun()
		}
		from := "["
		if p.MinOpen {
			from = "("
		}
		to := "]"
		if p.MaxOpen {
			to = ")"
		}
		return p.Kind.noun() + " in " + from + formatFloat(p.Min) + ", " + formatFloat(p.Max) + to
	}
	switch {
	case p.Input != nil:
		return p.Input.Accepts
	case p.Choices == nil:
		return "a text"
	}
	return "one of " + strings.Join(p.Choices, ", ")
}
