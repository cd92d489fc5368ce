package history

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"sweep/environments/sources"
	"sweep/internal/bitset"
)

// A Window says how a log becomes slots.
type Window struct {
	SlotLength string // a duration like 6h or 1d, or an integer where times are plain integers
	From, To   string // times; empty: the slot of the first change, and the end of that of the last
}

// World cuts a log into the slots of a window, which the world replays. The
// nodes are the pages of the table, in its order, then those that only the log
// has, with importance and cost 1. Several changes of a page in a slot count as
// one. Pages and links may be nil.
func (l *Log) World(w Window, pages *Pages, links *Links) (*sources.World, error) {
	length, err := ParseLength(w.SlotLength)
	if err != nil {
		return nil, err
	}
	first := l.first
	first -= ((first % length) + length) % length // where its slot begins
	from, to, err := ParseTimes(w.From, w.To, first, l.last+1)
	if err != nil {
		return nil, err
	}
	said, doubt := w.describe(from, to)
	doubt += l.strayTimes()
	if to <= from {
		return nil, fmt.Errorf("%s: there are none", said)
	}
	if (to-from-1)/length >= maxSlots {
		return nil, fmt.Errorf("%s: there are more than %d%s", said, maxSlots, doubt)
	}

	table := pages
	if table == nil {
		table = new(Pages)
	}
	all := names{slices.Clone(table.urls), maps.Clone(table.numbers)}
	var nodes []int // of the log's pages
	for _, url := range l.urls {
		i, _, err := all.number(url)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, i)
	}
	count := len(all.urls)
	others := count - len(table.urls) // nodes that the table of pages does not have
	importance := slices.Concat(table.importance, slices.Repeat([]float64{1}, others))
	cost := slices.Concat(table.cost, slices.Repeat([]float64{1}, others))

	slots := make([]bitset.Set, (to-from-1)/length+1)
	if len(slots)*bitset.Groups(count) > maxWords {
		return nil, fmt.Errorf("more than %d GiB would be needed for these URLs and slots",
			maxWords>>27)
	}
	for t := range slots {
		slots[t] = bitset.NewSet(count)
	}
	inside := 0 // rows in the window
	twice := 0  // rows that repeat a change of their slot
	for k, t := range l.times {
		if t < from || t >= to {
			continue
		}
		inside++
		slot := slots[(t-from)/length]
		node := nodes[l.node[k]]
		if slot.Has(node) {
			twice++
		}
		slot.Add(node)
	}
	world, err := sources.Replay(importance, slots)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", said, err)
	}
	said += ": " + describe(slots, count, inside, twice) + doubt
	if pages != nil {
		said += remark(others, len(l.urls),
			"%d pages of the log are not in the table of pages: their importance is 1")
	}
	unimportant := 0
	for _, x := range importance {
		if x == 0 {
			unimportant++
		}
	}
	said += remark(unimportant, count,
		"%d pages are of importance 0, or of so little that it is taken for 0")
	if slices.Max(cost) != 1 || slices.Min(cost) != 1 {
		for i, c := range cost {
			cost[i] = math.Round(c*(1<<bitset.Depth)) / (1 << bitset.Depth)
		}
		world.Cost = cost
		said += fmt.Sprintf("; costs from %.3g to %.3g", slices.Min(cost), slices.Max(cost))
	}
	if len(table.hosts.urls) > 0 {
		world.Host = slices.Concat(table.host, slices.Repeat([]int32{-1}, others))
		said += fmt.Sprintf("; %d hosts", len(table.hosts.urls))
	}
	if links != nil {
		var unknown int
		world.Links, unknown = links.nodes(all.numbers)
		said += remark(unknown, len(links.pairs),
			"%d links are of pages that are in neither table: they are left out")
	}
	world.Record = said
	return world, nil
}

// remark returns a remark about n of all things, which says that it looks wrong
// if these are more than half. Without any there is no remark.
func remark(n, all int, what string) string {
	if n == 0 {
		return ""
	}
	if n > all/2 {
		what = "looks wrong: " + what
	}
	return fmt.Sprintf("; "+what, n)
}

// describe says which slots a window has, and what looks wrong about them.
func (w *Window) describe(from, to int64) (said, doubt string) {
	start := fmt.Sprint(from)
	end := fmt.Sprint(to)
	if _, err := strconv.ParseInt(w.SlotLength, 10, 64); err != nil {
		start = time.Unix(from, 0).UTC().Format(time.RFC3339)
		end = time.Unix(to, 0).UTC().Format(time.RFC3339)
		if from < earliest || to > latest {
			doubt = "; looks wrong: times are taken for Unix seconds; " +
				"if they are not, slot_length is an integer in their units"
		}
	}
	return fmt.Sprintf("slots of %s from %s to %s", w.SlotLength, start, end), doubt
}

// Changes of web pages are expected between these times, in Unix seconds.
const (
	earliest = 631_152_000   // 1990
	latest   = 4_102_444_800 // 2100
)

// strayTimes says if a few changes are far away from all others: the gap before
// them, or after them, is longer than the time that all others take.
func (l *Log) strayTimes() string {
	times := slices.Sorted(slices.Values(l.times))
	n := len(times)
	for few := 1; few <= n/20; few++ {
		if late := n - few; times[late]-times[late-1] > times[late-1]-times[0] {
			return fmt.Sprintf("; looks wrong: the last %d of %d changes come long after "+
				"all others", few, n)
		}
		if times[few]-times[few-1] > times[n-1]-times[few] {
			return fmt.Sprintf("; looks wrong: the first %d of %d changes come long before "+
				"all others", few, n)
		}
	}
	return ""
}

// describe says what slots hold, and what looks wrong.
func describe(slots []bitset.Set, nodes, rows, twice int) string {
	changed := bitset.NewSet(nodes)
	sum := 0.0
	square := 0.0
	first := -1 // the first slot with a change
	end := 0    // the slot after the last one
	for t, nodes := range slots {
		n := float64(nodes.Len())
		sum += n
		square += float64(n * n)
		for g, w := range nodes {
			changed[g] |= w
		}
		if n > 0 {
			end = t + 1
			if first < 0 {
				first = t
			}
		}
	}
	count := float64(len(slots))
	mean := sum / count
	variance := square/count - float64(mean*mean)
	text := fmt.Sprintf("%d pages, %d slots, %d rows, %.0f changes: ", nodes, len(slots), rows, sum)
	text += fmt.Sprintf("%.3g a slot, variance/mean %.3g", mean, variance/mean)
	text += fmt.Sprintf("; %d pages never change", nodes-changed.Len())
	if twice > 0 {
		text += fmt.Sprintf("; %d rows repeat a change of their slot", twice)
	}
	if first > len(slots)/10 {
		text += fmt.Sprintf("; looks wrong: nothing changes in the first %d slots", first)
	}
	if end < len(slots)*9/10 {
		text += fmt.Sprintf("; looks wrong: nothing changes after slot %d", end)
	}
	if mean > float64(nodes)/2 {
		text += "; looks wrong: more than half of all pages change in a slot"
	}
	return text
}
