package experiment

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	columnName     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*([.-][A-Za-z0-9_]+)*$`)
	experimentName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	figureName     = regexp.MustCompile(FileNameForm)
)

// FileNameForm is the form of names which can be a file's or a directory's on
// any system, with room for suffixes in a file system's 255 bytes: a regular
// expression.
const FileNameForm = `^[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?$`

// ownColumns and gridKeys are the names that parameters and metrics cannot
// have: those of columns that sweep itself writes, in the files of runs and of
// the summary, and the keys of a spec's [grid] that are no parameters.
var (
	ownColumns = []string{
		"run_id", "experiment", "seed", "status", "error", "window", "metric", "cell",
		"unit", "n", "mean", "std", "sem", "ci_low", "ci_high", "min", "median", "max", "n_failed",
	}
	gridKeys = []string{"zip", "where", "exclude", "include"}
)

// A checker keeps the first fault that it finds in a declaration.
type checker struct{ fault error }

// want reports whether ok, and notes a fault if not.
func (c *checker) want(ok bool, format string, args ...any) bool {
	if !ok && c.fault == nil {
		c.fault = fmt.Errorf(format, args...)
	}
	return ok
}

// Validate returns the first fault of a declaration that would otherwise
// surface as a strange column or an unusable parameter. The command line calls
// it when it starts; tests of an experiment should call it, too.
func (e *Experiment) Validate() error {
	var c checker
	c.want(experimentName.MatchString(e.Name),
		"name %q is not an identifier: want a letter, then letters, digits, _ and -", e.Name)
	c.want(e.Version >= 1, "version %d is below 1", e.Version)
	c.want(e.Declare != nil || e.Run != nil && len(e.Metrics) > 0,
		"needs Run and at least one metric")
	columns := map[string]string{}
	for i := range e.Params {
		c.param(e, &e.Params[i], columns)
	}
	c.rules(e)
	c.metrics(columns, "metric", e.Metrics, ownColumns)
	if len(e.Columns()) > 0 { // they share a file with run_id and window only
		c.metrics(map[string]string{}, "series: column", e.Series, []string{"run_id", "window"})
	}
	c.tables(e)
	c.figures(e)
	if c.fault != nil {
		return fmt.Errorf("experiment %q: %w", e.Name, c.fault)
	}
	return nil
}

// Identifier returns the name of a parameter, such as "model.lr" or
// "learning-rate", as programming languages have names: with _ in place of
// other signs.
func Identifier(name string) string {
	return underscores.Replace(name)
}

var underscores = strings.NewReplacer(".", "_", "-", "_")

// CheckName returns what is wrong with the name of a parameter or a metric by
// itself. what is "parameter" or "metric".
func CheckName(what, name string) error {
	var c checker
	c.name(map[string]string{}, what, name, ownColumns)
	return c.fault
}

// name checks a name and adds it to columns, by its lower case with _ for other
// signs: many programs do not distinguish columns that differ only by these.
// Papers may call a parameter N, though the summary has a column n.
func (c *checker) name(columns map[string]string, what, name string, reserved []string) {
	key := strings.ToLower(Identifier(name))
	same, taken := columns[key]
	c.want(columnName.MatchString(name),
		"%s %q is not an identifier: want a letter, then letters, digits and _, "+
			"with single . and - between them", what, name)
	c.want(name == "N" || !slices.Contains(reserved, key),
		"%s %q is the name of a column that sweep itself writes", what, name)
	c.want(!slices.Contains(gridKeys, key), "%s %q is a key of a spec's [grid]", what, name)
	c.want(same != name, "%s %q is declared twice", what, name)
	c.want(!taken, "%s %q differs from %q only by case, or by . - _", what, name, same)
	columns[key] = name
}

func (c *checker) param(e *Experiment, p *Param, columns map[string]string) {
	c.name(columns, "parameter", p.Name, ownColumns)
	if !c.want(p.Kind >= Bool && p.Kind <= String, "parameter %q lacks its Kind", p.Name) {
		return
	}
	c.want(p.Meaning != "" && p.Source != "", "parameter %q lacks its meaning or source", p.Name)
	c.want(p.Kind != Int && p.Kind != Float || p.Min != 0 || p.Max != 0,
		"parameter %q lacks Min and Max", p.Name)
	err := p.Check(p.Default)
	c.want(err == nil, "default: %v", err)
	c.choices(p)
	c.input(e, p)
	c.usedBy(e, p)
}

// choices finds choices that are none, or come twice.
func (c *checker) choices(p *Param) {
	c.want(p.Choices == nil || len(p.Choices) > 0,
		"parameter %q has an empty list of choices: want nil if it accepts all texts", p.Name)
	for i, choice := range p.Choices {
		c.want(!slices.Contains(p.Choices[:i], choice),
			"parameter %q has the choice %q twice", p.Name, choice)
	}
}

// usedBy finds algorithms that are none.
func (c *checker) usedBy(e *Experiment, p *Param) {
	if p.UsedBy == nil {
		return
	}
	c.want(len(p.UsedBy) > 0,
		"parameter %q is used by no algorithm: want nil if all use it", p.Name)
	selector, _ := e.Param(Algorithm)
	if !c.want(selector != nil && selector.Kind == String && selector.Choices != nil,
		"parameter %q has UsedBy, and no parameter %q has Choices", p.Name, Algorithm) {
		return
	}
	for _, a := range p.UsedBy {
		known := p != selector && slices.Contains(selector.Choices, a)
		c.want(known, "parameter %q is used by unknown algorithm %q", p.Name, a)
	}
}

// input checks what a parameter that names a file says of it.
func (c *checker) input(e *Experiment, p *Param) {
	c.want(p.Input != nil || p.Replaces == nil,
		"parameter %q replaces others and is no input", p.Name)
	if p.Input != nil {
		isPlain := p.Kind == String && p.Choices == nil && p.Default.IsNull()
		c.want(isPlain && p.Input.Accepts != "" && p.Input.Read != nil, "parameter %q: "+
			"an input is a string without choices whose default is null, and needs Accepts and "+
			"Read",
			p.Name)
	}
	if p.Replaces == nil {
		return
	}
	for _, name := range p.Replaces {
		q, _ := e.Param(name)
		c.want(q != nil && name != Algorithm && q != p,
			"parameter %q replaces %q, which is no other parameter", p.Name, name)
	}
	for i := range e.Params {
		q := &e.Params[i]
		c.want(q == p || q.Replaces == nil,
			"parameter %q replaces others, as %q does", p.Name, q.Name)
	}
}

// metrics checks metrics, or the columns of a series, by themselves.
func (c *checker) metrics(
	columns map[string]string, what string, list []Metric, reserved []string,
) {
	for _, m := range list {
		c.name(columns, what, m.Name, reserved)
		c.want((m.Kind == Int || m.Kind == Float) && m.Meaning != "",
			"%s %q lacks a numeric kind or its meaning", what, m.Name)
	}
}

func (c *checker) tables(e *Experiment) {
	for i := range e.Tables {
		t := &e.Tables[i]
		c.want(t.Name != "" && e.Table(t.Name) == t,
			"table %q comes twice, or lacks its name", t.Name)
		column, _ := e.Param(t.Column)
		isText := column != nil && column.Kind == String
		if !c.want(isText, "table %q: no parameter %q of texts", t.Name, t.Column) {
			continue
		}
		for _, h := range t.Headers {
			err := column.Check(StringValue(h))
			c.want(err == nil, "table %q: %v", t.Name, err)
		}
		for _, r := range t.Rows {
			isWhole := len(r.Mean) == len(t.Headers) && len(r.Std) == len(t.Headers)
			c.want(e.Metric(r.Metric) >= 0 && isWhole,
				"table %q: row %q has no metric or the wrong number of cells", t.Name, r.Metric)
		}
	}
}

// rules finds rules on unknown parameters, and those that the defaults break.
func (c *checker) rules(e *Experiment) {
	defaults := Point{Experiment: e, Values: e.Defaults()}
	for _, r := range e.Rules {
		applies := c.want(r.Check != nil && len(r.Params) > 0,
			"a rule lacks its parameters or its check")
		for _, name := range r.Params {
			p, _ := e.Param(name)
			isKnown := c.want(p != nil, "a rule is on the unknown parameter %q", name)
			applies = applies && isKnown && !p.Default.IsNull()
		}
		if applies {
			err := r.Check(defaults)
			c.want(err == nil, "the defaults break a rule: %v", err)
		}
	}
}

// figures finds figures of what the experiment does not have.
func (c *checker) figures(e *Experiment) {
	seen := map[string]bool{}
	for i := range e.Figures {
		f := &e.Figures[i]
		isNew := !seen[f.Name]
		seen[f.Name] = true
		c.want(isNew && f.Name != "" && f.Title != "" && f.Source != "",
			"figure %q comes twice, or lacks its name, title or source", f.Name)
		c.want(figureName.MatchString(f.Name), "figure %q is no name for files: "+
			"want letters, digits, '.', '_' and '-', beginning with a letter or digit, "+
			"at most 100", f.Name)
		fault := e.CheckFigure(f)
		c.want(fault == nil, "figure %q: %v", f.Name, fault)
	}
}
