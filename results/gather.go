package results

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/parquet-go/parquet-go"

	"sweep/experiment"
	"sweep/grid"
)

// A Gathering is what several directories hold of one sweep: shards, or
// whatever else machines have computed of it. The directories are locked
// until Close, and none of them is changed.
type Gathering struct {
	Spec *grid.Spec
	Plan *grid.Plan

	OK, Failed, Missing int64 // of the plan's runs
	Shards              []ShardGap
	Warnings            []string // what a user should know, as sentences

	places []place
	tally  *tally
	to     string
	toLock func() error   // nil if to is not there
	locks  []func() error // of the other places
}

// A ShardGap is a shard that lacks runs.
type ShardGap struct {
	Shard   grid.Shard
	Missing int64
}

// A place is a directory that holds runs.
type place struct {
	dir     string
	spec    *grid.Spec
	isTo    bool // it is the directory to gather in
	sources []source
}

// Gather learns what the directories and their shards hold together, and
// what to holds already, if it is the output of a sweep.
//
// All must have the same plan, however their specs are written; only to may
// hold the runs of a smaller one, or be the one that has a larger plan. A
// *DataError tells of directories of different sweeps, of damage, and of a
// run that succeeded in two directories with different outcomes. A
// *LockedError tells of a directory that somebody writes to.
func Gather(to string, from []string, experiments []*experiment.Experiment) (*Gathering, error) {
	g := &Gathering{to: to}
	err := g.find(from, experiments)
	if err == nil {
		err = g.settle()
	}
	if err == nil {
		err = g.compare()
	}
	if err != nil {
		return nil, errors.Join(err, g.Close())
	}
	g.findGaps()
	return g, nil
}

// Open opens the directory to gather in as a store that has the runs of all
// the others, to be completed by Finish.
func (g *Gathering) Open() (*Store, error) {
	others := []source{}
	for _, in := range g.places {
		if !in.isTo {
			others = append(others, in.sources...)
		}
	}
	lock := g.toLock
	g.toLock = nil
	return openWith(osDisk{}, g.to, g.Spec, g.Plan, terms{gathered: others, lock: lock})
}

// Close releases the directories. It may be called again.
func (g *Gathering) Close() error {
	locks := g.locks
	if g.toLock != nil {
		locks = append(locks, g.toLock)
	}
	g.locks, g.toLock = nil, nil
	return releaseAll(locks)
}

// find finds the places, each once, and locks them. The one to gather in
// comes last.
func (g *Gathering) find(from []string, experiments []*experiment.Experiment) error {
	var dirs []string
	for _, dir := range from {
		found, err := runsIn(dir)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return &DataError{Path: dir, Message: "not the output of a sweep: there is neither " + specFile + " nor a shard"}
		}
		dirs = append(dirs, found...)
	}
	inTo, err := runsIn(g.to)
	switch {
	case err == nil:
		if g.toLock, err = g.take(g.to); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	for _, dir := range append(dirs, inTo...) {
		isTo := sameFile(dir, g.to)
		if slices.ContainsFunc(g.places, func(in place) bool { return sameFile(in.dir, dir) }) {
			continue
		}
		if !isTo {
			lock, err := g.take(dir)
			if err != nil {
				return err
			}
			g.locks = append(g.locks, lock)
		}
		spec, err := readSpec(osDisk{}, dir, experiments)
		if err != nil {
			return err
		}
		g.places = append(g.places, place{dir: dir, spec: spec, isTo: isTo})
	}
	slices.SortStableFunc(g.places, func(a, b place) int {
		switch {
		case a.isTo == b.isTo:
			return 0
		case a.isTo:
			return 1
		}
		return -1
	})
	return nil
}

func (g *Gathering) take(dir string) (unlock func() error, err error) {
	unlock, warning, err := lockInput(osDisk{}, dir)
	if warning != "" {
		g.Warnings = append(g.Warnings, warning)
	}
	return unlock, err
}

// runsIn returns the directories of runs in dir: its shards, and dir itself
// if it has a spec.
func runsIn(dir string) ([]string, error) {
	shards, err := listShards(osDisk{}, dir)
	if err != nil {
		return nil, err
	}
	names, err := osDisk{}.list(dir)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, s := range shards {
		// One without a spec was stopped before its first run.
		if _, err := os.Stat(filepath.Join(s.dir, specFile)); err == nil {
			found = append(found, s.dir)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if slices.Contains(names, specFile) {
		found = append(found, dir)
	}
	return found, nil
}

// sameFile reports whether two paths lead to the same directory.
func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// settle finds the plan that holds all runs, and which of them are there.
func (g *Gathering) settle() error {
	first, last := &g.places[0], &g.places[len(g.places)-1]
	for i := range g.places[1:] {
		in := &g.places[1+i]
		if bytes.Equal(first.spec.Source, in.spec.Source) {
			continue
		}
		difference := first.spec.Plan().Difference(in.spec.Plan())
		if difference == "" {
			continue
		}
		if !in.isTo {
			return &DataError{
				Path:    in.dir,
				Message: fmt.Sprintf("the sweep is not that of %s: %s", first.dir, difference),
				Hint:    "merge what has the same spec; run the others again with that spec",
			}
		}
		// The sweep may have been extended since it was merged, or in to
		// after that.
		for _, spec := range []*grid.Spec{first.spec, in.spec} {
			if foreign, err := g.scan(spec); err != nil || foreign == nil {
				return err
			}
		}
		return &DataError{
			Path:    in.dir,
			Message: fmt.Sprintf("holds another sweep than %s: %s", first.dir, difference),
			Hint:    "merge into another directory",
		}
	}
	spec := first.spec
	if last.isTo {
		spec = last.spec
	}
	foreign, err := g.scan(spec)
	return cmp.Or(err, foreign)
}

// scan finds the places' runs in the plan of a spec. It tells separately of
// runs that are not there.
func (g *Gathering) scan(spec *grid.Spec) (foreign, err error) {
	plan := spec.Plan()
	e := plan.Experiment()
	sc := scanner{disk: osDisk{}, plan: plan, layout: newLayouts(e, spec.Name).runs, tally: newTally(plan)}
	name := ""
	for i := range g.places {
		in := &g.places[i]
		sources, damage, err := soundSources(osDisk{}, in.dir, hasSeries(e))
		if err != nil {
			return nil, err
		}
		if len(damage) > 0 && !in.isTo { // Open sets those in to aside
			return nil, damagedFile(damage[0].Path, damage[0].Err)
		}
		for k := range sources {
			if name, err = sc.scan(&sources[k]); err != nil {
				return nil, err
			}
		}
		in.sources = sources
		if err := sc.foreign.refuse(in.dir, plan); err != nil {
			return err, nil
		}
	}
	forgetFailures(sc.tally)
	forgetSuperfluous(sc.tally)
	// As in the files: in a directory, a spec that does not name itself
	// loses the name that it has from its own file.
	named := *spec
	if name != "" {
		named.Name = name
	}
	g.Spec, g.Plan = &named, plan
	g.tally = sc.tally
	g.OK, g.Failed = g.tally.ok.count, g.tally.failed.count
	g.Missing = g.tally.missing(plan, nil)
	return nil, nil
}

// findGaps learns which shards lack runs, if the places are shards of one
// division.
func (g *Gathering) findGaps() {
	count := int64(0)
	for _, in := range g.places {
		s, ok := shardOf(in.dir)
		if ok && count != 0 && s.count != count {
			return
		}
		if ok {
			count = s.count
		}
	}
	for index := range count {
		gap := ShardGap{Shard: g.Plan.Shard(index, count)}
		if gap.Missing = g.tally.missing(g.Plan, &gap.Shard); gap.Missing > 0 {
			g.Shards = append(g.Shards, gap)
		}
	}
}

// compare refuses runs that have succeeded in two directories with
// different outcomes.
func (g *Gathering) compare() (err error) {
	var sources []source
	rows := int64(0)
	for _, in := range g.places {
		for _, s := range in.sources {
			sources = append(sources, s)
			rows += int64(len(s.index))
		}
	}
	if rows == g.OK+g.Failed {
		return nil // each is in one place only
	}
	scratch, err := os.MkdirTemp("", "sweep-merge-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	m := merger{
		disk: osDisk{}, layouts: newLayouts(g.Spec.Experiment, g.Spec.Name), scratch: scratch,
		strict: g.Spec.Experiment,
	}
	err = m.merge(sources, nowhere{})
	if d, ok := errors.AsType[*disagreement](err); ok {
		return g.explain(d, sources, m.layouts)
	}
	return err
}

// nowhere is a sink that forgets.
type nowhere struct{}

func (nowhere) run(int64, parquet.Row) error { return nil }
func (nowhere) series(parquet.Row) error     { return nil }

// explain finds out which files disagree, and about what.
func (g *Gathering) explain(d *disagreement, sources []source, l layouts) error {
	var first *Row
	var firstDir string
	for _, s := range sources {
		at := slices.Index(s.index, d.index)
		if at < 0 {
			continue
		}
		row, err := readRow(s, at, g.Spec.Experiment, l)
		if err != nil {
			return err
		}
		dir := dirOf(s)
		if first == nil || first.Status != OK {
			first, firstDir = row, dir
			continue
		}
		differences := Differences(first, row)
		if row.Status != OK || len(differences) == 0 {
			continue
		}
		text := differences[0].String()
		if more := len(differences) - 1; more > 0 {
			text += fmt.Sprintf(", and %d more numbers", more)
		}
		return &DataError{
			Path: dir,
			Message: fmt.Sprintf("the run %s (run_id %s) has another outcome than in %s: %s there and here",
				g.Plan.Describe(row.Point), row.ID, firstDir, text),
			Hint: "\"sweep verify --sample 100%\" tells which of the two is right",
		}
	}
	panic("results: a disagreement that is nowhere")
}

// readRow reads the row at a position of a source, with its series.
func readRow(s source, at int, e *experiment.Experiment, l layouts) (*Row, error) {
	c := cursor{source: &s}
	if err := c.open(osDisk{}, l); err != nil {
		return nil, err
	}
	defer c.close()
	for range at {
		if err := c.take(skip, skip); err != nil {
			return nil, err
		}
	}
	to := newRowSink(s.runs, e, nil)
	err := c.take(func(row parquet.Row) error { return to.run(s.index[at], row) }, to.series)
	return &to.row, err
}

// dirOf returns the sweep's or the shard's directory that a source is in.
func dirOf(s source) string {
	dir := filepath.Dir(s.runs)
	if filepath.Base(dir) == segmentsDir {
		dir = filepath.Dir(dir)
	}
	return dir
}
