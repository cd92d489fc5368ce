// Package history reads records of when web pages changed, which can stand in
// for the nodes of the monitoring experiment: a log of changes, a table with
// the columns url_id and time, and a table of pages.
//
// A log is read row by row; besides the names of pages twelve bytes are kept
// for each change. With a Window it becomes the slots of a world
// (sources.Replay).
//
//	history.go    logs, tables of pages and of links
//	visits.go     logs of visits, which become changes
//	world.go      the slots of a window, as a world
//	times.go      times and lengths of slots as people write them
//	table.go      tables: which files, which columns
//	rows.go       tables as CSV and JSON lines, packed or not
//	parquet.go    tables as Parquet
//	cdx.go        the indexes of web archives
//
// Columns may stand in any order and among others, and may have other names
// (Renaming); the ending of a file says how its rows are decoded.
package history

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// formats are the endings of tables.
const formats = "a .csv, .tsv, .jsonl, .cdx (.gz or .zst after it) or .parquet file"

// Limits of what is read. A file that exceeds them ends in an error, before it
// takes all memory.
const (
	maxNodes = 100_000_000
	maxSlots = 10_000_000
	maxWords = 1 << 30 // of 64 nodes in a slot: 8 GiB
	maxTime  = 1 << 61

	// Costs are kept as multiples of 2⁻³².
	minCost = 1e-6
	maxCost = 1e6
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
	if url == "" {
		return 0, false, errors.New("the URL's id is empty")
	}
	i = len(n.urls)
	if i == maxNodes {
		return 0, false, fmt.Errorf("there are more than %d URLs", maxNodes)
	}
	if i == 0 {
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
	times []int64 // Unix seconds, or other integers that the log has

	visits []visit // if it is a log of visits: until its changes are known
	by     string  // the column that tells which visits found a change
	said   string  // what else there is to say of the log
	doubt  error   // of how it was read
	first  int64   // the earliest and the latest time, be it of a visit
	last   int64
}

// Pages is a table of pages.
type Pages struct {
	names
	importance []float64
	cost       []float64
	hosts      names
	host       []int32 // by page; -1: not known

	given  [3]int // pages with an importance, a cost and a host
	unread []string

	weighed bool // whether a column named weight has importances
}

// Links is a table of links between pages.
type Links struct {
	names
	pairs [][2]int // of its pages
}

// What Read, ReadPages and ReadLinks accept.
const (
	Accepts = "the path of " + formats + " with the columns url_id and time, of changes; " +
		"or of visits, if there is a column hash, digest, etag or changed"
	PagesAccepts = "the path of " + formats +
		" with the column url_id and, if known, importance (or weight), cost and host"
	LinksAccepts = "the path of " + formats + " with the columns from and to, which hold url_ids"
)

// What was read, for people: for example "30 pages, 90 changes".

func (l *Log) String() string {
	return fmt.Sprintf("%d pages, %d changes", len(l.urls), len(l.times)) + l.said
}

func (p *Pages) String() string {
	return fmt.Sprintf("%d pages, %d with an importance, %d with a cost, %d with a host",
		len(p.urls), p.given[0], p.given[1], p.given[2]) + notRead(p.unread)
}

// notRead names columns that are not read.
func notRead(columns []string) string {
	if len(columns) == 0 {
		return ""
	}
	return "; not read: " + list(columns)
}

func (l *Links) String() string {
	return fmt.Sprintf("%d links", len(l.pairs))
}

// The columns that Read, ReadPages and ReadLinks look for: wanted ones and, of
// logs and pages, others that may be missing.
var (
	logColumns   = []string{"url_id", "time"}
	pageColumns  = []string{"url_id"}
	pageDetails  = []string{"importance", "cost", "host", "weight"}
	linkColumns  = []string{"from", "to"}
	Columns      = slices.Concat(logColumns, evidence)
	PagesColumns = slices.Concat(pageColumns, pageDetails)
	LinksColumns = linkColumns
)

// Read reads the log at a path, on disk or among the files. Columns may have
// other names in it. It returns the log, and a name that identifies its content
// (see Rows) and how it was read.
func (f Files) Read(path string, columns Renaming) (*Log, string, error) {
	l := &Log{}
	t := tableOfSpec(path, columns)
	t.wanted = logColumns
	t.optional = evidence
	name, err := f.read(t, l.add)
	if err == nil && len(l.times)+len(l.visits) == 0 {
		err = fmt.Errorf("%s: there are no rows", path)
	}
	if err != nil {
		return l, name, err
	}
	if l.by == "" && len(t.empty) > 0 { // columns of evidence
		return l, name, fmt.Errorf("%s: none of %d visits has a value in the column %s\n"+
			"hint: if the rows are changes rather than visits, remove the column",
			path, len(l.times), strings.Join(slices.Sorted(maps.Keys(t.empty)), " or "))
	}
	l.first = slices.Min(l.times)
	l.last = slices.Max(l.times)
	if l.by != "" {
		found := t.names[len(logColumns):]
		read := found[slices.Index(evidence, l.by)]
		for _, column := range found {
			if column != read && t.seen[column] && !t.empty[column] {
				t.unread = append(t.unread, column)
			}
		}
		name += " by " + l.by // the content alone does not say how it is read
		err = l.compare()
		if err != nil {
			return l, name, fmt.Errorf("%s: %w", path, err)
		}
	} else {
		l.doubt = likelyEvidence(t.unread)
	}
	l.said += notRead(t.unread)
	return l, name, nil
}

// Doubt returns what may be wrong with how the log was read; nil if nothing is.
func (l *Log) Doubt() error { return l.doubt }

// add adds a row: url_id, time and the evidence of a change.
func (l *Log) add(fields []string) error {
	node, _, err := l.number(fields[0])
	if err != nil {
		return err
	}
	t, nanos, err := parseTime(fields[1])
	if err != nil {
		return err
	}
	l.node = append(l.node, int32(node))
	l.times = append(l.times, t)
	return l.addEvidence(fields[2:], nanos)
}

// ReadPages reads a table of pages as Read reads a log. The columns are url_id
// and, if they are there, importance, cost and host. An importance or cost that
// is missing or empty is 1.
func (f Files) ReadPages(path string, columns Renaming) (*Pages, string, error) {
	p := &Pages{}
	t := tableOfSpec(path, columns)
	t.wanted = pageColumns
	t.optional = pageDetails
	name, err := f.read(t, p.add)
	p.unread = t.unread
	if p.weighed {
		name += " by weight"
	}
	return p, name, err
}

// add adds a row: url_id, importance, cost, host and weight, which is another
// name of importance.
func (p *Pages) add(fields []string) error {
	_, fresh, err := p.number(fields[0])
	if err != nil {
		return err
	}
	if !fresh {
		return fmt.Errorf("URL %q is there already", fields[0])
	}
	if weight := fields[4]; weight != "" {
		if fields[1] != "" {
			return errors.New("there are an importance and a weight, want one of them")
		}
		fields[1] = weight
		p.weighed = true
	}
	importance, err := parseNumber("importance", fields[1])
	if err != nil {
		return err
	}
	cost, err := parseNumber("cost", fields[2])
	if err != nil {
		return err
	}
	if !(cost >= minCost && cost <= maxCost) {
		return fmt.Errorf("cost is %s, want a number from %v to %v", fields[2], minCost, maxCost)
	}
	host := -1
	if fields[3] != "" {
		host, _, err = p.hosts.number(fields[3])
	}
	p.importance = append(p.importance, importance)
	p.cost = append(p.cost, cost)
	p.host = append(p.host, int32(host))
	for k, field := range fields[1:4] {
		if field != "" {
			p.given[k]++
		}
	}
	return err
}

// parseNumber reads a number of at least 0. An empty text is 1.
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

// ReadLinks reads a table of links as Read reads a log. The direction of links
// means nothing.
func (f Files) ReadLinks(path string, columns Renaming) (*Links, string, error) {
	l := &Links{}
	t := tableOfSpec(path, columns)
	t.wanted = linkColumns
	name, err := f.read(t, l.add)
	return l, name, err
}

// add adds a row: from and to.
func (l *Links) add(fields []string) error {
	from, _, err := l.number(fields[0])
	if err != nil {
		return err
	}
	to, _, err := l.number(fields[1])
	l.pairs = append(l.pairs, [2]int{from, to})
	return err
}

// nodes returns the links as pairs of different nodes, each pair once, in the
// order of the table. It leaves out links of pages without a number, and
// returns how many these are.
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
