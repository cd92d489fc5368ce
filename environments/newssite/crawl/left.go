package crawl

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// commonest is the number of lost links that are shown.
const commonest = 5

// leftOut counts the links that lead to no page of a site.
type leftOut struct {
	places map[place]int
	late   int            // links to pages that come after the window
	lost   map[string]int // links that lead nowhere, by their text
}

func newLeftOut() leftOut {
	return leftOut{places: map[place]int{}, lost: map[string]int{}}
}

// add counts a link.
func (l *leftOut) add(where place, link string) {
	l.places[where]++
	if where == nowhere {
		l.lost[link]++
	}
}

// String describes the links in one or two lines, with the commonest lost ones.
func (l *leftOut) String() string {
	text := fmt.Sprintf("links left out: %d to other sites, %d to files that are no pages, "+
		"%d to pages after the window, %d lost\n",
		l.places[otherSite], l.places[aFile], l.late, l.places[nowhere])
	if len(l.lost) == 0 {
		return text
	}
	links := slices.SortedFunc(maps.Keys(l.lost), func(a, b string) int {
		if c := cmp.Compare(l.lost[b], l.lost[a]); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	var list []string
	for _, link := range links[:min(len(links), commonest)] {
		shown := link[:min(len(link), 100)]
		list = append(list, fmt.Sprintf("%q (%d)", shown, l.lost[link]))
	}
	return text + "lost most often: " + strings.Join(list, ", ") + "\n"
}
