package experiments

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sweep/environments/sources"
	"sweep/environments/sources/history"
	"sweep/experiment"
)

// histories keeps the files that specs name (logs of changes, tables of pages
// and of links) and the worlds made from them. It is safe for concurrent use.
type histories struct {
	shipped history.Files // beside those on disk
	logs    files[*history.Log]
	pages   files[*history.Pages]
	links   files[*history.Links]
	cuts    sync.Map // of buildWorld, by nodesKey without law, model and seed
}

// buildWorld returns the world of a key; all calls return the same.
type buildWorld func() (*sources.World, error)

// files keeps files of a kind, by the values that stand for them.
type files[T fmt.Stringer] struct{ sync.Map }

func (f *files[T]) get(name string) (read T, ok bool) {
	found, _ := f.Load(name)
	read, ok = found.(T)
	return read, ok
}

// An opener reads the file at a path. It returns the name that stands for the
// file's content, too.
type opener[T any] func(path string, columns history.Renaming) (read T, name string, err error)

// input declares the files, which have some columns, as what a parameter names.
func (f *files[T]) input(accepts string, columns []string, open opener[T]) *experiment.Input {
	return &experiment.Input{
		Accepts: accepts,
		Columns: columns,
		Read: func(path string, columns map[string]string) (experiment.Value, error) {
			read, name, err := open(path, columns)
			if err == nil {
				f.Store(name, read)
			}
			return experiment.StringValue(name), err
		},
		Describe: func(value experiment.Value) string {
			if read, ok := f.get(value.Text()); ok {
				return read.String()
			}
			return ""
		},
	}
}

// errUnread says that a file was not read: its results can be shown without it.
var errUnread = errors.New("was not read")

// get returns the world of recorded nodes, or errUnread.
func (h *histories) get(key nodesKey) (*sources.World, error) {
	key.law = sources.Law{}
	key.model = ""
	key.seed = 0
	log, ok := h.logs.get(key.history)
	pages, havePages := h.pages.get(key.pages)
	links, haveLinks := h.links.get(key.links)
	if !ok || key.pages != "" && !havePages || key.links != "" && !haveLinks {
		return nil, fmt.Errorf("history %s %w", key.history, errUnread)
	}
	build := sync.OnceValues(func() (*sources.World, error) {
		return log.World(key.window, pages, links)
	})
	cut, _ := h.cuts.LoadOrStore(key, buildWorld(build))
	return cut.(buildWorld)()
}

// logInput declares logs as what a parameter names. Its Describe also tells how
// the points of the spec cut the log.
func (h *histories) logInput() *experiment.Input {
	input := h.logs.input(history.Accepts, history.Columns, h.shipped.Read)
	describe := input.Describe
	input.Describe = func(value experiment.Value) string {
		return describe(value) + strings.Join(h.describeCuts(value.Text()), "")
	}
	return input
}

// describeCuts describes the worlds made from a log, each on a line of its own.
func (h *histories) describeCuts(log string) (lines []string) {
	for key, build := range h.cuts.Range {
		if key.(nodesKey).history != log {
			continue
		}
		world, err := build.(buildWorld)()
		if err == nil {
			lines = append(lines, "\n  "+world.Record)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}
