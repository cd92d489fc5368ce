// Package crawl makes a newssite.Site of a real site: of a log of what a crawler
// saw (Read), or of the history of the site's sources (History).
//
// What neither tells is assumed: every page takes equally long to download, and
// foragers start from the ten pages that were seen first; where more were there
// from the beginning, from those with most links to them.
package crawl

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sweep/environments/newssite"
	"sweep/environments/newssite/text"
	"sweep/environments/sources/history"
	"sweep/internal/progress"
)

// Limits of what is read, so that any log ends in an error rather than in all of
// the memory.
const (
	mostBytes  = 1 << 30 // of texts and links, and of what is kept of each row
	longestURL = 2048
	latest     = 1 << 33 // Unix seconds, in the year 2242
)

const (
	topics = 50     // clusters of pages (Selection in Scale-Free Small World, section 3.1.2)
	sample = 50_000 // pages that they are made of, at most

	undated = math.MinInt64
)

// A Log is what was seen of a site's pages, and when.
type Log struct {
	urls    []string
	numbers map[string]int32
	seen    [][]sighting // of each page, in order of time
	last    int64        // time of all
	words   map[string]int32
	bytes   int

	// follow returns the page that a link on a page leads to.
	follow func(page, link string) (int32, bool)
}

// A sighting is a page from a time on.
type sighting struct {
	time, date int64 // Unix seconds; the date may be undated
	content    [sha256.Size]byte
	words      []int32
	links      []string
}

func newLog() *Log { return &Log{numbers: map[string]int32{}, words: map[string]int32{}} }

// Accepts says what Read accepts.
const Accepts = "a .csv, .tsv, .jsonl (.gz or .zst after it) or .parquet file " +
	"with the columns url, time, text and links, in order of time"

// Read reads the log of a crawl: for each page that was seen its URL, when that
// was, its plain text and its links, as a list or with white space between. Links
// may be relative. The error names the file, and the line or row if there the fault
// is.
func Read(path string) (*Log, error) {
	l := newLog()
	escaped := map[string]int32{} // pages by their URLs as links are resolved: with ü as %C3%BC
	l.follow = func(page, link string) (int32, bool) {
		n, ok := l.numbers[link]
		if base, err := url.Parse(page); err == nil && !ok {
			if at, err := base.Parse(link); err == nil {
				at.Fragment = ""
				if n, ok = l.numbers[at.String()]; !ok {
					n, ok = escaped[at.String()]
				}
			}
		}
		return n, ok
	}
	_, err := history.Files(nil).Rows(path, []string{"url", "time", "text"}, []string{"links"}, func(fields []string) error {
		when, err := history.ParseTime(fields[1])
		if err == nil {
			err = l.add(fields[0], when, when, fields[2], strings.Fields(fields[3]))
		}
		if at, wrong := url.Parse(fields[0]); err == nil && wrong == nil {
			escaped[at.String()] = l.numbers[fields[0]]
		}
		return err
	})
	if err == nil && len(l.seen) == 0 {
		err = fmt.Errorf("%s: there are no rows", path)
	}
	return l, err
}

// add adds what was seen of a page. Of what was seen in one second the last counts;
// the same text and links again are no news.
func (l *Log) add(page string, when, date int64, plain string, links []string) error {
	strange := func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) || r == utf8.RuneError }
	switch {
	case page == "" || len(page) > longestURL || strings.ContainsFunc(page, strange):
		return fmt.Errorf("the URL is %s, want up to %d bytes of UTF-8 without white space "+
			"or control characters", strconv.QuoteToASCII(page[:min(len(page), 100)]), longestURL)
	case when < l.last || when > latest:
		return fmt.Errorf("time is %d s after 1970, want a time until the year 2242, not before the row above", when)
	}
	l.last = when
	n, known := l.numbers[page]
	if !known {
		n = int32(len(l.urls))
		l.numbers[page] = n
		l.urls, l.seen = append(l.urls, page), append(l.seen, nil)
	}
	content := plain + "\x00" + strings.Join(links, "\n")
	s := sighting{when, date, sha256.Sum256([]byte(content)), text.Words(plain, l.words), links}
	seen := l.seen[n]
	if k := len(seen); k > 0 && seen[k-1].time == when {
		seen = seen[:k-1]
	}
	if k := len(seen); k == 0 || seen[k-1].content != s.content {
		seen = append(seen, s)
	}
	l.seen[n] = seen
	if l.bytes += 200 + len(page) + len(content) + 4*len(s.words) + 16*len(links); l.bytes > mostBytes {
		return fmt.Errorf("there is more than %d GiB of texts and links", mostBytes>>30)
	}
	return nil
}

// A Window says which part of a log becomes a site, and how long that takes
// there: From is the start of the simulation, and To is Days later. Of what was
// seen before, the last of each page counts.
type Window struct {
	From, To  string // times, as in a log; empty: the first, and the end of the last
	Days      int
	Downloads float64 // of each URL that there is time for in a day, mean
}

// Site makes a site of a log, and says for people what was made.
func (l *Log) Site(w Window) (site *newssite.Site, said string, err error) {
	from, to := l.last, l.last+1
	for _, seen := range l.seen {
		from = min(from, seen[0].time)
	}
	if w.From != "" {
		from, err = history.ParseTime(w.From)
	}
	if w.To != "" && err == nil {
		to, err = history.ParseTime(w.To)
	}
	if err == nil && (from < 0 || to > latest || to <= from) {
		err = fmt.Errorf("the window from %v to %v is empty, or not in the years from 1970 to 2242",
			time.Unix(from, 0).UTC(), time.Unix(to, 0).UTC())
	}
	if err != nil {
		return nil, "", err
	}
	scale := float64(int64(w.Days)*newssite.Day) / float64(to-from)
	at := func(t int64) int64 { return int64(max(math.Floor(float64(t-from)*scale), -1<<52)) }

	number := make([]int32, len(l.seen)) // of each page, 1 + its number on the site; 0 if it is not there
	var pages [][]sighting
	var urls []string
	for i, seen := range l.seen {
		until := func(t int64) int { return sort.Search(len(seen), func(k int) bool { return seen[k].time > t }) }
		if end := until(to - 1); end > 0 {
			pages, urls = append(pages, seen[max(until(from)-1, 0):end]), append(urls, l.urls[i])
			number[i] = int32(len(pages))
		}
	}
	if len(pages) == 0 {
		return nil, "", fmt.Errorf("nothing was seen before %v", time.Unix(to, 0).UTC())
	}
	download := int32(min(max(float64(newssite.Day)/w.Downloads/float64(len(pages)), 1), float64(newssite.Day)))
	site = &newssite.Site{Dimension: topics, First: []int32{0}}
	state := classify(pages)
	states := map[string]int32{}
	incoming := make([]int, len(pages)) // links of first versions
	elsewhere := 0
	for u, page := range pages {
		for i, s := range page {
			v := newssite.Version{From: at(s.time), Date: newssite.Undated, Download: download,
				State: site.AddState(state(s.words), states), LinkFrom: int32(len(site.Links))}
			if i > 0 {
				v.From = max(v.From, site.Versions[len(site.Versions)-1].From+1)
			}
			if s.date != undated {
				v.Date = at(s.date)
			}
			for _, link := range s.links {
				n, ok := l.follow(urls[u], link)
				if !ok || number[n] == 0 {
					elsewhere++
				} else if t := number[n] - 1; int(t) != u && !slices.Contains(site.Links[v.LinkFrom:], t) {
					site.Links = append(site.Links, t)
					if i == 0 {
						incoming[t]++
					}
				}
			}
			v.LinkTo = int32(len(site.Links))
			site.Versions = append(site.Versions, v)
		}
		site.First = append(site.First, int32(len(site.Versions)))
		site.Start = append(site.Start, int32(u))
	}
	slices.SortStableFunc(site.Start, func(a, b int32) int {
		return cmp.Or(cmp.Compare(max(site.Born(a), 0), max(site.Born(b), 0)), cmp.Compare(incoming[b], incoming[a]))
	})
	site.Start = slices.Clone(site.Start[:min(newssite.Starts, len(pages))])
	said = fmt.Sprintf("%d URLs, %d versions, %d links, %d states; a download takes %s; "+
		"%d links elsewhere left out; start list:", len(pages), len(site.Versions), len(site.Links),
		len(states), progress.Human(time.Duration(download)*time.Millisecond), elsewhere)
	for _, u := range site.Start {
		first := &site.Versions[site.First[u]]
		first.From = min(first.From, 0) // for a forager to start from
		first.Date = min(first.Date, first.From)
		said += " " + urls[u]
	}
	return site, said, site.Validate()
}

// classify trains the classifier of a site, on a text of each page: the first that
// has words. It returns what gives the state vector of a text. Words that more than
// a fifth of the texts have are left out, as in place of Boley's list of stop words.
func classify(pages [][]sighting) (state func(words []int32) []float64) {
	var texts [][]int32
	having := map[int32]int{} // texts that have a word
	for i := 0; i < len(pages); i += (len(pages)-1)/sample + 1 {
		if k := slices.IndexFunc(pages[i], func(s sighting) bool { return len(s.words) > 0 }); k >= 0 {
			texts = append(texts, pages[i][k].words)
			for _, w := range slices.Compact(slices.Sorted(slices.Values(pages[i][k].words))) {
				having[w]++
			}
		}
	}
	telling := func(words []int32) []int32 {
		return slices.DeleteFunc(slices.Clone(words), func(w int32) bool { return 5*having[w] > len(texts) })
	}
	for i, words := range texts {
		texts[i] = telling(words)
	}
	classifier := text.Train(texts, text.Cluster(texts, topics), topics)
	return func(words []int32) []float64 { return classifier.State(telling(words), topics) }
}
