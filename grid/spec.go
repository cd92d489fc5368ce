// Package grid turns a sweep's specification into an ordered set of points.
//
// A spec is a TOML file. Parse reads it (spec.go) in these steps:
//
//   - package document turns the text into a tree whose keys and elements
//     know their positions, so that every fault can name its own;
//   - values and axes (axis.go, range.go) are checked against the
//     experiment's declaration, the one source of names, kinds and ranges;
//     files that a parameter names become what stands for their content
//     (inputs.go);
//   - each [grid] block (block.go) becomes a product of axes, some of them
//     zipped, with points that are excluded and included;
//   - the blocks are expanded into one list of cells, each once (expand.go,
//     variant.go);
//   - what parameters must satisfy together is checked on every cell
//     (rules.go).
//
// A spec may also have a rule by which cells get seeds until a mean is known
// well enough (stop.go), and state claims about its results (claim.go).
//
// The result is a Plan (plan.go): the cells are listed, the seeds are not;
// run i is cell i mod cells with seed i / cells. A run is known by its ID
// (identity.go), which depends on what is run and on nothing else. Shards
// (shard.go) divide the runs among machines. Blocks describe for people what
// came of each [grid].
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
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/grid/internal/document"
	"sweep/internal/suggest"
)

// Spec is a parsed and validated specification.
type Spec struct {
	Name       string                 // the name key, default: the file's base name; safe as a directory's name
	File       string                 // as given to Parse, for messages
	Source     []byte                 // the bytes given to Parse and, if it read files, [[inputs]]
	Experiment *experiment.Experiment // the declaration the spec asks for
	PaperTable string                 // [paper] table; empty if absent
	Claims     []Claim                // [[claim]], in the order of the document

	plan   *Plan
	blocks []Block
	reader *reader // knows the inputs
}

// Warnings returns what is doubtful about the spec though it is accepted, one
// *Error for each block and rule (experiment.Rule.Warns) at most.
func (s *Spec) Warnings() []error { return s.reader.warnings }

// Parse reads a TOML spec, which may ask for any of the experiments. Every
// fault in it is reported as an *Error, the first one found; what Parse
// accepts expands to at least one run. The file is only a name, for
// messages and for the default of Name, and the place beside which the
// files are that parameters name (experiment.Input). What was in these becomes
// part of Source, so that the same Source, elsewhere, is the same plan
// without them.
func Parse(file string, source []byte, experiments []*experiment.Experiment) (*Spec, error) {
	r := &reader{file: file}
	root, err := r.document(source)
	if err != nil {
		return nil, err
	}
	s := &Spec{File: file, Source: source, reader: r}
	if err := r.read(s, root, experiments); err != nil {
		return nil, err
	}
	return s, nil
}

// Plan returns the spec's points. All calls return the same Plan.
func (s *Spec) Plan() *Plan { return s.plan }

// Blocks describes the spec's [grid] blocks in order. A spec without any
// has one, which is empty.
func (s *Spec) Blocks() []Block { return s.blocks }

// start is the position of faults that concern the whole file.
var start = document.Pos{Line: 1, Column: 1}

// A reader reads one spec. Its methods return an *Error as error.
type reader struct {
	file   string
	model  *model
	inputs inputs

	warnings []error // of rules that only warn
}

// document reads the text.
func (r *reader) document(source []byte) (*document.Node, error) {
	root, err := document.Parse(source)
	if err != nil {
		var fault *document.Fault
		if errors.As(err, &fault) {
			return nil, r.at(fault.Pos, "%s", fault.Message)
		}
		return nil, r.at(start, "%v", err)
	}
	return root, nil
}

// keys are the keys of a spec.
const keys = "name, experiment, seeds, grid, stop, paper, claim, inputs"

func (r *reader) read(s *Spec, root *document.Node, experiments []*experiment.Experiment) error {
	// The experiment first: the rest is judged by its declaration.
	var err error
	if s.Experiment, err = r.experiment(root, experiments); err != nil {
		return err
	}
	r.model = newModel(s.Experiment)
	for _, e := range root.Entries {
		if known := strings.Split(keys, ", "); !slices.Contains(known, e.Key) {
			fault := r.at(e.KeyPos, "unknown key %q, want one of %s", e.Key, keys)
			if p, _ := s.Experiment.Param(e.Key); p != nil {
				return fault.hint("%s is a parameter, it belongs below [grid]", e.Key)
			}
			return fault.meant(suggest.Nearest(e.Key, known))
		}
	}
	if s.Name, err = r.name(root.Entry("name")); err != nil {
		return err
	}
	if s.PaperTable, err = r.paper(root.Entry("paper")); err != nil {
		return err
	}
	if err := r.pins(root.Entry(inputsKey)); err != nil {
		return err
	}
	seeds, err := r.seeds(root.Entry("seeds"))
	if err != nil {
		return err
	}
	rule, seeds, err := r.stop(root.Entry("stop"), root.Entry("seeds"), seeds)
	if err != nil {
		return err
	}
	blocks, err := r.grid(root.Entry("grid"))
	if err != nil {
		return err
	}
	if err := r.pin(s, root.Entry(inputsKey)); err != nil {
		return err
	}
	x, err := r.expand(blocks)
	if err != nil {
		return err
	}
	seedsPos := start
	if n := root.Entry("seeds"); n != nil {
		seedsPos = n.Pos
	}
	s.blocks = x.blocks
	if s.plan, err = x.plan(blocks, seeds, seedsPos, rule); err != nil {
		return err
	}
	s.Claims, err = r.claims(root.Entry(claimKey), s.plan)
	return err
}

func (r *reader) experiment(root *document.Node, experiments []*experiment.Experiment) (*experiment.Experiment, error) {
	var names []string
	for _, e := range experiments {
		names = append(names, e.Name)
	}
	list := strings.Join(names, ", ")
	n := root.Entry("experiment")
	if n == nil {
		fault := r.at(start, "no key \"experiment\", want one of %s", list)
		for _, e := range root.Entries {
			if strings.EqualFold(e.Key, "experiment") {
				return nil, fault.meant("experiment")
			}
		}
		return nil, fault.hint("add a line such as: experiment = %q", append(names, "")[0])
	}
	name, ok := n.Value.(string)
	if !ok {
		return nil, r.at(n.Pos, "experiment is %s, want one of %s", found(n), list)
	}
	for _, e := range experiments {
		if e.Name == name {
			return e, nil
		}
	}
	return nil, r.at(n.Pos, "unknown experiment %q, want one of %s", name, list).meant(suggest.Nearest(name, names))
}

// longestName leaves room for suffixes in a file system's 255 bytes.
const longestName = 100

func (r *reader) name(n *document.Node) (string, error) {
	const want = "letters, digits, '.', '_' and '-', beginning with a letter or digit, at most 100"
	if n == nil {
		base := filepath.Base(r.file)
		name := strings.TrimSuffix(base, filepath.Ext(base))
		if !safe(name) {
			return "", r.at(start, "the file's name %q is no name for a sweep, want %s", name, want).
				hint("add a line such as: name = \"sweep\"")
		}
		return name, nil
	}
	name, ok := n.Value.(string)
	if !ok {
		return "", r.at(n.Pos, "name is %s, want a string", found(n))
	}
	if !safe(name) {
		return "", r.at(n.Pos, "name is %q, want %s", name, want)
	}
	return name, nil
}

// safe reports whether a name can be a directory's on any system.
func safe(name string) bool {
	if name == "" || len(name) > longestName || strings.HasSuffix(name, ".") {
		return false
	}
	for i, c := range name {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && (i == 0 || !strings.ContainsRune("._-", c)) {
			return false
		}
	}
	return true
}

func (r *reader) paper(n *document.Node) (string, error) {
	if n == nil {
		return "", nil
	}
	if n.Kind != document.Table {
		return "", r.at(n.Pos, "paper is %s, want a table such as [paper] with a key table", found(n))
	}
	if err := r.only(n, "table"); err != nil {
		return "", err
	}
	if n = n.Entry("table"); n == nil {
		return "", nil
	}
	return r.tableName(n)
}

// tableName reads the name of one of the experiment's tables.
func (r *reader) tableName(n *document.Node) (string, error) {
	var names []string
	for _, t := range r.model.experiment.Tables {
		names = append(names, t.Name)
	}
	list := strings.Join(names, ", ")
	if list == "" {
		list = "none: " + r.model.experiment.Name + " has no tables"
	}
	name, ok := n.Value.(string)
	if !ok {
		return "", r.at(n.Pos, "table is %s, want a string: %s", found(n), list)
	}
	if r.model.experiment.Table(name) == nil {
		return "", r.at(n.Pos, "unknown table %q, want one of %s", name, list).meant(suggest.Nearest(name, names))
	}
	return name, nil
}

// only refuses entries of a table other than the given keys.
func (r *reader) only(table *document.Node, keys ...string) error {
	for _, e := range table.Entries {
		if !slices.Contains(keys, e.Key) {
			return r.at(e.KeyPos, "unknown key %q, want %s", e.Key, strings.Join(keys, ", ")).
				meant(suggest.Nearest(e.Key, keys))
		}
	}
	return nil
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

// Detail returns the fault and, on a second line, its hint if it has one.
func (e *Error) Detail() string {
	if e.Hint == "" {
		return e.Error()
	}
	return e.Error() + "\nhint: " + e.Hint
}

// at returns a fault at a position.
func (r *reader) at(pos document.Pos, format string, args ...any) *Error {
	return &Error{File: r.file, Line: pos.Line, Column: pos.Column, Message: fmt.Sprintf(format, args...)}
}

// hint adds a hint to the fault.
func (e *Error) hint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// meant adds a "did you mean", if there is a word to suggest.
func (e *Error) meant(word string) *Error {
	if word != "" {
		e.Hint = fmt.Sprintf("did you mean %q?", word)
	}
	return e
}
