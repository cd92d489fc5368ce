package experiments

import (
	"sync"

	"sweep/environments/sources"
	"sweep/environments/sources/history"
	"sweep/experiment"
)

// histories keeps the change histories that specs name, by the values that
// stand for them. It is safe for concurrent use.
type histories struct {
	mu sync.Mutex
	of map[string]*history.Record
}

func newHistories() *histories { return &histories{of: map[string]*history.Record{}} }

// read reads the history at a path (experiment.Input.Read).
func (h *histories) read(path string) (experiment.Value, error) {
	read, err := history.Read(path)
	if err != nil {
		return experiment.Value{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.of[read.Name] = read
	return experiment.StringValue(read.Name), nil
}

// get returns the history that a value stands for, or nil if it was not
// read: results may be looked at without it.
func (h *histories) get(value string) *sources.History {
	h.mu.Lock()
	defer h.mu.Unlock()
	if read := h.of[value]; read != nil {
		return read.History
	}
	return nil
}

// describe says what was read (experiment.Input.Describe).
func (h *histories) describe(value experiment.Value) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if read := h.of[value.Text()]; read != nil {
		return read.String()
	}
	return ""
}
