package history

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"sweep/environments/sources"
	"sweep/internal/bitset"
)

// Limits of what is read, so that any file ends in an error rather than in
// all of the memory.
const (
	mostNodes = 100_000_000
	mostSlots = 10_000_000
	mostWords = 1 << 30 // of 64 nodes in a slot: 8 GiB, and as much while reading
)

// A row is one row of a table.
type row struct {
	url        string
	slot       int64
	changed    bool
	importance float64
}

// A recorder gathers a history.
type recorder struct {
	nodes      map[string]int
	importance []float64

	// changed and seen are, by slot, the nodes that changed, and those of
	// which that is known. A set ends with its last word that is not 0.
	changed, seen []bitset.Set
	first         int // the earliest slot that was seen
	room          int // words that the sets may still grow by
}

func newRecorder() *recorder {
	return &recorder{nodes: map[string]int{}, first: mostSlots, room: mostWords}
}

// add takes a row of a table.
func (r *recorder) add(row row) error {
	node, known := r.nodes[row.url]
	if !known {
		var err error
		if node, err = r.node(row.url, row.importance); err != nil {
			return err
		}
	} else if row.importance != r.importance[node] {
		return fmt.Errorf("importance of URL %s is %v, but was %v before", row.url, row.importance, r.importance[node])
	}
	if err := r.reach(node, row.slot); err != nil {
		return err
	}
	if r.seen[row.slot].Has(node) {
		return fmt.Errorf("slot %d of URL %s is there already", row.slot, row.url)
	}
	r.mark(node, int(row.slot), row.changed)
	return nil
}

// node returns the number of a new node.
func (r *recorder) node(url string, importance float64) (int, error) {
	node := len(r.importance)
	switch {
	case url == "":
		return 0, errors.New("the URL's id is empty")
	case node == mostNodes:
		return 0, fmt.Errorf("there are more than %d URLs", mostNodes)
	}
	if err := checkImportance(importance); err != nil {
		return 0, err
	}
	r.nodes[strings.Clone(url)] = node // not a part of a longer text
	r.importance = append(r.importance, importance)
	return node, nil
}

// url returns the id of a node.
func (r *recorder) url(node int) string {
	for url, i := range r.nodes {
		if i == node {
			return url
		}
	}
	return ""
}

func checkImportance(x float64) error {
	if !(x >= 0) || math.IsInf(x, 0) {
		return fmt.Errorf("importance is %v, want a number of at least 0", x)
	}
	return nil
}

// reach makes room for a node in a slot.
func (r *recorder) reach(node int, slot int64) error {
	if slot < 0 || slot >= mostSlots {
		return fmt.Errorf("slot is %d, want 0 to %d", slot, mostSlots-1)
	}
	if grow := int(slot) + 1 - len(r.seen); grow > 0 {
		r.seen = append(r.seen, make([]bitset.Set, grow)...)
		r.changed = append(r.changed, make([]bitset.Set, grow)...)
	}
	r.first = min(r.first, int(slot))
	if grow := bitset.Groups(node+1) - len(r.seen[slot]); grow > 0 {
		if r.room -= grow; r.room < 0 {
			return fmt.Errorf("more than %d GiB would be needed for these URLs and slots", mostWords>>27)
		}
		r.seen[slot] = append(r.seen[slot], make(bitset.Set, grow)...)
		r.changed[slot] = append(r.changed[slot], make(bitset.Set, grow)...)
	}
	return nil
}

// mark notes whether a node changed in a slot that reach made room for.
func (r *recorder) mark(node, slot int, changed bool) {
	r.seen[slot].Add(node)
	if changed {
		r.changed[slot].Add(node)
	}
}

// history returns what was gathered; the recorder is used up.
func (r *recorder) history() (*sources.History, error) {
	if len(r.seen) == 0 {
		return nil, errors.New("there are no rows")
	}
	r.seen = nil
	changed := slices.Clone(r.changed[r.first:])
	for t, nodes := range changed {
		changed[t] = slices.Clone(nodes) // appending has left them too large
	}
	return sources.NewHistory(r.importance, changed)
}
