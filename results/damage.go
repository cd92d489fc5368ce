package results

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// damagedDir is where damaged files are put aside.
const damagedDir = "damaged"

// A Damage is a file that was found damaged when a directory was opened.
// It and the file that belongs to it were set aside, or left alone if they
// are a shard's, or the whole sweep's and a shard was opened; so the runs that
// they held count as missing and are computed again.
type Damage struct {
	Path  string   // where the damaged file was
	Aside []string // where it and its companion are now; empty if left alone
	Err   error    // what is wrong with it
}

// String tells what was found and where it is now.
func (d Damage) String() string {
	if len(d.Aside) == 0 {
		return fmt.Sprintf("%s is damaged (%v): left out", d.Path, d.Err)
	}
	return fmt.Sprintf("%s is damaged (%v): set aside as %s", d.Path, d.Err, strings.Join(d.Aside, " and "))
}

// A suspect is a set of files of which one is damaged.
type suspect struct {
	damage Damage
	files  []string // all that are to be set aside, that which makes them count first
}

// inspect verifies the files of an inventory. Those that are damaged are
// taken out of it and returned.
func inspect(d disk, inv *inventory) ([]suspect, error) {
	var suspects []suspect
	judge := func(files ...string) (whole bool, err error) {
		for _, path := range files {
			fault, err := faultOf(d, path)
			if err != nil {
				return false, err
			}
			if fault != nil {
				suspects = append(suspects, suspect{Damage{Path: path, Err: fault}, files})
				return false, nil
			}
		}
		return true, nil
	}
	var fault error
	inv.sources = slices.DeleteFunc(inv.sources, func(s source) bool {
		files := []string{s.runs}
		if s.series != "" {
			files = append(files, s.series)
		}
		whole, err := judge(files...)
		fault = errors.Join(fault, err)
		return !whole && err == nil
	})
	if inv.summary != "" {
		whole, err := judge(inv.summary)
		fault = errors.Join(fault, err)
		if !whole {
			inv.summary = ""
		}
	}
	if inv.manifest != "" {
		_, err := readManifest(d, inv.manifest)
		if damaged, ok := errors.AsType[*DataError](err); ok {
			suspects = append(suspects, suspect{Damage{Path: inv.manifest, Err: damaged.Err}, []string{inv.manifest}})
		} else {
			fault = errors.Join(fault, err)
		}
	}
	return suspects, fault
}

// soundSources returns the sources of a directory that is to be read and left
// as it is, and what of them is damaged and left out.
func soundSources(d disk, dir string, series bool) ([]source, []Damage, error) {
	inv, err := takeInventory(d, dir, series)
	if err != nil {
		return nil, nil, err
	}
	inv.summary, inv.manifest = "", "" // no runs are there
	suspects, err := inspect(d, inv)
	if err != nil {
		return nil, nil, err
	}
	var damage []Damage
	for _, s := range suspects {
		damage = append(damage, s.damage)
	}
	return inv.sources, damage, nil
}

// faultOf returns what is wrong with a file, nil if it is whole, and
// separately why it cannot be judged.
func faultOf(d disk, path string) (fault, err error) {
	f, err := d.open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return errAbsent, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fault, err = examine(f)
	if fault == errNoChecksum {
		// The first layout had none. Its files are whole as far as we know.
		if found := formatOf(path, f); found != "" && found != format {
			return nil, otherFormat(path, found)
		}
	}
	return fault, err
}

var errAbsent = errors.New("it is missing")

// setAside moves the files of a suspect into damagedDir, durably.
func (s *Store) setAside(suspect suspect) error {
	aside := filepath.Join(s.dir, damagedDir)
	if err := mkdirAll(s.disk, aside); err != nil {
		return err
	}
	taken, err := s.disk.list(aside)
	if err != nil {
		return err
	}
	for _, path := range suspect.files {
		name := freeName(filepath.Base(path), taken)
		err := s.move(path, filepath.Join(aside, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		suspect.damage.Aside = append(suspect.damage.Aside, filepath.Join(aside, name))
	}
	s.damage = append(s.damage, suspect.damage)
	return nil
}

// freeName returns name, or name with a number if that is taken.
func freeName(name string, taken []string) string {
	free, kind := name, filepath.Ext(name)
	for n := 2; slices.Contains(taken, free); n++ {
		free = fmt.Sprintf("%s.%d%s", strings.TrimSuffix(name, kind), n, kind)
	}
	return free
}
