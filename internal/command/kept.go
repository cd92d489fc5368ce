package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"sweep/experiment"
)

// With keep = true, the directory of a run that succeeded stays. If the runs of
// a sweep are needed again, because the spec names other metrics or the log was
// lost, they are not executed: what the program wrote is read again.

// keptFile is in the directory of a run that succeeded and was kept. It is
// written last.
const keptFile = "sweep-kept.json"

// A keeping says what is in the directory of a run that was kept.
type keeping struct {
	Run   string           `json:"run"`   // name of the directory
	Bytes map[string]int64 `json:"bytes"` // of its files, by path
}

// keepingOf describes a directory as it is.
func keepingOf(dir string) (*keeping, error) {
	k := &keeping{Run: filepath.Base(dir), Bytes: map[string]int64{}}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == keptFile {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		k.Bytes[filepath.ToSlash(name)] = info.Size()
		return err
	})
	return k, err
}

// markKept marks the directory of a run that has succeeded.
func markKept(dir string) error {
	k, err := keepingOf(dir)
	if err != nil {
		return err
	}
	text, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return writeNew(filepath.Join(dir, keptFile), bytes.NewReader(append(text, '\n')))
}

// isKept reports whether a directory is that of a run that succeeded, with all
// files as long as they were. After a power cut, some may be shorter.
func isKept(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, keptFile))
	var k keeping
	if err != nil || json.Unmarshal(text, &k) != nil || k.Run != filepath.Base(dir) {
		return false
	}
	for name, size := range k.Bytes {
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil || !info.Mode().IsRegular() || info.Size() != size {
			return false
		}
	}
	return true
}

// Kept returns the names of the runs below a directory whose answers were kept.
func Kept(dir string) (runs map[string]bool, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	runs = map[string]bool{}
	for _, e := range entries {
		if e.IsDir() && isKept(filepath.Join(dir, e.Name())) {
			runs[e.Name()] = true
		}
	}
	return runs, err
}

// readRuns are the directories of the runs that were read again, readCount is
// their number.
var (
	readRuns  sync.Map
	readCount atomic.Int64
)

// ReadAgain returns how many runs of this process were read from what was kept,
// in place of being executed.
func ReadAgain() int64 { return readCount.Load() }

// readAgain reads the answer of a run if it was kept, and reports whether it
// was. If a metric is missing there, executing the run would not give it
// either.
func (p *program) readAgain(
	ctx context.Context, point experiment.Point, out *experiment.Result,
) (wasKept bool, err error) {
	dir := experiment.Directory(ctx)
	if dir == "" || !p.wasThere(dir) || !isKept(dir) {
		return false, nil
	}
	if _, isRetry := readRuns.LoadOrStore(dir, true); !isRetry {
		readCount.Add(1)
	}
	stdout, err := tailOf(filepath.Join(dir, outputFile), maxAnswer)
	if err == nil {
		err = p.answer(dir, stdout, point.Experiment, out)
	}
	if err != nil {
		return true, fmt.Errorf("read again from what was kept: %w", err)
	}
	return true, nil
}

// wasThere reports whether a run's directory was there when the first run
// began. It lists the directories once, for most sweeps keep none, and on a
// network each look takes long.
func (p *program) wasThere(dir string) bool {
	above := filepath.Dir(dir)
	list, _ := p.found.LoadOrStore(above, sync.OnceValue(func() map[string]bool {
		names := map[string]bool{}
		entries, _ := os.ReadDir(above) // what cannot be read is not there
		for _, e := range entries {
			names[e.Name()] = true
		}
		return names
	}))
	return list.(func() map[string]bool)()[filepath.Base(dir)]
}
