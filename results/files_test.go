package results

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sweep/experiment"
)

// decoded is a Parquet file as another program sees it.
type decoded struct {
	columns  []string
	rows     []map[string]any // nil for null
	metadata map[string]string
	groups   []int64 // rows in each row group
	created  string
}

func decode(t *testing.T, path string) decoded {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	info, err := f.Stat()
	must(t, err)
	p, err := parquet.OpenFile(f, info.Size())
	must(t, err)
	d := decoded{metadata: map[string]string{}, created: p.Metadata().CreatedBy}
	for _, field := range p.Schema().Fields() {
		d.columns = append(d.columns, field.Name())
	}
	for _, kv := range p.Metadata().KeyValueMetadata {
		d.metadata[kv.Key] = kv.Value
	}
	for _, g := range p.RowGroups() {
		d.groups = append(d.groups, g.NumRows())
		rows := make([]parquet.Row, g.NumRows())
		reader := g.Rows()
		n, _ := reader.ReadRows(rows)
		for _, row := range rows[:n] {
			m := map[string]any{}
			for i, v := range row {
				m[d.columns[i]] = plainValue(v)
			}
			d.rows = append(d.rows, m)
		}
		must(t, reader.Close())
	}
	return d
}

func plainValue(v parquet.Value) any {
	switch {
	case v.IsNull():
		return nil
	case v.Kind() == parquet.Boolean:
		return v.Boolean()
	case v.Kind() == parquet.Int32:
		return v.Int32()
	case v.Kind() == parquet.Int64:
		return v.Int64()
	case v.Kind() == parquet.Double:
		return v.Double()
	}
	return string(v.ByteArray())
}

// TestFiles reads the three files of a small sweep worked out by hand.
func TestFiles(t *testing.T) {
	p := newFakePlan(toy(), toyCells(0), 0, 7, 9)
	ok := func(i int64, series []float64, metrics ...float64) *Row {
		return &Row{Index: i, ID: [16]byte{0xab, byte(i)}, Point: p.point(i), Status: OK,
			Result: experiment.Result{Metrics: metrics, Series: series}}
	}
	dir := t.TempDir()
	s := mustOpen(t, dir, p)
	mustAppend(t, s,
		ok(0, []float64{3, 0, 0, 6, 1, math.NaN()}, 0, 0, math.NaN()),
		ok(2, nil, 4, 1, 2.5),
		&Row{Index: 1, ID: [16]byte{0xab, 1}, Point: p.point(1), Status: Failed, Error: "no luck"},
		ok(4, nil, 5, math.Copysign(0, -1), 1.5),
		ok(3, []float64{3, 16, 0.5}, 7, 8, 9),
	)
	must(t, s.Finish())

	runs := decode(t, filepath.Join(dir, runsFile))
	wantColumns(t, runs, "run_id", "experiment", "algorithm", "beta", "k", "rewired",
		"seed", "status", "error", "downloaded", "efficiency", "age_hours")
	wantRows(t, runs, [][]any{
		{"ab000000000000000000000000000000", "toy", "RL", nil, int64(0), false, int64(0), "ok", nil, int64(0), 0.0, nil},
		{"ab010000000000000000000000000000", "toy", "WL", 0.3, int64(0), false, int64(0), "failed", "no luck", nil, nil, nil},
		{"ab020000000000000000000000000000", "toy", "RL", nil, int64(0), false, int64(7), "ok", nil, int64(4), 1.0, 2.5},
		{"ab030000000000000000000000000000", "toy", "WL", 0.3, int64(0), false, int64(7), "ok", nil, int64(7), 8.0, 9.0},
		{"ab040000000000000000000000000000", "toy", "RL", nil, int64(0), false, int64(9), "ok", nil, int64(5), 0.0, 1.5},
	})
	if x := runs.rows[4]["efficiency"].(float64); math.Signbit(x) {
		t.Error("runs.parquet holds a negative zero")
	}

	series := decode(t, filepath.Join(dir, seriesFile))
	wantColumns(t, series, "run_id", "window", "hours", "foragers", "rate")
	wantRows(t, series, [][]any{
		{"ab000000000000000000000000000000", int32(0), 3.0, int64(0), 0.0},
		{"ab000000000000000000000000000000", int32(1), 6.0, int64(1), nil},
		{"ab030000000000000000000000000000", int32(0), 3.0, int64(16), 0.5},
	})

	// Of RL: downloaded 0, 4, 5 has mean 3, deviations −3, 1, 2, variance
	// 14/2 and t(2) = 4.30265272975.
	std := math.Sqrt(7)
	sem := std / math.Sqrt(3)
	margin := 4.30265272975 * sem
	summary := decode(t, filepath.Join(dir, summaryFile))
	wantColumns(t, summary, "algorithm", "beta", "k", "rewired", "metric", "unit",
		"n", "mean", "std", "sem", "ci_low", "ci_high", "min", "median", "max", "n_failed")
	std3 := math.Sqrt(1.0 / 3)
	sem3 := std3 / math.Sqrt(3)
	margin3 := 4.30265272975 * sem3
	wantRows(t, summary, [][]any{
		{"RL", nil, int64(0), false, "downloaded", "pages", int64(3), 3.0, std, sem, 3 - margin, 3 + margin, 0.0, 4.0, 5.0, int64(0)},
		{"WL", 0.3, int64(0), false, "downloaded", "pages", int64(1), 7.0, nil, nil, nil, nil, 7.0, 7.0, 7.0, int64(1)},
		{"RL", nil, int64(0), false, "efficiency", "", int64(3), 1.0 / 3, std3, sem3, 1.0/3 - margin3, 1.0/3 + margin3, 0.0, 0.0, 1.0, int64(0)},
		{"WL", 0.3, int64(0), false, "efficiency", "", int64(1), 8.0, nil, nil, nil, nil, 8.0, 8.0, 8.0, int64(1)},
		{"RL", nil, int64(0), false, "age_hours", "h", int64(2), 2.0, math.Sqrt(0.5), 0.5, 2 - 0.5*12.7062047362, 2 + 0.5*12.7062047362, 1.5, 2.0, 2.5, int64(0)},
		{"WL", 0.3, int64(0), false, "age_hours", "h", int64(1), 9.0, nil, nil, nil, nil, 9.0, 9.0, 9.0, int64(1)},
	})

	for _, d := range []decoded{runs, series, summary} {
		if d.created != "sweep version 1" {
			t.Errorf("created by %q", d.created)
		}
		for key, want := range map[string]string{
			"sweep.format": format, "sweep.spec": "toyspec", "sweep.experiment": "toy", "sweep.model_version": "3",
		} {
			if d.metadata[key] != want {
				t.Errorf("metadata %s: got %q, want %q", key, d.metadata[key], want)
			}
		}
		var columns []struct{ Name, Role, Kind, Unit, Meaning string }
		must(t, json.Unmarshal([]byte(d.metadata["sweep.columns"]), &columns))
		for i, c := range columns {
			if c.Name != d.columns[i] || c.Role == "" || c.Kind == "" || c.Meaning == "" {
				t.Errorf("described column %d is %+v, want one of %s with role, kind and meaning", i, c, d.columns[i])
			}
		}
	}
}

func wantColumns(t *testing.T, d decoded, want ...string) {
	t.Helper()
	if !slices.Equal(d.columns, want) {
		t.Errorf("columns:\ngot  %q\nwant %q", d.columns, want)
	}
}

// wantRows compares rows exactly, but for numbers in their last digits.
func wantRows(t *testing.T, d decoded, want [][]any) {
	t.Helper()
	if len(d.rows) != len(want) {
		t.Fatalf("%s: got %d rows, want %d", d.metadata[keyTable], len(d.rows), len(want))
	}
	for i, row := range want {
		for k, w := range row {
			got := d.rows[i][d.columns[k]]
			x, isFloat := got.(float64)
			y, alsoFloat := w.(float64)
			if isFloat && alsoFloat && math.Abs(x-y) <= 1e-9*math.Abs(y) {
				continue
			}
			if got != w {
				t.Errorf("%s row %d, %s: got %v, want %v", d.metadata[keyTable], i, d.columns[k], got, w)
			}
		}
	}
}

func TestRowGroupsAreBounded(t *testing.T) {
	p := newLinePlan(runGroupRows/4+1, 5)
	s, err := Open(t.TempDir(), toySpec(p.experiment), p)
	must(t, err)
	row := Row{Status: OK, Point: experiment.Point{Experiment: p.experiment, Values: make([]experiment.Value, 1)},
		Result: experiment.Result{Metrics: []float64{1}}}
	for i := range p.Runs() {
		row.Index, row.Point.Seed, row.Point.Values[0] = i, i/p.cells, experiment.IntValue(i%p.cells)
		must(t, s.Append(&row))
	}
	must(t, s.Finish())
	d := decode(t, filepath.Join(s.Dir(), runsFile))
	if want := []int64{runGroupRows, p.Runs() - runGroupRows}; !slices.Equal(d.groups, want) {
		t.Errorf("row groups of %v rows, want %v", d.groups, want)
	}
}

// TestEngineColumnsAreReserved: a declaration may not use the name of a
// column that the engine writes, for one of the two would be lost.
func TestEngineColumnsAreReserved(t *testing.T) {
	e := toy()
	must(t, e.Validate())
	l := newLayouts(e, "x")
	for _, l := range []*layout{l.runs, l.series, l.summary} {
		for _, c := range l.columns {
			if c.Role != "engine" && c.Role != "statistic" || l.table == "series" {
				continue
			}
			taken := toy()
			taken.Params[2].Name = c.Name
			if taken.Validate() == nil {
				t.Errorf("%s: a parameter may be called %s like the engine's column", l.table, c.Name)
			}
		}
	}
}

// TestMisfits holds Append to its contract.
func TestMisfits(t *testing.T) {
	p := newFakePlan(toy(), toyCells(1), 1)
	s := mustOpen(t, t.TempDir(), p)
	good := []float64{1, 2.5, math.NaN()}
	noSeries := toy()
	noSeries.Series = experiment.Series{}
	for _, test := range []struct {
		name       string
		experiment *experiment.Experiment
		result     experiment.Result
		want       string // empty if it fits
	}{
		{"good", toy(), experiment.Result{Metrics: good, Series: []float64{3, 1, 0.5}}, ""},
		{"undefined integers", toy(), experiment.Result{Metrics: []float64{math.NaN(), 1, 1}, Series: []float64{3, math.NaN(), 0.5}}, ""},
		{"few metrics", toy(), experiment.Result{Metrics: good[1:]}, "2 metrics, not the 3 that are declared"},
		{"half an integer", toy(), experiment.Result{Metrics: []float64{0.5, 1, 1}}, "metric downloaded is 0.5"},
		{"huge integer", toy(), experiment.Result{Metrics: []float64{1 << 53, 1, 1}}, "metric downloaded is 9.007199254740992e+15"},
		{"infinite integer", toy(), experiment.Result{Metrics: []float64{math.Inf(1), 1, 1}}, "metric downloaded is +Inf"},
		{"ragged series", toy(), experiment.Result{Metrics: good, Series: make([]float64, 4)}, "a series of 4 numbers"},
		{"half a forager", toy(), experiment.Result{Metrics: good, Series: []float64{3, 1, 1, 6, 1.5, 1}}, "foragers of the series is 1.5"},
		{"no series", noSeries, experiment.Result{Metrics: good, Series: make([]float64, 3)}, "where none is declared"},
	} {
		err := misfit(test.experiment, &test.result)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: misfit() = %v, want an error with %q", test.name, err, test.want)
		}
	}
	for name, r := range map[string]*Row{
		"status": {Point: p.point(0), Result: experiment.Result{Metrics: good}},
		"values": {Status: OK, Result: experiment.Result{Metrics: good}},
		"result": {Point: p.point(0), Status: OK},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: Append accepted a misfit", name)
				}
			}()
			s.Append(r)
		}()
	}
}

// FuzzRoundTrip appends one run that succeeds and one that fails, and reads
// them back.
func FuzzRoundTrip(f *testing.F) {
	f.Add("no luck", 1.0, 0.5, math.NaN(), 3.0, int64(7))
	f.Add("", 0.0, math.Inf(-1), math.Copysign(0, -1), math.MaxFloat64, int64(0))
	f.Add("bad\xff\x00utf", -4503599627370495.0, 5e-324, 1e300, -1.0, int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, message string, a, b, c, d float64, seed int64) {
		p := newFakePlan(toy(), toyCells(1), seed)
		r := Row{Index: 0, Point: p.point(0), Status: OK,
			Result: experiment.Result{Metrics: []float64{a, b, c}, Series: []float64{d, a, c}}}
		if misfit(p.experiment, &r.Result) != nil {
			t.Skip("a result that its declaration does not allow, which Append refuses")
		}
		dir := t.TempDir()
		s := mustOpen(t, dir, p)
		mustAppend(t, s, &r, &Row{Index: 1, Point: p.point(1), Status: Failed, Error: message})
		must(t, s.Close())
		s = mustOpen(t, dir, p)
		if !s.Done(0) || s.Done(1) || s.Failed() != 1 {
			t.Errorf("Done %v and %v, Failed %d", s.Done(0), s.Done(1), s.Failed())
		}
		must(t, s.Finish())
		must(t, s.Close())
		integer := func(x float64) any {
			if math.IsNaN(x) {
				return nil
			}
			return int64(x)
		}
		float := func(x float64) any {
			if math.IsNaN(x) {
				return nil
			}
			return x
		}
		id := strings.Repeat("0", 32)
		wantRows(t, decode(t, filepath.Join(dir, runsFile)), [][]any{
			{id, "toy", "RL", nil, int64(1), false, seed, "ok", nil, integer(a), float(b), float(c)},
			{id, "toy", "WL", 0.3, int64(1), false, seed, "failed", strings.ToValidUTF8(message, "\uFFFD"), nil, nil, nil},
		})
		wantRows(t, decode(t, filepath.Join(dir, seriesFile)), [][]any{{id, int32(0), float(d), integer(a), float(c)}})
	})
}
