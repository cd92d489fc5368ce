// Package history reads records of when web pages changed, which can stand
// in for the nodes of the monitoring experiment: a log of changes, a table with
// the columns url_id and time, and a table of pages. Columns may stand in any order
// and among others; the ending of a file says how rows are decoded (rows.go).
//
// A log is read row by row; beside the names of pages twelve bytes are kept for
// each change. With a Window it becomes the slots of a world (sources.Replay).
package history

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/lists"
)

// formats are the endings of tables.
const formats = "a .csv, .tsv, .jsonl (.gz or .zst after it) or .parquet file"

// Limits of what is read, so that any file ends in an error rather than in
// all of the memory.
const (
	mostNodes = 100_000_000
	mostSlots = 10_000_000
	mostWords = 1 << 30 // of 64 nodes in a slot: 8 GiB
	mostTime  = 1 << 61

	leastCost, mostCost = 1e-6, 1e6 // costs are kept as multiples of 2⁻³²
)

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

// A Log is a plain log of changes: which page changed when.
type Log struct {
	names
	node  []int32
	times []int64 // Unix seconds, or whatever integers the log has
}

// Pages is a table of pages.
type Pages struct {
	names
	importance, cost []float64
	hosts            names
	host             []int32 // by page; -1: not known

	given [3]int // pages with an importance, a cost and a host
}

// A Window says how a log becomes slots.
type Window struct {
	SlotLength string // a duration like 6h or 1d, or an integer where times are plain integers
	From, To   string // times; empty: the slot of the first change, and the end of that of the last
}

// Links is a table of links between pages.
type Links struct {
	names
	pairs [][2]int // of its pages
}

// What Read, ReadPages and ReadLinks accept.
const (
	Accepts      = "the path of " + formats + " with the columns url_id and time"
	PagesAccepts = "the path of " + formats + " with the column url_id and, if known, importance, cost and host"
	LinksAccepts = "the path of " + formats + " with the columns from and to, which hold url_ids"
)

// What was read, for people: for example "30 pages, 90 changes".

func (l *Log) String() string { return fmt.Sprintf("%d pages, %d changes", len(l.urls), len(l.times)) }
func (p *Pages) String() string {
	return fmt.Sprintf("%d pages, %d with an importance, %d with a cost, %d with a host",
		len(p.urls), p.given[0], p.given[1], p.given[2])
}
func (l *Links) String() string { return fmt.Sprintf("%d links", len(l.pairs)) }

// Read reads the log at a path that is on disk or among the files, and returns
// what stands for its content (see Rows).
func (f Files) Read(path string) (*Log, string, error) {
	l := &Log{}
	name, err := f.Rows(path, []string{"url_id", "time"}, nil, func(fields []string) error {
		node, _, unnamed := l.number(fields[0])
		t, err := ParseTime(fields[1])
		l.node, l.times = append(l.node, int32(node)), append(l.times, t)
		return cmp.Or(unnamed, err)
	})
	if err == nil && len(l.times) == 0 {
		err = fmt.Errorf("%s: there are no rows", path)
	}
	return l, name, err
}

// ReadPages reads a table of pages: url_id, and if they are there
// importance and cost, 1 if they are missing or empty, and host. It returns what
// stands for the content, too.
func (f Files) ReadPages(path string) (*Pages, string, error) {
	p := &Pages{}
	add := func(fields []string) error {
		_, fresh, err := p.number(fields[0])
		if err == nil && !fresh {
			err = fmt.Errorf("URL %q is there already", fields[0])
		}
		importance, unread := parseNumber("importance", fields[1])
		cost, unpriced := parseNumber("cost", fields[2])
		if unpriced == nil && !(cost >= leastCost && cost <= mostCost) {
			unpriced = fmt.Errorf("cost is %s, want a number from %v to %v", fields[2], leastCost, mostCost)
		}
		for k, field := range fields[1:] {
			if field != "" {
				p.given[k]++
			}
		}
		host := -1
		if err = cmp.Or(err, unread, unpriced); err == nil && fields[3] != "" {
			host, _, err = p.hosts.number(fields[3])
		}
		p.importance, p.cost = append(p.importance, importance), append(p.cost, cost)
		p.host = append(p.host, int32(host))
		return err
	}
	name, err := f.Rows(path, []string{"url_id"}, []string{"importance", "cost", "host"}, add)
	return p, name, err
}

// ReadLinks reads a table of links, whose direction means nothing, and returns
// what stands for the content, too.
func (f Files) ReadLinks(path string) (*Links, string, error) {
	l := &Links{}
	name, err := f.Rows(path, []string{"from", "to"}, nil, func(fields []string) error {
		from, _, unnamed := l.number(fields[0])
		to, _, err := l.number(fields[1])
		l.pairs = append(l.pairs, [2]int{from, to})
		return cmp.Or(unnamed, err)
	})
	return l, name, err
}

// nodes returns the links as pairs of different nodes, each pair once, in the
// order of the table. It leaves out pages that are not numbered, and says how
// many links that takes.
func (l *Links) nodes(numbers map[string]int) (pairs [][2]int32, unknown int) {
	seen := map[[2]int32]bool{}
	for _, p := range l.pairs {
		i, ok := numbers[l.urls[p[0]]]
		j, too := numbers[l.urls[p[1]]]
		pair := [2]int32{int32(min(i, j)), int32(max(i, j))}
		switch {
		case !ok || !too:
			unknown++
		case i != j && !seen[pair]:
			seen[pair] = true
			pairs = append(pairs, pair)
		}
	}
	return pairs, unknown
}

// parseNumber reads a number of at least 0; nothing is 1.
func parseNumber(name, text string) (float64, error) {
	if text == "" {
		return 1, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%s is %q, want a number of at least 0", name, text)
	}
	return x, nil
}

// layouts are those of times: RFC 3339, what other programs make of it, HTTP's, and that of web
// archives. Without a zone it is UTC.
var layouts = []string{time.RFC3339, time.DateOnly, time.DateTime, "2006-01-02 15:04:05 UTC",
	"2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05 Z0700",
	"2006-01-02 15:04:05Z07", "2006-01-02 15:04:05Z07:00", "Mon, 02 Jan 2006 15:04:05 GMT", "20060102150405"}

// ParseTime reads a time: RFC 3339, a date, Unix seconds or any integer, but for 14 digits that
// are a time of web archives.
func ParseTime(text string) (int64, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > -mostTime && n < mostTime && len(text) != 14 {
		return n, nil
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.Unix(), nil
		}
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(x) < 1<<53 {
		return int64(math.Floor(x)), nil
	}
	return 0, fmt.Errorf("time is %q, want RFC 3339 (2026-11-01T06:00:00Z), a date, Unix seconds or an integer", text)
}

// ParseLength reads the length of a slot, in seconds or the units of times.
func ParseLength(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err = strconv.ParseInt(days, 10, 32)
		n *= 24 * 3600
	} else if err != nil {
		var d time.Duration
		d, err = time.ParseDuration(text)
		if n = int64(d / time.Second); d%time.Second != 0 {
			n = 0
		}
	}
	if err != nil || n < 1 {
		return 0, fmt.Errorf("slot_length is %q, want a time of whole seconds like 6h, 30m or 1d, or an integer", text)
	}
	return n, nil
}

// World cuts a log into the slots of a window, to be replayed. The nodes are those of
// pages, if not nil, in their order, then others that the log has, of
// importance and cost 1; several changes of a page in a slot are one. Links may be
// nil, too.
func (l *Log) World(w Window, pages *Pages, links *Links) (*sources.World, error) {
	length, err := ParseLength(w.SlotLength)
	if err != nil {
		return nil, err
	}
	from, to := slices.Min(l.times), slices.Max(l.times)+1
	from -= ((from % length) + length) % length
	if w.From != "" {
		if from, err = ParseTime(w.From); err != nil {
			return nil, fmt.Errorf("from: %w", err)
		}
	}
	if w.To != "" {
		if to, err = ParseTime(w.To); err != nil {
			return nil, fmt.Errorf("to: %w", err)
		}
	}
	said, doubt := w.describe(from, to)
	if to <= from {
		return nil, fmt.Errorf("%s: there are none", said)
	}
	if (to-from-1)/length >= mostSlots {
		return nil, fmt.Errorf("%s: there are more than %d%s", said, mostSlots, doubt)
	}
	paged := pages != nil
	pages = cmp.Or(pages, new(Pages))
	importance, cost := slices.Clone(pages.importance), slices.Clone(pages.cost)
	all := names{slices.Clone(pages.urls), maps.Clone(pages.numbers)}
	var nodes []int // of the log's pages
	for _, url := range l.urls {
		i, fresh, err := all.number(url)
		if err != nil {
			return nil, err
		}
		if fresh {
			importance, cost = append(importance, 1), append(cost, 1)
		}
		nodes = append(nodes, i)
	}
	slots := make([]bitset.Set, (to-from-1)/length+1)
	if len(slots)*bitset.Groups(len(importance)) > mostWords {
		return nil, fmt.Errorf("more than %d GiB would be needed for these URLs and slots", mostWords>>27)
	}
	for t := range slots {
		slots[t] = bitset.NewSet(len(importance))
	}
	inside, twice := 0, 0
	for k, t := range l.times {
		if t >= from && t < to {
			inside++
			slot, i := slots[(t-from)/length], nodes[l.node[k]]
			if slot.Has(i) {
				twice++
			}
			slot.Add(i)
		}
	}
	world, err := sources.Replay(importance, slots)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", said, err)
	}
	said += ": " + describe(slots, len(importance), inside, twice) + doubt
	tell := func(n, of int, what string) {
		if n > of/2 {
			what = "looks wrong: " + what
		}
		if n > 0 {
			said += fmt.Sprintf("; "+what, n)
		}
	}
	if paged {
		tell(len(importance)-len(pages.urls), len(l.urls),
			"%d pages of the log are not in the table of pages: their importance is 1")
	}
	tell(lists.Count(importance, func(x float64) bool { return x == 0 }), len(importance),
		"%d pages are of importance 0, or of so little that it is taken for 0")
	if slices.Max(cost) != 1 || slices.Min(cost) != 1 {
		for i, c := range cost {
			cost[i] = math.Round(c*(1<<bitset.Depth)) / (1 << bitset.Depth)
		}
		world.Cost = cost
		said += fmt.Sprintf("; costs from %.3g to %.3g", slices.Min(cost), slices.Max(cost))
	}
	if len(pages.hosts.urls) > 0 {
		world.Host = slices.Concat(pages.host, slices.Repeat([]int32{-1}, len(importance)-len(pages.host)))
		said += fmt.Sprintf("; %d hosts", len(pages.hosts.urls))
	}
	if links != nil {
		var unknown int
		world.Links, unknown = links.nodes(all.numbers)
		tell(unknown, len(links.pairs), "%d links are of pages that are in neither table: they are left out")
	}
	world.Record = said
	return world, nil
}

// describe says which slots a window is cut into, and what looks wrong about that.
func (w *Window) describe(from, to int64) (said, doubt string) {
	spell := func(t int64) string { return time.Unix(t, 0).UTC().Format(time.RFC3339) }
	if _, err := strconv.ParseInt(w.SlotLength, 10, 64); err == nil {
		spell = func(t int64) string { return strconv.FormatInt(t, 10) }
	} else if from < earliest || to > latest {
		doubt = "; looks wrong: times are taken for Unix seconds; " +
			"if they are not, slot_length is an integer in their units"
	}
	return fmt.Sprintf("slots of %s from %s to %s", w.SlotLength, spell(from), spell(to)), doubt
}

// Web pages change between these, in Unix seconds: 1990 and 2100.
const earliest, latest = 631_152_000, 4_102_444_800

// describe says what slots hold, and what looks wrong.
func describe(slots []bitset.Set, nodes, rows, twice int) string {
	changed := bitset.NewSet(nodes)
	sum, square, last := 0.0, 0.0, 0
	first := slices.IndexFunc(slots, func(nodes bitset.Set) bool { return nodes.Len() > 0 })
	for t, nodes := range slots {
		n := float64(nodes.Len())
		sum += n
		square += float64(n * n)
		for g, w := range nodes {
			changed[g] |= w
		}
		if n > 0 {
			last = t + 1
		}
	}
	mean := sum / float64(len(slots))
	variance := square/float64(len(slots)) - float64(mean*mean)
	text := fmt.Sprintf("%d pages, %d slots, %d rows, %.0f changes: %.3g a slot, variance/mean %.3g",
		nodes, len(slots), rows, sum, mean, variance/mean)
	text += fmt.Sprintf("; %d pages never change", nodes-changed.Len())
	tell := func(so bool, format string, args ...any) {
		if so {
			text += fmt.Sprintf(format, args...)
		}
	}
	tell(twice > 0, "; %d rows repeat a change of their slot", twice)
	tell(first > len(slots)/10, "; looks wrong: nothing changes in the first %d slots", first)
	tell(last < len(slots)*9/10, "; looks wrong: nothing changes after slot %d", last)
	tell(mean > float64(nodes)/2, "; looks wrong: more than half of all pages change in a slot")
	return text
}
