package command

import (
	"bytes"
	"cmp"
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

// answer reads what the program measured: a JSON object such as
//
//	{"infected": 812, "peak": null, "series": {"infected": [1, 3, 9]}}
func (p *program) answer(dir string, e *experiment.Experiment, out *experiment.Result) error {
	text, err := p.answerText(dir)
	if err != nil {
		return err
	}
	from := cmp.Or(p.file, "the last line of stdout")
	a := &answer{}
	if err := a.read(from, bytes.TrimSpace(text)); err != nil {
		return err
	}
	return a.result(p, e, out)
}

// result moves the metrics and the series into a result. It is an error if one
// is missing, or if there is something else.
func (a *answer) result(p *program, e *experiment.Experiment, out *experiment.Result) error {
	for _, m := range e.Metrics {
		out.Metrics = append(out.Metrics, a.number(m.Name, a.take(m.Name)))
	}
	if len(e.Columns()) > 0 {
		out.Series = a.series(e.Series, p.counted)
	}
	a.leftovers("")
	if a.faults == nil {
		return nil
	}
	return fmt.Errorf("the answer: %s", strings.Join(a.faults, "; "))
}

// answerText returns the last line of stdout, or the file that the spec
// names.
func (p *program) answerText(dir string) ([]byte, error) {
	if p.file != "" {
		path := filepath.Join(dir, p.file)
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("the program has not written %s", p.file)
		}
		if !info.Mode().IsRegular() || info.Size() > maxAnswer {
			return nil, fmt.Errorf("%s is not a file of at most %d MB", p.file, maxAnswer>>20)
		}
		return os.ReadFile(path)
	}
	text, err := tailOf(filepath.Join(dir, outputFile), maxAnswer)
	if err != nil {
		return nil, err
	}
	lines := bytes.TrimSpace(text)
	end := bytes.LastIndexByte(lines, '\n')
	if end < 0 && len(text) == maxAnswer {
		return nil, fmt.Errorf("the last line of stdout has more than %d MB", maxAnswer>>20)
	}
	return lines[end+1:], nil
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
		return fmt.Errorf("the answer: %s is %s, want a number, or null for what is not defined",
			m[1], m[2])
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

// leftovers notes members that the spec does not name.
func (a *answer) leftovers(where string) {
	for _, name := range slices.Sorted(maps.Keys(a.values)) {
		a.fail("unknown %q%s", name, where)
	}
}

// number reads a number; null is NaN, which stands for "not defined".
func (a *answer) number(name string, text json.RawMessage) float64 {
	if text == nil {
		a.fail("no %q", name)
		return math.NaN()
	}
	var x *float64
	if err := json.Unmarshal(text, &x); err != nil {
		a.fail("%q is %.40s, want a number", name, text)
		return math.NaN()
	}
	if x == nil {
		return math.NaN()
	}
	return *x
}

// series reads the columns of the series, and returns them row by row. The
// first is the axis; counted, it is the number of the row and not read.
func (a *answer) series(wanted []experiment.Metric, counted bool) []float64 {
	from := a
	if text := a.take(seriesKey); text != nil {
		from = &answer{}
		if err := json.Unmarshal(text, &from.values); err != nil {
			a.fail("%q is no object of columns", seriesKey)
			return nil
		}
	}
	if counted {
		wanted = wanted[1:]
	}
	var columns [][]float64
	for _, m := range wanted {
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
		from.leftovers(" in the series")
		a.faults = append(a.faults, from.faults...)
	}
	var numbers []float64
	for i := range columns[0] {
		if counted {
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
		numbers = append(numbers, a.number(fmt.Sprintf("%s[%d]", name, i), element))
	}
	return numbers, true
}
