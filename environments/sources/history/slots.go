package history

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
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

// errRoom says that a history would exceed mostWords.
var errRoom = fmt.Errorf("more than %d GiB would be needed for these URLs and slots", mostWords>>27)

// names numbers pages in the order in which they appear.
type names struct {
	urls    []string
	numbers map[string]int
}

// number returns the number of a page, and whether it is new.
func (n *names) number(url string) (i int, fresh bool, err error) {
	if i, known := n.numbers[url]; known {
		return i, false, nil
	}
	switch i = len(n.urls); {
	case url == "":
		return 0, false, errors.New("the URL's id is empty")
	case i == mostNodes:
		return 0, false, fmt.Errorf("there are more than %d URLs", mostNodes)
	case i == 0:
		n.numbers = map[string]int{}
	}
	url = strings.Clone(url) // not a part of a longer text
	n.urls = append(n.urls, url)
	n.numbers[url] = i
	return i, true, nil
}

// parseNumber reads a number of at least 0.
func parseNumber(name, text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%s is %q, want a number of at least 0", name, text)
	}
	return x, nil
}

// A recorder gathers a history.
type recorder struct {
	names
	importance []float64

	// changed and seen are, by slot, the nodes that changed, and those of
	// which that is known. A set ends with its last word that is not 0.
	changed, seen []bitset.Set
	first         int // the earliest slot that was seen
	room          int // words that the sets may still grow by
}

func newRecorder() *recorder { return &recorder{first: mostSlots, room: mostWords} }

// shape returns that of a table of slots.
func (r *recorder) shape() shape {
	return shape{wanted: []string{"url_id", "slot", "changed", "importance"}, add: func(fields []string) error {
		slot, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			return fmt.Errorf("slot is %q, want an integer", fields[1])
		}
		changed, err := strconv.ParseBool(fields[2])
		if err != nil {
			return fmt.Errorf("changed is %q, want 0 or 1, false or true", fields[2])
		}
		importance, err := parseNumber("importance", fields[3])
		if err != nil {
			return err
		}
		node, fresh, err := r.number(fields[0])
		switch {
		case err != nil:
			return err
		case fresh:
			r.importance = append(r.importance, importance)
		case importance != r.importance[node]:
			return fmt.Errorf("importance of URL %s is %v, but was %v before", fields[0], importance, r.importance[node])
		}
		again, err := r.see(node, slot, changed)
		if again {
			return fmt.Errorf("slot %d of URL %s is there already", slot, fields[0])
		}
		return err
	}}
}

// see notes whether a node changed in a slot. It reports if that slot was
// seen before.
func (r *recorder) see(node int, slot int64, changed bool) (again bool, err error) {
	if slot < 0 || slot >= mostSlots {
		return false, fmt.Errorf("slot is %d, want 0 to %d", slot, mostSlots-1)
	}
	if grow := int(slot) + 1 - len(r.seen); grow > 0 {
		r.seen = append(r.seen, make([]bitset.Set, grow)...)
		r.changed = append(r.changed, make([]bitset.Set, grow)...)
	}
	r.first = min(r.first, int(slot))
	if grow := bitset.Groups(node+1) - len(r.seen[slot]); grow > 0 {
		if r.room -= grow; r.room < 0 {
			return false, errRoom
		}
		r.seen[slot] = append(r.seen[slot], make(bitset.Set, grow)...)
		r.changed[slot] = append(r.changed[slot], make(bitset.Set, grow)...)
	}
	again = r.seen[slot].Has(node)
	r.seen[slot].Add(node)
	if changed {
		r.changed[slot].Add(node)
	}
	return again, nil
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
