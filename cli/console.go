package cli

import (
	"fmt"
	"io"
	"strings"

	"sweep/grid"
	"sweep/results"
	"sweep/runner"
)

// addConsole adds the sink that tells a person.
func (j *job) addConsole(w io.Writer) {
	m := newMeter(w, j.quiet)
	j.addSink(func(e runner.Event) {
		switch e.Kind {
		case opened:
			printFindings(w, j.store)
			if j.url != "" {
				say(w, "watch it at %s", j.url)
			}
		case runner.Started:
			if e.OK > 0 && !j.quiet && j.Shared == nil {
				say(w, "%d of %d runs are there already", e.OK, e.Assigned)
			}
		case runner.RunEnded, runner.Committed:
			m.show(j.state)
		case runner.Ended:
			m.end(j.state)
		case signalled:
			m.note(fmt.Sprintf("interrupted: the runs under way have %v to end; "+
				"a second signal stops at once", j.Grace))
		case unanswered:
			m.note(j.dir + " does not answer: giving up, " +
				"the same command goes on from what is there")
		case over:
			printFailures(w, j.spec.Plan(), j.report)
		}
	})
}

// printFindings says what was wrong with a directory when it was opened.
func printFindings(w io.Writer, store *results.Store) {
	sayEach(w, "warning", store.Warnings)
	sayEach(w, "corrupt", store.Damage)
}

// printFailures lists the first failed runs, each with the parameters that set
// it apart, and the stack of the first that panicked. It comes last, where it
// is seen.
func printFailures(w io.Writer, plan *grid.Plan, report runner.Report) {
	var stack []byte
	for i, f := range report.Failures {
		text := fmt.Sprintf("failed: %s: %s", plan.Describe(f.Row.Point), f.Row.Error)
		if i > 0 {
			text, _, _ = strings.Cut(text, "\n") // what a program printed is shown once
		}
		for _, line := range shownLines(text) {
			say(w, "%s", line)
		}
		if stack == nil {
			stack = f.Stack
		}
	}
	if more := report.Failed - int64(len(report.Failures)); more > 0 {
		say(w, "failed: %d more, see \"error\" in runs.jsonl", more)
	}
	if stack != nil {
		fmt.Fprintf(w, "\nthe first panic's stack:\n%s\n", stack)
	}
	if report.GivenUp > 0 {
		say(w, "given up: %d, which were under way and did not end in time", report.GivenUp)
	}
}

// What is shown of a failed run: a program may have printed thousands of short
// lines.
const (
	firstLines = 10
	lastLines  = 30 // where most programs say what went wrong
)

// shownLines returns the lines of a text; of a long one, the first and the
// last.
func shownLines(text string) []string {
	lines := strings.Split(text, "\n")
	left := len(lines) - firstLines - lastLines
	if left <= 1 {
		return lines
	}
	note := fmt.Sprintf("… %d more lines, see \"error\" in runs.jsonl …", left)
	shown := append(lines[:firstLines:firstLines], note)
	return append(shown, lines[len(lines)-lastLines:]...)
}
