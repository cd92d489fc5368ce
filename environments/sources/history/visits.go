package history

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// evidence lists the columns that make a log one of visits: three that differ
// between the versions of a page, and one that says whether a visit found
// another version. Of several the first with a value in any row counts, in
// whatever order the rows stand.
var evidence = []string{"hash", "digest", "etag", "changed"}

// likely matches the names of columns that are likely to be evidence.
var likely = regexp.MustCompile(`(?i)hash|digest|etag|md5|checksum|changed|` +
	`(^|[^a-z])sha(\d|[^a-z]|$)`)

// likelyEvidence returns an error if one of the columns that are not read is
// likely to be evidence.
func likelyEvidence(unread []string) error {
	for _, column := range unread {
		if !likely.MatchString(column) {
			continue
		}
		meant := "hash"
		if strings.Contains(strings.ToLower(column), "changed") {
			meant = "changed"
		}
		return fmt.Errorf("the column %s is not read, and each row counts as a change: "+
			"if rows are visits, add to the spec, above all tables: columns = { %s = %q }",
			list([]string{column}), meant, column)
	}
	return nil
}

// A visit says what was found at a page.
type visit struct {
	version uint64 // a hash of the text in hash, digest or etag
	nanos   uint32 // of its time, which is in seconds
	changed bool
	unknown bool // the field is empty: the visit tells nothing
}

// versions hashes the texts of versions, which are compared within a process
// only.
var versions = maphash.MakeSeed()

// addEvidence adds the evidence of the row that was added last, and the
// nanoseconds of its time. A row that has nothing but changed must say true or
// false there, whichever column counts in the end.
func (l *Log) addEvidence(fields []string, nanos uint32) error {
	k := 0 // the first column with a value in this row
	for k < len(fields) && fields[k] == "" {
		k++
	}
	if k < len(fields) && (l.by == "" || k < slices.Index(evidence, l.by)) {
		l.by = evidence[k] // the rows before have no value there
		l.visits = slices.Repeat([]visit{{unknown: true}}, len(l.times)-1)
	}
	if l.by == "" {
		return nil
	}
	field := fields[slices.Index(evidence, l.by)]
	v := visit{unknown: field == "", nanos: nanos}
	if k < len(fields) && evidence[k] == "changed" {
		changed, err := strconv.ParseBool(fields[k])
		if err != nil {
			return fmt.Errorf("changed is %q, want true or false", fields[k])
		}
		v.changed = changed
	}
	if l.by != "changed" {
		v.version = maphash.String(versions, field)
	}
	l.visits = append(l.visits, v)
	return nil
}

// compare turns visits into changes: those at which the version is another one
// than at the visit before, or that are said to be one. Pages that never change
// remain.
func (l *Log) compare() error {
	order := make([]int, len(l.times))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if l.times[a] != l.times[b] {
			return cmp.Compare(l.times[a], l.times[b])
		}
		return cmp.Compare(l.visits[a].nanos, l.visits[b].nanos)
	})
	last := slices.Repeat([]int{-1}, len(l.urls)) // the visit before
	var node []int32
	var times, gaps []int64
	unknown := 0
	for _, k := range order {
		i := l.node[k]
		v := l.visits[k]
		if v.unknown {
			unknown++
			continue
		}
		before := last[i]
		last[i] = k
		if before >= 0 {
			gaps = append(gaps, l.times[k]-l.times[before])
		}
		if v.changed || before >= 0 && v.version != l.visits[before].version {
			node = append(node, i)
			times = append(times, l.times[k])
		}
	}
	if len(gaps) == 0 && unknown > 0 {
		return fmt.Errorf("no page was visited twice with a value in the column %s: "+
			"%d of %d visits have none", l.by, unknown, len(l.visits))
	}
	if len(gaps) == 0 {
		return errors.New("no page was visited twice")
	}
	if len(times) == 0 {
		return fmt.Errorf("no page has changed between two of %d visits (column %s)",
			len(l.visits), l.by)
	}
	slices.Sort(gaps)
	l.said = fmt.Sprintf(", found in %d visits by the column %s; half of the visits to a "+
		"page come within %d of the one before, and a change counts when it was found",
		len(l.visits), l.by, gaps[len(gaps)/2])
	l.said += remark(unknown, len(l.visits), "%d visits without a "+l.by+" are left out")
	l.node = node
	l.times = times
	l.visits = nil
	return nil
}
