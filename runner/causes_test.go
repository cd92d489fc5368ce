package runner_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sweep/experiment"
	"sweep/internal/testutil"
	"sweep/runner"
)

// Failures with the same exception are one cause, whatever it says, and so are
// those that differ in numbers alone.
func TestCauses(t *testing.T) {
	trace := "Traceback (most recent call last):\n  File \"sir.py\", line 3, in model\n"
	texts := []string{
		"exit status 1\nstderr: a warning\n" + trace + "ValueError: beta is 0.5\nstdout: so far",
		trace + "ValueError: gamma is high\nbecause of this\nstderr: loading",
		"exit status 1\nstderr: " + trace + "mine.Diverged: at step 7",
		"exit status 3",
		"exit status 3\nstdout: step 17",
		"exit status 4",
		"exit status 5\nstderr: no file runs/0f10ad480fb1dd9b9ba744678f8a64ec/in",
		"exit status 5\nstderr: no file runs/55a522e328d5d9f9103c5949b20b518c/in",
		"exit status 3\nstderr: loading\nstep 12: diverged at 1.5e-7",
		"exit status 3\nstderr: loading\nstep 3: diverged at 0x7f",
		"exit status 1\nstderr: Loading\nError in f(x) : no 7\nExecution halted",
		"took longer than 2s, its timeout",
		"took longer than 30s, its timeout\nstderr: working",
		"signal: killed",
		`the answer: no "y"`,
		"panic: index 7",
		"panic: index 8",
	}
	e := probe(func(_ context.Context, p experiment.Point, out *experiment.Result) error {
		if x := p.Value("x").Int(); x < 20 {
			return errors.New(texts[p.Seed-1])
		}
		return good(context.Background(), p, out)
	})
	store := newStore(t, e, fmt.Sprintf("seeds = %d\n[grid]\nx = [1, 2, 3, 4, 20]", len(texts)))
	testutil.Must(runner.Sweep(t.Context(), store.Store, runner.Options{Workers: 1}))
	causes := runner.NewCauses(store.Plan)
	for row, err := range store.Runs(false) {
		testutil.NoError(err)
		causes.Add(row)
	}
	var got []string
	for _, c := range causes.List() {
		if c.Cells != 4 || fmt.Sprint(c.Where) != "[x = 1 x = 2 x = 3]" || len(c.RunID) != 32 {
			t.Errorf("%s: in %d cells, first %s, run %q", c.Text, c.Cells, c.Where, c.RunID)
		}
		got = append(got, fmt.Sprint(c.Runs/4, " ", c.Text))
	}
	want := []string{
		"1 exit status 1: Error in f(x) : no 7",
		"1 mine.Diverged: at step 7",
		"1 signal: killed",
		`1 the answer: no "y"`,
		"2 took longer than 2s, its timeout",
		"1 exit status 4",
		"2 ValueError: beta is 0.5",
		"2 exit status 3: step 12: diverged at 1.5e-7",
		"2 exit status 5: no file runs/0f10ad480fb1dd9b9ba744678f8a64ec/in",
		"2 panic: index 7",
		"2 exit status 3",
	}
	if !slices.IsSortedFunc(got, func(a, b string) int { return strings.Compare(b[:1], a[:1]) }) {
		t.Errorf("not by their number: %q", got)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s, want\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// However many causes there are, their number is bounded.
func TestManyCauses(t *testing.T) {
	e := probe(func(_ context.Context, p experiment.Point, _ *experiment.Result) error {
		return errors.New(strings.Repeat("x", int(p.Seed)))
	})
	store := newStore(t, e, "seeds = 150")
	testutil.Must(runner.Sweep(t.Context(), store.Store, runner.Options{Workers: 1}))
	causes := runner.NewCauses(store.Plan)
	for row, err := range store.Runs(false) {
		testutil.NoError(err)
		causes.Add(row)
	}
	if n := len(causes.List()); n != 100 {
		t.Errorf("%d causes, want 100", n)
	}
}

// The slowest cells are those of the highest mean, among those that have runs.
func TestSlowest(t *testing.T) {
	store := newStore(t, probe(good), "seeds = 2\n[grid]\nx = { from = 1, to = 9, step = 1 }")
	testutil.Must(runner.Sweep(t.Context(), store.Store, runner.Options{Workers: 1}))
	slowest := runner.NewSlowest(store.Plan)
	for row, err := range store.Runs(false) {
		testutil.NoError(err)
		x := row.Point.Value("x").Int()
		row.Seconds = float64(x*x%10) + float64(row.Point.Seed) // 1 4 9 6 5 6 9 4 1, and 1.5 in the mean
		if x != 5 {
			slowest.Add(row)
		}
	}
	got := fmt.Sprint(slowest.List(5), len(slowest.List(20)))
	if want := "[{x = 3 2 10.5} {x = 7 2 10.5} {x = 4 2 7.5} {x = 6 2 7.5} {x = 2 2 5.5}] 8"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
