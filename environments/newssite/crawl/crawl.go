// Package crawl makes a newssite.Site of a real site: of a log of what a crawler
// saw (Read), or of the history of the site's sources (History).
//
// What neither tells is assumed: every page takes equally long to download, and
// foragers start from the ten pages that were seen first; where more were there
// from the beginning, from those with most links to them.
package crawl

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sweep/environments/newssite"
	"sweep/environments/newssite/text"
	"sweep/environments/sources/history"
)

// Limits of what is read, so that any log ends in an error rather than in all of
// the memory.
const (
	mostBytes  = 1 << 30 // of texts and links, and of what is kept of each row
	longestURL = 2048
	latest     = 1 << 33 // Unix seconds, in the year 2242
)

const (
	topics  = 50     // clusters of pages (Selection in Scale-Free Small World, section 3.1.2)
	sample  = 50_000 // pages that they are made of, at most
	starts  = 10     // URLs of the start list (section 4.2.1)
	undated = math.MinInt64
)

// A Log is what was seen of a site's pages, and when.
type Log struct {
	pages   []string
	numbers map[string]int32
	seen    []sighting
	words   text.Vocabulary

	// follow returns the page that a link on a page leads to.
	follow func(page, link string) (int32, bool)
	bytes  int
}

func newLog() *Log { return &Log{numbers: map[string]int32{}, words: text.Vocabulary{}} }

// A sighting is a page at a time.
type sighting struct {
	page       int32
	time, date int64 // Unix seconds; the date may be undated
	content    [sha256.Size]byte
	words      []int32
	links      []string
}

// Accepts says what Read accepts.
const Accepts = "a .csv, .tsv, .jsonl (.gz or .zst after it) or .parquet file with the columns url, time, text, links and, if known, date"

// Read reads the log of a crawl: for each page that was seen its URL, when that
// was, its plain text and its links, as a list or with white space between, and its
// date stamp, which is the time unless it is given. Links may be relative. The
// error names the file, and the line or row if there the fault is.
func Read(path string) (*Log, error) {
	l := newLog()
	l.follow = func(page, link string) (int32, bool) {
		n, ok := l.numbers[link]
		if base, err := url.Parse(page); err == nil && !ok {
			if at, err := base.Parse(link); err == nil {
				at.Fragment = ""
				n, ok = l.numbers[at.String()]
			}
		}
		return n, ok
	}
	err := history.Files(nil).Rows(path, []string{"url", "time", "text"}, []string{"date", "links"}, "links", func(fields []string) error {
		when, err := history.ParseTime(fields[1])
		date := when
		if fields[3] != "" && err == nil {
			date, err = history.ParseTime(fields[3])
		}
		if err != nil {
			return err
		}
		return l.add(fields[0], when, date, fields[2], strings.Fields(fields[4]))
	})
	if err == nil && len(l.seen) == 0 {
		err = fmt.Errorf("%s: there are no rows", path)
	}
	return l, err
}

// add adds a sighting.
func (l *Log) add(page string, when, date int64, plain string, links []string) error {
	strange := func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) || r == utf8.RuneError }
	switch {
	case page == "" || len(page) > longestURL || strings.ContainsFunc(page, strange):
		return fmt.Errorf("the URL is %s, want up to %d bytes of UTF-8 without white space or control characters", strconv.QuoteToASCII(page[:min(len(page), 100)]), longestURL)
	case when < 0 || when > latest || date < 0 && date != undated:
		return fmt.Errorf("time is %d s and date %d s after 1970, want times until the year 2242", when, date)
	}
	n, known := l.numbers[page]
	if !known {
		n = int32(len(l.pages))
		l.pages = append(l.pages, page)
		l.numbers[page] = n
	}
	content := plain + "\x00" + strings.Join(links, "\n")
	s := sighting{n, when, min(date, when), sha256.Sum256([]byte(content)), l.words.Words(plain), links}
	l.seen = append(l.seen, s)
	if l.bytes += 200 + len(page) + len(content) + 4*len(s.words) + 16*len(links); l.bytes > mostBytes {
		return fmt.Errorf("there is more than %d GiB of texts and links", mostBytes>>30)
	}
	return nil
}

// A Window says which part of a log becomes a site, and how long that takes
// there: From is the start of the simulation, and To is Days later.
type Window struct {
	From, To  string // times, as in a log; empty: the first, and the end of the last
	Days      int
	Downloads float64 // of each URL that there is time for in a day, mean
}

// Site makes a site of a log, and says for people what was made. A page that was
// seen again with the same text and links is the same version; of several that
// were seen in the same second the last counts. Of what was seen before the window
// the last of each page counts, and what was seen after it does not.
func (l *Log) Site(w Window) (site *newssite.Site, said string, err error) {
	slices.SortStableFunc(l.seen, func(a, b sighting) int { return int(a.time - b.time) })
	from, to := l.seen[0].time, l.seen[len(l.seen)-1].time+1
	for _, limit := range []struct {
		text  string
		value *int64
	}{{w.From, &from}, {w.To, &to}} {
		if limit.text != "" && err == nil {
			*limit.value, err = history.ParseTime(limit.text)
		}
	}
	if err != nil {
		return nil, "", err
	}
	if from < 0 || to > latest || to <= from {
		return nil, "", fmt.Errorf("the window from %v to %v is empty, or not in the years from 1970 to 2242", time.Unix(from, 0).UTC(), time.Unix(to, 0).UTC())
	}
	scale := float64(int64(w.Days)*newssite.Day) / float64(to-from)
	at := func(t int64) int64 { return int64(max(math.Floor(float64(t-from)*scale), -1<<52)) }

	number := make([]int32, len(l.pages)) // of each page of the log, 1 + its number on the site; 0 if it is not there
	var pages [][]sighting
	for _, s := range l.seen {
		if s.time >= to {
			break
		}
		if number[s.page] == 0 {
			pages = append(pages, nil)
			number[s.page] = int32(len(pages))
		}
		page := &pages[number[s.page]-1]
		if n := len(*page); n > 0 && (*page)[n-1].time == s.time {
			*page = (*page)[:n-1]
		}
		if n := len(*page); n > 0 && (*page)[n-1].content == s.content {
			continue
		} else if n > 0 && s.time <= from {
			*page = (*page)[:0]
		}
		*page = append(*page, s)
	}
	if len(pages) == 0 {
		return nil, "", errors.New("nothing was seen before the end of the window")
	}

	site = &newssite.Site{Dimension: topics, First: []int32{0}}
	state := classify(pages)
	download := int32(min(max(float64(newssite.Day)/w.Downloads/float64(len(pages)), 1), float64(newssite.Day)))
	states := map[string]int32{}
	incoming := make([]int, len(pages)) // links of first versions
	elsewhere := 0
	for u, page := range pages {
		last := int64(math.MinInt64)
		for _, s := range page {
			v := newssite.Version{From: max(at(s.time), last+1), Date: newssite.Undated, Download: download, LinkFrom: int32(len(site.Links))}
			if last = v.From; s.date != undated {
				v.Date = at(s.date)
			}
			vector := state(s.words)
			key := fmt.Sprint(vector)
			if _, known := states[key]; !known {
				states[key] = int32(len(states))
				site.States = append(site.States, vector)
			}
			v.State = states[key]
			for _, link := range s.links {
				target, ok := l.follow(l.pages[s.page], link)
				if !ok || number[target] == 0 {
					elsewhere++
				} else if t := number[target] - 1; int(t) != u && !slices.Contains(site.Links[v.LinkFrom:], t) {
					site.Links = append(site.Links, t)
					if s.time == page[0].time {
						incoming[t]++
					}
				}
			}
			v.LinkTo = int32(len(site.Links))
			site.Versions = append(site.Versions, v)
		}
		site.First = append(site.First, int32(len(site.Versions)))
	}
	for u := range int32(len(pages)) {
		site.Start = append(site.Start, u)
	}
	slices.SortStableFunc(site.Start, func(a, b int32) int {
		if x, y := max(site.Born(a), 0), max(site.Born(b), 0); x != y {
			return int(min(max(x-y, -1), 1))
		}
		return incoming[b] - incoming[a]
	})
	site.Start = slices.Clone(site.Start[:min(starts, len(pages))])
	said = fmt.Sprintf("%d URLs, %d versions, %d links, %d states; a download takes %.3g s; %d links elsewhere left out; start list:",
		len(pages), len(site.Versions), len(site.Links), len(states), float64(download)/1000, elsewhere)
	for _, u := range site.Start {
		first := &site.Versions[site.First[u]]
		first.From = min(first.From, 0) // for a forager to start from
		first.Date = min(first.Date, first.From)
		said += " " + l.pages[pages[u][0].page]
	}
	return site, said, site.Validate()
}

// classify trains the classifier of a site, on a text of each page: the first that
// has words. It returns what gives the state vector of a text. Words that more than
// a fifth of the texts have are left out, as in place of Boley's list of stop words.
func classify(pages [][]sighting) (state func(words []int32) []float64) {
	var texts [][]int32
	for i := 0; i < len(pages); i += (len(pages)-1)/sample + 1 {
		if k := slices.IndexFunc(pages[i], func(s sighting) bool { return len(s.words) > 0 }); k >= 0 {
			texts = append(texts, pages[i][k].words)
		}
	}
	having := map[int32]int{} // texts that have a word
	for _, words := range texts {
		for _, w := range slices.Compact(slices.Sorted(slices.Values(words))) {
			having[w]++
		}
	}
	telling := func(words []int32) []int32 {
		return slices.DeleteFunc(slices.Clone(words), func(w int32) bool { return 5*having[w] > len(texts) })
	}
	c := &text.Corpus{}
	for _, words := range texts {
		c.Add(telling(words))
	}
	classifier := text.Train(c, text.Cluster(c, topics), topics)
	return func(words []int32) []float64 { return classifier.State(telling(words), topics) }
}
