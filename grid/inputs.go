package grid

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"sweep/experiment"
	"sweep/internal/document"
	"sweep/internal/lists"
)

// inputsKey is the key of a spec that says what was in the files that it
// names, for example
//
//	[[inputs]]
//	  file = "crawl.csv"
//	  holds = "crawl.csv@sha256:9f86d081884c7d65"
//
// With it the points are known without the files.
const inputsKey = "inputs"

const inputsForm = `[[inputs]] with the keys file and holds, as in the spec.toml of a sweep`

// An inputFile is a file that a spec, or its [[inputs]], names.
type inputFile struct {
	holds  experiment.Value  // what stands for its content in points
	param  string            // that names it first; empty if only [[inputs]] does
	reader *experiment.Input // of this parameter
	at     *document.Node    // where it is named
}

// parseInputs reads the inputs key.
func (s *Spec) parseInputs(n *document.Node) {
	s.inputs = map[string]*inputFile{}
	if n == nil {
		return
	}
	s.want(n.Kind == document.Array, n, inputsForm)
	s.recorded = true
	for _, e := range n.Elements {
		s.table(e, inputsForm, "file", "holds")
		for _, key := range []string{"file", "holds"} {
			v := e.Entry(key)
			s.must(v != nil, e.Pos, "inputs has no %q, want %s", key, inputsForm)
			s.want(s.text(v, inputsForm) != "", v, inputsForm)
		}
		file := e.Entry("file").Value.(string)
		s.must(s.inputs[file] == nil, e.Entry("file").Pos, "inputs has the file %q twice", file)
		s.inputs[file] = &inputFile{holds: experiment.ValueOf(e.Entry("holds").Value)}
	}
}

// input returns the value of a file that a parameter names.
func (s *Spec) input(param string, reader *experiment.Input, n *document.Node, name string) experiment.Value {
	if name == "" {
		return experiment.Value{}
	}
	in := s.inputs[name]
	s.must(in != nil || !s.recorded, n.Pos, "%s names %q, but [[inputs]] does not\n"+
		"hint: add it there, or delete all [[inputs]]: they say what is in the files that the spec names",
		param, name)
	if in == nil {
		value, err := reader.Read(beside(s.File, name))
		s.must(err == nil, n.Pos, "%s: %v", param, err)
		in = &inputFile{holds: value}
		s.inputs[name] = in
	}
	if in.reader == nil {
		in.param, in.reader, in.at = param, reader, n
	}
	return in.holds
}

// beside returns the path of a file that a spec names, which may be a pipe: /dev/stdin.
func beside(spec, name string) string {
	if filepath.IsAbs(name) || strings.HasPrefix(spec, "/dev/") {
		return name
	}
	return filepath.Join(filepath.Dir(spec), filepath.FromSlash(name))
}

// recordInputs appends what is in the files to the text of a spec that does not say
// so, and refuses to say it of files that the spec does not name.
func (s *Spec) recordInputs(inputs *document.Node) {
	if inputs != nil {
		for _, e := range inputs.Elements {
			file := e.Entry("file")
			s.must(s.inputs[file.Value.(string)].reader != nil, file.Pos,
				"inputs has the file %q, which the spec does not name", file.Value)
		}
		return
	}
	if len(s.inputs) == 0 {
		return
	}
	tables := lists.Map(s.Inputs(), func(name string) map[string]string {
		return map[string]string{"file": name, "holds": s.inputs[name].holds.Text()}
	})
	text, err := toml.Marshal(map[string]any{inputsKey: tables})
	if err != nil {
		panic("grid: " + err.Error()) // strings can be written
	}
	const heading = "\n\n# The files named above, as they were read.\n"
	s.Source = slices.Concat(bytes.TrimSuffix(s.Source, []byte("\n")), []byte(heading), text)
	s.must(len(s.Source) <= document.MaxSize, 0,
		"the file leaves no room for what is in its inputs within %d bytes", document.MaxSize)
}

// Inputs returns the files that the spec names, sorted: absolute paths, or
// paths relative to the spec's directory, with slashes.
func (s *Spec) Inputs() []string { return slices.Sorted(maps.Keys(s.inputs)) }

// Files returns the files behind an input with a relative path, by their paths in a
// directory: what a pattern matches or a directory has, beside the spec or else in the
// working directory. What comes with the program has none.
func (s *Spec) Files(name string) (dir string, files []string) {
	for _, dir = range []string{filepath.Dir(s.File), "."} {
		found := []string{filepath.Join(dir, filepath.FromSlash(name))}
		if _, err := os.Stat(found[0]); err != nil {
			found, _ = filepath.Glob(found[0]) // none if it is no pattern
		}
		for _, path := range found {
			_ = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
				if file, _ := filepath.Rel(dir, path); err != nil || !d.IsDir() { // who opens it meets the error
					files = append(files, file)
				}
				return nil
			})
		}
		if files != nil {
			break
		}
	}
	return dir, files
}

// DescribeInput says what is in a file that the spec names: what stands for it
// in points and, if the file was read, a few words more.
func (s *Spec) DescribeInput(name string) string {
	in, words := s.inputs[name], ""
	if describe := in.reader.Describe; describe != nil {
		words = describe(in.holds)
	}
	return strings.TrimSuffix(in.holds.Text()+": "+words, ": ")
}

// ReadInputs reads the files that the spec names, unless Parse did: those
// whose content [[inputs]] tells. Since that is told, and the spec may be a
// copy, files that are not beside it may also be in the working directory.
// Results can be looked at without the files, so that it is left to the
// caller to ask for them before runs are made. The error is an *Error if a
// file is missing, malformed, or not what [[inputs]] says.
func (s *Spec) ReadInputs() (err error) {
	defer document.Catch[*Error](&err)
	for _, name := range s.Inputs() {
		if !s.recorded {
			break
		}
		in := s.inputs[name]
		v, failed := in.reader.Read(beside(s.File, name))
		if failed != nil {
			if here, err := in.reader.Read(filepath.FromSlash(name)); err == nil {
				v, failed = here, nil
			}
		}
		s.must(failed == nil, in.at.Pos, "%s: %v\nhint: a file is looked for beside the spec, "+
			"where a link to it will do, and in the working directory", in.param, failed)
		s.must(v == in.holds, in.at.Pos, "%s: %s holds %s now, want %s\nhint: [[inputs]] says what the file "+
			"must hold; without that any content will do, and makes other runs", in.param, name, v, in.holds)
	}
	return nil
}
