package newssite

import (
	"fmt"
	"math"
)

// validate returns an error if the model's numbers do not fit together.
func (m *Model) validate() error {
	if m.Sections < 4 || m.SubFronts < 2 {
		return fmt.Errorf("the start list of ten hubs needs 4 sections and 2 sub-fronts, "+
			"the site has %d and %d", m.Sections, m.SubFronts)
	}
	checks := []func() error{
		m.CheckTopics,
		m.CheckHubLinks,
		m.CheckTopicShares,
		m.CheckSize,
		m.CheckDownloads,
	}
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// CheckTopics returns an error if there are more sections than topics.
func (m *Model) CheckTopics() error {
	if m.Sections > m.Topics {
		return fmt.Errorf("%d sections need as many topics, but states have dimension %d",
			m.Sections, m.Topics)
	}
	return nil
}

// CheckHubLinks returns an error if links to the main page and to front
// pages are more than all that lead to hubs.
func (m *Model) CheckHubLinks() error {
	if sum := m.MainLinkShare + m.FrontLinkShare; sum > 1 {
		return fmt.Errorf("shares of hub links to the main page and to front pages "+
			"sum to %v, above 1", sum)
	}
	return nil
}

// CheckTopicShares returns an error if pages with their section's topic and
// with a stray one are more than all.
func (m *Model) CheckTopicShares() error {
	if sum := m.TopicShare + m.StrayShare; sum > 1 {
		return fmt.Errorf("shares of pages with their section's topic and with a stray one "+
			"sum to %v, above 1", sum)
	}
	return nil
}

// What a site may have, so that URLs, versions, links and milliseconds can
// be numbered by 32 bits, and a site fits into a few gigabytes.
const (
	maxURLs     = 5e6
	maxVersions = 5e7
	maxLinks    = 5e8
	maxDownload = math.MaxInt32 // ms, 25 days
)

// CheckSize returns an error if the site would be too large.
func (m *Model) CheckSize() error {
	urls, versions, links := m.expected()
	limits := []struct {
		number float64
		of     string
		limit  float64
	}{
		{urls, "URLs", maxURLs},
		{versions, "page versions", maxVersions},
		{links, "links", maxLinks},
	}
	for _, l := range limits {
		if l.number > l.limit {
			return fmt.Errorf("about %.0f %s are more than the %.0f that a site can have",
				l.number, l.of, l.limit)
		}
	}
	return nil
}

// CheckDownloads returns an error if a download would take longer than a
// recording can hold.
func (m *Model) CheckDownloads() error {
	for _, section := range []int{0, m.Sections - 1} { // the extremes
		ms := m.downloadMillis(section)
		if ms > maxDownload {
			return fmt.Errorf("a download from section %d takes %.3g s, "+
				"longer than the %d s that a recording can hold",
				section, ms/1000, maxDownload/1000)
		}
	}
	return nil
}

// expected returns how many URLs, page versions and links the site will
// have, to some per cent; rather too many than too few.
func (m *Model) expected() (urls, versions, links float64) {
	fresh := m.NewPerDay * float64(m.Days+m.LeadDays)
	archive := float64(m.ArchivePages)
	stories := fresh * m.DatedShare
	undated := fresh * (1 - m.DatedShare)

	toMain := stories * m.MainShare
	toFronts := stories * m.FrontShare
	toSubs := stories + undated*m.UndatedShare

	urls = float64(m.hubs()) + archive + fresh
	versions = urls + stories*m.Revisions + toMain + toFronts + toSubs
	linking := archive*(1-m.ArchiveLeaves) + fresh*(1-m.NewLeaves)
	links = urls + // one from the parent of each
		linking*m.meanDegree() +
		toMain*float64(m.MainList+m.Sections) +
		toFronts*float64(m.HubList+m.SubFronts+m.IndexLinks) +
		toSubs*float64(m.HubList+1+m.IndexLinks)
	return urls, versions, links
}

// meanDegree returns the mean of the law of out-degrees.
func (m *Model) meanDegree() float64 {
	law := powerLaw(m.OutMax, m.OutExponent)
	mean := float64(len(law)) // the sum over k of the shares of k and more
	for _, below := range law[:len(law)-1] {
		mean -= below / law[len(law)-1]
	}
	return mean
}
