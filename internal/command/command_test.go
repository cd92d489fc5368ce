package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/disk"
	"sweep/internal/testutil"
)

// TestMain makes this test the program that runs start: what it does is its
// first argument.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || strings.HasPrefix(os.Args[1], "-") {
		os.Exit(m.Run())
	}
	switch args := os.Args[2:]; os.Args[1] {
	case "persist":
		persist()
	case "print":
		fmt.Print(args[0])
		testutil.NoError(os.WriteFile("result.json", []byte("\n{\"x\": 3, \"y\": 4}\n"), 0o666))
	case "write":
		if args[0] != "" {
			testutil.NoError(os.WriteFile(args[0], []byte(args[1]), 0o666))
		}
		fmt.Print(args[2])
	case "tell": // all ways in which parameters arrive
		input, dir := testutil.Must(io.ReadAll(os.Stdin)), testutil.Must(os.Getwd())
		fmt.Fprintf(os.Stderr, "%s\n%s", strings.Join(args, "|"), input)
		fmt.Fprintln(os.Stderr, os.Getenv("SWEEP_BETA"), os.Getenv("SWEEP_NAME"), os.Getenv("SWEEP_SEED"), os.Getenv("SWEEP_OLD"))
		fmt.Fprintln(os.Stderr, filepath.Base(dir), filepath.Base(os.Getenv("PWD")))
		fmt.Print("a line before\n{\"x\": 1}\n\n")
	case "fail":
		fmt.Print(strings.Repeat("early ", 2000), "\x1b[31mlate\x1b[0m")
		fmt.Fprintln(os.Stderr, "no such thing")
		os.Exit(3)
	case "fill": // so many bytes of memory
		fill(testutil.Must(strconv.Atoi(args[0])))
		fmt.Println(`{"x": 1}`)
	case "flood":
		for {
			fmt.Println("x")
		}
	case "parent": // starts a child that holds a lock, and waits for it
		child := exec.Command(os.Args[0], "child", args[0])
		testutil.NoError(child.Run())
	case "child":
		signal.Ignore(syscall.SIGTERM)
		lock := testutil.Must(lock(args[0]))
		testutil.NoError(os.WriteFile(args[0]+".held", nil, 0o666))
		time.Sleep(time.Hour)
		testutil.NoError(lock.Close())
	}
	os.Exit(0)
}

// fill takes so many bytes of memory, really.
func fill(size int) {
	taken := make([]byte, size)
	for i := range taken {
		taken[i] = byte(i)
	}
	runtime.KeepAlive(taken)
}

var self, _ = os.Executable() // without it every test below fails

// parse reads a spec whose program is this test.
func parse(t *testing.T, dir, format string, args ...any) *grid.Spec {
	text := fmt.Appendf(nil, "experiment = 'command'\n"+format, args...)
	return testutil.Must(grid.Parse(filepath.Join(dir, "mine.toml"), text, []*experiment.Experiment{Experiment()}))
}

// perform executes a run in a directory of its own, which it returns.
func perform(t *testing.T, ctx context.Context, spec *grid.Spec, i int64) (experiment.Result, string, error) {
	t.Helper()
	p := spec.Plan().Point(i)
	dir := filepath.Join(t.TempDir(), "run")
	var out experiment.Result
	err := p.Experiment.Run(experiment.WithDirectory(ctx, dir), p, &out)
	return out, dir, err
}

func TestAnswers(t *testing.T) {
	const axis = "series = ['t', 'c']\naxis = 't'"
	for _, c := range []struct{ keys, text, want string }{
		{"", `{"x": 1.5, "y": -2e3}`, "[1.5 -2000] []"},
		{"", `{"y": 0, "x": null}`, "[NaN 0] []"},
		{"", `done`, `the last line of stdout is no JSON object: it begins "done"`},
		{"", `[1, 2]`, `the last line of stdout is no JSON object: it begins "[1, 2]"`},
		{"", `{"x": 1`, "the last line of stdout is no JSON object: unexpected end of JSON input"},
		{"", `{"x": 1, "y": 2} 3`, `the last line of stdout is no JSON object: invalid character '3' after top-level value`},
		{"", `{"x": 1}`, `the answer: no "y"`},
		{"", `{"x": 1, "y": 2, "z": 3, "w": "text"}`, "[1 2] []"},
		{"extra = 'refuse'", `{"x": 1, "y": 2, "z": 3, "w": 4}`, `the answer: unknown "w"; unknown "z"`},
		{"", `{"x": 1, "Y": 2}`, `the answer: no "y"; unknown "Y"`},
		{"", `{"x": 1, "y": NaN}`, "the last line of stdout: y is NaN, want a number, or null for what is not defined"},
		{"", `{"x": -Infinity, "y": 1}`, "the last line of stdout: x is -Infinity, want a number, or null for what is not defined"},
		{"", `{"x": "high", "y": true}`, `the answer: "x" is "high", want a number; "y" is true, want a number`},
		{"", `{"x": 9007199254740993, "y": -100000000000000000000}`, `the answer: "x" is 9007199254740993, which no floating-point number holds exactly: want an integer up to 2⁵³, or one with an exponent, as in 9e15, if it may be rounded`}, // −10²⁰ is exact
		{"", `{"x": 1e999, "y": [1]}`, `the answer: "x" is 1e999, want a number; "y" is [1], want a number`},
		{"series = ['c']", `{"x": 1, "y": 2, "c": [7, 8]}`, "[1 2] [1 7 2 8]"}, // with the number of the row
		{axis, `{"x": 1, "y": 2, "c": [1, null], "t": [0.5, 1]}`, "[1 2] [0.5 1 1 NaN]"},
		{axis, `{"x": 1, "y": 2, "series": {"c": [7], "t": [3]}}`, "[1 2] [3 7]"},
		{axis, `{"x": 1, "y": 2, "c": [], "t": []}`, "[1 2] []"},
		{axis, `{"x": 1, "y": 2, "series": [ ]}`, "[1 2] []"},
		{axis, `{"x": 1, "y": 2, "series": [1]}`, `the answer: "series" is no object of columns`},
		{axis, `{"x": 1, "y": 2, "c": [1, 2], "t": [1]}`, "the answer: the series has columns of 1 and 2 numbers"},
		{axis, `{"x": 1, "y": 2, "t": [1, "a"], "c": [1, 2]}`, `the answer: "t[1]" is "a", want a number`},
		{axis, `{"x": 1, "y": 2, "t": [1], "c": 3}`, `the answer: the series has no column "c", want a list of numbers`},
		{axis, `{"x": 1, "y": 2, "series": {"t": [1], "c": [2], "more": [3]}}`, "[1 2] [1 2]"},
		{axis + "\nextra = 'refuse'", `{"x": 1, "y": 2, "series": {"t": [1], "c": [2], "more": [3]}}`, `the answer: unknown "more" in the series`},
		{"file = 'result.json'", `{"x": 1, "y": 2}`, "[3 4] []"},
		{"file = 'other.json'", `{"x": 1, "y": 2}`, "the program has not written other.json"},
	} {
		spec := parse(t, "", "[command]\nrun = [%q, 'print', '{text}']\nversion = '1'\n"+
			"metrics = ['x', 'y']\n%s\n[grid]\ntext = %q\n", self, c.keys, c.text)
		out, dir, err := perform(t, t.Context(), spec, 0)
		got := fmt.Sprint(out.Metrics, out.Series)
		if err != nil {
			got, _, _ = strings.Cut(err.Error(), "\n")
		}
		if got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.text, got, c.want)
		}
		if _, gone := os.Stat(dir); (gone != nil) != (err == nil) {
			t.Errorf("%s: the directory of a run is to be removed if it succeeds, kept if it fails", c.text)
		}
	}
}

// A program may write tables and text in place of JSON. Here it writes a file
// and then a text to stdout.
func TestSheetsAndPatterns(t *testing.T) {
	const (
		object  = "metrics = ['x', 'y']\n"
		pattern = "metrics = { x = { pattern = 'x is +([^ ]+)' }, y = { pattern = '^y=(.*)$' } }\n"
		one     = "metrics = { x = { pattern = 'x is ([0-9])' }, y = {} }\n"
		series  = "series = ['t', 'c']\naxis = 't'\n"
		counted = "series = ['c']\n"
		refuse  = "extra = 'refuse'\n"
	)
	for _, c := range []struct{ keys, file, text, said, want string }{
		// The metrics are the only row.
		{object, "out.csv", "y,x\n2,1\n", "", "[1 2] []"},
		{object, "out.csv", "\uFEFF x , \"y\",z\r\n 1 , -2e-3,text\r\n", "", "[1 -0.002] []"},
		{object, "out.CSV", "x,y\nNA,", "", "[NaN NaN] []"},
		{object, "out.csv", ",x,y\n0,1,2\n", "", "[1 2] []"}, // the first column is an index
		{object, "out.tsv", "x\ty\nNaN\t-nan\n", "", "[NaN NaN] []"},
		{object, "out.jsonl", "{\"x\": 1, \"y\": null, \"z\": \"text\"}\n\n", "", "[1 NaN] []"},
		{one, "out.csv", "x,y\ntext,2\n", "x is 7", "[7 2] []"},
		{object, "out.csv", "x,y\n1,2\n3,4\n", "", "out.csv has 2 rows, want one, which holds the metrics, as the spec has no series"},
		{object, "out.csv", "x,y\n", "", "out.csv has 0 rows, want one, which holds the metrics, as the spec has no series"},
		{object, "out.csv", "", "", "out.csv: empty, want a line with the names of the columns"},
		{object, "out.csv", "x;y\n1;2\n", "", `out.csv: no column "x", found are "x;y"`},
		{object, "out.csv", "x,y,x\n1,2,3\n", "", `out.csv: two columns "x"`},
		{object, "out.csv", "x,y\n1\n", "", "out.csv: record on line 2: wrong number of fields"},
		{object, "out.csv", "x,y\n1,inf\n", "", `out.csv: line 2: "y" is "inf", want a number, or nothing or NA for what is not defined`},
		{object + refuse, "out.csv", "x,y,z\n1,2,3\n", "", `out.csv: unknown column "z"`},
		{object, "other.csv", "x,y\n1,2\n", "", "out.csv: the program has not written out.csv"},
		{object, "out.jsonl", "{\"x\": 1, \"y\": \"a\"}", "", `out.jsonl: line 1: "y" is "a", want a number`},
		{object, "out.jsonl", "\n{\"x\": 1}", "", `out.jsonl: line 2: no "y"`},
		{object, "out.jsonl", "{\"x\": 1, \"y\": 2}\n[1]", "", `out.jsonl: line 2 is no JSON object: it begins "[1]"`},
		{object, "out.jsonl", "{\"x\": 1, \"y\": NaN}", "", "out.jsonl: line 1: y is NaN, want a number, or null for what is not defined"},
		{object, "out.parquet", "PAR1 and no more of it PAR1", "", "out.parquet: no Parquet file: "},

		// The columns are the series, the metrics are elsewhere.
		{object + series, "out.csv", "n,c,t\n1,5,0.5\n2,,1\n", `{"x": 1, "y": 2}`, "[1 2] [0.5 5 1 NaN]"},
		{object + counted, "out.tsv", "c\n5\n7\n", `{"x": 1, "y": 2}`, "[1 2] [1 5 2 7]"},
		{object + counted, "out.csv", "c\n", `{"x": 1, "y": 2}`, "[1 2] []"},
		{object + counted, "out.jsonl", "{\"c\": 5}\n{\"c\": 7}", `{"x": 1, "y": 2}`, "[1 2] [1 5 2 7]"},
		{object + series, "out.csv", "c,t\n5,\n", `{"x": 1, "y": 2}`, "t in row 0 of the series is missing"},
		{object + series, "out.csv", "c,t\n5,0\n\n\"a\nb\",1\n", `{"x": 1, "y": 2}`, `out.csv: line 4: "c" is "a\nb", want a number, or nothing or NA for what is not defined`},
		{object + series, "out.csv", "c,t\n5,0\n", `{"x": 1}`, `the answer: no "y"`},
		{pattern + series, "out.csv", "c,t\n5,0\n", "y=2\nx is 1", "[1 2] [0 5]"},

		// The last match in the last line that matches is the metric.
		{pattern, "", "", "x is 3, x is   4\ny=5\r\ny=1e2\nthe end y=9\n", "[4 100] []"},
		{pattern, "", "", "x is NaN\ny=NA", "[NaN NaN] []"},
		{pattern, "", "", "x is 3", `no line of stdout matches the pattern of "y": ^y=(.*)$`},
		{pattern, "", "", "x is high\ny=2", `the pattern of "x" found "high" in stdout, want a number: x is +([^ ]+)`},
		{pattern, "", "", "x is 1\ny=", `the pattern of "y" found "" in stdout, want a number: ^y=(.*)$`},
		{one, "", "", "x is 1\n{\"y\": 3, \"x\": \"text\"}", "[1 3] []"},
		{one + counted, "", "", "x is 1\n{\"y\": 3, \"c\": [4]}", "[1 3] [1 4]"},
	} {
		keys := c.keys
		if c.file != "" {
			keys += "file = 'out" + strings.ToLower(filepath.Ext(c.file)) + "'\n"
		}
		if c.file == "out.CSV" {
			keys = strings.Replace(keys, ".csv", ".CSV", 1)
		}
		spec := parse(t, "", "[command]\nrun = [%q, 'write', '{file}', '{text}', '{said}']\nversion = '1'\n%s[grid]\nfile = %q\ntext = %q\nsaid = %q\n",
			self, keys, c.file, c.text, c.said)
		out, _, err := perform(t, t.Context(), spec, 0)
		if err == nil {
			err = spec.Experiment.CheckResult(&out)
		}
		got := fmt.Sprint(out.Metrics, out.Series)
		if err != nil {
			got, _, _ = strings.Cut(err.Error(), "\nstdout")
		}
		if got != c.want && (c.file != "out.parquet" || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%s%q, %q:\n%s, want\n%s", c.keys, c.text, c.said, got, c.want)
		}
	}
	names := Unnamed()
	if !slices.Contains(names, "z") || slices.Contains(names, "x") || slices.Contains(names, "") {
		t.Errorf("the answers also have %q", names)
	}
}

// A Parquet file's columns of numbers are read, whatever their size, and
// nothing else.
func TestParquetSheet(t *testing.T) {
	type row struct {
		T    uint32   `parquet:"t"`
		C    *float32 `parquet:"c,optional"`
		Text string   `parquet:"text"`
		Id   int64    `parquet:"id"`
		Big  uint64   `parquet:"big"`
	}
	c := float32(1.5)
	var file bytes.Buffer
	testutil.NoError(parquet.Write(&file, []row{{4_000_000_000, nil, "a", -1 << 63, 1 << 63}, {2, &c, "b", 1<<53 + 1, 5}}))
	dir := t.TempDir()
	testutil.NoError(os.WriteFile(filepath.Join(dir, "out.parquet"), file.Bytes(), 0o666))
	for _, c := range []struct {
		wanted []string
		want   string
	}{
		{[]string{"t", "c"}, "[[4e+09 2] [NaN 1.5]] [text id big] <nil>"},
		{[]string{"big"}, "[[9.223372036854776e+18 5]] [t c text id] <nil>"},
		{[]string{"id"}, `"id": row 2 is an integer that no floating-point number holds exactly`},
		{[]string{"text"}, `"text": the column is of type`},
		{[]string{"x"}, `no column "x", found are "t", "c", "text", "id", "big"`},
	} {
		s := &sheet{wanted: c.wanted, columns: make([][]float64, len(c.wanted))}
		err := s.read(dir, "out.parquet")
		got := fmt.Sprint(s.columns, s.others, err)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", c.wanted, got, c.want)
		}
	}
}

// A sheet that would fill the memory is not read to its end.
func TestLargeSheet(t *testing.T) {
	testutil.NeedsThorough(t, "it reads millions of numbers")
	dir := t.TempDir()
	for rows, want := range map[int]string{maxCells: "<nil>", maxCells + 1: errTooManyCells.Error()} {
		testutil.NoError(os.WriteFile(filepath.Join(dir, "out.csv"), []byte("c\n"+strings.Repeat("1\n", rows)), 0o666))
		s := &sheet{wanted: []string{"c"}, columns: make([][]float64, 1)}
		if err := s.read(dir, "out.csv"); fmt.Sprint(err) != want {
			t.Errorf("%d rows: %v, want %s", rows, err, want)
		}
	}
}

// The JSON on stdin is JSON whatever a text holds, and a shell has it as one
// word.
func TestParametersArrive(t *testing.T) {
	t.Setenv("SWEEP_OLD", "of another run")
	const name = "it's a\"b\\ü\n\u2028 $(exit 3)"
	const input = `{"beta":1,"name":"it's a\"b\\ü\n\u2028 $(exit 3)","on":true,"seed":8}`
	for _, run := range []string{
		fmt.Sprintf("[%q, 'tell', '--beta={beta}', '{{beta}}{name}', '{seed}']", self),
		fmt.Sprintf("'''%s tell --beta={beta} {{beta}}{name} {seed} | cat'''\nshell = true", self),
	} {
		spec := parse(t, "", `seeds = "7..8"
[command]
run = %s
version = '1'
metrics = ['x']
keep = true
[grid]
beta = [0.25, 1]
name = %s
on = true
`, run, strconv.QuoteToASCII(name))
		_, dir, err := perform(t, t.Context(), spec, 3)
		testutil.NoError(err)
		got, err := os.ReadFile(filepath.Join(dir, errorFile))
		want := "--beta=1|{beta}" + name + "|8\n" + input + "\n1 " + name + " 8 \nrun run\n"
		if err != nil || string(got) != want {
			t.Errorf("%s: the program got\n%s%v, want\n%s", run, got, err, want)
		}
	}
}

// A failed run has the end of what was printed in its error, harmless to a
// terminal, and all of it in its directory.
func TestFailure(t *testing.T) {
	defer func(n int64) { maxOutput = n }(maxOutput)
	maxOutput = 1 << 20
	for _, c := range []struct {
		run, begins, ends string
		printed           int64 // bytes that are kept
	}{
		{fmt.Sprintf("%q, 'fail'", self),
			"exit status 3\nstderr: no such thing\nstdout: ", "early [31mlate[0m", 12013},
		{fmt.Sprintf("%q, 'flood'", self),
			"wrote more than 256 MB to stdout and stderr\nstdout: ", "x\nx", maxOutput},
		{"'no-such-program'", `exec: "no-such-program": executable file not found`, "", 0},
	} {
		if strings.Contains(c.run, "flood") && !testutil.Thorough() {
			continue // 256 MB
		}
		spec := parse(t, "", "[command]\nrun = [%s]\nversion = '1'\nmetrics = ['x']\n", c.run)
		_, dir, err := perform(t, t.Context(), spec, 0)
		said := fmt.Sprint(err)
		if !strings.HasPrefix(said, c.begins) || !strings.HasSuffix(said, c.ends) || len(said) > maxTail+100 {
			t.Errorf("error %.200s", said)
		}
		all, err := os.Stat(filepath.Join(dir, outputFile))
		if err != nil || all.Size() != c.printed {
			t.Errorf("%s: kept are %+v, error %v", c.run, all, err)
		}
	}
}

// lock locks a file. It waits up to some ten seconds for the process that has
// the lock.
func lock(path string) (disk.File, error) {
	dir := testutil.Must(disk.Open(filepath.Dir(path)))
	for range 100 {
		f, err := dir.Lock(filepath.Base(path))
		if err != disk.ErrLocked {
			return f, err
		}
	}
	return nil, disk.ErrLocked
}

// held waits until a child holds the lock of a file.
func held(path string) bool {
	for range 6000 {
		if _, err := os.Stat(path + ".held"); err == nil {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

// Whatever ends a run ends all that its program has started, even what does
// not heed SIGTERM.
func TestEndsTheWholeGroup(t *testing.T) {
	t.Run("timeout", func(t *testing.T) {
		t.Parallel()
		// A busy machine may need longer to start a child.
		for _, after := range []string{"1s", "10s", "1m40s"} {
			if endsTheWholeGroup(t, "timeout = '"+after+"'", nil, "took longer than "+after+", its timeout") {
				return
			}
		}
		t.Error("the child did not start")
	})
	for _, c := range []struct {
		cause error // with which the context ends
		want  string
	}{
		{errors.New("interrupted"), "context canceled"},
		{context.DeadlineExceeded, "context deadline exceeded"},
	} {
		t.Run(c.want, func(t *testing.T) {
			t.Parallel()
			if !endsTheWholeGroup(t, "", c.cause, c.want) {
				t.Error("the child did not start")
			}
		})
	}
}

// endsTheWholeGroup ends a run whose program has started a child, by its timeout
// or else by a cause, and reports whether the child was there.
func endsTheWholeGroup(t *testing.T, timeout string, cause error, want string) (started bool) {
	path := filepath.Join(t.TempDir(), "lock")
	spec := parse(t, "", "[command]\nrun = [%q, 'parent', %q]\nversion = '1'\nmetrics = ['x']\n%s\n", self, path, timeout)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	if cause != nil {
		go func() {
			held(path)
			cancel(cause)
		}()
	}
	_, dir, err := perform(t, ctx, spec, 0)
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if _, gone := os.Stat(dir); (gone != nil) != (want == "context canceled") {
		t.Errorf("the directory of a failed run is to stay, that of a cancelled one is not: %v", gone)
	}
	if _, err := os.Stat(path + ".held"); err != nil {
		return false
	}
	if _, err := lock(path); err != nil {
		t.Errorf("the child is alive: %v", err)
	}
	return true
}

// What is watched is part of a run's identity, and is looked at before and
// after each run.
func TestWatchedFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		testutil.NoError(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	write("model.sh", `echo '{"x": 1}'`)
	write("data.csv", "1")
	const text = "[command]\nrun = ['sh', 'model.sh']\nwatch = ['model.sh', '*.csv']\nmetrics = ['x']\n"
	spec := parse(t, dir, text)
	_, _, err := perform(t, t.Context(), spec, 0)
	testutil.NoError(err)
	write("data.csv", "23")
	if _, _, err := perform(t, t.Context(), spec, 0); err == nil || !strings.HasPrefix(err.Error(), "the program was changed while the sweep ran: ") {
		t.Errorf("error %v", err)
	}
	write("data.csv", "1")
	if parse(t, dir, strings.Replace(text, "'model.sh']\nw", "'model.sh', 'fast']\nw", 1)).Plan().ID(0) == spec.Plan().ID(0) {
		t.Error("another command line is the same run")
	}
}

// Kinds follow from the values, and [parameters] may say more.
func TestParameters(t *testing.T) {
	spec := parse(t, "", `
[command]
run = ['true']
version = '1'
metrics = { x = { unit = 'm', meaning = 'length', kind = 'int' } }
series = { m = { unit = "kg", meaning = "mass" } }
[parameters]
b = { unit = "1/d", meaning = "infections a day", symbol = "β", min = 0, max = 2, source = "a book" }
m = { kind = "int" }
rest = { default = 5 }
e = { default = "x" }
[[grid]]
b = [1, 0.5]
m = { from = 1, to = 100, count = 3, scale = "log" }
s = ["one", "two"]
k = "1..3"
f = false
g = { from = 0, to = 1, count = 3 }
h = { from = 0, to = 4, step = 2 }
[[grid]]
b = 2
m = 7
s = "three"
k = 9
f = true
g = 0
h = 1
e = "y"
`)
	var got []string
	for _, p := range spec.Experiment.Params {
		got = append(got, fmt.Sprintf("%s %v %v %v", p.Name, p.Kind, p.Default, p.Choices))
	}
	want := []string{"b float 1 []", "m int 1 []", "s string one [one two three]", "k int 1 []", "f bool false []",
		"g float 0 []", "h int 0 []", "e string x [y x]", "rest int 5 []", `command string ["true"] [["true"]]`, "program string 1 [1]"}
	if !slices.Equal(got, want) {
		t.Errorf("parameters\n%s, want\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	b := spec.Experiment.Params[0]
	if b.Unit != "1/d" || b.Meaning != "infections a day" || b.Symbol != "β" || b.Min != 0 || b.Max != 2 || b.Source != "a book" {
		t.Errorf("b is %+v", b)
	}
	if m := spec.Experiment.Metrics[0]; m.Unit != "m" || m.Meaning != "length" || m.Kind != experiment.Int {
		t.Errorf("the metric is %+v", m)
	}
	if s := spec.Experiment.Series; s[0].Name != "step" || s[1].Unit != "kg" {
		t.Errorf("the series is %+v", s)
	}
}

func TestWrongSpecs(t *testing.T) {
	const good = "[command]\nrun = ['true']\nversion = '1'\nmetrics = ['x']\n"
	pattern := func(text string) string {
		return strings.Replace(good, "['x']", "{ x = { pattern = "+text+" } }", 1)
	}
	for text, want := range map[string]string{
		"":            `1:1: the experiment "command" needs a table [command]`,
		"[command]\n": "2:2: want the program and its arguments",
		"[command]\nrun = ['true']\nmetrics = ['x']":                                              "2:2: want either watch",
		good + "watch = ['a']":                                                                    "2:2: want either watch",
		"[command]\nrun = 'true'\nversion = '1'\nmetrics = ['x']":                                 "3:7: run: want a list",
		"[command]\nrun = ['true']\nshell = true\nversion = '1'":                                  "3:7: run: want a text for the shell",
		"[command]\nrun = 'x \"{a}\"'\nshell = true\nversion = '1'":                               "3:7: run: {a} stands within quotation marks, which its value could end\nhint: write {a} alone: it becomes one quoted word",
		"[command]\nrun = ['true']\nversion = '1'":                                                "2:2: metrics: want the names",
		"[command]\nrun = ['true', '{beta}']\nversion = '1'\nmetrics = ['x']":                     "3:7: run: {beta} is no parameter of the spec",
		"[command]\nrun = ['true']\nwatch = ['no-file']\nmetrics = ['x']":                         "4:9: watch: no-file: there is no such file",
		good + "timeout = '3'":                                                                    "6:11: timeout: \"3\" is no duration",
		good + "timeuot = '3'":                                                                    "6:11: timeuot: unknown key",
		good + "timeout = 3":                                                                      "6:11: timeout: found the integer 3, want a text such as \"90s\"",
		good + "[parameters]\na = { min = 3, default = 2 }":                                       "7:26: a is 2, want an integer in [3, +Inf]",
		good + "[parameters]\na = { min = 3 }\n[grid]\na = 2":                                     "9:5: a is 2, want an integer in [3, +Inf]",
		good + "persistent = 1":                                                                   "6:14: persistent: found the integer 1, want true or false",
		good + "[grid]\nx = [1, 2]":                                                               "7:5: x is a metric, too: want another name",
		good + "seeds = 5":                                                                        "6:9: seeds: unknown key, want one of run, shell, watch, version, metrics, series, axis, timeout, keep, state, env, file, extra, persistent, restart_after, restart_above\nhint: seeds belongs above all tables",
		good + "state = 'yes'":                                                                    "6:9: state: found the string \"yes\", want true or false",
		good + "state = true\n[grid]\nstate = 1":                                                  "6:9: state: the spec has a parameter with the name of the directory of a run's state\nhint: give the parameter another name",
		"[command]\nrun = ['true', '{state}']\nversion = '1'\nmetrics = ['x']\npersistent = true": "3:7: run: {state} cannot be an argument",
		good + "env = 'OMP_NUM_THREADS=1'":                                                        "6:7: env: found the string \"OMP_NUM_THREADS=1\", want a table of texts such as { OMP_NUM_THREADS = \"1\" }",
		good + "env = { OMP_NUM_THREADS = 1 }":                                                    "6:27: env: OMP_NUM_THREADS is the integer 1, want a table of texts",
		good + "env = { A = '1', 'B=C' = '2' }":                                                   "6:26: env: \"B=C\" cannot be a variable: want a name without =",
		good + "env = { A = \"a\\u0000\" }":                                                       "6:13: env: \"A\" cannot be a variable: want a name without =, and a text without NUL",
		good + "env = { SWEEP_SEED = '1' }":                                                       "6:22: env: SWEEP_SEED is set by sweep, want another name",
		good + "env = { PWD = '/' }":                                                              "6:15: env: PWD is set by sweep, want another name",
		good + "restart_after = 3":                                                                "6:17: restart_after: a program that is not persistent starts for every run: add persistent = true",
		good + "persistent = true\nrestart_after = 0":                                             "7:17: restart_after: 0, want a number of runs of at least 1",
		good + "persistent = true\nrestart_after = '3'":                                           "7:17: restart_after: found the string \"3\", want a number of runs such as 100",
		good + "persistent = true\nrestart_above = '2 x'":                                         "7:17: restart_above: \"2 x\" is no amount of memory, want for example \"2G\"",
		good + "persistent = true\nrestart_above = 2":                                             "7:17: restart_above: found the integer 2, want a text such as \"2G\"",
		"[command]\nrun = ['true', '{seed}']\nversion = '1'\nmetrics = ['x']\npersistent = true":  "3:7: run: {seed} cannot be an argument: the program starts once for many runs\nhint: a persistent program reads",
		good + "file = '../x'":                                                                    "6:8: file: \"../x\" is no path within",
		good + "series = ['a']\naxis = 'b'":                                                       "7:8: axis: \"b\", want one of several",
		good + "series = ['a', 'a']":                                                              "6:10: series: holds \"a\", want texts, each once",
		good + "[grid]\ndir = 1":                                                                  `7:7: "dir" says where the program is`,
		good + "[grid]\nseed = 1":                                                                 `7:8: parameter "seed" is the name of a column`,
		good + "[[grid]]\na = 1\n[[grid]]\nb = 1":                                                 "7:5: a is not in every [[grid]]",
		good + "[grid]\nb = 1\na = '1..2'\ninclude = [{ a = 5 }, { b = 2 }]":                      "8:5: a is not in every [[grid]] and include",
		good + "[grid]\na = '12..1'":                                                              "7:5: a is the string \"12..1\", want an integer, or a range",
		good + "[grid]\na = ['1..3', '2..4']\nb = ['1..3', 2]":                                    "8:14: b is the integer 2, want one of 1..3",
		good + "[sample]\ndesign = 'lhs'\npoints = 4\n[grid]\na = { from = -1e308, to = 1e308 }":  "10:5: a is sampled from -1e+308 to 1e+308, want a larger",
		good + "[grid]\nbeta = [1, 2]\nexclude = [{ bet = 1 }]":                                   "8:20: bet is not in every [[grid]] and include: give it there, or a default in [parameters]\nhint: did you mean \"beta\"?",
		good + "[grid]\na = [1, 'x']":                                                             "7:9: a is the string \"x\", want an integer",
		good + "[grid]\na = [nan, 1979-05-27]":                                                    "7:5: a has no value but the number NaN, want finite numbers or quoted texts",
		good + "[parameters]\na = { kind = 'real' }":                                              "7:14: kind: \"real\" is no kind",
		good + "[parameters]\na = { max = 3 }\n[grid]\na = [2, 4]":                                "9:9: a is 4, want an integer in",
		"comand = 3\n" + good:                                                                     `2:1: unknown key "comand", want name, title, description, `,

		// Names.
		good + "[grid]\n'a.' = 1":                                                               `7:8: parameter "a." is not an identifier: want a letter, then letters, digits and _, with single . and - between them`,
		good + "[grid]\n'model.lr' = 1\nmodel-LR = 2":                                           "8:12: model.lr and model-LR are both SWEEP_MODEL_LR in the environment, want names that differ by more than case and . - _",
		good + "[grid]\nrun-id = 1":                                                             `7:10: parameter "run-id" is the name of a column`,
		good + "[grid]\nmodel.lr = 1":                                                           "7:1: model has no value, want finite numbers or quoted texts in [grid], or a default in [parameters]\nhint: a name with a dot needs quotes: \"model.lr\"",
		good + "[grid]\na-b = 1\nwhere = 'a > 1'":                                               "8:10: where: command has no parameter \"a\"\nhint: a name with a dot or a dash stands in backquotes: `a-b`",
		good + "[grid]\n'a.b' = 1\nwhere = 'a.b > 1'":                                           "8:11: where: found \".\", want an operator or the end (a name with a dot stands in backquotes, such as `model.lr`)",
		good + "[grid]\na = 1\nwhere = '`a > 1'":                                                "8:10: where: the name is not closed, want ` at its end",
		"[command]\nrun = ['true', '{a.c}']\nversion = '1'\nmetrics = ['x']\n[grid]\n'a.b' = 1": "3:7: run: {a.c} is no parameter of the spec\nhint: did you mean \"a.b\"?",

		// Keys of the spec.
		"[command]\nrun = ['true', '{beta}']\nversion = '1'\nmetrics = ['x']\n[gird]\nbeta = 1": "6:2: unknown key \"gird\", want name, title, description, experiment, seeds, grid, sample, stop, resources, paper, claim, figure, inputs, bought, search, searched, command, parameters\nhint: did you mean \"grid\"?",
		"beta = 1\n" + good: "2:1: unknown key \"beta\", want name, title, description, experiment, seeds, grid, sample, stop, resources, paper, claim, figure, inputs, bought, search, searched, command, parameters\nhint: parameters stand below [grid], keys of command below [command]",

		// What is read of the answer.
		good + "extra = 'refuze'":                     "6:9: extra: found \"refuze\", want \"ignore\" or \"refuse\"\nhint: did you mean \"refuse\"?",
		good + "extra = false":                        "6:9: extra: found the boolean false, want \"ignore\" or \"refuse\"",
		pattern("'a ('"):                              "5:29: pattern: error parsing regexp: missing closing ): `a (`",
		pattern("'a'"):                                "5:29: pattern: \"a\" has 0 groups, want one\nhint: a group such as",
		pattern("'(a)(b)'"):                           "5:29: pattern: \"(a)(b)\" has 2 groups, want one",
		pattern("3"):                                  "5:29: pattern: found the integer 3, want a text",
		pattern("'(a)'") + "persistent = true":        "5:29: pattern: the stdout of a persistent program holds answers alone: want x in the answer",
		pattern("'(a)'") + "file = 'out.csv'":         "6:8: file: nothing is read from out.csv: there is no series, and every metric has a pattern",
		good + "series = { a = { pattern = '(a)' } }": "6:28: pattern: unknown key, want one of unit, meaning, kind",
	} {
		_, err := grid.Parse("x.toml", []byte("experiment = 'command'\n"+text), []*experiment.Experiment{Experiment()})
		if err == nil || !strings.HasPrefix(err.Error()+"\nhint: "+err.(*grid.Error).Hint, "x.toml:"+want) {
			t.Errorf("%s:\n%v, want %s", text, err, want)
		}
	}
}

// To plan and to run, the program must be there.
func TestReady(t *testing.T) {
	dir := t.TempDir()
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	write := func(path, text string, mode os.FileMode) {
		testutil.NoError(os.WriteFile(path, []byte(text), mode))
	}
	write(bin+"/python3", "", 0o777)
	write(dir+"/model", "", 0o777)
	write(dir+"/plain.sh", "", 0o666)
	write(dir+"/seeded.py", "import random # SWEEP_SEED", 0o666)
	const version = "version = '1'\n"
	for _, c := range []struct{ command, want, hint string }{
		{"run = ['python3', '{seed}']\n" + version, "", ""},
		{"run = ['python3', 'seeded.py']\nwatch = ['seeded.py']\n", "", ""},
		{"run = ['./model', '{seed}']\n" + version, "", ""},
		{"run = ['{dir}/model', '{seed}']\n" + version, "", ""},
		{"run = ['{a}', '{seed}']\n" + version, "", ""},
		{"run = ['python3']\npersistent = true\n" + version, "", ""},
		{"run = 'nonsense $SWEEP_SEED'\nshell = true\n" + version, "", ""},
		{"run = ['python3', '{a}']\n" + version, "warning: mine.toml:4:7: run: {seed} is no argument, and no file " +
			"that the spec names mentions a seed: do the 3 seeds of a cell make a difference? (SWEEP_SEED and stdin have them, too)", ""},
		{"run = ['python3', '{dir}/sim.py', '{seed}']\n" + version, "warning: mine.toml:4:19: run: found \"{dir}/sim.py\", " +
			"but sim.py is neither beside the spec nor in the working directory", ""},
		{"run = ['python3', 'seeded.py', '{seed}']\n" + version, "warning: mine.toml:4:19: run: found \"seeded.py\", " +
			"which a run does not find in its own directory: want it in watch, or \"{dir}/seeded.py\"", ""},
		{"run = ['python3', '{seed}', '--a={a']\n" + version, "warning: mine.toml:4:29: run: found \"--a={a\", which is passed on " +
			"as it is: want {a} for the value", ""},
		{"run = ['python3', '{seed}', 'a}']\n" + version, "warning: mine.toml:4:29: run: found \"a}\"", ""},
		{"run = ['python3', '{seed}', 'x={ a }']\n" + version, "warning: mine.toml:4:29: run: found \"x={ a }\"", ""},
		{"run = ['python3', '{seed}', '{a:.2f}']\n" + version, "warning: mine.toml:4:29: run: found \"{a:.2f}\"", ""},
		{"run = ['python3', '{seed}', '{print a}', '{b', '{{a}}', '\"a\": {a}}']\n" + version, "", ""},
		{"run = ['python3', '{seed}']\naxis = 't'\n" + version, "warning: mine.toml:5:8: axis: there is no series that it could be of", ""},
		{"run = ['pyhton3', '{seed}']\n" + version, "mine.toml:4:8: run: found \"pyhton3\", want a program in PATH, " +
			"or a path such as ./model, which begins in the spec's directory", `did you mean "python3"?`},
		{"run = ['./modle', '{seed}']\n" + version, "mine.toml:4:8: run: found \"./modle\", want a program: it is neither beside the spec nor in the working directory", ""},
		{"run = ['/no/modle', '{seed}']\n" + version, "mine.toml:4:8: run: found \"/no/modle\", want a program: there is no such file", ""},
		{"run = ['{dir}/modle', '{seed}']\n" + version, "mine.toml:4:8: run: found \"{dir}/modle\"", ""},
		{"run = ['./plain.sh', '{seed}']\n" + version, "mine.toml:4:8: run: found \"./plain.sh\", want a program: " +
			dir + "/plain.sh cannot be executed (permission denied)", "chmod +x " + dir + "/plain.sh makes a file executable"},
	} {
		spec := parse(t, dir, "seeds = 3\n[command]\n%smetrics = ['x']\n[grid]\na = 'b'\n", c.command)
		var got, hint string
		if err := spec.Ready(); err != nil {
			got = err.Error()
			hint = err.(*grid.Error).Hint
		}
		for _, w := range spec.Warnings {
			got = "warning: " + w.Error()
			hint = w.Hint
		}
		got = strings.ReplaceAll(got, dir+"/mine.toml", "mine.toml")
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" || c.hint != "" && hint != c.hint {
			t.Errorf("%s: %s\nhint: %s, want\n%s\nhint: %s", c.command, got, hint, c.want, c.hint)
		}
	}
}

// A key that stands in the table of another one is warned of if it may be a
// parameter.
func TestMisplacedKeys(t *testing.T) {
	const hint = "; a parameter of this name should be described below [parameters]"
	for grid, want := range map[string]string{
		"seeds = 3":                     "the key seeds belongs above all tables" + hint,
		"timeout = '5s'":                "the key timeout belongs below [command]" + hint,
		"seeds = [3, 4]":                "",
		"file = 'b'":                    "", // a placeholder
		"name = 'b'\n[parameters.name]": "",
	} {
		spec := parse(t, t.TempDir(), "[command]\nrun = ['sh', '-c', 'exit', '{seed}', '{file}']\nversion = '1'\n"+
			"metrics = ['x']\n[parameters.file]\ndefault = 'a'\n[grid]\n%s\n", grid)
		testutil.NoError(spec.Ready())
		got := ""
		for _, w := range spec.Warnings {
			got += w.Hint
		}
		if got != want {
			t.Errorf("%s: %q, want %q", grid, got, want)
		}
	}
}

// In the answer of a persistent program no metric can be called run.
func TestMetricCalledRun(t *testing.T) {
	const warning = `metrics: "run" in the answer of a persistent program is the run that it answers, and no metric: want another name`
	for keys, want := range map[string]string{
		"persistent = true":                  warning,
		"":                                   "",
		"persistent = true\nfile = 'a.json'": "",
		"persistent = true\nfile = 'a.csv'":  "",
		"persistent = true\nfile = 'a.csv'\nseries = ['t', 'u']": warning,
	} {
		spec := parse(t, t.TempDir(), "[command]\nrun = ['sh']\nversion = '1'\nmetrics = ['x', 'run']\n%s\n", keys)
		testutil.NoError(spec.Ready())
		got := ""
		for _, w := range spec.Warnings {
			got += w.Message
		}
		if got != want {
			t.Errorf("%s: %q, want %q", keys, got, want)
		}
	}
}

// What a spec names is beside it or, as for the copy in a sweep's directory,
// where sweep is called.
func TestDirectory(t *testing.T) {
	beside, called := t.TempDir(), t.TempDir()
	t.Chdir(called)
	for _, dir := range []string{beside, called} {
		for _, run := range []string{"run = ['sh', '{dir}/model.sh']\nversion = '1'", "run = ['./model.sh']\nversion = '1'"} {
			path := filepath.Join(dir, "model.sh")
			testutil.NoError(os.WriteFile(path, []byte("#!/bin/sh\necho \"{\\\"x\\\": 7}\""), 0o777))
			spec := parse(t, beside, "[command]\n%s\nmetrics = ['x']\n", run)
			if out, _, err := perform(t, t.Context(), spec, 0); err != nil || out.Metrics[0] != 7 {
				t.Errorf("%s in %s (called in %s): %v", run, dir, called, err)
			}
			testutil.NoError(os.Remove(path))
		}
	}
}
