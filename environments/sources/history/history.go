// Package history reads records of when web pages changed, which can stand
// in for the nodes of the monitoring experiment: a log of changes, a table with
// the columns url_id and time, and a table of pages. Columns may stand in any order
// and among others; the ending of a file says how rows are decoded (rows.go).
//
// A log is read row by row; beside the names of pages twelve bytes are kept for
// each change. With a Window it becomes the slots of a world (sources.Replay).
package history

import (
	"errors"
	"fmt"
	"strings"
)

// formats are the endings of tables.
const formats = "a .csv, .tsv, .jsonl (.gz or .zst after it) or .parquet file"

// Accepts says what Read accepts.
const Accepts = "the path of " + formats + " with the columns url_id and time"

// Read reads the log at a path that is on disk or among the files, and returns
// what stands for its content (see Rows).
func (f Files) Read(path string) (*Log, string, error) {
	l := &Log{}
	name, err := f.Rows(path, []string{"url_id", "time"}, nil, l.add)
	if err == nil && len(l.times) == 0 {
		err = fmt.Errorf("%s: there are no rows", path)
	}
	return l, name, err
}

// Limits of what is read, so that any file ends in an error rather than in
// all of the memory.
const (
	mostNodes = 100_000_000
	mostSlots = 10_000_000
	mostWords = 1 << 30 // of 64 nodes in a slot: 8 GiB
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
