package crawl

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"sweep/environments/newssite"
	"sweep/environments/newssite/text"
	"sweep/environments/sources/history"
	"sweep/internal/table"
)

const (
	topics    = 50     // clusters of pages (Selection in Scale-Free Small World, section 3.1.2)
	maxSample = 50_000 // pages that the clusters are made of
)

// A Window says which part of a log becomes a site. The simulation starts at
// From, and reaches To after some days. A page begins with its last sighting
// before From.
type Window struct {
	From, To  string  // times, as in a log; empty: the first one, and the end of the last one
	Days      int     // simulated days from From to To
	Downloads float64 // the number of downloads of each URL that a day has time for, as a mean
}

// bounds returns the start and the end of a window in Unix seconds.
func (l *Log) bounds(w Window) (from, to int64, err error) {
	first := l.last
	for _, seen := range l.seen {
		first = min(first, seen[0].time)
	}
	from, to, err = history.ParseTimes(w.From, w.To, first, l.last+1)
	if err == nil && (from < 0 || to > latest || to <= from) {
		err = fmt.Errorf("the window from %v to %v is empty, or not in the years from 1970 to 2242",
			time.Unix(from, 0).UTC(), time.Unix(to, 0).UTC())
	}
	return from, to, err
}

// A part is the part of a log in a window.
type part struct {
	log    *Log
	urls   []string
	pages  [][]sighting
	number []int32 // of each page of the log, 1 + its number in the part; 0 without one
	left   leftOut
}

// cut returns the part of the log from one time to another.
func (l *Log) cut(from, to int64) *part {
	p := &part{log: l, number: make([]int32, len(l.seen)), left: newLeftOut()}
	for i, seen := range l.seen {
		end := seenUntil(seen, to-1)
		if end == 0 {
			continue
		}
		start := max(seenUntil(seen, from)-1, 0)
		p.pages = append(p.pages, seen[start:end])
		p.urls = append(p.urls, l.urls[i])
		p.number[i] = int32(len(p.pages))
	}
	return p
}

// seenUntil returns the number of sightings up to a time.
func seenUntil(seen []sighting, t int64) int {
	n := len(seen)
	for n > 0 && seen[n-1].time > t {
		n--
	}
	return n
}

// links returns the pages that a page links to, each once.
func (p *part) links(page int, s *sighting) (targets []int32) {
	for _, link := range s.links {
		n, where := p.log.follow(p.urls[page], link)
		if where != aPage {
			p.left.add(where, link)
			continue
		}
		if p.number[n] == 0 {
			p.left.late++
			continue
		}
		target := p.number[n] - 1
		if int(target) != page && !slices.Contains(targets, target) {
			targets = append(targets, target)
		}
	}
	return targets
}

// Site makes a site from a log, and describes it for people.
func (l *Log) Site(w Window) (site *newssite.Site, said string, err error) {
	from, to, err := l.bounds(w)
	if err != nil {
		return nil, "", err
	}
	p := l.cut(from, to)
	if len(p.pages) == 0 {
		return nil, "", fmt.Errorf("nothing was seen before %v", time.Unix(to, 0).UTC())
	}
	scale := float64(int64(w.Days)*newssite.Day) / float64(to-from)
	at := func(t int64) int64 { // in the time of the site
		return int64(max(math.Floor(float64(t-from)*scale), -1<<52))
	}
	day := float64(newssite.Day)
	download := int32(min(max(day/w.Downloads/float64(len(p.pages)), 1), day))

	site = &newssite.Site{Dimension: topics, First: []int32{0}}
	classifier := newClassifier(p.pages)
	states := map[string]int32{}
	incoming := make([]int, len(p.pages)) // links of first versions
	for u, page := range p.pages {
		for i := range page {
			s := &page[i]
			v := newssite.Version{
				From:     at(s.time),
				Date:     newssite.Undated,
				State:    site.AddState(classifier.state(s.words), states),
				Download: download,
				LinkFrom: int32(len(site.Links)),
			}
			if i > 0 {
				v.From = max(v.From, site.Versions[len(site.Versions)-1].From+1)
			}
			if s.date != undated {
				v.Date = at(s.date)
			}
			targets := p.links(u, s)
			site.Links = append(site.Links, targets...)
			if i == 0 {
				for _, target := range targets {
					incoming[target]++
				}
			}
			v.LinkTo = int32(len(site.Links))
			site.Versions = append(site.Versions, v)
		}
		site.First = append(site.First, int32(len(site.Versions)))
		site.Start = append(site.Start, int32(u))
	}
	slices.SortStableFunc(site.Start, func(a, b int32) int {
		if c := cmp.Compare(max(site.Born(a), 0), max(site.Born(b), 0)); c != 0 {
			return c
		}
		return incoming[b] - incoming[a]
	})
	site.Start = slices.Clone(site.Start[:min(newssite.Starts, len(p.pages))])

	duration := table.Duration(time.Duration(download) * time.Millisecond)
	said = fmt.Sprintf("%d URLs, %d versions, %d links, %d states; a download takes %s\n",
		len(p.pages), len(site.Versions), len(site.Links), len(states), duration)
	said += p.left.String() + "start list:"
	for _, u := range site.Start {
		first := &site.Versions[site.First[u]]
		first.From = min(first.From, 0) // for a forager to start from
		first.Date = min(first.Date, first.From)
		said += " " + p.urls[u]
	}
	return site, said, site.Validate()
}

// A classifier gives state vectors to texts.
type classifier struct {
	*text.Classifier
	having map[int32]int // texts of the sample that have a word
	sample int           // texts
}

// newClassifier trains the classifier of a site on one text of each page: the
// first one that has words.
func newClassifier(pages [][]sighting) *classifier {
	c := &classifier{having: map[int32]int{}}
	var texts [][]int32
	step := (len(pages)-1)/maxSample + 1
	for i := 0; i < len(pages); i += step {
		words := firstWords(pages[i])
		if words == nil {
			continue
		}
		texts = append(texts, words)
		for _, w := range slices.Compact(slices.Sorted(slices.Values(words))) {
			c.having[w]++
		}
	}
	c.sample = len(texts)
	for i, words := range texts {
		texts[i] = c.telling(words)
	}
	c.Classifier = text.Train(texts, text.Cluster(texts, topics), topics)
	return c
}

// firstWords returns the words of the first text of a page that has any, or
// nil.
func firstWords(page []sighting) []int32 {
	for i := range page {
		if len(page[i].words) > 0 {
			return page[i].words
		}
	}
	return nil
}

// telling returns the words of a text that at most a fifth of the sample has.
// This replaces Boley's list of stop words.
func (c *classifier) telling(words []int32) []int32 {
	var telling []int32
	for _, w := range words {
		if 5*c.having[w] <= c.sample {
			telling = append(telling, w)
		}
	}
	return telling
}

// state returns the state vector of a text.
func (c *classifier) state(words []int32) []float64 {
	return c.State(c.telling(words), topics)
}
