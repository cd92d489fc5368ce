package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	columnName     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	experimentName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
)

// ours and directives are the names that parameters and metrics cannot have:
// those of columns that sweep itself writes, in the files of runs and of the
// summary, and the keys of a spec's [grid] that are no parameters.
var (
	ours = []string{
		"run_id", "experiment", "seed", "status", "error", "window", "metric", "cell",
		"unit", "n", "mean", "std", "sem", "ci_low", "ci_high", "min", "median", "max", "n_failed",
	}
	directives = []string{"zip", "exclude", "include"}
)

// names are the names of columns taken so far, by their lower case: many
// programs do not tell columns apart that differ by case only.
type names map[string]string

// take takes a name. Papers may call a parameter N, though the summary has a
// column n.
func (n names) take(name string, reserved ...string) error {
	key := strings.ToLower(name)
	same, taken := n[key]
	switch {
	case !columnName.MatchString(name):
		return fmt.Errorf("%q is not an identifier: want a letter, then letters, digits and _", name)
	case slices.Contains(reserved, key) && name != "N":
		return fmt.Errorf("%q is the name of a column that sweep itself writes", name)
	case slices.Contains(directives, key):
		return fmt.Errorf("%q is a key of a spec's [grid]", name)
	case same == name:
		return fmt.Errorf("%q is declared twice", name)
	case taken:
		return fmt.Errorf("%q differs from %q only by case", name, same)
	}
	n[key] = name
	return nil
}

// Validate returns the first fault of a declaration that would otherwise
// surface as a strange column or an unusable parameter. The command line calls
// it at its start; an experiment's tests should.
func (e *Experiment) Validate() error {
	columns := names{}
	err := cmp.Or(e.validateHead(), e.validateParams(columns), e.validateRules(),
		columns.validateMetrics(e.Metrics, ours...), e.validateSeries(), e.validateTables(), e.validateFigures())
	if err != nil {
		return fmt.Errorf("experiment %q: %w", e.Name, err)
	}
	return nil
}

func (e *Experiment) validateHead() error {
	switch {
	case !experimentName.MatchString(e.Name):
		return fmt.Errorf("name %q is not an identifier: want a letter, then letters, digits, _ and -", e.Name)
	case e.Version < 1:
		return fmt.Errorf("version %d is below 1", e.Version)
	case e.Run == nil || len(e.Metrics) == 0:
		return errors.New("needs Run and at least one metric")
	}
	return nil
}

func (e *Experiment) validateParams(columns names) error {
	selector, _ := e.Param(Algorithm)
	for i := range e.Params {
		p := &e.Params[i]
		if err := columns.take(p.Name, ours...); err != nil {
			return fmt.Errorf("parameter %w", err)
		}
		if p.Meaning == "" || p.Source == "" {
			return fmt.Errorf("parameter %q lacks its meaning or source", p.Name)
		}
		if err := p.Check(p.Default); err != nil {
			return fmt.Errorf("default: %w", err)
		}
		if err := e.validateInput(p); err != nil {
			return fmt.Errorf("parameter %q: %w", p.Name, err)
		}
		for _, a := range p.UsedBy {
			if selector == nil || p.Name == Algorithm || selector.Check(StringValue(a)) != nil {
				return fmt.Errorf("parameter %q is used by unknown algorithm %q", p.Name, a)
			}
		}
	}
	return nil
}

// validateMetrics judges metrics, or the columns of a series, by themselves.
func (n names) validateMetrics(list []Metric, reserved ...string) error {
	for _, m := range list {
		if err := n.take(m.Name, reserved...); err != nil {
			return fmt.Errorf("metric or column %w", err)
		}
		if m.Kind != Int && m.Kind != Float || m.Meaning == "" {
			return fmt.Errorf("metric %q lacks a numeric kind or its meaning", m.Name)
		}
	}
	return nil
}

// validateSeries judges a series: its columns share a file with run_id and
// window only.
func (e *Experiment) validateSeries() error {
	if len(e.Series.Columns) == 0 {
		return nil
	}
	err := names{}.validateMetrics(append([]Metric{e.Series.Axis}, e.Series.Columns...), "run_id", "window")
	if err != nil {
		return fmt.Errorf("series: %w", err)
	}
	return nil
}

func (e *Experiment) validateTables() error {
	for _, t := range e.Tables {
		column, _ := e.Param(t.Column)
		if column == nil {
			return fmt.Errorf("table %q: no parameter %q", t.Name, t.Column)
		}
		for _, h := range t.Headers {
			if err := column.Check(StringValue(h)); err != nil {
				return fmt.Errorf("table %q: %w", t.Name, err)
			}
		}
		for _, r := range t.Rows {
			if e.Metric(r.Metric) < 0 || len(r.Mean) != len(t.Headers) || len(r.Std) != len(t.Headers) {
				return fmt.Errorf("table %q: row %q has no metric or the wrong number of cells", t.Name, r.Metric)
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
	for _, q := range e.Params {
		if q.Name != p.Name && p.Replaces != nil && q.Replaces != nil {
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
			p, _ := e.Param(name)
			if p == nil {
				return fmt.Errorf("a rule is on the unknown parameter %q", name)
			}
			applies = applies && !p.Default.IsNull()
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
