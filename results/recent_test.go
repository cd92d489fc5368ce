package results

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"sweep/experiment"
	"sweep/internal/testutil"
)

// What is exported of runs that were just appended is what is read from the
// log, and only what a record does not tell is not kept.
func TestRecentRunsAreThoseOfTheLog(t *testing.T) {
	dir := t.TempDir()
	spec := parse(tinySpec)
	s := testutil.Must(Open(dir, spec, nil))
	for i := range s.Plan.Runs() {
		row := toyRow(s.Plan, i)
		row.Seconds = 1.23456789 * float64(i+1)
		if row.Status == OK && i%2 == 0 {
			row.Result = experiment.Result{Metrics: row.Result.Metrics}
			row.Result.Metrics[0] = math.Copysign(0, -1)
		}
		testutil.NoError(s.Append(row))
	}
	testutil.NoError(s.Export(t.Context()))
	kept := describeAll(s.Reader)
	first := exported(dir)
	if len(s.recent.chunks) == 0 {
		t.Error("nothing was kept")
	}
	s.recent = nil
	s.current = false
	testutil.NoError(s.Export(t.Context()))
	if read := describeAll(s.Reader); read != kept {
		t.Errorf("kept:\n%s\nread:\n%s", kept, read)
	}
	testutil.NoError(errors.Join(s.Close()))
	for name, content := range exported(dir) {
		if content != first[name] {
			t.Errorf("%s is another", name)
		}
	}
}

// describeAll returns all runs with all that is known of them.
func describeAll(r *Reader) (text string) {
	for row, err := range r.Runs(true) {
		testutil.NoError(err)
		result := row.Result
		result.Series = nil
		text += fmt.Sprintf("%d %v %v %s %q %+v %v %d %s\n", row.Index, row.ID, row.Point.Seed,
			row.Status, row.Error, result, row.Seconds, row.Attempts, row.Host)
	}
	return text
}
