package cli

import (
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"

	"sweep/internal/progress"
	"sweep/results"
	"sweep/runner"
)

// A narrator tells on stderr how a sweep is getting on. Its methods are
// called in their order here, those before end only if the sweep comes
// that far; interrupted may be called at any time, from another goroutine.
type narrator interface {
	found(store *results.Store) // when the directory was opened
	begin()
	observe(e runner.Event)
	end(report runner.Report, err error) error // returns what is left to be said of err
	interrupted(s os.Signal)
}

// newNarrator returns the narrator that the flags ask for.
func newNarrator(stderr io.Writer, j *job) narrator {
	if j.flags.log.value == logText {
		return &teller{w: stderr, job: j}
	}
	return newLogger(stderr, j)
}

// A teller is the narrator for a person.
type teller struct {
	w   io.Writer
	job *job

	mu    sync.Mutex
	meter *progress.Meter // nil before begin
}

func (t *teller) found(store *results.Store) { printFindings(t.w, store) }

// printFindings says what was wrong with the directory when it was opened.
func printFindings(w io.Writer, store *results.Store) {
	for _, warning := range store.Warnings() {
		fmt.Fprintf(w, "warning: %s\n", warning)
	}
	for _, d := range store.Damage() {
		fmt.Fprintf(w, "corrupt: %s\n", d)
	}
}

func (t *teller) begin() {
	j, todo := t.job, t.job.todo()
	if have := j.store.Finished(); have > 0 && !j.flags.quiet {
		fmt.Fprintf(t.w, "%d of %d runs are there already\n", have, j.store.Assigned())
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.meter = progress.Start(t.w, progress.Options{
		Style: progressStyle(t.w, j.flags.quiet || todo == 0),
		Total: todo,
		Color: os.Getenv("NO_COLOR") == "",
	})
}

func progressStyle(stderr io.Writer, quiet bool) progress.Style {
	file, ok := stderr.(*os.File)
	switch {
	case quiet:
		return progress.Silent
	case ok && term.IsTerminal(int(file.Fd())):
		return progress.Bar
	}
	return progress.Lines
}

func (t *teller) observe(e runner.Event) {
	switch e.Kind {
	case runner.RunEnded:
		t.meter.Add(e.Outcome.Fault != "")
	case runner.Extended:
		t.meter.Extend(e.Counts.Executed + e.Counts.Left)
	case runner.Ended:
		t.meter.Stop()
	}
}

// end lists the first failed runs, each with the parameters that set it
// apart, and the stack of the first that panicked. It comes below the
// table, where it is seen.
func (t *teller) end(report runner.Report, err error) error {
	var stack []byte
	for _, f := range report.Failures {
		fmt.Fprintf(t.w, "failed: %s: %s\n", t.job.plan.Describe(f.Row.Point), f.Row.Error)
		if stack == nil {
			stack = f.Stack
		}
	}
	if more := report.Failed - int64(len(report.Failures)); more > 0 {
		fmt.Fprintf(t.w, "failed: %d more, see the column \"error\" in runs.parquet\n", more)
	}
	if stack != nil {
		fmt.Fprintf(t.w, "\nthe first panic's stack:\n%s\n", stack)
	}
	if report.GivenUp > 0 {
		fmt.Fprintf(t.w, "given up: %d, which were under way and did not end in time\n", report.GivenUp)
	}
	return err
}

func (t *teller) interrupted(os.Signal) {
	text := fmt.Sprintf("interrupted: the runs under way have %v to end; a second signal stops at once", &t.job.flags.grace)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.meter != nil {
		t.meter.Note(text)
		return
	}
	fmt.Fprintln(t.w, text)
}
