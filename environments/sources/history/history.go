// Package history reads records of when web pages changed, which can stand
// in for the nodes of the monitoring experiment.
//
// Three layouts are understood:
//
//   - a plain log of changes (log.go), with the columns url_id and time, which
//     becomes a history with a Window and, if there is one, a table of pages;
//   - a table, as a CSV file with a header (csv.go) or a Parquet file
//     (parquet.go), whose rows say whether a page changed in a slot. Its
//     columns url_id, slot, changed and importance may stand in any order and
//     among others;
//   - a directory with the files of Microsoft's PoliteCrawling data set
//     (crawl.go), described in the README of the repository
//     microsoft/Optimal-Freshness-Crawl-Scheduling.
//
// The nodes are the pages in the order in which they appear first. The
// first slot is the earliest in which there is anything, the last the latest;
// what is not said to have changed in a slot did not. Importance-values are
// divided by the largest if that is above 1 (sources.NewHistory).
//
// Everything is read once, row by row. Beside the history itself, two bits
// for each page and slot, only the pages' names are kept meanwhile.
package history

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"strings"

	"sweep/environments/sources"
)

// Accepts says what Read accepts.
const Accepts = "the path of a .csv or .parquet file with the columns url_id, slot, changed, importance, " +
	"of a .csv, .tsv, .jsonl or .parquet file with the columns url_id and time (.gz or .zst after it), " +
	"or of a directory with the files of Microsoft's PoliteCrawling data set"

// A Record is a history as it was read.
type Record struct {
	*sources.History      // nil of a log
	Log              *Log // nil of another

	// Name stands for the content: the last element of the path and the
	// beginning of a SHA-256, for example crawl.csv@sha256:9f86d081884c7d65. Of a
	// table that is the file's, of a directory that of the text which the
	// command sha256sum prints for the files of importance and of histories,
	// by their base names.
	Name string

	// Hosts is the number of hosts that the pages are on; 0 if that is not known.
	Hosts int
}

// String describes the record, for example "30 pages, 90 slots".
func (r *Record) String() string {
	if r.Log != nil {
		return fmt.Sprintf("%d pages, %d changes", len(r.Log.urls), len(r.Log.times))
	}
	text := fmt.Sprintf("%d pages, %d slots", r.Nodes(), r.Slots())
	if r.Hosts > 0 {
		text += fmt.Sprintf(", %d hosts", r.Hosts)
	}
	return text
}

// Read reads the history at a path: a log that is on disk or among the files,
// or another layout that is on disk.
//
// The error names the file, and the line or row if there the fault is.
func (f Files) Read(path string) (*Record, error) {
	info, err := os.Stat(path)
	shipped := false
	if err != nil {
		if f != nil {
			_, shipped = f(path)
		}
		if !shipped {
			return nil, err
		}
	}
	r := &Record{}
	digest := newDigest()
	switch {
	case !shipped && info.IsDir():
		r.History, r.Hosts, err = readCrawl(path, digest)
	case shipped || isLog(path):
		r.Log, err = f.readLog(path, digest)
	case strings.EqualFold(filepath.Ext(path), ".csv"):
		r.History, err = readCSV(path, digest)
	case strings.EqualFold(filepath.Ext(path), ".parquet"):
		r.History, err = readParquet(path, digest)
	default:
		err = fmt.Errorf("%s: want %s", path, Accepts)
	}
	if err != nil {
		return nil, err
	}
	r.Name = name(path, digest)
	return r, nil
}

func newDigest() hash.Hash { return sha256.New() }

// name returns what stands for a file and its content.
func name(path string, digest hash.Hash) string {
	return filepath.Base(path) + "@sha256:" + sum(digest)[:16]
}

// sum returns a digest in hexadecimal digits.
func sum(digest hash.Hash) string { return hex.EncodeToString(digest.Sum(nil)) }
