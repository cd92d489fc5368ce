// Package newssite is the environment of the foragers: a recorded news site, as
// the web experiment of Palotai, Farkas and Lőrincz (Selection in Scale-Free
// Small World, section 4.1) stored one.
//
// A Site is the recording: URLs, the versions of the page at each URL with
// their times, date stamps, state vectors and download times, and the links of
// each version. Foragers do not see where a recording comes from. Generate
// makes one by a seeded model of a news site; Rewire shuffles the links of one;
// Measure computes the numbers of its link structure.
//
// Times are milliseconds of simulated time; 0 is the start of the simulation,
// at midnight. A Site is never changed once built and is shared by any number
// of concurrent runs.
package newssite

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"
)

// Units of simulated time, in milliseconds.
const (
	Second int64 = 1000
	Hour         = 3600 * Second
	Day          = 24 * Hour
)

// Undated is the date stamp of a page without one. It is older than any date.
const Undated = math.MinInt64 / 2

// Starts is the largest number of URLs in a start list (section 4.2.1).
const Starts = 10

// maxTime bounds times and dates, in ms: 142,000 years.
const maxTime = 1 << 52

// A Site is a recorded news site.
type Site struct {
	// Versions holds the page versions, URL by URL; those of URL u are
	// Versions[First[u]:First[u+1]], at least one, in order of time.
	Versions []Version
	First    []int32

	// Links holds the link targets (URLs) of all versions. A link can be
	// followed only once its target has a version.
	Links []int32

	// States holds the distinct state vectors, each of Dimension components in
	// [-1, 1].
	States    [][]float64
	Dimension int

	// Start lists the first URLs gathered, from which foragers start.
	Start []int32
}

// A Version is the content of a page for a while.
type Version struct {
	From     int64 // the time from which it holds, ms
	Date     int64 // the date stamp, ms; Undated if it has none
	State    int32 // index into Site.States
	Download int32 // download time, ms, at least 1
	LinkFrom int32 // the version's links are Site.Links[LinkFrom:LinkTo]
	LinkTo   int32
}

// URLs returns the number of URLs.
func (s *Site) URLs() int { return len(s.First) - 1 }

// Born returns the time from which URL u has a page.
func (s *Site) Born(u int32) int64 { return s.Versions[s.First[u]].From }

// History returns the versions of URL u in order of time.
func (s *Site) History(u int32) []Version {
	return s.Versions[s.First[u]:s.First[u+1]]
}

// Days returns the day, counted from 1, in which the last version begins.
func (s *Site) Days() int {
	var last int64
	for i := range s.Versions {
		last = max(last, s.Versions[i].From)
	}
	return int(last/Day) + 1
}

// String describes the site, for example "10 URLs, 12 versions, 30 links, 2
// states, 18 days".
func (s *Site) String() string {
	return fmt.Sprintf("%d URLs, %d versions, %d links, %d states, %d days",
		s.URLs(), len(s.Versions), len(s.Links), len(s.States), s.Days())
}

// LinksOf returns the link targets of a version.
func (s *Site) LinksOf(v *Version) []int32 {
	return s.Links[v.LinkFrom:v.LinkTo]
}

// AddState returns the number of a state vector, and adds the vector to the
// site if it is new. numbers has the number of each state of the site by its
// bits.
func (s *Site) AddState(vector []float64, numbers map[string]int32) int32 {
	var bits []byte
	for _, x := range vector {
		bits = binary.LittleEndian.AppendUint64(bits, math.Float64bits(x))
	}
	n, known := numbers[string(bits)]
	if !known {
		n = int32(len(s.States))
		numbers[string(bits)] = n
		s.States = append(s.States, vector)
	}
	return n
}

// Bytes returns about how much memory the site takes.
func (s *Site) Bytes() int64 {
	return int64(len(s.Versions))*int64(unsafe.Sizeof(Version{})) +
		4*int64(len(s.First)+len(s.Links)) + 8*int64(len(s.States)*s.Dimension)
}

// outOfRange reports whether a time or a date is beyond maxTime.
func outOfRange(time int64) bool { return max(time, -time) > maxTime }

// Validate checks a recording that was made elsewhere. Its error names the
// first URL or version that a run could not use.
func (s *Site) Validate() error {
	n := s.URLs()
	if n < 1 || s.First[0] != 0 || int(s.First[n]) != len(s.Versions) {
		return fmt.Errorf("site has no URLs, or its index does not cover its versions")
	}
	for i, state := range s.States {
		if len(state) != s.Dimension {
			return fmt.Errorf("state %d has %d components, want %d", i, len(state), s.Dimension)
		}
		for _, x := range state {
			if !(x >= -1 && x <= 1) {
				return fmt.Errorf("state %d has component %v, want one in [-1, 1]", i, x)
			}
		}
	}
	for u := range n {
		history := s.History(int32(u))
		if len(history) == 0 {
			return fmt.Errorf("URL %d has no version", u)
		}
		for i := range history {
			v := &history[i]
			switch {
			case i > 0 && v.From <= history[i-1].From:
				return fmt.Errorf("URL %d: version %d does not start after the one before", u, i)
			case outOfRange(v.From) || v.Date != Undated && outOfRange(v.Date):
				return fmt.Errorf("URL %d: version %d is from %d ms or dated %d ms, want up to ±%d",
					u, i, v.From, v.Date, maxTime)
			case v.State < 0 || int(v.State) >= len(s.States):
				return fmt.Errorf("URL %d: version %d has state %d of %d",
					u, i, v.State, len(s.States))
			case v.Download < 1:
				return fmt.Errorf("URL %d: version %d has download time %d ms", u, i, v.Download)
			case v.LinkFrom < 0 || v.LinkFrom > v.LinkTo || int(v.LinkTo) > len(s.Links):
				return fmt.Errorf("URL %d: version %d has links outside the site's", u, i)
			}
			for _, target := range s.LinksOf(v) {
				if target < 0 || int(target) >= n {
					return fmt.Errorf("URL %d: version %d links to URL %d of %d", u, i, target, n)
				}
			}
		}
	}
	if len(s.Start) == 0 {
		return fmt.Errorf("site has no start list")
	}
	for _, u := range s.Start {
		if u < 0 || int(u) >= n || s.Born(u) > 0 {
			return fmt.Errorf("start list has URL %d, which has no page at time 0", u)
		}
	}
	return nil
}
