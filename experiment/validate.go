package experiment

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sweep/internal/document"
)

var (
	columnName     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	experimentName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
)

// ownColumns and gridKeys are the names that parameters and metrics cannot have:
// those of columns that sweep itself writes, in the files of runs and of the
// summary, and the keys of a spec's [grid] that are no parameters.
var (
	ownColumns = []string{
		"run_id", "experiment", "seed", "status", "error", "window", "metric", "cell",
		"unit", "n", "mean", "std", "sem", "ci_low", "ci_high", "min", "median", "max", "n_failed",
	}
	gridKeys = []string{"zip", "where", "exclude", "include"}
)

// must panics with a fault of the declaration, which Validate returns, unless ok.
func must(ok bool, format string, args ...any) {
	if !ok {
		panic(&document.Fault{Message: fmt.Sprintf(format, args...)})
	}
}

// Validate returns the first fault of a declaration that would otherwise
// surface as a strange column or an unusable parameter. The command line calls
// it at its start; an experiment's tests should.
func (e *Experiment) Validate() (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("experiment %q: %v", e.Name, err)
		}
	}()
	defer document.Catch[*document.Fault](&err)
	must(experimentName.MatchString(e.Name), "name %q is not an identifier: want a letter, then letters, digits, _ and -", e.Name)
	must(e.Version >= 1, "version %d is below 1", e.Version)
	must(e.Declare != nil || e.Run != nil && len(e.Metrics) > 0, "needs Run and at least one metric")
	columns := map[string]string{}
	for i := range e.Params {
		e.validateParam(&e.Params[i], columns)
	}
	e.validateRules()
	validateMetrics(columns, "metric", e.Metrics, ownColumns...)
	if len(e.Columns()) > 0 { // they share a file with run_id and window only
		validateMetrics(map[string]string{}, "series: column", e.Series, "run_id", "window")
	}
	e.validateTables()
	e.validateFigures()
	return nil
}

// CheckName returns what is wrong with the name of a parameter or a metric, whichever
// it is to be, by itself.
func CheckName(what, name string) (err error) {
	defer document.Catch[*document.Fault](&err)
	addName(map[string]string{}, what, name, ownColumns...)
	return nil
}

// addName checks a name, and adds it to those so far by its lower case: many
// programs do not tell columns apart that differ by case only. Papers may call a
// parameter N, though the summary has a column n.
func addName(columns map[string]string, what, name string, reserved ...string) {
	key := strings.ToLower(name)
	same, taken := columns[key]
	must(columnName.MatchString(name), "%s %q is not an identifier: want a letter, then letters, digits and _", what, name)
	must(name == "N" || !slices.Contains(reserved, key), "%s %q is the name of a column that sweep itself writes", what, name)
	must(!slices.Contains(gridKeys, key), "%s %q is a key of a spec's [grid]", what, name)
	must(same != name, "%s %q is declared twice", what, name)
	must(!taken, "%s %q differs from %q only by case", what, name, same)
	columns[key] = name
}

func (e *Experiment) validateParam(p *Param, columns map[string]string) {
	addName(columns, "parameter", p.Name, ownColumns...)
	must(p.Meaning != "" && p.Source != "", "parameter %q lacks its meaning or source", p.Name)
	must(p.Kind != Int && p.Kind != Float || p.Min != 0 || p.Max != 0, "parameter %q lacks Min and Max", p.Name)
	err := p.Check(p.Default)
	must(err == nil, "default: %v", err)
	must(p.Input != nil || p.Replaces == nil, "parameter %q replaces others and is no input", p.Name)
	if p.Input != nil {
		must(p.Kind == String && p.Choices == nil && p.Default.IsNull() && p.Input.Accepts != "" && p.Input.Read != nil,
			"parameter %q: an input is a string without choices whose default is null, and needs Accepts and Read", p.Name)
	}
	for _, name := range p.Replaces {
		q, _ := e.Param(name)
		must(q != nil && name != Algorithm && q != p, "parameter %q replaces %q, which is no other parameter", p.Name, name)
	}
	for i := range e.Params {
		q := &e.Params[i]
		must(q == p || p.Replaces == nil || q.Replaces == nil, "parameter %q replaces others, as %q does", p.Name, q.Name)
	}
	selector, _ := e.Param(Algorithm)
	for _, a := range p.UsedBy {
		must(selector != nil && p != selector && selector.Check(StringValue(a)) == nil, "parameter %q is used by unknown algorithm %q", p.Name, a)
	}
}

// validateMetrics judges metrics, or the columns of a series, by themselves.
func validateMetrics(columns map[string]string, what string, list []Metric, reserved ...string) {
	for _, m := range list {
		addName(columns, what, m.Name, reserved...)
		must((m.Kind == Int || m.Kind == Float) && m.Meaning != "", "%s %q lacks a numeric kind or its meaning", what, m.Name)
	}
}

func (e *Experiment) validateTables() {
	for _, t := range e.Tables {
		column, _ := e.Param(t.Column)
		must(column != nil && column.Kind == String, "table %q: no parameter %q of texts", t.Name, t.Column)
		for _, h := range t.Headers {
			err := column.Check(StringValue(h))
			must(err == nil, "table %q: %v", t.Name, err)
		}
		for _, r := range t.Rows {
			must(e.Metric(r.Metric) >= 0 && len(r.Mean) == len(t.Headers) && len(r.Std) == len(t.Headers),
				"table %q: row %q has no metric or the wrong number of cells", t.Name, r.Metric)
		}
	}
}

// validateRules finds rules on unknown parameters, and those that the
// defaults break.
func (e *Experiment) validateRules() {
	defaults := Point{Experiment: e, Values: e.Defaults()}
	for _, r := range e.Rules {
		must(r.Check != nil && len(r.Params) > 0, "a rule lacks its parameters or its check")
		applies := true
		for _, name := range r.Params {
			p, _ := e.Param(name)
			must(p != nil, "a rule is on the unknown parameter %q", name)
			applies = applies && !p.Default.IsNull()
		}
		if applies {
			err := r.Check(defaults)
			must(err == nil, "the defaults break a rule: %v", err)
		}
	}
}
