// Package history reads records of when web pages changed, which can stand
// in for the nodes of the monitoring experiment.
//
// A file is a table: its ending says how rows are decoded (rows.go), its
// columns say what they mean:
//
//   - url_id and time: a plain log of changes (log.go), which becomes a history
//     with a Window and, if there is one, a table of pages;
//   - url_id, slot, changed and importance: whether a page changed in a slot
//     (slots.go).
//
// Columns may stand in any order and among others. A directory with the files
// of Microsoft's PoliteCrawling data set is read too (crawl.go), as the README
// of the repository microsoft/Optimal-Freshness-Crawl-Scheduling describes it.
//
// The nodes are the pages in the order in which they appear first. The
// first slot is the earliest in which there is anything, the last the latest;
// what is not said to have changed in a slot did not. Importance-values are
// divided by the largest if that is above 1 (sources.NewHistory).
//
// Everything is read row by row. Beside the history itself, two bits for
// each page and slot, or twelve bytes for each change of a log, only the pages'
// names are kept meanwhile.
package history

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"slices"

	"sweep/environments/sources"
)

// formats are the endings of tables.
const formats = "a .csv, .tsv, .jsonl (.gz or .zst after it) or .parquet file"

// Accepts says what Read accepts.
const Accepts = "the path of " + formats + " with the columns url_id and time, or url_id, slot, changed, importance, " +
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
}

// String describes the record, for example "30 pages, 90 slots".
func (r *Record) String() string {
	if r.Log != nil {
		return fmt.Sprintf("%d pages, %d changes", len(r.Log.urls), len(r.Log.times))
	}
	return fmt.Sprintf("%d pages, %d slots", r.Nodes(), r.Slots())
}

// Read reads the history at a path: a table that is on disk or among the
// files, or a directory on disk.
//
// The error names the file, and the line or row if there the fault is.
func (f Files) Read(path string) (*Record, error) {
	r := &Record{}
	digest := sha256.New()
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		r.History, err = readCrawl(path, digest)
	} else {
		r.History, r.Log, err = f.readTable(path, digest)
	}
	if err != nil {
		return nil, err
	}
	r.Name = contentName(path, digest)
	return r, nil
}

// readTable reads a log or a table of slots.
func (f Files) readTable(path string, digest hash.Hash) (*sources.History, *Log, error) {
	slots, log := newRecorder(), &Log{}
	err := f.rows(path, digest, func(columns []string) shape {
		if slices.Contains(columns, "time") && !slices.Contains(columns, "slot") {
			return log.shape()
		}
		return slots.shape()
	})
	if err != nil || len(log.times) > 0 {
		return nil, log, err
	}
	h, err := slots.history()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return h, nil, nil
}

// contentName returns what stands for a file and its content.
func contentName(path string, digest hash.Hash) string {
	return filepath.Base(path) + "@sha256:" + hex.EncodeToString(digest.Sum(nil))[:16]
}
