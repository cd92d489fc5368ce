package results

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/testutil"
)

// A spec may come to ask for other metrics. What was measured before stays in
// the log: it is missing now, and there again when the spec is what it was.
func TestOtherColumns(t *testing.T) {
	older := func(e *experiment.Experiment) { e.Metrics = slices.Clone(e.Metrics) }
	newer := func(e *experiment.Experiment) { e.Metrics[1].From = "another place" }
	dir := t.TempDir()
	shard := testutil.Must(Open(dir, parse(smallSpec, older), new(parse(smallSpec).Plan().Shard(0, 2))))
	for i := range shard.Plan.Runs() {
		if shard.Shard.Has(i) {
			testutil.NoError(shard.Append(toyRow(shard.Plan, i)))
		}
	}
	testutil.NoError(shard.Close())
	run(t, dir, smallSpec, older)
	_, want := read(dir, true)
	before := snapshot(dir)

	spec := parse(smallSpec, newer)
	if _, err := Open(dir, spec, nil); !HasOtherColumns(err) || !maps.Equal(before, snapshot(dir)) {
		t.Errorf("got %v, want a refusal that changes nothing", err)
	}
	if _, err := OpenReaderFor(spec, dir); !HasOtherColumns(err) {
		t.Errorf("got %v, want a refusal", err)
	}
	r := testutil.Must(OpenOtherReader(spec, dir))
	if r.OK()+r.Failed() != 0 {
		t.Errorf("%d runs are there that have measured something else", r.OK()+r.Failed())
	}

	// All runs are there with other numbers, which is no conflict.
	s := testutil.Must(OpenOther(dir, spec))
	for i := range s.Plan.Runs() {
		row := toyRow(s.Plan, i)
		if row.Status == OK {
			row.Result.Metrics[1]++
		}
		testutil.NoError(s.Append(row))
	}
	testutil.NoError(errors.Join(s.Export(t.Context()), s.Close()))
	again := testutil.Must(Open(dir, spec, nil)) // it is of the new kind now
	if again.Missing() != 0 || len(again.Damage) != 0 {
		t.Errorf("%d runs are missing, damage %v", again.Missing(), again.Damage)
	}
	testutil.NoError(again.Close())
	reader := testutil.Must(OpenReader(dir, []*experiment.Experiment{spec.Experiment}))
	for i := range reader.Plan.Runs() {
		row := testutil.Must(reader.Run(i))
		if row.Status == OK && row.Result.Metrics[1] != toyRow(reader.Plan, i).Result.Metrics[1]+1 {
			t.Fatalf("run %d has measured %v", i, row.Result.Metrics)
		}
	}
	// With its old spec, as after a power cut before the new one was written, the
	// directory has its old runs.
	if _, got := read(dir, true); !slices.Equal(got, want) {
		t.Errorf("with the old spec there are %d runs, want %d", len(got), len(want))
	}
	// A shard of the old kind goes on with what the whole has.
	other := testutil.Must(Open(dir, spec, new(spec.Plan().Shard(0, 2))))
	if other.Missing() != 0 {
		t.Errorf("%d runs are missing in the shard", other.Missing())
	}
	testutil.NoError(other.Close())

	if _, err := Open(dir, parse(smallSpec, older), nil); !HasOtherColumns(err) {
		t.Errorf("got %v, want a refusal", err)
	}
	back := testutil.Must(OpenOther(dir, parse(smallSpec, older)))
	testutil.NoError(errors.Join(back.Export(t.Context()), back.Close()))
	if _, got := read(dir, true); !slices.Equal(got, want) {
		t.Errorf("what was measured first is not there any longer: %d runs, want %d", len(got), len(want))
	}
}

// Shards alone decide as long as there is nothing else.
func TestShardsOfOtherColumns(t *testing.T) {
	dir := t.TempDir()
	fill := func(index int64, spec *grid.Spec) {
		s := testutil.Must(Open(dir, spec, new(spec.Plan().Shard(index, 2))))
		for i := range s.Plan.Runs() {
			if s.Shard.Has(i) {
				testutil.NoError(s.Append(toyRow(s.Plan, i)))
			}
		}
		testutil.NoError(s.Close())
	}
	old := parse(smallSpec)
	newer := parse(smallSpec, func(e *experiment.Experiment) { e.Series[2].Name = "speed" })
	fill(0, old)
	fill(1, newer)
	for _, spec := range []*grid.Spec{old, newer} {
		if _, err := Open(dir, spec, nil); !HasOtherColumns(err) {
			t.Errorf("got %v, want a refusal", err)
		}
	}
	if _, err := Open(dir, newer, new(newer.Plan().Shard(0, 2))); !HasOtherColumns(err) {
		t.Errorf("got %v, want a refusal", err)
	}
	s := testutil.Must(OpenOther(dir, newer))
	if half := s.Plan.Runs() / 2; s.Missing() != half {
		t.Errorf("%d runs are missing, want the %d of the other shard", s.Missing(), half)
	}
	testutil.NoError(s.Close())
}

// A result that no record can hold is found before it is to be written.
func TestCheckSize(t *testing.T) {
	testutil.NeedsThorough(t, "it formats millions of numbers")
	plan := parse(smallSpec).Plan()
	row := toyRow(plan, 0)
	row.Status = OK
	row.Result.Metrics = []float64{1, 2, 3}
	for _, c := range []struct {
		number float64
		fits   bool
	}{{0, true}, {-1.234567890123456e-300, false}} {
		row.Result.Series = slices.Repeat([]float64{1, 2, c.number}, 2_400_000)
		err := row.CheckSize()
		line := appendRecord(nil, grid.ID{}, row, row.Hash())
		if (err == nil) != c.fits || (len(line) <= maxRecord) != c.fits {
			t.Errorf("%d bytes: error %v", len(line), err)
		}
	}
}

// Of a sample runs.parquet tells where each run stands in the design.
func TestDesignColumns(t *testing.T) {
	spec := parse("experiment = 'toy'\nseeds = 2\n[sample]\ndesign = 'saltelli'\npoints = 2\n[[grid]]\nalgorithm = 'WL'\nbeta = { from = 0.1, to = 0.5 }\n[[grid]]\nalgorithm = 'RL'")
	plan := spec.Plan()
	dir := t.TempDir()
	s := testutil.Must(Open(dir, spec, nil))
	for i := range plan.Runs() {
		testutil.NoError(s.Append(&Row{Index: i, ID: plan.ID(i), Point: plan.Point(i), Status: Failed, Error: "no luck"}))
	}
	testutil.NoError(errors.Join(s.Export(t.Context()), s.Close()))
	columns, rows, _ := decode(filepath.Join(dir, runsFile))
	if got := columns[len(columns)-3:]; !slices.Equal(got, []string{"design_row", "design_block", "design_point"}) {
		t.Errorf("the last columns are %v", got)
	}
	// With one range AB is B: the cells are A and B of two blocks, and that of RL.
	want := [][]any{{int64(0), int64(0), "A"}, {int64(1), int64(0), "B"}, {int64(3), int64(1), "A"}, {int64(4), int64(1), "B"}, {nil, nil, nil}}
	for i, row := range rows {
		got := []any{row["design_row"], row["design_block"], row["design_point"]}
		if !slices.Equal(got, want[i%len(want)]) {
			t.Errorf("row %d stands at %v, want %v", i, got, want[i%len(want)])
		}
	}
	if int64(len(rows)) != plan.Runs() || len(rows) != 10 {
		t.Errorf("%d rows", len(rows))
	}
}
