package grid

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"sweep/experiment"
	"sweep/internal/document"
)

// inputsKey is the key of a spec that records what the files that it names
// held, for example
//
//	[[inputs]]
//	  file = "crawl.csv"
//	  holds = "crawl.csv@sha256:9f86d081884c7d65"
//
// With this record the points are known without the files.
const inputsKey = "inputs"

const inputsForm = `[[inputs]] with the keys file and holds, as in the spec.toml of a sweep`

// An inputFile is a file that the spec names, in a parameter or in [[inputs]].
type inputFile struct {
	holds  string            // what stands for its content in points
	param  string            // the first that names it; empty if only [[inputs]] does
	reader *experiment.Input // of this parameter
	at     *document.Node    // where it is named
}

// columnsKey is the key of a spec that tells what columns are called in the
// tables that it names, for example
//
//	columns = { time = "timestamp" }
const columnsKey = "columns"

// inputs are the files that a spec names.
type inputs struct {
	files    map[string]*inputFile // by the name in the spec
	columns  map[string]string     // what columns are called in tables, by their names
	recorded bool                  // [[inputs]] tell what they hold
}

// names returns the files, sorted.
func (in *inputs) names() []string { return slices.Sorted(maps.Keys(in.files)) }

// recordedInputs reads the inputs key.
func (r *reader) recordedInputs(n *document.Node) inputs {
	read := inputs{files: map[string]*inputFile{}, recorded: n != nil}
	if n == nil {
		return read
	}
	for _, e := range r.list(n, inputsForm) {
		keys := r.table(e, inputsForm, []string{"file", "holds"})
		for _, key := range []string{"file", "holds"} {
			v := keys[key]
			r.must(v != nil, e, "inputs has no %q, want %s", key, inputsForm)
			r.want(r.text(v, inputsForm) != "", v, inputsForm)
		}
		file := keys["file"].Value.(string)
		r.must(read.files[file] == nil, keys["file"], "inputs has the file %q twice", file)
		read.files[file] = &inputFile{
			holds: keys["holds"].Value.(string),
			at:    keys["file"],
		}
	}
	return read
}

// columnsOf returns the names of the columns of all tables that an experiment
// reads.
func columnsOf(e *experiment.Experiment) (names []string) {
	for _, p := range e.Params {
		if p.Input != nil {
			names = append(names, p.Input.Columns...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// columnNames reads the columns key.
func (r *reader) columnNames(n *document.Node) map[string]string {
	if n == nil {
		return nil
	}
	const form = `a table such as { time = "timestamp" }`
	const wanted = "the column's name in the files"
	r.table(n, form, columnsOf(r.experiment))
	columns := map[string]string{}
	for _, e := range n.Entries {
		columns[e.Key] = r.text(e, wanted)
		r.want(columns[e.Key] != "", e, wanted)
	}
	return columns
}

// checkColumns rejects columns that no file has which the spec names.
func (r *reader) checkColumns(n *document.Node) {
	if n == nil {
		return
	}
	for _, e := range n.Entries {
		isRead := false
		for _, in := range r.inputs.files {
			isRead = isRead || slices.Contains(in.reader.Columns, e.Key)
		}
		r.must(isRead, keyOf(e),
			"columns has %s, but no table that the spec names has such a column", e.Key)
	}
}

// input returns the value of a file that a parameter names.
func (r *reader) input(
	param string, reader *experiment.Input, n *document.Node, name string,
) experiment.Value {
	if name == "" {
		return experiment.Value{}
	}
	in := r.inputs.files[name]
	if in == nil {
		r.must(!r.inputs.recorded, n, "%s names %q, but [[inputs]] does not\n"+
			"hint: add it there, or delete all [[inputs]]: "+
			"they say what is in the files that the spec names", param, name)
		value, err := reader.Read(beside(r.file, name), r.inputs.columns)
		r.must(err == nil, n, "%s: %v", param, err)
		r.mustHold(param, n, value)
		in = &inputFile{holds: value.Text()}
		r.inputs.files[name] = in
	}
	if in.reader == nil {
		in.param = param
		in.reader = reader
		in.at = n
	}
	return experiment.StringValue(in.holds)
}

// mustHold refuses a value that a later reader of [[inputs]] would not find
// there.
func (r *reader) mustHold(param string, n *document.Node, v experiment.Value) {
	returned := v.Kind().String()
	if !v.IsNull() {
		returned = fmt.Sprintf("the %s %q", v.Kind(), v.String())
	}
	isText := v.Kind() == experiment.String && v.Text() != "" && utf8.ValidString(v.Text())
	r.must(isText, n, "the Read of %s returned %s, want a text in UTF-8 that is not empty",
		param, returned)
}

// beside returns the path of a file that a spec names, which may be a pipe:
// /dev/stdin.
func beside(spec, name string) string {
	if filepath.IsAbs(name) || strings.HasPrefix(spec, "/dev/") {
		return name
	}
	return filepath.Join(filepath.Dir(spec), filepath.FromSlash(name))
}

// recordInputs appends [[inputs]] to a spec that has none. It rejects
// [[inputs]] with files that no parameter names.
func (r *reader) recordInputs() {
	for _, name := range r.inputs.names() {
		in := r.inputs.files[name]
		r.must(in.reader != nil, in.at,
			"inputs has the file %q, which the spec does not name", name)
	}
	if r.inputs.recorded || len(r.inputs.files) == 0 {
		return
	}
	text := strings.TrimSuffix(string(r.source), "\n") +
		"\n\n# The files named above, as they were read."
	for _, name := range r.inputs.names() {
		holds := r.inputs.files[name].holds
		text += fmt.Sprintf("\n[[%s]]\nfile = %s\nholds = %s\n",
			inputsKey, quoted(name), quoted(holds))
	}
	r.must(len(text) <= document.MaxSize, new(document.Node),
		"the file and the record of its inputs exceed %d bytes", document.MaxSize)
	r.source = []byte(text)
}

// quoted returns a text as a TOML string, in single quotes if it needs no
// escapes.
func quoted(text string) string {
	isSpecial := func(r rune) bool { return r < ' ' || r == '\x7f' || r == '\'' }
	if !strings.ContainsFunc(text, isSpecial) {
		return "'" + text + "'"
	}
	line, err := toml.Marshal(map[string]string{"key": text})
	if err != nil {
		panic("grid: " + err.Error()) // a string can be written
	}
	value := strings.TrimPrefix(string(line), "key = ")
	return strings.TrimSpace(value)
}

// Inputs returns the files that the spec names, sorted: absolute paths, or
// paths relative to the spec's directory, with slashes.
func (s *Spec) Inputs() []string { return s.inputs.names() }

// Files returns the files that an input with a relative path stands for: the
// file itself, the matches of a pattern, or all files of a directory. Their
// paths are relative to dir, the directory of the spec or else the working
// directory. Files that come with the program are not found.
func (s *Spec) Files(name string) (dir string, files []string) {
	for _, dir = range []string{filepath.Dir(s.File), "."} {
		files = filesIn(dir, name)
		if files != nil {
			break
		}
	}
	return dir, files
}

// filesIn returns what a pattern, or the name of a file or a directory, stands
// for in a directory.
func filesIn(dir, name string) (files []string) {
	path := filepath.Join(dir, filepath.FromSlash(name))
	found := []string{path}
	if _, err := os.Stat(path); err != nil {
		found, _ = filepath.Glob(path) // none if it is no pattern
	}
	for _, path := range found {
		_ = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() { // opening it will report the error
				file, _ := filepath.Rel(dir, path)
				files = append(files, file)
			}
			return nil
		})
	}
	return files
}

// DescribeInput tells what a file that the spec names holds: its value in
// points and, if the file was read, a short description.
func (s *Spec) DescribeInput(name string) string {
	in := s.inputs.files[name]
	if in.reader.Describe == nil {
		return in.holds
	}
	described := in.reader.Describe(experiment.StringValue(in.holds))
	return strings.TrimSuffix(in.holds+": "+described, ": ")
}

// ReadInputs reads the files that the spec names, unless Parse did. Parse
// does not read files whose content [[inputs]] records, because results can
// be looked at without them; call ReadInputs before making runs. Since such a
// spec may be a copy, files that are not beside it may also be in the working
// directory. The error is an *Error if a file is missing, malformed, or not
// as recorded.
func (s *Spec) ReadInputs() (err error) {
	defer document.Catch[*Error](&err)
	if !s.inputs.recorded {
		return nil
	}
	r := &reader{file: s.File, source: s.Source}
	for _, name := range s.Inputs() {
		in := s.inputs.files[name]
		v, failed := in.reader.Read(beside(s.File, name), s.inputs.columns)
		if failed != nil {
			here, err := in.reader.Read(filepath.FromSlash(name), s.inputs.columns)
			if err == nil {
				v = here
				failed = nil
			}
		}
		r.must(failed == nil, in.at, "%s: %v\nhint: a file is looked for beside the spec, "+
			"where a link to it will do, and in the working directory", in.param, failed)
		if v.Text() != in.holds {
			r.fail(in.at, "%s: %s holds %s now, want %s\n"+
				"hint: [[inputs]] says what the file must hold; "+
				"without that any content will do, and makes other runs",
				in.param, name, v, in.holds)
		}
	}
	return nil
}

// Ready returns an *Error if the experiment cannot be executed on this
// machine (experiment.Experiment.Ready), and adds what is doubtful to the
// Warnings.
func (s *Spec) Ready() error {
	if s.Experiment.Ready == nil {
		return nil
	}
	r := &reader{file: s.File, source: s.Source}
	warnings, err := s.Experiment.Ready(s.plan.Seeds())
	if err != nil {
		return r.declared(err, new(document.Node))
	}
	for _, warning := range warnings {
		s.Warnings = append(s.Warnings, r.declared(warning, new(document.Node)))
	}
	return nil
}
