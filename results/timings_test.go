package results

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/testutil"
)

// timingsOf returns timings.parquet as texts, by run.
func timingsOf(dir string) map[string]string {
	b := testutil.Must(os.ReadFile(filepath.Join(dir, timingsFile)))
	f := testutil.Must(parquet.OpenFile(bytes.NewReader(b), int64(len(b))))
	list := map[string]string{}
	for _, g := range f.RowGroups() {
		rows := make([]parquet.Row, g.NumRows())
		r := g.Rows()
		_, _ = r.ReadRows(rows) // io.EOF
		testutil.NoError(r.Close())
		for _, row := range rows {
			list[row[0].String()] = fmt.Sprint(row[1:])
		}
	}
	return list
}

// What runs took and where they were computed survives shards on several hosts,
// their merge, a reopened directory and a log of an earlier version, which knew
// no hosts; and no other file depends on it.
func TestTimings(t *testing.T) {
	dir := t.TempDir()
	spec := parse(tinySpec)
	want := map[string]string{}
	for index := range int64(3) {
		shard := spec.Plan().Shard(index, 3)
		s := testutil.Must(Open(dir, spec, &shard))
		host := []string{"", "b", "c"}[index]
		s.host = host
		for k := range shard.Runs() {
			row := toyRow(spec.Plan(), shard.Run(k))
			row.Seconds = float64(index)
			row.Attempts = index + 1
			row.Result.Usage = experiment.Usage{}
			cpu, memory, started := "<null>", "<null>", "<null>"
			if index > 0 {
				row.Result.Usage = experiment.Usage{Started: time.UnixMilli(1700000000123), CPUSeconds: math.NaN()}
				started = "1700000000123"
			}
			if index > 1 {
				row.Result.Usage.CPUSeconds, row.Result.Usage.PeakMemory = 1.25, 4096
				cpu, memory = "1.25", "4096"
			}
			shown := host
			if host == "" {
				shown = "<null>"
			}
			testutil.NoError(s.Append(row))
			want[row.ID.String()] = fmt.Sprint([]any{row.Status, index + 1, index, cpu, memory, started, shown})
		}
		testutil.NoError(s.Close())
	}
	check := func(when string) {
		t.Helper()
		got := timingsOf(dir)
		for id, text := range want {
			if got[id] != text || len(got) != len(want) {
				t.Errorf("%s: of run %s among %d: %s, want %s among %d", when, id, len(got), got[id], text, len(want))
			}
		}
	}
	for range 2 { // the second finds nothing to do
		s := testutil.Must(Open(dir, spec, nil))
		testutil.NoError(errors.Join(s.Export(t.Context()), s.Close()))
		check("merged")
	}
	took := testutil.Must(Manifests(dir))[0].Exports.Effort
	if got := fmt.Sprint(took); got != "{4 4 2 1.25 1 4096 [b c]}" {
		t.Errorf("together: %s", got)
	}
	log := snapshot(dir)[logFile]
	if n := strings.Count(log, headerStart); n > 4 {
		t.Errorf("%d headers for three hosts", n)
	}
	plain := exported(dir)
	whole := t.TempDir()
	s := testutil.Must(Open(whole, parse(tinySpec), nil))
	appendMissing(s)
	testutil.NoError(errors.Join(s.Export(t.Context()), s.Close()))
	for name, content := range exported(whole) {
		if same := content == plain[name]; same != (name != timingsFile) {
			t.Errorf("%s is the same: %v", name, same)
		}
	}
}

// A log that an earlier version wrote has neither hosts nor usage.
func TestOldLogIsRead(t *testing.T) {
	dir := t.TempDir()
	s := testutil.Must(Open(dir, parse(tinySpec), nil))
	row := toyRow(s.Plan, 0)
	row.Attempts, row.Result.Usage = 1, experiment.Usage{}
	testutil.NoError(errors.Join(s.Append(row), s.Close()))
	header, record, _ := strings.Cut(snapshot(dir)[logFile], "\n")
	content, _ := unseal([]byte(header), lineEnd)
	content = content[:bytes.LastIndex(content, []byte(`,"host":`))]
	old := append(sealLine(content, 0), record...)
	if !strings.Contains(record, fmt.Sprintf(`"seconds":%g,"parameters":{`, row.Seconds)) {
		t.Fatalf("more is said of the run than in an old log: %s", record)
	}
	testutil.NoError(os.WriteFile(filepath.Join(dir, logFile), old, 0o666))
	s = testutil.Must(Open(dir, parse(tinySpec), nil))
	s.host = "new"
	testutil.NoError(errors.Join(s.Append(toyRow(s.Plan, 1)), s.Export(t.Context()), s.Close()))
	for i, host := range []string{"<null>", "new"} {
		id := grid.Identify(s.Plan.Point(int64(i))).String()
		if got := timingsOf(dir)[id]; !strings.HasSuffix(got, " "+host+"]") {
			t.Errorf("run %d: %s, want the host %s", i, got, host)
		}
	}
}
