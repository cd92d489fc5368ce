package history

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"sweep/environments/sources"
)

// The files of the PoliteCrawling data set that are read: lines of fields
// between tabs, without a header. The last may be missing. The others are not
// needed: which hosts demand politeness, which is not simulated, and change
// rates that were estimated from sitemaps.
const (
	importanceFile = "urlid_imp.txt"            // URL id, importance score
	historyFile    = "urlid_offset_history.txt" // URL id, days to the first crawl, [[days since the last crawl, changed], …]
	hostsFile      = "url_urlid_hostid.txt"     // URL, URL id, host id
)

// readCrawl reads a directory of the data set. Its pages were crawled about
// once a day, so that a slot is a day: a change is put into the day of the
// crawl that found it, and two of one day are one.
func readCrawl(dir string, digest hash.Hash) (h *sources.History, hosts int, err error) {
	r := newRecorder()
	histories := filepath.Join(dir, historyFile)
	inHistories, err := eachLine(histories, func(line []byte) error { return recordCrawls(r, line) })
	if err != nil {
		return nil, 0, err
	}
	known := make([]bool, len(r.importance))
	scores := filepath.Join(dir, importanceFile)
	inScores, err := eachLine(scores, func(line []byte) error { return recordScore(r, known, line) })
	if err != nil {
		return nil, 0, err
	}
	if node := slices.Index(known, false); node >= 0 {
		return nil, 0, fmt.Errorf("%s: there is no importance of URL %s, which %s has", scores, r.url(node), historyFile)
	}
	fmt.Fprintf(digest, "%s  %s\n%s  %s\n", inScores, importanceFile, inHistories, historyFile)
	if hosts, err = readHosts(r, filepath.Join(dir, hostsFile)); err != nil {
		return nil, 0, err
	}
	if h, err = r.history(); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", dir, err)
	}
	return h, hosts, nil
}

// longestLine bounds a line; those of the data set have some thousand bytes.
const longestLine = 1 << 26

// eachLine passes the lines of a file to do and returns its SHA-256. An
// error names the file and the line.
func eachLine(path string, do func(line []byte) error) (digest string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() // nothing was written
	all := sha256.New()
	lines := bufio.NewScanner(io.TeeReader(f, all))
	lines.Buffer(make([]byte, 1<<16), longestLine)
	number := 0
	for lines.Scan() {
		number++
		if err := do(lines.Bytes()); err != nil {
			return "", fmt.Errorf("%s:%d: %w", path, number, err)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return "", fmt.Errorf("%s:%d: the line has more than %d bytes", path, number+1, longestLine)
	}
	return sum(all), lines.Err()
}

// recordCrawls records a line of the history file.
func recordCrawls(r *recorder, line []byte) error {
	fields := bytes.SplitN(line, []byte("\t"), 3)
	if len(fields) < 3 {
		return fmt.Errorf("%d fields between tabs, want 3: URL id, offset, history", len(fields))
	}
	if _, twice := r.nodes[string(fields[0])]; twice {
		return fmt.Errorf("URL %s is there already", fields[0])
	}
	day, err := days(string(fields[1]))
	if err != nil {
		return err
	}
	var crawls [][]float64
	if err := json.Unmarshal(fields[2], &crawls); err != nil {
		return fmt.Errorf("the history is not a list of pairs of numbers: %w", err)
	}
	node, err := r.node(string(fields[0]), 0) // its importance follows
	if err != nil {
		return err
	}
	if err := r.crawled(node, day, false); err != nil { // changes count from the first crawl on
		return err
	}
	for i, c := range crawls {
		if len(c) != 2 || !(c[0] >= 0) || c[1] != 0 && c[1] != 1 {
			return fmt.Errorf("crawl %d of the history is %v, want days of at least 0 and a change of 0 or 1", i+1, c)
		}
		day += c[0]
		if err := r.crawled(node, day, c[1] == 1); err != nil {
			return err
		}
	}
	return nil
}

// crawled notes what a crawl found.
func (r *recorder) crawled(node int, day float64, changed bool) error {
	slot := int64(mostSlots) // too late
	if day < mostSlots {
		slot = int64(math.Floor(day))
	}
	if err := r.reach(node, slot); err != nil {
		return err
	}
	r.mark(node, int(slot), changed)
	return nil
}

func days(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0) {
		return 0, fmt.Errorf("offset is %q, want days of at least 0", text)
	}
	return x, nil
}

// recordScore records a line of the importance file. Scores of other URLs
// are not needed.
func recordScore(r *recorder, known []bool, line []byte) error {
	url, score, ok := bytes.Cut(line, []byte("\t"))
	if !ok {
		return errors.New("1 field, want 2 between tabs: URL id, importance score")
	}
	x, err := strconv.ParseFloat(string(score), 64)
	if err != nil {
		return fmt.Errorf("importance score is %q, want a number", score)
	}
	if err := checkImportance(x); err != nil {
		return err
	}
	node, ok := r.nodes[string(url)]
	if !ok {
		return nil
	}
	if known[node] {
		return fmt.Errorf("importance of URL %s is there already", url)
	}
	known[node], r.importance[node] = true, x
	return nil
}

// readHosts returns on how many hosts the pages of a crawl are, by the file
// at path, or 0 if there is none: runs do not need it. It must name one host
// for each page that has a history; those of other pages are not looked at.
func readHosts(r *recorder, path string) (int, error) {
	known := make([]bool, len(r.importance))
	hosts := map[string]bool{}
	_, err := eachLine(path, func(line []byte) error {
		fields := bytes.Split(line, []byte("\t"))
		if len(fields) != 3 {
			return fmt.Errorf("%d fields between tabs, want 3: URL, URL id, host id", len(fields))
		}
		url, host := fields[1], fields[2]
		node, ok := r.nodes[string(url)]
		switch {
		case !ok:
			return nil
		case known[node]:
			return fmt.Errorf("URL %s is there already", url)
		case len(host) == 0:
			return fmt.Errorf("the host's id of URL %s is empty", url)
		}
		known[node], hosts[string(host)] = true, true
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if node := slices.Index(known, false); node >= 0 {
		return 0, fmt.Errorf("%s: there is no host of URL %s, which %s has", path, r.url(node), historyFile)
	}
	return len(hosts), nil
}
