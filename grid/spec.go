// Package grid turns a sweep's specification into an ordered set of points.
//
// A spec is a TOML file. Parse reads it (spec.go) into a tree whose keys and
// elements know their places, so that every fault can name its own
// (package document). Values and axes are checked against the experiment's
// declaration (axis.go, range.go, inputs.go), the one source of names, kinds
// and ranges, which some experiments make of the spec (declare.go). Each [grid]
// is a block of axes (block.go). The blocks are expanded into one list of cells,
// each once (expand.go), on each of which is checked what parameters must satisfy
// together. A spec may state claims about its results (claim.go).
//
// The result is a Plan (plan.go): the cells are listed, the seeds are not;
// run i is cell i mod cells with seed i / cells. There may be a rule by which cells
// get seeds until a mean is known well enough. A run is known by its ID
// (identity.go), which depends on what is run and on nothing else. Shards
// (shard.go) divide the runs among machines.
//
// Beside that way, Changed changes values in the text of a spec (change.go), and
// Schema describes specs to editors (schema.go).
//
// # Canonical points
//
// A parameter that a point's algorithm does not use is null in that point,
// as is one that a file takes the place of; one that the spec does not name
// has its default. Combinations that thereby become equal are one point, at
// the place of the first of them.
//
// # Order
//
// Blocks follow one another as in the document, and within a block the
// axes count like the digits of a number: in document order, the last
// fastest. Axes that are zipped stand where the first of them stands. The
// points that a block includes follow its product. A point that an earlier
// place holds already is dropped. The whole list of cells is repeated for
// each seed, so that any prefix of the runs is balanced over the cells.
//
// The package does not know what an axis means: of all parameters only the
// selector, experiment.Algorithm, and the one with Replaces have a role of their
// own.
package grid

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"sweep/experiment"
	"sweep/internal/document"
	"sweep/internal/lists"
	"sweep/internal/suggest"
)

// Spec is a parsed and validated specification. Its methods that read a part of
// it panic with an *Error, which Parse returns.
type Spec struct {
	Name       string                 // default: the file's base name; safe as a directory's name
	File       string                 // as given to Parse, for messages
	Source     []byte                 // the bytes given to Parse and, if it read files, [[inputs]]
	Experiment *experiment.Experiment // the declaration the spec asks for
	PaperTable string                 // [paper] table; empty if absent
	Claims     []Claim                // [[claim]], in the order of the document
	Blocks     []*Block               // [grid] in order; without any, one that is empty
	Warnings   []*Error               // doubts: of texts in where, and one at most for each rule (experiment.Rule.Warns)

	plan     *Plan
	inputs   map[string]*inputFile // by the name in the spec
	recorded bool                  // [[inputs]] tell what the files hold

	selector int     // index of the parameter experiment.Algorithm if it has choices, or -1
	replacer int     // index of the parameter that replaces others, or -1
	combined float64 // cells of the blocks so far, excluded and repeated ones too
}

// Parse reads a TOML spec, which may ask for any of the experiments. Every
// fault in it is reported as an *Error, the first one found; what Parse
// accepts expands to at least one run. The file is only a name, for
// messages and for the default of Name, and the place beside which the
// files are that parameters name (experiment.Input). What was in these becomes
// part of Source, so that the same Source, elsewhere, is the same plan
// without them.
func Parse(file string, source []byte, experiments []*experiment.Experiment) (_ *Spec, err error) {
	defer document.Catch[*Error](&err)
	s := &Spec{File: file, plan: &Plan{}}
	s.spec(s.document(source), experiments)
	return s, nil
}

// SHA256 returns the checksum of the Source, hexadecimal.
func (s *Spec) SHA256() string { return fmt.Sprintf("%x", sha256.Sum256(s.Source)) }

// Plan returns the spec's points. All calls return the same Plan.
func (s *Spec) Plan() *Plan { return s.plan }

// document reads the text.
func (s *Spec) document(source []byte) *document.Node {
	s.Source = source
	root, err := document.Parse(source)
	if fault, is := err.(*document.Fault); is {
		panic(s.at(fault.At.Pos, "%s\nhint: %s", fault.Message, fault.Hint))
	}
	return root
}

// keys are the keys of a spec.
var keys = []string{"name", "experiment", "seeds", "grid", "sample", "stop", "paper", "claim", "inputs"}

func (s *Spec) spec(root *document.Node, experiments []*experiment.Experiment) {
	// The experiment first: the rest is judged by its declaration.
	asked := s.asked(root, experiments)
	keys := keys
	if asked.Declare != nil {
		keys = append(slices.Clone(keys), asked.Name, parametersKey)
	}
	s.parseInputs(root.Entry(inputsKey))
	s.sample(root.Entry(sampleKey))
	s.Experiment = s.declare(root, asked)
	params := s.Experiment.Params
	s.selector = slices.IndexFunc(params, func(p experiment.Param) bool {
		return p.Name == experiment.Algorithm && p.Choices != nil
	})
	s.replacer = slices.IndexFunc(params, func(p experiment.Param) bool { return p.Replaces != nil })
	s.table(root, "", keys...)
	s.Name = s.name(root.Entry("name"))
	s.PaperTable = s.paper(root.Entry("paper"))
	s.seeds(root.Entry("seeds"))
	s.stop(root.Entry("stop"), root.Entry("seeds"))
	s.grid(root.Entry("grid"))
	if s.plan.Design != nil && s.plan.Design.Params == nil {
		panic(s.at(root.Entry(sampleKey).Pos,
			"nothing is sampled: no [grid] has a range without step, factor and count"))
	}
	s.recordInputs(root.Entry(inputsKey))
	s.expand(root.Entry("seeds"))
	s.Claims = s.claims(root.Entry("claim"))
}

// asked returns the experiment that the spec names.
func (s *Spec) asked(root *document.Node, experiments []*experiment.Experiment) *experiment.Experiment {
	names := lists.Map(experiments, func(e *experiment.Experiment) string { return e.Name })
	if n := root.Entry("experiment"); n != nil {
		return experiments[s.choose(n, names)]
	}
	for _, e := range root.Entries {
		if hint := suggest.Hint(e.Key, []string{"experiment"}); hint != "" {
			panic(s.at(e.KeyPos, "no key \"experiment\", but %q\nhint: %s", e.Key, hint))
		}
	}
	panic(s.at(0, "no key \"experiment\", want one of %s\nhint: add a line above all tables such as: experiment = %q",
		strings.Join(names, ", "), append(names, "")[0]))
}

// nameForm is that of names which can be a directory's on any system, with room
// for suffixes in a file system's 255 bytes. The schema has it too.
const nameForm = `^[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?$`

var safeName = regexp.MustCompile(nameForm)

func (s *Spec) name(n *document.Node) string {
	const want = "letters, digits, '.', '_' and '-', beginning with a letter or digit, at most 100"
	if n == nil {
		base := filepath.Base(s.File)
		name := strings.TrimSuffix(base, filepath.Ext(base))
		s.must(safeName.MatchString(name), 0, "the file's name %q is no name for a sweep, want %s\n"+
			"hint: add a line such as: name = \"sweep\"", name, want)
		return name
	}
	name := s.text(n, want)
	s.want(safeName.MatchString(name), n, want)
	return name
}

// paper reads the name of one of the experiment's tables.
func (s *Spec) paper(n *document.Node) string {
	if n == nil {
		return ""
	}
	s.table(n, "a table such as [paper] with a key table", "table")
	if n = n.Entry("table"); n == nil {
		return ""
	}
	names := s.Experiment.TableNames()
	s.must(len(names) > 0, n.Pos, "table is %s, but %s has no tables", n.Found(), s.Experiment.Name)
	return names[s.choose(n, names)]
}

// must refuses the spec unless ok.
func (s *Spec) must(ok bool, pos int, format string, args ...any) {
	if !ok {
		panic(s.at(pos, format, args...))
	}
}

// want refuses a value unless ok, and says what was found and what is
// accepted.
func (s *Spec) want(ok bool, n *document.Node, accepted string, args ...any) {
	if !ok {
		verb := "is"
		if n.KeyPos < 0 {
			verb = "holds"
		}
		panic(s.at(n.Pos, "%s %s %s, want %s", n.Key, verb, n.Found(), fmt.Sprintf(accepted, args...)))
	}
}

// text reads a string.
func (s *Spec) text(n *document.Node, accepted string) string {
	text, ok := n.Value.(string)
	s.want(ok, n, "%s", accepted)
	return text
}

// choose reads one of several names and returns its index.
func (s *Spec) choose(n *document.Node, names []string) int {
	list := strings.Join(names, ", ")
	name := s.text(n, "one of "+list)
	i := slices.Index(names, name)
	if i < 0 {
		panic(s.at(n.Pos, "unknown %s %q, want one of %s", n.Key, name, list).Suggest(name, names))
	}
	return i
}

// integer reads an integer of at least some number.
func (s *Spec) integer(n *document.Node, least int64) int64 {
	x, ok := n.Value.(int64)
	s.want(ok && x >= least, n, "an integer of at least %d", least)
	return x
}

// table reads a table that has no other keys than these.
func (s *Spec) table(n *document.Node, accepted string, keys ...string) {
	s.want(n.Kind == document.Table, n, "%s", accepted)
	for _, e := range n.Entries {
		if !slices.Contains(keys, e.Key) {
			fault := s.at(e.KeyPos, "unknown key %.60q, want %s", e.Key, strings.Join(keys, ", "))
			if p, _ := find(s.Experiment, e.Key); p != nil || slices.Contains(directives, e.Key) &&
				(e.Key != includeKey || e.Value == nil) { // other programs include files
				fault.Hint = e.Key + " belongs below [grid]"
			}
			panic(fault.Suggest(e.Key, keys))
		}
	}
}

// Error is one fault in a spec, with its position.
type Error struct {
	File         string
	Line, Column int // from 1, the column in characters
	Message      string

	// Hint is a suggestion to be printed on a line of its own, for
	// example `did you mean "gamma"?`; empty if there is none.
	Hint string
}

// Error returns the fault on one line, without the hint:
// file:line:column: message.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// at returns a fault at a place in the source. A hint may follow the message, on a
// line that begins with "hint: ".
func (s *Spec) at(pos int, format string, args ...any) *Error {
	line, column := s.place(pos)
	message, hint, _ := strings.Cut(fmt.Sprintf(format, args...), "\nhint: ")
	return &Error{s.File, line, column, message, hint}
}

// place returns the position of a byte of the source.
func (s *Spec) place(pos int) (line, column int) {
	before := s.Source[:pos]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}

// Suggest adds the hint to a known word, if one is close to that found.
func (e *Error) Suggest(word string, known []string) *Error {
	e.Hint = cmp.Or(suggest.Hint(word, known), e.Hint)
	return e
}
