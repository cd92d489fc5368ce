package history

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sweep/environments/sources"
)

// The files of the PoliteCrawling data set that are read: lines of fields
// between tabs, without a header. The others are not needed: which hosts
// demand politeness, which is not simulated, and change rates that were
// estimated from sitemaps.
const (
	importanceFile = "urlid_imp.txt"            // URL id, importance score
	historyFile    = "urlid_offset_history.txt" // URL id, days to the first crawl, [[days since the last crawl, changed], …]
)

// readCrawl reads a directory of the data set. Its pages were crawled about
// once a day, so that a slot is a day: a change is put into the day of the
// crawl that found it, and two of one day are one.
func readCrawl(dir string, digest hash.Hash) (*sources.History, error) {
	r := newRecorder()
	histories, err := crawlRows(filepath.Join(dir, historyFile), r.addCrawls, "URL id", "offset", "history")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, importanceFile)
	scores, err := crawlRows(path, r.addScore, "URL id", "importance score")
	if err != nil {
		return nil, err
	}
	if node := slices.Index(r.importance, unknown); node >= 0 {
		return nil, fmt.Errorf("%s: there is no importance of URL %s, which %s has", path, r.urls[node], historyFile)
	}
	fmt.Fprintf(digest, "%x  %s\n%x  %s\n", scores, importanceFile, histories, historyFile)
	h, err := r.history()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return h, nil
}

// crawlRows passes the rows of a file with the given columns to add, and
// returns its SHA-256.
func crawlRows(path string, add func(fields []string) error, columns ...string) (digest []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	whole := sha256.New()
	err = eachLine(path, io.TeeReader(f, whole), func(line []byte) error {
		fields := strings.SplitN(string(line), "\t", len(columns))
		if len(fields) < len(columns) {
			return fmt.Errorf("%d fields between tabs, want %d: %s", len(fields), len(columns), strings.Join(columns, ", "))
		}
		return add(fields)
	})
	return whole.Sum(nil), err
}

// unknown is the importance of a page before its score is read.
const unknown = -1

// addCrawls takes a row of the history file.
func (r *recorder) addCrawls(fields []string) error {
	day, err := parseNumber("offset", fields[1])
	if err != nil {
		return err
	}
	var crawls [][]float64
	if err := json.Unmarshal([]byte(fields[2]), &crawls); err != nil {
		return fmt.Errorf("the history is not a list of pairs of numbers: %w", err)
	}
	node, fresh, err := r.number(fields[0])
	if err != nil {
		return err
	}
	if !fresh {
		return fmt.Errorf("URL %s is there already", fields[0])
	}
	r.importance = append(r.importance, unknown)
	changed := false // changes count from the first crawl on
	for i := 0; ; i++ {
		if _, err := r.see(node, int64(min(math.Floor(day), mostSlots)), changed); err != nil {
			return err
		}
		if i == len(crawls) {
			return nil
		}
		c := crawls[i]
		if len(c) != 2 || !(c[0] >= 0) || c[1] != 0 && c[1] != 1 {
			return fmt.Errorf("crawl %d of the history is %v, want days of at least 0 and a change of 0 or 1", i+1, c)
		}
		day += c[0]
		changed = c[1] == 1
	}
}

// addScore takes a row of the importance file. Scores of other URLs are not
// needed.
func (r *recorder) addScore(fields []string) error {
	score, err := parseNumber("importance score", fields[1])
	if err != nil {
		return err
	}
	node, ok := r.numbers[fields[0]]
	if !ok {
		return nil
	}
	if r.importance[node] != unknown {
		return fmt.Errorf("importance of URL %s is there already", fields[0])
	}
	r.importance[node] = score
	return nil
}
