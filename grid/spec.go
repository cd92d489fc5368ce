// Package grid turns the specification of a sweep into an ordered set of runs.
//
// A spec is a TOML file. Parse (spec.go) goes through it in three steps:
//
//   - A reader (reader.go) checks what the nodes of the file hold and fills
//     plain structs with it: blocks (block.go) of axes (axis.go, range.go,
//     sample.go) with a condition (where.go), seeds (seeds.go) and a stopping
//     rule (stop.go), input files (inputs.go), what runs need of a machine
//     (resources.go), claims about the results (claim.go), figures of them
//     (figure.go), seeds that were bought (bought.go), and a search (search.go)
//     with free parameters (free.go) and rounds, each of which is a block
//     (rounds.go). Every error names its line and column.
//   - The declaration of the experiment gives parameters their names, kinds and
//     ranges. Some experiments make it from the spec (declare.go,
//     gridparams.go).
//   - An expander (expand.go, product.go) makes one list of cells from the
//     blocks and checks the rules of the experiment in each of them (rules.go).
//
// The result is a Plan (plan.go). It lists the cells but not the seeds: run i
// is cell i mod cells with seed i / cells. The ID of a run (identity.go)
// depends only on what is run. Shards (shard.go) divide the runs among
// machines.
//
// Changed (change.go) edits values in the text of a spec, and Schema
// (schema.go) describes specs to text editors.
//
// # Canonical points
//
// A parameter is null in a point if the point's algorithm does not use it, or
// if an input file replaces it. A parameter that the spec does not name has
// its default. Combinations that become equal in this way count as one point,
// which stands where the first of them stands.
//
// # Order
//
// Blocks follow one another as in the document. Within a block the axes count
// like the digits of a number: in document order, the last one fastest. Zipped
// axes stand where the first of them stands. Included points follow the
// product of their block. A point that occurred before is dropped. The whole
// list of cells is repeated for each seed, so that the first runs of a plan
// cover the cells evenly wherever they end.
//
// The package does not know what an axis means. Only two parameters have a
// role of their own: experiment.Algorithm, which selects the algorithm, and
// the one that has Replaces.
package grid

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"sweep/experiment"
	"sweep/internal/document"
)

// Spec is a parsed and validated specification.
type Spec struct {
	Name        string                 // a directory's name; by default the file's
	Title       string                 // what the sweep is about, in a line; may be empty
	Description string                 // what readers of a report should know; may be empty
	File        string                 // as given to Parse, for messages
	Source      []byte                 // as given to Parse, plus [[inputs]] if it read files
	Experiment  *experiment.Experiment // the declaration the spec asks for
	Paper       Paper                  // [paper]
	Claims      []Claim                // [[claim]] in document order
	Figures     []experiment.Figure    // [[figure]] in document order
	Blocks      []*Block               // [grid] in document order; one empty block if there is none
	Resources   Resources              // [resources]

	// Warnings concern texts in where that match nothing, and rules that only
	// warn (experiment.Rule.Warns), each at most once. Ready adds its own.
	Warnings []*Error

	plan   *Plan
	inputs inputs
}

// keys are the keys of a spec.
var keys = []string{
	"name", "title", "description", "experiment", "seeds", "grid", "sample", "stop", "resources",
	"paper", "claim", "figure", "inputs", boughtKey, searchKey, searchedKey,
}

// Parse reads a TOML spec, which may ask for any of the experiments. The
// error is an *Error, for the first fault found. A spec that Parse accepts
// has at least one run.
//
// Parse does not open file. It names the file in errors, gives Name its
// default, and is the path beside which input files are looked for
// (experiment.Input). Parse reads these and adds to Source what they held, so
// that the same Source makes the same plan elsewhere, without them.
func Parse(file string, source []byte, experiments []*experiment.Experiment) (_ *Spec, err error) {
	defer document.Catch[*Error](&err)
	r := &reader{file: file, source: source}
	root := r.document()
	top := map[string]*document.Node{}
	for _, e := range root.Entries {
		top[e.Key] = e
	}
	asked := r.asked(root, top["experiment"], experiments)
	r.experiment = asked
	// Before the grid is read: with [gird] for [grid] the spec would seem to
	// have none.
	r.table(root, "", keysOf(asked))
	search := r.search(top)
	blocks := r.searchedBlocks(top["grid"], search)
	r.inputs = r.recordedInputs(top[inputsKey])
	r.inputs.columns = r.columnNames(top[columnsKey])
	r.design = r.sample(top[sampleKey])
	r.experiment = r.declare(asked, root, top[asked.Name], top[parametersKey], blocks)
	name := r.name(top["name"])
	paper := r.paper(top["paper"])
	needed := r.resources(top["resources"])
	plan := &Plan{
		experiment: r.experiment,
		seeds:      r.seeds(top["seeds"]),
		byName:     byName(r.experiment),
		Design:     r.design,
	}
	plan.index = sync.OnceValue(plan.makeIndex)
	plan.texts = sync.OnceValue(plan.makeTexts)
	plan.stop = r.stop(top["stop"], top["seeds"], plan.seeds)
	if plan.stop != nil {
		plan.seeds.count = plan.stop.Max
	}
	plan.own = plan.seeds.count
	for _, b := range blocks {
		r.values(b)
	}
	if search != nil {
		r.seal(search, &plan.seeds, top["seeds"], blocks)
		blocks = slices.DeleteFunc(blocks, func(b *Block) bool { return !search.isRun(b) })
		plan.Search = search
	}
	r.recordInputs()
	r.checkColumns(top[columnsKey])
	r.expand(plan, blocks, cmp.Or(top["seeds"], top["stop"]))
	r.bought(top[boughtKey], plan)
	if r.design != nil && r.design.Params == nil {
		r.fail(top[sampleKey],
			"nothing is sampled: no [grid] has a range without step, factor and count")
	}
	return &Spec{
		Name:        name,
		Title:       r.line(top["title"]),
		Description: strings.TrimSpace(r.line(top["description"])),
		File:        file,
		Source:      r.source,
		Experiment:  r.experiment,
		Paper:       paper,
		Claims:      r.claims(top["claim"]),
		Figures:     r.figures(top["figure"], plan),
		Blocks:      blocks,
		Resources:   needed,
		Warnings:    r.warnings,
		plan:        plan,
		inputs:      r.inputs,
	}, nil
}

// Heading returns the title or, without one, what is simulated.
func (s *Spec) Heading() string {
	if s.Title != "" {
		return s.Title
	}
	return s.Experiment.Title
}

// TellAs gives the spec the title, the description and the figures of another
// version of it. It returns what is wrong with figures that it cannot have:
// they are left out.
func (s *Spec) TellAs(other *Spec) (faults []error) {
	s.Title = other.Title
	s.Description = other.Description
	s.Figures = nil
	for i := range other.Figures {
		f := &other.Figures[i]
		fault := s.Experiment.CheckFigure(f)
		if fault != nil {
			faults = append(faults, fmt.Errorf("figure %q: %w", f.Name, fault))
			continue
		}
		s.Figures = append(s.Figures, *f)
	}
	return faults
}

// SHA256 returns the checksum of the Source, hexadecimal.
func (s *Spec) SHA256() string { return fmt.Sprintf("%x", sha256.Sum256(s.Source)) }

// Plan returns the spec's points. All calls return the same Plan.
func (s *Spec) Plan() *Plan { return s.plan }

// keysOf returns the keys that a spec may have that asks for an experiment.
func keysOf(e *experiment.Experiment) []string {
	known := slices.Clone(keys)
	if e.Declare != nil {
		known = append(known, e.Name, parametersKey)
	}
	if len(columnsOf(e)) > 0 {
		known = append(known, columnsKey)
	}
	return known
}

// asked returns the experiment that the spec names.
func (r *reader) asked(
	root, n *document.Node, experiments []*experiment.Experiment,
) *experiment.Experiment {
	var names []string
	for _, e := range experiments {
		names = append(names, e.Name)
	}
	if n != nil {
		name := r.text(n, "one of "+strings.Join(names, ", "))
		if !slices.Contains(names, name) {
			fault := r.unknownName(n, names)
			fault.Experiment = name
			r.refuse(fault)
		}
		return experiments[slices.Index(names, name)]
	}
	for _, e := range root.Entries {
		if hint := document.DidYouMean(e.Key, []string{"experiment"}); hint != "" {
			r.fail(keyOf(e), "no key \"experiment\", but %q\nhint: %s", e.Key, hint)
		}
	}
	first := ""
	if names != nil {
		first = names[0]
	}
	r.fail(root, "no key \"experiment\", want one of %s\n"+
		"hint: add a line above all tables such as: experiment = %q",
		strings.Join(names, ", "), first)
	return nil
}

const nameWanted = "letters, digits, '.', '_' and '-', beginning with a letter or digit, " +
	"at most 100"

// safeName reads a name of the form of experiment.FileNameForm. The schema has
// it, too.
func (r *reader) safeName(n *document.Node) string {
	name := r.text(n, nameWanted)
	r.want(safeName.MatchString(name), n, nameWanted)
	return name
}

var safeName = regexp.MustCompile(experiment.FileNameForm)

// name reads the name of the sweep.
func (r *reader) name(n *document.Node) string {
	if n != nil {
		return r.safeName(n)
	}
	base := filepath.Base(r.file)
	name := strings.TrimSuffix(base, filepath.Ext(base))
	if !safeName.MatchString(name) {
		r.fail(new(document.Node), "the file's name %q is no name for a sweep, want %s\n"+
			"hint: add a line such as: name = \"sweep\"", name, nameWanted)
	}
	return name
}

// Paper says beside which table of a paper the results are shown, and how.
type Paper struct {
	Table string // empty if there is none
	Over  []int  // parameters over whose values means are taken, in tables and figures
}

// paper reads the name of one of the experiment's tables, and those of
// parameters.
func (r *reader) paper(n *document.Node) (paper Paper) {
	if n == nil {
		return Paper{}
	}
	keys := r.table(n, "a table such as [paper] with a key table", []string{"table", "over"})
	if table := keys["table"]; table != nil {
		names := r.experiment.TableNames()
		r.must(len(names) > 0, table, "table is %s, but %s has no tables",
			found(table), r.experiment.Name)
		paper.Table = names[r.choose(table, names)]
	}
	if over := keys["over"]; over != nil {
		for _, n := range r.list(over, "a list of parameters") {
			name := r.text(n, "a parameter")
			p, i := r.experiment.Param(name)
			if p == nil {
				fault := r.at(n, "%s has no parameter %.60q", r.experiment.Name, name)
				r.refuse(fault.Suggest(name, r.experiment.ParamNames()))
			}
			paper.Over = append(paper.Over, i)
		}
	}
	return paper
}
