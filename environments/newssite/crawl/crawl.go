// Package crawl makes a newssite.Site from a real site: from a log of what a
// crawler saw (Read), or from the history of the site's sources (History).
//
// Two things that neither tells are assumed. Every page takes equally long to
// download. Foragers start from the ten pages that were seen first; if more
// than ten were there from the beginning, from those that most links lead to.
//
//	crawl.go   the log of what was seen
//	git.go     a log from the commits of a git repository
//	links.go   the links in sources, and where they lead
//	site.go    the site that a window of a log becomes
package crawl

import (
	"crypto/sha256"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sweep/environments/newssite/text"
	"sweep/environments/sources/history"
)

// Limits of what is read. A log that exceeds them ends in an error, before it
// takes all memory.
const (
	maxBytes     = 1 << 30 // of texts and links, and of what is kept of each row
	maxURLLength = 2048    // bytes
	latest       = 1 << 33 // Unix seconds, in the year 2242
)

// undated is the date of a sighting without one.
const undated = math.MinInt64

// A Log is what was seen of a site's pages, and when.
type Log struct {
	urls    []string
	numbers map[string]int32
	seen    [][]sighting // of each page, in order of time
	last    int64        // the time of the last sighting of any page
	words   map[string]int32
	bytes   int

	// escaped numbers pages by their URLs as package url writes them, with
	// %C3%BC for ü.
	escaped map[string]int32

	// labels has the page of each label of a site's sources.
	labels map[string]string

	// follow returns the page that a link on a page leads to, or another place.
	follow func(page, link string) (int32, place)
}

// A sighting is the content of a page from a time on.
type sighting struct {
	time, date int64 // Unix seconds; the date may be undated
	content    [sha256.Size]byte
	words      []int32
	links      []string
}

func newLog() *Log {
	return &Log{
		numbers: map[string]int32{},
		words:   map[string]int32{},
		escaped: map[string]int32{},
		labels:  map[string]string{},
	}
}

// Accepts says what Read accepts.
const Accepts = "a .csv, .tsv, .jsonl (.gz or .zst after it) or .parquet file " +
	"with the columns url, time, text and links, in order of time"

// Read reads the log of a crawl. Each row has the URL of a page, the time at
// which it was seen, its plain text, and its links, as a list or separated by
// white space. Links may be relative. The error names the file, and the line or
// row if the fault is there.
func Read(path string) (*Log, error) {
	l := newLog()
	l.follow = l.followLink
	required := []string{"url", "time", "text"}
	optional := []string{"links"}
	_, err := history.Files(nil).Rows(path, required, optional, l.addRow)
	if err != nil {
		return nil, err
	}
	if len(l.seen) == 0 {
		return nil, fmt.Errorf("%s: there are no rows", path)
	}
	return l, nil
}

// addRow adds a row of a log: URL, time, text and links.
func (l *Log) addRow(fields []string) error {
	when, err := history.ParseTime(fields[1])
	if err != nil {
		return err
	}
	page := fields[0]
	if err := l.add(page, when, when, fields[2], strings.Fields(fields[3])); err != nil {
		return err
	}
	if at, err := url.Parse(page); err == nil {
		l.escaped[at.String()] = l.numbers[page]
	}
	return nil
}

// followLink returns the page that a link on a page leads to.
func (l *Log) followLink(page, link string) (int32, place) {
	if n, ok := l.numbers[link]; ok {
		return n, aPage
	}
	base, err := url.Parse(page)
	if err != nil {
		return 0, nowhere
	}
	at, err := base.Parse(link)
	if err != nil {
		return 0, nowhere
	}
	at.Fragment = ""
	if n, ok := l.numbers[at.String()]; ok {
		return n, aPage
	}
	if n, ok := l.escaped[at.String()]; ok {
		return n, aPage
	}
	if at.Host != base.Host || at.Opaque != "" {
		return 0, otherSite
	}
	return 0, missing(at.Path)
}

// add adds a sighting of a page. The last of several sightings in one second
// counts. A sighting with the same text and links as the one before is left
// out.
func (l *Log) add(page string, when, date int64, plain string, links []string) error {
	if page == "" || len(page) > maxURLLength || strings.ContainsFunc(page, strange) {
		return fmt.Errorf("the URL is %s, want up to %d bytes of UTF-8 without white space "+
			"or control characters", strconv.QuoteToASCII(page[:min(len(page), 100)]), maxURLLength)
	}
	if when < l.last || when > latest {
		return fmt.Errorf("time is %d s after 1970, want a time until the year 2242, "+
			"not before the row above", when)
	}
	l.last = when
	n, known := l.numbers[page]
	if !known {
		n = int32(len(l.urls))
		l.numbers[page] = n
		l.urls = append(l.urls, page)
		l.seen = append(l.seen, nil)
	}
	content := plain + "\x00" + strings.Join(links, "\n")
	s := sighting{
		time:    when,
		date:    date,
		content: sha256.Sum256([]byte(content)),
		words:   text.Words(plain, l.words),
		links:   links,
	}
	seen := l.seen[n]
	if k := len(seen); k > 0 && seen[k-1].time == when {
		seen = seen[:k-1]
	}
	if k := len(seen); k == 0 || seen[k-1].content != s.content {
		seen = append(seen, s)
	}
	l.seen[n] = seen
	return l.count(200 + len(page) + len(content) + 4*len(s.words) + 16*len(links))
}

// addLabels gives labels to a page.
func (l *Log) addLabels(page string, labels []string) error {
	bytes := 0
	for _, text := range labels {
		l.labels[text] = page
		bytes += 100 + len(text)
	}
	return l.count(bytes)
}

// count counts the bytes that are kept.
func (l *Log) count(bytes int) error {
	l.bytes += bytes
	if l.bytes > maxBytes {
		return fmt.Errorf("there is more than %d GiB of texts and links", maxBytes>>30)
	}
	return nil
}

// strange reports whether a rune is not allowed in a URL.
func strange(r rune) bool {
	return unicode.IsControl(r) || unicode.IsSpace(r) || r == utf8.RuneError
}
