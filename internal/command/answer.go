package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sweep/experiment"
)

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 32 << 20

// seriesKey is the key of an answer below which a series may stand, if a
// column has the name of a metric.
const seriesKey = "series"

// runKey is the key of an answer with the name of the run. A program that is
// not persistent need not give it.
const runKey = "run"

// answer reads what the program measured, after it has ended, from its
// directory and the end of its stdout: a JSON object such as
//
//	{"infected": 812, "peak": null, "series": {"infected": [1, 3, 9]}}
//
// unless patterns and a sheet hold all numbers.
func (p *program) answer(
	dir string, stdout []byte, e *experiment.Experiment, out *experiment.Result,
) error {
	a := &answer{}
	if p.wantsObject(e) {
		text, err := p.object(dir, stdout)
		if err != nil {
			return err
		}
		from := "the last line of stdout"
		if p.answersInFile() {
			from = p.file
		}
		if err := a.read(from, bytes.TrimSpace(text)); err != nil {
			return err
		}
	}
	return p.result(a, dir, stdout, e, out)
}

// wantsObject reports whether a number is read from a JSON object.
func (p *program) wantsObject(e *experiment.Experiment) bool {
	hasSeries := len(e.Columns()) > 0
	if p.hasSheet() && !hasSeries {
		return false // the metrics are in the sheet
	}
	if hasSeries && !p.hasSheet() {
		return true
	}
	return len(p.patterns) < len(e.Metrics)
}

// result collects the metrics and the series: from the sheet that the program
// wrote to its directory, by patterns from its output, and else from the
// answer, of which nothing may be missing.
func (p *program) result(
	a *answer, dir string, stdout []byte, e *experiment.Experiment, out *experiment.Result,
) error {
	known, err := p.matches(stdout)
	if err != nil {
		return err
	}
	if p.hasSheet() {
		if err := p.readSheet(dir, e, known, out); err != nil {
			return err
		}
	}
	for _, m := range e.Metrics {
		text := a.take(m.Name)
		x, isKnown := known[m.Name]
		if !isKnown {
			x = a.number(m.Name, text)
		}
		out.Metrics = append(out.Metrics, x)
	}
	if len(e.Columns()) > 0 && !p.hasSheet() {
		out.Series = a.series(e.Series, p)
	}
	a.take(runKey)
	a.leftovers("", p)
	if a.faults == nil {
		return nil
	}
	return fmt.Errorf("the answer: %s", strings.Join(a.faults, "; "))
}

// object returns the last line of stdout, or the file that the spec names.
func (p *program) object(dir string, stdout []byte) ([]byte, error) {
	if p.answersInFile() {
		return readFile(dir, p.file)
	}
	lines := bytes.TrimSpace(stdout)
	end := bytes.LastIndexByte(lines, '\n')
	if end < 0 && len(stdout) == maxAnswer {
		return nil, fmt.Errorf("the last line of stdout has more than %d MB", maxAnswer>>20)
	}
	return lines[end+1:], nil
}

// readFile reads a file that the program wrote.
func readFile(dir, name string) ([]byte, error) {
	path := filepath.Join(dir, name)
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("the program has not written %s", name)
	}
	if !info.Mode().IsRegular() || info.Size() > maxAnswer {
		return nil, fmt.Errorf("%s is not a file of at most %d MB", name, maxAnswer>>20)
	}
	return os.ReadFile(path)
}

// noNumber finds what some programs write in place of numbers.
var noNumber = regexp.MustCompile(`"([^"]*)"\s*:\s*\[?[^"]*?(-?\b(?:Infinity|inf|NaN|nan))\b`)

// An answer is the part of an object that has not been read yet, and what was
// wrong with the rest.
type answer struct {
	values map[string]json.RawMessage
	faults []string
}

// read reads a JSON object from what is named.
func (a *answer) read(from string, text []byte) error {
	if len(text) == 0 {
		return fmt.Errorf("no answer, want a JSON object in %s", from)
	}
	if text[0] != '{' {
		return fmt.Errorf("%s is no JSON object: it begins %.40q", from, text)
	}
	err := json.Unmarshal(text, &a.values)
	if err == nil {
		return nil
	}
	if m := noNumber.FindSubmatch(text); m != nil {
		const fault = "%s: %s is %s, want a number, or null for what is not defined"
		return fmt.Errorf(fault, from, m[1], m[2])
	}
	return fmt.Errorf("%s is no JSON object: %w", from, err)
}

// fail notes a fault, if there are not many already.
func (a *answer) fail(format string, args ...any) {
	const maxFaults = 10
	if len(a.faults) < maxFaults {
		a.faults = append(a.faults, fmt.Sprintf(format, args...))
	}
}

// take removes a member and returns its value; nil if it is not there.
func (a *answer) take(name string) json.RawMessage {
	v := a.values[name]
	delete(a.values, name)
	return v
}

// leftovers notes members that the spec does not name. They are faults if it
// says so, or if there are others: one may be a name that is misspelt.
func (a *answer) leftovers(where string, p *program) {
	names := slices.Sorted(maps.Keys(a.values))
	if !p.refuseExtra && a.faults == nil {
		addUnnamed(names)
		return
	}
	for _, name := range names {
		a.fail("unknown %q%s", name, where)
	}
}

// number reads a number; null is NaN, which stands for "not defined".
func (a *answer) number(name string, text json.RawMessage) float64 {
	if text == nil {
		a.fail("no %q", name)
		return math.NaN()
	}
	x, err := jsonNumber(text)
	if err != nil {
		a.fail("%q is %.40s, %v", name, text, err)
	}
	return x
}

// series reads the columns of the series, and returns them row by row. The
// first is the axis, unless rows are counted.
func (a *answer) series(wanted []experiment.Metric, p *program) []float64 {
	from := a
	if text := a.take(seriesKey); text != nil {
		var list []json.RawMessage
		err := json.Unmarshal(text, &list)
		if err == nil && list != nil && len(list) == 0 { // of rows: there is none
			return nil
		}
		from = &answer{}
		if err := json.Unmarshal(text, &from.values); err != nil {
			a.fail("%q is no object of columns", seriesKey)
			return nil
		}
	}
	var columns [][]float64
	for _, m := range p.written(wanted) {
		column, ok := a.column(m.Name, from.take(m.Name))
		if !ok {
			return nil
		}
		columns = append(columns, column)
		if len(column) != len(columns[0]) {
			a.fail("the series has columns of %d and %d numbers", len(columns[0]), len(column))
			return nil
		}
	}
	if from != a {
		from.leftovers(" in the series", p)
		a.faults = append(a.faults, from.faults...)
	}
	return p.rows(columns)
}

// written returns those of a series' columns that the program writes: all but
// the number of the row.
func (p *program) written(series []experiment.Metric) []experiment.Metric {
	if p.counted {
		return series[1:]
	}
	return series
}

// rows returns the columns of a series row by row, with the number of the row
// if rows are counted.
func (p *program) rows(columns [][]float64) (numbers []float64) {
	for i := range columns[0] {
		if p.counted {
			numbers = append(numbers, float64(i+1))
		}
		for _, c := range columns {
			numbers = append(numbers, c[i])
		}
	}
	return numbers
}

// column reads a list of numbers.
func (a *answer) column(name string, text json.RawMessage) (numbers []float64, ok bool) {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil || list == nil {
		a.fail("the series has no column %q, want a list of numbers", name)
		return nil, false
	}
	for i, element := range list {
		x, err := jsonNumber(element)
		if err != nil {
			a.fail("\"%s[%d]\" is %.40s, %v", name, i, element, err)
		}
		numbers = append(numbers, x)
	}
	return numbers, true
}
