package grid

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"sweep/experiment"
	"sweep/internal/testutil"
)

// A library stands for a file system: what is at each path.
type library map[string]string

// reading is the experiment recorded on the files of a library. The value of
// a file is its name and its content.
func (l library) reading() []*experiment.Experiment {
	e := recorded()
	p, _ := e.Param("record")
	p.Input = &experiment.Input{Accepts: "a CSV file", Read: func(path string, _ map[string]string) (experiment.Value, error) {
		content, ok := l[filepath.ToSlash(path)]
		if !ok {
			return experiment.Value{}, fmt.Errorf("open %s: no such file", filepath.ToSlash(path))
		}
		return experiment.StringValue(filepath.Base(path) + "@" + content), nil
	}}
	return []*experiment.Experiment{e}
}

func TestFilesAreBesideTheSpec(t *testing.T) {
	files := library{"specs/data/a.csv": "1", "/far/a.csv": "2", "a.csv": "3"}
	for _, c := range []struct{ file, name, want string }{
		{"specs/t.toml", "data/a.csv", "a.csv@1"},
		{"specs/t.toml", "../a.csv", "a.csv@3"},
		{"specs/t.toml", "/far/a.csv", "a.csv@2"},
		{"t.toml", "a.csv", "a.csv@3"},
		{"t.toml", "", "null"}, {"/dev/stdin", "a.csv", "a.csv@3"},
	} {
		s := testutil.Must(Parse(c.file, []byte("experiment = 'recorded'\n[grid]\nrecord = '"+c.name+"'"), files.reading()))
		if got := s.Plan().Point(0).Value("record").String(); got != c.want {
			t.Errorf("%q in %s is %s, want %s", c.name, c.file, got, c.want)
		}
		testutil.NoError(s.ReadInputs())
	}
}

// What was in the files becomes part of the source, and with it the same
// runs come out where the files are not.
func TestSourceTellsWhatWasInTheFiles(t *testing.T) {
	const text = "experiment = 'recorded' # no line feed at the end\n[[grid]]\nrecord = ['a.csv', 'b \"c\".csv', 'd.csv']\nwhere = \"record != 'd.csv'\"\n[[grid]]\nrecord = 'a.csv'\nexclude = [{ algorithm = 'RL', record = 'a.csv' }]\nalgorithm = ['RL', 'WL']"
	files := library{"a.csv": "1", "b \"c\".csv": "2", "d.csv": "3"}
	s := testutil.Must(Parse("t.toml", []byte(text), files.reading()))
	if !bytes.HasPrefix(s.Source, []byte(text+"\n")) {
		t.Errorf("the source is\n%s", s.Source)
	}
	again := testutil.Must(Parse("elsewhere/spec.toml", s.Source, library{}.reading()))
	if !bytes.Equal(again.Source, s.Source) {
		t.Errorf("read again, the source is\n%s", again.Source)
	}
	if d := s.Plan().Difference(again.Plan()); d != "" || s.Plan().Runs() != 3 {
		t.Errorf("%d runs; read again, the plan has %s", s.Plan().Runs(), d)
	}
	plain, err := Parse("t.toml", []byte("experiment = 'recorded'"), files.reading())
	if err != nil || string(plain.Source) != "experiment = 'recorded'" {
		t.Errorf("%v: without files the source is\n%s", err, plain.Source)
	}
}

// The columns key tells an input what columns are called.
func TestColumnsOfInputs(t *testing.T) {
	asked := recorded()
	p, _ := asked.Param("record")
	p.Input = &experiment.Input{
		Accepts: "a CSV file",
		Columns: []string{"url_id", "time"},
		Read: func(path string, columns map[string]string) (experiment.Value, error) {
			return experiment.StringValue(filepath.Base(path) + "@1 time=" + columns["time"]), nil
		},
	}
	experiments := []*experiment.Experiment{asked}
	const head = "experiment = 'recorded'\n"
	s := testutil.Must(Parse("t.toml", []byte(head+"columns = { time = 'timestamp' }\n[grid]\nrecord = 'a.csv'"), experiments))
	if got := s.Plan().Point(0).Value("record").String(); got != "a.csv@1 time=timestamp" {
		t.Errorf("record is %s", got)
	}
	again := testutil.Must(Parse("spec.toml", s.Source, experiments))
	testutil.NoError(again.ReadInputs())
	for text, want := range map[string]string{
		"columns = { url_id = 'page', time = 't' }": "2:13: columns has url_id, but no table that the spec names has such a column",
		"columns = { tiem = 'timestamp' }":          "2:13: unknown key \"tiem\", want time, url_id\nhint: did you mean \"time\"?",
		"columns = 'timestamp'":                     `2:11: columns is the string "timestamp", want a table such as { time = "timestamp" }`,
		"columns = { time = 3 }":                    "2:20: time is the integer 3, want the column's name in the files",
		"columns = { time = '' }":                   "2:20: time is the string \"\", want the column's name in the files",
		"[grid]\ncolumns = { time = 't' }":          "3:1: unknown key \"columns\", recorded has no such parameter\nhint: columns belongs above the first [grid]",
	} {
		if got := faultOf(head+text, experiments); !strings.HasPrefix(got, want) {
			t.Errorf("%s\n got %q\nwant %q", text, got, want)
		}
	}
	if got := faultOf(head+"columns = { time = 't' }", library{}.reading()); !strings.HasPrefix(got, `2:1: unknown key "columns", want name, `) {
		t.Errorf("an experiment without tables: %q", got)
	}
}

func TestFaultsOfInputs(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[grid]\nrecord = ['', 'b.csv']", "3:15: record: open dir/b.csv: no such file"},
		{"[grid]\nrecord = 3", "3:10: record is the integer 3, want a CSV file\nhint: a text needs quotation marks"},
		{"[grid]\nrecord = { from = 1, to = 2, step = 1 }", "3:10: record is a table, want a CSV file, or a list"},
		{"[grid]\nrecord = ['a.csv', './a.csv']", "3:20: record has the value a.csv@1 twice, first at 3:11"},
		{"[grid]\nrecord = 'a.csv'\nx = [1, 2]", "4:1: x has no effect: record takes its place"},
		{"[grid]\nrecord = 'a.csv'\nx = 1", "4:1: x has no effect: record takes its place"},
		{"[grid]\nrecord = ['a.csv', '']\nx = 1", ""},
		{"[grid]\nrecord = ''\nx = [1, 2]", ""},
		{"[grid]\nalgorithm = 'RL'\nrecord = ['a.csv', '']\nN = [1, 2]", "5:1: N is an axis, but not used by RL\nhint: N is used by CGLA, FPA"},
		{"[grid]\ninclude = [{ record = 'a.csv', x = 2 }]", "3:32: this point includes x, but record takes its place"},
		{"[grid]\nbeta = [0.1, 0.2]\nalgorithm = ['RL', 'FPA']", "3:1: beta is an axis, but not used by RL, FPA\nhint: beta is used by WL, WLRL"},
		{"inputs = 3", "2:10: inputs is the integer 3, want [[inputs]] with the keys file and holds"},
		{"inputs = [3]", "2:11: inputs holds the integer 3, want [[inputs]] with the keys file and holds"},
		{"[[inputs]]\nfile = 3\nholds = 'x'", `3:8: file is the integer 3, want [[inputs]] with`},
		{"[[inputs]]\nfile = 'a.csv'\nholds = ''", `4:9: holds is the string "", want [[inputs]] with`},
		{"[[inputs]]\nfile = 'a.csv'", `2:3: inputs has no "holds", want [[inputs]] with`},
		{"[[inputs]]\nfiles = 'a.csv'", `3:1: unknown key "files", want file, holds`},
		{"[[inputs]]\nfile = 'a.csv'\nholds = 'x'", `3:8: inputs has the file "a.csv", which the spec does not name`},
		{"[[inputs]]\nfile = 'a'\nholds = 'x'\n[[inputs]]\nholds = 'y'\nfile = 'a'", `7:8: inputs has the file "a" twice`},
		{"[grid]\nrecord = ['a.csv', 'b.csv']\n[[inputs]]\nfile = 'a.csv'\nholds = 'x'", "3:20: record names \"b.csv\", but [[inputs]] does not\nhint: add it there"},
	} {
		got := faultOf("experiment = 'recorded'\n"+c.text, library{"dir/a.csv": "1"}.reading())
		if (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

// A value that could not be read again from [[inputs]] is a fault of the
// experiment, which is found before anything runs.
func TestReadReturnsText(t *testing.T) {
	for _, c := range []struct {
		value experiment.Value
		want  string
	}{
		{experiment.StringValue("a"), ""},
		{experiment.Value{}, "null"},
		{experiment.StringValue(""), `the string ""`},
		{experiment.IntValue(3), `the int "3"`},
		{experiment.StringValue("a\xff"), `the string "a\xff"`},
	} {
		e := recorded()
		p, _ := e.Param("record")
		p.Input = &experiment.Input{Accepts: "a CSV file", Read: func(string, map[string]string) (experiment.Value, error) { return c.value, nil }}
		got := faultOf("experiment = 'recorded'\n[grid]\nrecord = 'a.csv'", []*experiment.Experiment{e})
		want := c.want
		if want != "" {
			want = "3:10: the Read of record returned " + want + ", want a text in UTF-8 that is not empty"
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
