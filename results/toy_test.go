package results

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/testutil"
)

// toy returns an experiment that has every kind of parameter and metric.
func toy() *experiment.Experiment {
	return &experiment.Experiment{
		Name: "toy", Version: 3, Title: "toy", Source: "none",
		Params: []experiment.Param{
			{Name: "algorithm", Kind: experiment.String, Default: experiment.StringValue("RL"), Choices: []string{"RL", "WL", `a "b" \`},
				Meaning: "who runs", Source: "none"},
			{Name: "beta", Symbol: "β", Kind: experiment.Float, Default: experiment.FloatValue(0.3), Max: 1, UsedBy: []string{"WL"},
				Meaning: "weight", Source: "none"},
			{Name: "k", Kind: experiment.Int, Default: experiment.IntValue(50), Max: 1e6, Meaning: "size", Source: "none"},
			{Name: "rewired", Kind: experiment.Bool, Default: experiment.BoolValue(false), Meaning: "permuted links", Source: "none"},
		},
		Metrics: []experiment.Metric{
			{Name: "downloaded", Kind: experiment.Int, Unit: "pages", Meaning: "pages read"},
			{Name: "efficiency", Kind: experiment.Float, Meaning: "sent per page"},
			{Name: "age_hours", Kind: experiment.Float, Unit: "h", Meaning: "age when found"},
		},
		Series: []experiment.Metric{
			{Name: "hours", Kind: experiment.Float, Unit: "h", Meaning: "end of the window"},
			{Name: "foragers", Kind: experiment.Int, Meaning: "alive"}, {Name: "rate", Kind: experiment.Float, Meaning: "rate"},
		},
		Run: func(context.Context, experiment.Point, *experiment.Result) error { return nil },
	}
}

const smallSpec = `
experiment = "toy"
seeds = "1..20"
[grid]
algorithm = ["RL", "WL"]
beta = [0.1, 0.3]
k = [10, 20]
`

// parse parses a spec of toy, or of what changes make of it.
func parse(text string, changes ...func(e *experiment.Experiment)) *grid.Spec {
	e := toy()
	for _, change := range changes {
		change(e)
	}
	return testutil.Must(grid.Parse("toys.toml", []byte(text), []*experiment.Experiment{e}))
}

// toyRow returns what run i of a plan of toy yields: a pure function of the
// point, with nulls, failures and series of several lengths among it.
func toyRow(plan *grid.Plan, i int64) *Row {
	point := plan.Point(i)
	r := &Row{Index: i, ID: grid.Identify(point), Point: point, Status: OK, Attempts: 1}
	r.Seconds = float64(r.ID[3]%7) / 100
	if r.ID[4]%2 == 0 { // a program computed it
		r.Attempts += int64(r.ID[5] % 2)
		r.Result.Usage = experiment.Usage{
			Started:    time.UnixMilli(1.7e12 + int64(r.ID[3])).UTC(),
			CPUSeconds: []float64{0.25, 0, math.NaN()}[r.ID[6]%3],
			PeakMemory: int64(r.ID[7]%3) << 40,
		}
	}
	rng := rand.New(rand.NewPCG(uint64(r.ID[0])<<8|uint64(r.ID[1]), uint64(r.ID[2])))
	if rng.IntN(8) == 0 {
		r.Status, r.Error = Failed, fmt.Sprintf("seed %d: \"no luck\"\n", point.Seed)
		return r
	}
	age := 1.7 + rng.Float64()
	if rng.IntN(5) == 0 {
		age = math.NaN()
	}
	r.Result.Metrics = []float64{math.Round(540000 + 9000*rng.NormFloat64()), 0.0045 + 0.0001*rng.NormFloat64(), age}
	for w := range rng.IntN(4) {
		rate := rng.ExpFloat64() * 1e-9
		if rng.IntN(4) == 0 {
			rate = math.NaN()
		}
		r.Result.Series = append(r.Result.Series, float64(3*w+3), float64(rng.IntN(16)), rate)
	}
	return r
}

func describeRow(r *Row) string {
	return fmt.Sprint(r.Index, r.ID, r.Point.Values, r.Point.Seed, r.Status, r.Error, r.Seconds, r.Attempts, r.Result)
}

// shuffled returns the numbers below n in disorder.
func shuffled(n int64) (list []int64) {
	for _, i := range rand.New(rand.NewPCG(9, 10)).Perm(int(n)) {
		list = append(list, int64(i))
	}
	return list
}

// appendMissing appends the runs that a store lacks, and commits now and
// then.
func appendMissing(s *Store) {
	for i := range s.Plan.Runs() {
		if !s.Done(i) {
			testutil.NoError(s.Append(toyRow(s.Plan, i)))
		}
		if i%37 == 0 {
			testutil.NoError(s.Commit())
		}
	}
}

// run runs what a directory lacks.
func run(t testing.TB, dir, text string, changes ...func(e *experiment.Experiment)) {
	t.Helper()
	s := testutil.Must(Open(dir, parse(text, changes...), nil))
	appendMissing(s)
	testutil.NoError(errors.Join(s.Export(t.Context()), s.Close()))
}

// read opens a directory and returns what its reader yields.
func read(dir string, whole bool) (*Reader, []string) {
	r := testutil.Must(OpenReader(dir, []*experiment.Experiment{toy()}))
	var rows []string
	for row, err := range r.Runs(whole) {
		testutil.NoError(err)
		rows = append(rows, describeRow(row))
	}
	return r, rows
}

// exported returns the content of the exported files.
func exported(dir string) map[string]string {
	files := snapshot(dir)
	maps.DeleteFunc(files, func(name, _ string) bool { return !slices.Contains(exportFiles, name) })
	return files
}

// snapshot returns the content of all files below a directory.
func snapshot(dir string) map[string]string {
	content := map[string]string{}
	testutil.NoError(filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var b []byte
			b, err = os.ReadFile(path)
			name, _ := filepath.Rel(dir, path)
			content[name] = string(b)
		}
		return err
	}))
	return content
}
