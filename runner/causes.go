package runner

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"sweep/grid"
	"sweep/internal/bitset"
	"sweep/results"
)

// A Cause is why some runs failed. Its JSON is part of the interface.
type Cause struct {
	Text  string   `json:"cause"` // of the first of them
	Runs  int64    `json:"runs"`
	RunID string   `json:"run_id"`      // of the first
	Cells int64    `json:"cells"`       // that they are in
	Where []string `json:"first_cells"` // at most maxWhere of these

	in bitset.Set
}

const (
	maxCauses = 100 // kept at once; each has a bit for every cell
	maxWhere  = 3
)

// Causes groups failed runs by their causes, up to a number of these.
type Causes struct {
	plan  *grid.Plan
	byKey map[string]*Cause
}

// NewCauses returns no causes of a plan's runs.
func NewCauses(plan *grid.Plan) *Causes {
	return &Causes{plan: plan, byKey: map[string]*Cause{}}
}

// Add adds a run, if it failed.
func (c *Causes) Add(run *results.Row) {
	if run.Status != results.Failed {
		return
	}
	text := causeOf(run.Error)
	key := keyOf(text)
	cause := c.byKey[key]
	if cause == nil && len(c.byKey) == maxCauses {
		return
	}
	if cause == nil {
		cause = &Cause{
			Text:  text,
			RunID: c.plan.ID(run.Index).String(),
			in:    bitset.NewSet(int(c.plan.Cells())),
		}
		c.byKey[key] = cause
	}
	cause.Runs++
	cell := int(run.Index % c.plan.Cells())
	if cause.in.Has(cell) {
		return
	}
	cause.in.Add(cell)
	cause.Cells++
	if len(cause.Where) < maxWhere {
		cause.Where = append(cause.Where, c.plan.DescribeCell(run.Point.Values))
	}
}

// List returns the causes, the most frequent first.
func (c *Causes) List() (list []*Cause) {
	for _, cause := range c.byKey {
		list = append(list, cause)
	}
	slices.SortFunc(list, func(a, b *Cause) int {
		if a.Runs != b.Runs {
			return cmp.Compare(b.Runs, a.Runs)
		}
		return cmp.Compare(a.RunID, b.RunID)
	})
	return list
}

// causeOf returns the line of an error that tells the cause: that of the
// exception in a traceback of Python, and else the first, with the one that a
// program wrote to stderr about it.
func causeOf(message string) string {
	own, written, _ := strings.Cut(message, "\nstderr: ")
	own, _, _ = strings.Cut(own, "\nstdout: ")
	if at := strings.LastIndex(written, "\nstdout: "); at >= 0 {
		written = written[:at]
	}
	for _, part := range []string{own, written} {
		if _, trace, found := strings.Cut(part, "Traceback (most recent call last)"); found {
			return exceptionOf(trace)
		}
	}
	first, _, _ := strings.Cut(own, "\n")
	if strings.HasPrefix(first, "took longer than ") {
		return first // whatever it said before
	}
	said := errorLine.FindString(written)
	if said == "" {
		said = lastLine(written)
	}
	if said == "" {
		return first
	}
	return first + ": " + said
}

// exceptionOf returns the line of a traceback that names the exception.
func exceptionOf(trace string) string {
	names := exception.FindAllString(trace, -1)
	if names == nil {
		return lastLine(trace)
	}
	return names[len(names)-1]
}

// errorLine matches what R, Julia, compilers and many others write first.
var errorLine = regexp.MustCompile(`(?im)^(fatal )?error\b.*$`)

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// keyOf returns what causes have in common that count as one: the name of the
// exception if the text is that of one, and else the exit code and all but the
// numbers, of which run_ids are some.
func keyOf(text string) string {
	if m := exception.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	code := exitCode.FindString(text)
	return code + numbers.ReplaceAllString(text[len(code):], "0")
}

var (
	exception = regexp.MustCompile(
		`(?m)^([A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit))(?:: .*)?$`)
	exitCode = regexp.MustCompile(`^exit status [0-9]+`)
	numbers  = regexp.MustCompile(
		`\b[0-9a-f]{32}\b|0x[0-9a-fA-F]+|[0-9]+(?:[.,][0-9]+)*(?:[eE][-+]?[0-9]+)?`)
)
