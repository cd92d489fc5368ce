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

// histories keeps what specs name: logs of changes and tables of pages and
// links, and the worlds that became of them. It is safe for concurrent use.
type histories struct {
	shipped history.Files // beside those on disk
	logs    files[*history.Log]
	pages   files[*history.Pages]
	links   files[*history.Links]
	cuts    sync.Map // func() (*sources.World, error), by nodesKey without law, model and seed
}

// files keeps files of a kind, by the values that stand for them.
type files[T fmt.Stringer] struct{ sync.Map }

func (f *files[T]) get(name string) (read T, ok bool) {
	found, _ := f.Load(name)
	read, ok = found.(T)
	return read, ok
}

// input declares the files as what a parameter names. open reads one, and returns
// what stands for its content.
func (f *files[T]) input(accepts string, open func(path string) (T, string, error)) *experiment.Input {
	return &experiment.Input{
		Accepts: accepts,
		Read: func(path string) (experiment.Value, error) {
			read, name, err := open(path)
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

// errUnread says that a file was not read: results may be looked at without.
var errUnread = errors.New("was not read")

// get returns the world of recorded nodes, or errUnread.
func (h *histories) get(r nodesKey) (*sources.World, error) {
	r.law, r.model, r.seed = sources.Law{}, "", 0
	read, ok := h.logs.get(r.history)
	pages, paged := h.pages.get(r.pages)
	links, linked := h.links.get(r.links)
	if !ok || r.pages != "" && !paged || r.links != "" && !linked {
		return nil, fmt.Errorf("history %s %w", r.history, errUnread)
	}
	once, _ := h.cuts.LoadOrStore(r, sync.OnceValues(func() (*sources.World, error) {
		return read.World(r.window, pages, links)
	}))
	return once.(func() (*sources.World, error))()
}

// logInput declares logs as what a parameter names. It tells also into what the
// points of the spec cut one.
func (h *histories) logInput() *experiment.Input {
	input := h.logs.input(history.Accepts, h.shipped.Read)
	read := input.Describe
	input.Describe = func(value experiment.Value) string {
		var cuts []string
		for r, once := range h.cuts.Range {
			r := r.(nodesKey)
			if w, err := once.(func() (*sources.World, error))(); r.history == value.Text() && err == nil {
				cuts = append(cuts, "\n  "+w.Record)
			}
		}
		slices.Sort(cuts)
		return read(value) + strings.Join(slices.Compact(cuts), "")
	}
	return input
}
