package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/disk"
	"sweep/internal/testutil"
)

const tinySpec = "experiment = 'toy'\nseeds = 2\n[grid]\nalgorithm = ['RL', 'WL']\nk = 10"

// complete appends the runs of a spec that a disk lacks, and returns what
// damage its writer tells.
func complete(spec *grid.Spec, d *simDisk) []*DataError {
	s := testutil.Must(openStore(d.top(), spec, nil))
	appendMissing(s)
	testutil.NoError(s.Close())
	return s.Damage
}

// logged returns a spec, and a disk with a log of all its runs.
func logged() (spec *grid.Spec, d *simDisk, log []byte) {
	spec, d = parse(tinySpec), newSimDisk()
	complete(spec, d)
	return spec, d, d.names[logFile].content
}

// rowsOn returns the rows that a reader finds, by ID, if the log becomes then
// what it is to be. After an error these are the rows before.
func rowsOn(d *simDisk, then ...byte) (map[string]string, error) {
	r, err := readerOf(d.top(), []*experiment.Experiment{toy()})
	if err != nil {
		return nil, err
	}
	if then != nil {
		d.names[logFile].content = then
	}
	rows := map[string]string{}
	for row, rowErr := range r.Runs(true) {
		if err = rowErr; err == nil {
			rows[row.ID.String()] = describeRow(row)
		}
	}
	return rows, err
}

// withLog returns a copy of a disk with another log.
func withLog(d *simDisk, content []byte) *simDisk {
	c := d.after(outages(nil)[3])
	c.names[logFile].content = content
	return c
}

// checkDamage reads a log of the runs of a spec in disorder: so many of them
// may be lost, and none is taken for what it is not. If write is set, the next
// writer says so once, if it is to, computes what is lost, and has the same
// rows.
func checkDamage(t *testing.T, what string, spec *grid.Spec, d *simDisk, content []byte, lost int, write, told bool) {
	t.Helper()
	want := testutil.Must(rowsOn(d))
	damaged := withLog(d, content)
	got := testutil.Must(rowsOn(damaged))
	late := got // by a reader that was there before the damage
	if write {
		late, _ = rowsOn(withLog(d, d.names[logFile].content), content...)
	}
	for _, rows := range []map[string]string{late, got} {
		for id, row := range rows {
			if row != want[id] {
				t.Fatalf("%s: got row %s, want %s", what, row, want[id])
			}
		}
	}
	if len(got) < len(want)-lost {
		t.Fatalf("%s: %d of %d runs are left", what, len(got), len(want))
	}
	for range 2 {
		if !write {
			return
		}
		if damage := complete(spec, damaged); (len(damage) > 0) != told {
			t.Fatalf("%s: damage %v, want some: %v", what, damage, told)
		}
		if got = testutil.Must(rowsOn(damaged)); !maps.Equal(got, want) {
			t.Fatalf("%s: after the next writer the rows are\n%v\nwant\n%v", what, got, want)
		}
		told = false
	}
}

// Of a log in which any one bit is flipped, at most the run of one record is
// lost. Without -thorough every 29th bit is, which are all bits of some bytes.
func TestAnyFlippedBit(t *testing.T) {
	spec, d, intact := logged()
	header := bytes.IndexByte(intact, '\n')
	step := testutil.IfThorough(1, 29)
	for bit := 0; bit < 8*len(intact); bit += step {
		if bit/8 < header && bit%17 > 0 {
			continue // of a long text
		}
		content := slices.Clone(intact)
		content[bit/8] ^= 1 << (bit % 8)
		write := bit%23 == 0 || bit/8 >= len(intact)-2
		checkDamage(t, fmt.Sprintf("bit %d of byte %d", bit%8, bit/8), spec, d, content, 1, write, true)
	}
}

// A log that is cut off anywhere has the records before, and goes on there
// without a word. Without -thorough it is cut off at every 25th byte, and
// beside the end of each line.
func TestTornAnywhere(t *testing.T) {
	spec, d, intact := logged()
	lines := bytes.Count(intact, []byte("\n"))
	for length := range intact {
		beside := bytes.IndexByte(intact[max(0, length-2):min(length+2, len(intact))], '\n') >= 0
		if length%25 > 0 && !beside && !testutil.Thorough() {
			continue
		}
		what, torn := fmt.Sprintf("cut off after %d bytes", length), intact[:length:length]
		whole := max(1, bytes.Count(torn, []byte("\n"))) // and the header
		checkDamage(t, what, spec, d, torn, lines-whole, true, false)
	}
}

// Damage is told once, wherever it is and how often it comes: before and behind
// the headers of a spec that was extended.
func TestDamageIsToldOnce(t *testing.T) {
	_, d, _ := logged()
	spec := parse(strings.Replace(tinySpec, "k = 10", "k = [10, 20]", 1))
	open := func(told int) {
		t.Helper()
		for _, want := range []int{told, 0} {
			if damage := complete(spec, d); len(damage) != want {
				t.Errorf("damage %v, want %d", damage, want)
			}
		}
	}
	open(0)
	for range 3 {
		for _, at := range []string{`"metrics":{`, `"columns":[`} {
			content := slices.Clone(d.names[logFile].content)
			content[bytes.LastIndex(content, []byte(at))] ^= 1
			content[bytes.Index(content, []byte(at))] ^= 1
			d = withLog(d, content)
			open(1)
		}
	}
}

// The log is what people and other programs read: JSON, with the numbers as
// they are.
func TestRecordsAreJSON(t *testing.T) {
	spec, _, log := logged()
	plan := spec.Plan()
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	if int64(len(lines)) != 1+plan.Runs() {
		t.Fatalf("%d lines of %d runs", len(lines), plan.Runs())
	}
	number := func(x float64) any {
		if math.IsNaN(x) {
			return nil
		}
		return x
	}
	for i, line := range lines[1:] {
		var got map[string]any
		testutil.NoError(json.Unmarshal([]byte(line), &got))
		delete(got, "crc32c")
		row, parameters := toyRow(plan, int64(i)), map[string]any{"k": 10, "rewired": false}
		parameters["algorithm"] = row.Point.Values[0].Text()
		if !row.Point.Values[1].IsNull() {
			parameters["beta"] = 0.3
		}
		want := map[string]any{"cell": plan.CellID(int64(i) % plan.Cells()).String(), "seed": row.Point.Seed, "status": row.Status,
			"hash": fmt.Sprintf("%x", row.Hash()), "seconds": row.Seconds, "parameters": parameters}
		if row.Attempts > 1 {
			want["attempts"] = row.Attempts
		}
		if used := row.Result.Usage; !used.Started.IsZero() {
			want["started"] = used.Started.Format("2006-01-02T15:04:05.999Z")
			if !math.IsNaN(used.CPUSeconds) {
				want["cpu_seconds"] = used.CPUSeconds
			}
			if used.PeakMemory > 0 {
				want["peak_memory"] = used.PeakMemory
			}
		}
		if row.Status == Failed {
			want["error"] = row.Error
		} else {
			metrics, series := map[string]any{}, []any{}
			for m, x := range row.Result.Metrics {
				metrics[plan.Experiment().Metrics[m].Name] = number(x)
			}
			for x := range slices.Chunk(row.Result.Series, 3) {
				series = append(series, []any{number(x[0]), number(x[1]), number(x[2])})
			}
			want["metrics"], want["series"] = metrics, series
		}
		if asJSON(got) != asJSON(want) {
			t.Errorf("record %s, want %s", line, asJSON(want))
		}
	}
}

// FuzzLog reads lines whose checksums are right and whose content is not: an
// error, or rows that fit the declaration, and nothing else.
func FuzzLog(f *testing.F) {
	_, d, intact := logged()
	for line := range bytes.Lines(intact) {
		content, _ := unseal(line[:len(line)-1], lineEnd)
		f.Add(string(content))
	}
	f.Fuzz(func(t *testing.T, content string) {
		changed := withLog(d, slices.Concat(intact, sealLine([]byte(content), 0)))
		_, err := rowsOn(changed)
		if _, ok := errors.AsType[*DataError](err); err != nil && !ok {
			t.Errorf("%v, want a *DataError", err)
		}
	})
}

// FuzzManifest reads manifests whose checksums are right and whose content is
// not: an error or not, and the next writer has the files of the sweep.
func FuzzManifest(f *testing.F) {
	spec, d, _ := logged()
	s := testutil.Must(openStore(d.top(), spec, nil))
	testutil.NoError(errors.Join(s.WriteManifest(Manifest{PID: 7}), s.Export(f.Context()), s.Close()))
	want := finalsOn(d)
	whole := testutil.Must(disk.ReadFile(d.top(), manifestFile))
	content, _ := unseal(whole, manifestEnd)
	f.Add(string(content))
	f.Add(strings.Replace(string(content), `"bytes": `, `"bytes": -`, 1))
	f.Add("{")
	f.Fuzz(func(t *testing.T, content string) {
		changed := d.after(outages(nil)[3])
		testutil.NoError(disk.WriteFile(changed.top(), manifestFile, seal([]byte(content), []byte(content), manifestEnd)))
		_, err := readManifest(changed.top())
		if _, ok := errors.AsType[*DataError](err); err != nil && !ok {
			t.Errorf("%v, want a *DataError", err)
		}
		s := testutil.Must(openStore(changed.top(), spec, nil))
		testutil.NoError(errors.Join(s.Export(t.Context()), s.Close()))
		if !maps.Equal(finalsOn(changed), want) {
			t.Error("other files than those of the sweep")
		}
	})
}

// TestSeedsOfRecords compares parseSeed with the standard library, which takes
// signs, too.
func TestSeedsOfRecords(t *testing.T) {
	for _, text := range []string{
		"0", "7", "10", "007",
		"9223372036854775799", "9223372036854775807", "9223372036854775808",
		"9223372036854775810", "18446744073709551616", "92233720368547758070",
		"99999999999999999999999",
		"", "-1", "+1", "1_0", "0x1", "1e3", " 1", "1:", "1/",
	} {
		want, err := strconv.ParseInt(text, 10, 64)
		isSeed := err == nil && !strings.ContainsAny(text, "+-")
		got, ok := parseSeed([]byte(text))
		if ok != isSeed || ok && got != want {
			t.Errorf("%q: %d, %t, want %d, %t", text, got, ok, want, isSeed)
		}
	}
}

// Records with right checksums and wrong content are refused.
func TestCraftedRecords(t *testing.T) {
	_, d, log := logged()
	intact := string(log)
	line := strings.SplitAfter(intact, "\n")[1] // of a run that succeeded
	content, _ := unseal([]byte(line[:len(line)-1]), lineEnd)
	for _, c := range []struct{ from, to, want string }{
		{`"metrics":{"downloaded":`, `"metrics":{"downloaded":1e3`, ""},
		{`"metrics":{`, `"metrics":[`, "not as this program writes it"},
		{`"downloaded":`, `"downloadad":`, "not as this program writes it"},
		{`"downloaded":5`, `"downloaded":6`, "its hash is not that of its outcome"},
		{`"downloaded":5`, `"downloaded":0.5`, "whole number"},
		{`"efficiency":`, `"efficiency":1e999`, "not as this program writes it"},
		{`"seconds":0`, `"seconds":-1`, "not as this program writes it"},
		{`,"parameters"`, `,"attempts":"2","parameters"`, "not as this program writes it"},
		{`,"parameters"`, `,"peak_memory":-2,"parameters"`, "not as this program writes it"},
		{`"seed":1`, `"seed":9223372036854775808`, "not as this program writes it"},
	} {
		changed := strings.Replace(string(content), c.from, c.to, 1)
		if changed == string(content) {
			t.Fatalf("no %s in %s", c.from, content)
		}
		broken := withLog(d, []byte(strings.Replace(intact, line, string(sealLine([]byte(changed), 0)), 1)))
		_, err := rowsOn(broken)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.to, err, c.want)
		}
	}
	d.names[specFile].content = []byte(tinySpec + " # edited")
	_, err := rowsOn(d)
	wantDataError(t, "an edited spec", err, "not the spec that the sweep was run with")
}
