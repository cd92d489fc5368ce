package newssite

import (
	"cmp"
	"fmt"
)

// validate returns an error if the model's numbers do not fit together.
func (m *Model) validate() error {
	if m.Sections < 4 || m.SubFronts < 2 {
		return fmt.Errorf("the start list of ten hubs needs 4 sections and 2 sub-fronts, the site has %d and %d", m.Sections, m.SubFronts)
	}
	return cmp.Or(m.CheckTopics(), m.CheckHubLinks(), m.CheckTopicShares(), m.CheckSize(), m.CheckDownloads())
}

// CheckTopics returns an error if there are more sections than topics.
func (m *Model) CheckTopics() error {
	if m.Sections > m.Topics {
		return fmt.Errorf("%d sections need as many topics, but states have dimension %d", m.Sections, m.Topics)
	}
	return nil
}

// CheckHubLinks returns an error if links to the main page and to front
// pages are more than all that lead to hubs.
func (m *Model) CheckHubLinks() error {
	if sum := m.MainLinkShare + m.FrontLinkShare; sum > 1 {
		return fmt.Errorf("shares of hub links to the main page and to front pages sum to %v, above 1", sum)
	}
	return nil
}

// CheckTopicShares returns an error if pages with their section's topic and
// with a stray one are more than all.
func (m *Model) CheckTopicShares() error {
	if sum := m.TopicShare + m.StrayShare; sum > 1 {
		return fmt.Errorf("shares of pages with their section's topic and with a stray one sum to %v, above 1", sum)
	}
	return nil
}
