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

// histories keeps what specs name, by the values that stand for it: logs
// of changes and tables of pages, and the histories that became of them. It
// is safe for concurrent use.
type histories struct {
	files history.Files // beside those on disk
	mu    sync.Mutex
	logs  map[string]*history.Log
	pages map[string]*history.Pages
	links map[string]*history.Links
	cut   map[recorded]*cut
}

// recorded is what a point says of recorded changes. Its zero value is for
// drawn nodes.
type recorded struct {
	history, pages, links string
	window                history.Window
}

// cut is a log cut into slots.
type cut struct {
	history *sources.History
	said    string
	err     error
}

func newHistories(files history.Files) *histories {
	return &histories{
		files: files,
		logs:  map[string]*history.Log{},
		pages: map[string]*history.Pages{},
		links: map[string]*history.Links{},
		cut:   map[recorded]*cut{},
	}
}

// read reads the log at a path (experiment.Input.Read).
func (h *histories) read(path string) (experiment.Value, error) {
	read, err := h.files.Read(path)
	if err != nil {
		return experiment.Value{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.logs[read.Name] = read
	return experiment.StringValue(read.Name), nil
}

// readPages reads the table of pages at a path (experiment.Input.Read).
func (h *histories) readPages(path string) (experiment.Value, error) {
	read, err := h.files.ReadPages(path)
	if err != nil {
		return experiment.Value{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pages[read.Name] = read
	return experiment.StringValue(read.Name), nil
}

// readLinks reads the table of links at a path (experiment.Input.Read).
func (h *histories) readLinks(path string) (experiment.Value, error) {
	read, err := h.files.ReadLinks(path)
	if err != nil {
		return experiment.Value{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.links[read.Name] = read
	return experiment.StringValue(read.Name), nil
}

// errUnread says that a file was not read: results may be looked at without.
var errUnread = errors.New("was not read")

// get returns the history of a point, or errUnread.
func (h *histories) get(r recorded) (*sources.History, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	read, pages, links := h.logs[r.history], h.pages[r.pages], h.links[r.links]
	if read == nil || r.pages != "" && pages == nil || r.links != "" && links == nil {
		return nil, fmt.Errorf("history %s %w", r.history, errUnread)
	}
	if h.cut[r] == nil {
		c := &cut{}
		c.history, c.said, c.err = read.History(r.window, pages, links)
		h.cut[r] = c
	}
	return h.cut[r].history, h.cut[r].err
}

// describe says what was read (experiment.Input.Describe), and into what the
// points of the spec cut it.
func (h *histories) describe(value experiment.Value) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	read := h.logs[value.Text()]
	if read == nil {
		return ""
	}
	var cuts []string
	for r, c := range h.cut {
		if r.history == value.Text() && c.err == nil {
			cuts = append(cuts, "; slots of "+r.window.SlotLength+": "+c.said)
		}
	}
	slices.Sort(cuts)
	return read.String() + strings.Join(cuts, "")
}

// describePages says what was read (experiment.Input.Describe).
func (h *histories) describePages(value experiment.Value) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if read := h.pages[value.Text()]; read != nil {
		return read.String()
	}
	return ""
}

// describeLinks says what was read (experiment.Input.Describe).
func (h *histories) describeLinks(value experiment.Value) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if read := h.links[value.Text()]; read != nil {
		return read.String()
	}
	return ""
}
