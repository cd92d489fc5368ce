package experiments

import "sweep/experiment"

// calibrated is where those defaults come from that a search has found.
const calibrated = "calibrated to Table 2 and the structure numbers (internal/calibrate)"

// siteFields declares what a recorded news site depends on, apart from its
// seed, with the place that each value goes to.
func siteFields() []field[siteKey] {
	return []field[siteKey]{
		{experiment.Param{Name: "rewired", Kind: experiment.Bool, Default: experiment.BoolValue(false),
			Meaning: "whether the endpoints of all links change places at random",
			Source:  paper + "sections 4.1 and 5"},
			func(k *siteKey, v experiment.Value) { k.rewired = v.Bool() }},
		whole("site_days", "", "d", 18, 1, 365, nil, "days that the site was recorded, from the start of the simulation", paper+"section 4: an 18 days long experiment",
			func(k *siteKey, n int) { k.model.Days = n }),
		whole("lead_days", "", "d", 2, 0, 100, nil, "days before the simulation in which new URLs appear, to fill the hubs", chosen,
			func(k *siteKey, n int) { k.model.LeadDays = n }),
		whole("archive_pages", "", "URLs", 38000, 0, 1e6, nil, "pages there from the beginning", calibrated,
			func(k *siteKey, n int) { k.model.ArchivePages = n }),
		number("new_per_day", "", "URLs/d", 1200, 0, 1e5, nil, "mean number of new URLs a day", "Centralized reward system…, section 3.2",
			func(k *siteKey) *float64 { return &k.model.NewPerDay }),
		number("day_amplitude", "", "", 0.8, 0, 1, nil, "relative amplitude of the daily rhythm of new URLs", chosen,
			func(k *siteKey) *float64 { return &k.model.DayAmplitude }),
		number("peak_hour", "", "h", 20, 0, 24, nil, "hour of the day with most new URLs", chosen,
			func(k *siteKey) *float64 { return &k.model.PeakHour }),
		whole("sections", "K", "", 40, 4, 1000, nil, "sections of the site, each with its own topic", chosen,
			func(k *siteKey, n int) { k.model.Sections = n }),
		whole("sub_fronts", "", "", 2, 2, 100, nil, "sub-front pages of each section", chosen,
			func(k *siteKey, n int) { k.model.SubFronts = n }),
		whole("topics", "k", "", 50, 1, 1000, nil, "dimension of the state vectors, at least sections", paper+"section 3.1.2",
			func(k *siteKey, n int) { k.model.Topics = n }),
		number("section_zipf", "", "", 0.6, 0, 5, nil, "section s gets news in proportion to (s+1) to this power, negated", calibrated,
			func(k *siteKey) *float64 { return &k.model.SectionZipf }),
		share("topic_share", 0.45, "share of pages with the topic of their section", calibrated,
			func(k *siteKey) *float64 { return &k.model.TopicShare }),
		share("stray_share", 0.1, "share of pages with a topic drawn at random", calibrated,
			func(k *siteKey) *float64 { return &k.model.StrayShare }),
		share("dated_share", 0.4, "share of new pages that are dated stories", calibrated,
			func(k *siteKey) *float64 { return &k.model.DatedShare }),
		number("revisions", "", "", 3.8, 0, 1000, nil, "mean number of revisions of a story", calibrated,
			func(k *siteKey) *float64 { return &k.model.Revisions }),
		number("revision_hours", "", "h", 4.4, 0.001, 1e4, nil, "mean time between revisions of a story", calibrated,
			func(k *siteKey) *float64 { return &k.model.RevisionHours }),
		number("revision_sigma", "σ", "", 1.6, 0, 5, nil, "shape of the lognormal time between revisions", calibrated,
			func(k *siteKey) *float64 { return &k.model.RevisionSigma }),
		whole("main_list", "", "links", 4, 1, 1000, nil, "newest postings that the main page shows", calibrated,
			func(k *siteKey, n int) { k.model.MainList = n }),
		whole("hub_list", "", "links", 8, 1, 1000, nil, "newest postings that a front or sub-front shows", calibrated,
			func(k *siteKey, n int) { k.model.HubList = n }),
		share("main_share", 0.5, "share of stories posted to the main page", chosen,
			func(k *siteKey) *float64 { return &k.model.MainShare }),
		share("front_share", 0.9, "share of stories posted to their section's front page", chosen,
			func(k *siteKey) *float64 { return &k.model.FrontShare }),
		share("undated_share", 0.5, "share of undated new pages posted to a sub-front", chosen,
			func(k *siteKey) *float64 { return &k.model.UndatedShare }),
		number("out_exponent", "γ_out", "", 1.3, 0, 10, nil, "out-degrees of pages are drawn in proportion to k to this power, negated", paper+"section 4.1",
			func(k *siteKey) *float64 { return &k.model.OutExponent }),
		whole("out_max", "", "links", 100, 1, 1e4, nil, "largest out-degree drawn", chosen,
			func(k *siteKey, n int) { k.model.OutMax = n }),
		share("archive_leaves", 0.82, "share of archive pages without links of their own", calibrated,
			func(k *siteKey) *float64 { return &k.model.ArchiveLeaves }),
		share("new_leaves", 0.22, "share of new pages without links of their own", calibrated,
			func(k *siteKey) *float64 { return &k.model.NewLeaves }),
		share("hub_link_share", 0.05, "share of a page's links that lead to hubs", calibrated,
			func(k *siteKey) *float64 { return &k.model.HubLinkShare }),
		share("main_link_share", 0.2, "share of these that lead to the main page", chosen,
			func(k *siteKey) *float64 { return &k.model.MainLinkShare }),
		share("front_link_share", 0.4, "share of these that lead to their section's front page, the rest to a sub-front", chosen,
			func(k *siteKey) *float64 { return &k.model.FrontLinkShare }),
		share("section_share", 0.47, "share of a page's other links that stay in its section", calibrated,
			func(k *siteKey) *float64 { return &k.model.SectionShare }),
		share("recent_share", 0.6, "share of these that lead to a page born shortly before", chosen,
			func(k *siteKey) *float64 { return &k.model.RecentShare }),
		number("recent_reach", "", "pages", 100, 0, 1e6, nil, "mean distance of such pages in their section's order of birth", chosen,
			func(k *siteKey) *float64 { return &k.model.RecentReach }),
		share("copy_share", 0.637, "share of the remaining links that copy the target of an earlier link", paper+"section 4.1: 1/(2.57 − 1) gives its in-degree exponent",
			func(k *siteKey) *float64 { return &k.model.CopyShare }),
		whole("index_links", "", "links", 0, 0, 1000, nil, "archive pages with most links that a front or sub-front of their section links to, always; each hub the next ones", chosen,
			func(k *siteKey, n int) { k.model.IndexLinks = n }),
		number("index_shun", "", "", 0, 0, 10, nil, "a page with k links, if no hub, is accepted as a link's target with probability (1+k) to this power, negated", calibrated,
			func(k *siteKey) *float64 { return &k.model.IndexShun }),
		number("lookahead_hours", "", "h", 6, 0, 1e4, nil, "a page links to pages born at most this much later", chosen,
			func(k *siteKey) *float64 { return &k.model.LookaheadHours }),
		number("download_seconds", "τ", "s", 1.9, 0.001, 1e4, nil, "download time of a page of the section with most news", calibrated,
			func(k *siteKey) *float64 { return &k.model.DownloadTime }),
		number("download_zipf", "", "", 0.33, -5, 5, nil, "a page of section s takes (s+1) to this power, negated, of that time", calibrated,
			func(k *siteKey) *float64 { return &k.model.DownloadZipf }),
	}
}

// siteRules declares what the parameters of a site must satisfy together.
func siteRules() []experiment.Rule {
	fields := siteFields()
	type key = siteKey
	return []experiment.Rule{
		rule(fields, func(k *key) error { return k.model.CheckTopics() }, "sections", "topics"),
		rule(fields, func(k *key) error { return k.model.CheckHubLinks() }, "main_link_share", "front_link_share"),
		rule(fields, func(k *key) error { return k.model.CheckTopicShares() }, "topic_share", "stray_share"),
		rule(fields, func(k *key) error { return k.model.CheckDownloads() }, "download_seconds", "download_zipf", "sections"),
		rule(fields, func(k *key) error { return k.model.CheckSize() },
			"new_per_day", "archive_pages", "site_days", "lead_days", "revisions", "out_max", "out_exponent",
			"main_list", "hub_list", "sections", "sub_fronts", "dated_share", "main_share", "front_share",
			"undated_share", "archive_leaves", "new_leaves", "index_links"),
	}
}
