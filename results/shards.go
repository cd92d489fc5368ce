package results

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/grid"
)

// shardsDir holds a directory for each shard of a sweep that was begun. It
// is the output of a sweep in every respect, but only of the shard's runs;
// so machines that share a file system, or copy directories together
// later, have no file in common. A reader of the sweep's own directory sees
// the shards' runs too.
const shardsDir = "shards"

// shardName returns the name of a shard's directory, for example 03-of-16.
func shardName(index, count int64) string {
	return fmt.Sprintf("%0*d-of-%d", len(fmt.Sprint(count)), index, count)
}

// ShardDir returns the directory of a shard of the sweep in dir.
func ShardDir(dir string, shard grid.Shard) string {
	return filepath.Join(dir, shardsDir, shardName(shard.Index(), shard.Count()))
}

// A shardEntry is the directory of a shard that was begun.
type shardEntry struct {
	dir          string
	index, count int64
}

// shardOf tells from its name whether a directory is that of a shard.
func shardOf(dir string) (shardEntry, bool) {
	s := shardEntry{dir: dir}
	absolute, err := filepath.Abs(dir) // it may be called "."
	if err != nil {
		return s, false
	}
	name := filepath.Base(absolute)
	_, err = fmt.Sscanf(name, "%d-of-%d", &s.index, &s.count)
	return s, err == nil && 0 <= s.index && s.index < s.count && name == shardName(s.index, s.count)
}

// listShards returns the shards in a directory, in order of their names.
func listShards(d disk, dir string) ([]shardEntry, error) {
	names, err := d.list(filepath.Join(dir, shardsDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var shards []shardEntry
	for _, name := range names {
		if strings.HasPrefix(name, ".") { // file managers' and network file systems' own
			continue
		}
		path := filepath.Join(dir, shardsDir, name)
		s, ok := shardOf(path)
		if !ok {
			return nil, &DataError{Path: path, Message: "not a shard of a sweep", Hint: "move it out of the directory"}
		}
		shards = append(shards, s)
	}
	return shards, nil
}

// ShardCount returns into how many shards the sweep in a directory has been
// divided; 0 if no shard was begun there.
func ShardCount(dir string) (int64, error) {
	shards, err := listShards(osDisk{}, dir)
	if err != nil || len(shards) == 0 {
		return 0, err
	}
	return shards[0].count, nil
}

// withShards returns the sources of a directory for a reader: those of its
// inventory, and before them those of its shards, unless the directory has
// all runs without them.
func withShards(d disk, dir string, own []source, plan Plan, l *layout, series bool) ([]source, error) {
	shards, err := listShards(d, dir)
	if err != nil || len(shards) == 0 {
		return own, err
	}
	sc := scanner{disk: d, plan: plan, layout: l, tally: newTally(plan)}
	for i := range own {
		if _, err := sc.scan(&own[i]); err != nil {
			return nil, err
		}
	}
	if sc.tally.complete(plan) {
		return own, nil
	}
	var all []source
	for _, s := range shards {
		inv, err := takeInventory(d, s.dir, series)
		if err != nil {
			return nil, err
		}
		all = append(all, inv.sources...)
	}
	return append(all, own...), nil
}

// specOf reads the spec of the sweep in a directory, which a directory that
// has nothing but shards has from them.
func specOf(d disk, dir string, experiments []*experiment.Experiment) (*grid.Spec, error) {
	spec, err := readSpec(d, dir, experiments)
	if !errors.Is(err, fs.ErrNotExist) {
		return spec, err
	}
	shards, err := listShards(d, dir)
	if err != nil {
		return nil, err
	}
	for _, s := range shards {
		spec, err := readSpec(d, s.dir, experiments)
		if !errors.Is(err, fs.ErrNotExist) {
			return spec, err
		}
	}
	if _, err := d.list(dir); err != nil {
		return nil, err
	}
	return nil, &DataError{Path: dir, Message: "not the output of a sweep: there is no " + specFile}
}

// readSpec reads spec.toml; its error is fs.ErrNotExist if there is none.
func readSpec(d disk, dir string, experiments []*experiment.Experiment) (*grid.Spec, error) {
	path := filepath.Join(dir, specFile)
	text, err := readFile(d, path)
	if err != nil {
		return nil, err
	}
	return grid.Parse(path, text, experiments)
}

// OpenShard opens or creates the directory of one shard of the sweep in
// dir, as Open does for a whole sweep. Other processes, on other machines
// too, may have other shards of the same sweep open. Runs that the sweep's
// own directory holds count as done.
//
// A *DataError refuses a sweep that has been divided into another number of
// shards, a *LockedError also one that another process works on as a whole.
func OpenShard(dir string, shard grid.Shard, spec *grid.Spec, plan Plan) (*Store, error) {
	return openShard(osDisk{}, dir, shard, spec, plan)
}

func openShard(d disk, dir string, shard grid.Shard, spec *grid.Spec, plan Plan) (*Store, error) {
	series := hasSeries(plan.Experiment())
	inv, err := takeInventory(d, dir, series)
	if err != nil {
		return nil, err
	}
	if !inv.ours {
		return nil, notOurs(dir)
	}
	admit := func() error { return errors.Join(samePartition(d, dir, shard), heldBy(dir)) }
	if err := admit(); err != nil {
		return nil, err
	}
	whole, damage, err := soundSources(d, dir, series)
	if err != nil {
		return nil, err
	}
	s, err := openWith(d, ShardDir(dir, shard), spec, plan, terms{part: &shard, whole: whole})
	if err != nil {
		return nil, err
	}
	s.damage = append(s.damage, damage...)
	// Whoever began meanwhile to work on the whole, or on a shard of other
	// size, has seen this directory or is seen now.
	if err := admit(); err != nil {
		return nil, errors.Join(err, s.abandon())
	}
	return s, nil
}

// samePartition refuses a sweep that has shards of another number.
func samePartition(d disk, dir string, shard grid.Shard) error {
	shards, err := listShards(d, dir)
	if err != nil {
		return err
	}
	for _, s := range shards {
		if s.count != shard.Count() {
			return &DataError{
				Path:    filepath.Join(dir, shardsDir),
				Message: fmt.Sprintf("the sweep is divided into %d shards here, not into %d: there is %s", s.count, shard.Count(), filepath.Base(s.dir)),
				Hint:    fmt.Sprintf("go on with --shard i/%d, or use another directory", s.count),
			}
		}
	}
	return nil
}

// abandon closes a store that was opened in vain, and removes its directory
// if there is nothing else in it. That others may come to look into it at the
// same moment, and keep it from being removed, is no error.
func (s *Store) abandon() error {
	err := s.release()
	names, listErr := s.disk.list(s.dir)
	if err == nil && listErr == nil && slices.Equal(names, []string{specFile}) {
		s.disk.remove(filepath.Join(s.dir, specFile))
		s.disk.remove(s.dir)
	}
	return errors.Join(err, listErr)
}
