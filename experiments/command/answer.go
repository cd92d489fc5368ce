package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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
	values, err := object(text)
	if err != nil {
		return err
	}
	a := answer{values: values}
	for _, m := range e.Metrics {
		out.Metrics = append(out.Metrics, a.number(m.Name, a.take(m.Name)))
	}
	if len(e.Series.Columns) > 0 {
		out.Series = a.series(&e.Series, p.counted)
	}
	for _, left := range a.values {
		a.fail("unknown %q", left.name)
	}
	if a.faults == nil {
		return nil
	}
	return fmt.Errorf("the answer: %s", strings.Join(a.faults, "; "))
}

// answerText returns the last line of stdout, or the file that the spec
// names.
func (p *program) answerText(dir string) ([]byte, error) {
	if p.file != "" {
		info, err := os.Stat(filepath.Join(dir, p.file))
		if err != nil {
			return nil, fmt.Errorf("the program has not written %s", p.file)
		}
		if !info.Mode().IsRegular() || info.Size() > maxAnswer {
			return nil, fmt.Errorf("%s is not a file of at most %d MB", p.file, maxAnswer>>20)
		}
		return os.ReadFile(filepath.Join(dir, p.file))
	}
	for n := int64(1 << 12); ; n *= 16 {
		text, err := tailOf(filepath.Join(dir, outputFile), min(n, maxAnswer))
		if err != nil {
			return nil, err
		}
		line := bytes.TrimSpace(text)
		if at := bytes.LastIndexByte(line, '\n'); at >= 0 || int64(len(text)) < n {
			return line[at+1:], nil
		}
		if n >= maxAnswer {
			return nil, fmt.Errorf("the last line of stdout has more than %d MB", maxAnswer>>20)
		}
	}
}

// A member is a key of a JSON object with its value.
type member struct {
	name  string
	value json.RawMessage
}

// noNumber finds what some programs write for numbers that are none.
var noNumber = regexp.MustCompile(`"([^"]*)"\s*:\s*\[?[^"]*?(-?\b(?:Infinity|inf|NaN|nan))\b`)

// object reads a JSON object, each key once, and nothing behind it.
func object(text []byte) ([]member, error) {
	if len(text) == 0 {
		return nil, fmt.Errorf("no answer, want a JSON object in the last line of stdout")
	}
	wrong := func(err error) error {
		if m := noNumber.FindSubmatch(text); m != nil {
			return fmt.Errorf("the answer: %s is %s, want a number, or null for what is not defined", m[1], m[2])
		}
		return fmt.Errorf("the answer is no JSON object: %v", err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, wrong(fmt.Errorf("it begins %.40q", text))
	}
	var members []member
	for d.More() {
		var m member
		t, err := d.Token()
		if err == nil {
			m.name, _ = t.(string) // a key always is
			err = d.Decode(&m.value)
		}
		if err != nil {
			return nil, wrong(err)
		}
		if slices.ContainsFunc(members, func(o member) bool { return o.name == m.name }) {
			return nil, fmt.Errorf("the answer: %q is there twice", m.name)
		}
		members = append(members, m)
	}
	if _, err := d.Token(); err != nil {
		return nil, wrong(err)
	}
	if rest := bytes.TrimSpace(text[d.InputOffset():]); len(rest) > 0 {
		return nil, fmt.Errorf("the answer: %.40q stands behind the object", rest)
	}
	return members, nil
}

// An answer is what is left of an object, and what was wrong with the rest.
type answer struct {
	values []member
	faults []string
}

func (a *answer) fail(format string, args ...any) {
	const most = 10
	if len(a.faults) < most {
		a.faults = append(a.faults, fmt.Sprintf(format, args...))
	}
}

// take removes a member and returns its value; nil if it is not there.
func (a *answer) take(name string) json.RawMessage {
	for i, m := range a.values {
		if m.name == name {
			a.values = slices.Delete(a.values, i, i+1)
			return m.value
		}
	}
	return nil
}

// number reads a number; null is NaN, which stands for "not defined".
func (a *answer) number(name string, text json.RawMessage) float64 {
	if text == nil {
		a.fail("no %q", name)
		return math.NaN()
	}
	if string(text) == "null" {
		return math.NaN()
	}
	x, err := strconv.ParseFloat(string(text), 64)
	if c := text[0]; c != '-' && (c < '0' || c > '9') || err != nil {
		a.fail("%q is %.40s, want a number", name, text)
		return math.NaN()
	}
	return x
}

// series reads columns of equal length and returns them row by row.
func (a *answer) series(s *experiment.Series, counted bool) []float64 {
	from := a
	if text := a.take(seriesKey); text != nil {
		members, err := object(text)
		if err != nil {
			a.fail("%q is no object of columns", seriesKey)
			return nil
		}
		from = &answer{values: members}
	}
	rows := -1
	var columns [][]float64
	wanted := append([]experiment.Metric{s.Axis}, s.Columns...)
	if counted {
		wanted, columns = s.Columns, [][]float64{nil}
	}
	for _, m := range wanted {
		var list []json.RawMessage
		text := from.take(m.Name)
		if err := json.Unmarshal(text, &list); err != nil || text == nil || string(text) == "null" {
			a.fail("the series has no column %q, want a list of numbers", m.Name)
			return nil
		}
		column := make([]float64, len(list))
		for i, t := range list {
			column[i] = a.number(fmt.Sprintf("%s[%d]", m.Name, i), t)
		}
		if rows >= 0 && len(column) != rows {
			a.fail("the series has columns of %d and %d numbers", rows, len(column))
			return nil
		}
		rows, columns = len(column), append(columns, column)
	}
	if from != a {
		for _, left := range from.values {
			a.fail("unknown %q in the series", left.name)
		}
	}
	numbers := make([]float64, 0, rows*len(columns))
	for i := range rows {
		for _, c := range columns {
			x := float64(i + 1)
			if c != nil {
				x = c[i]
			}
			numbers = append(numbers, x)
		}
	}
	return numbers
}
