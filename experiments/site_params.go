package experiments

import (
	"slices"

	"sweep/environments/newssite"
	"sweep/environments/newssite/archive"
	"sweep/environments/sources/history"
	"sweep/experiment"
)

// calibrated is the source of defaults that a search has found.
const calibrated = "calibrated to Table 2 and the structure numbers: " +
	"sweep run calibration, docs/deviations.md"

// tried is the source of defaults that were chosen by hand among a few round
// numbers during the calibration (docs/calibration.csv).
const tried = "assumed: a round number, chosen among a few during the calibration"

// rounded is the source of defaults that were set to a round number, with an
// eye on the structure numbers, before the calibration.
const rounded = "assumed: a round number, set by hand before the calibration"

// siteParams declares what a recorded news site depends on, apart from its
// seed. It reads the tables that specs name.
func (s *sites) siteParams(k *siteKey) []experiment.Param {
	params := []experiment.Param{
		{
			To:    &k.tables,
			Name:  "site_tables",
			Input: s.read.input(archive.Accepts, nil, s.readTables),
			Meaning: "tables of a site, for example of a real one that newssite imported; they " +
				"take the place of all that the model of a site depends on",
			Source: usersOwn,
		},
		{
			To:      &k.site,
			Name:    "site",
			Choices: []string{wholeSite, recordedSite},
			Meaning: "whether the site is as it is, or as a run of the web experiment recorded it",
			Source:  paper + "sections 4.1 and 4.2.1",
		},
		{
			To:      &k.Pages,
			Name:    "pages",
			Choices: []string{newssite.PagesDrawn, newssite.PagesText},
			Meaning: "where the state vectors of pages come from: drawn, or found by a " +
				"classifier in texts of a topic model",
			Source: paper + "section 3.1.2",
		},
		{
			To:      &k.rewired,
			Name:    "rewired",
			Default: experiment.FloatValue(0),
			Max:     1,
			Meaning: "share of the links whose endpoints change places at random; the paper has " +
				"0 and 1",
			Source: paper + "sections 4.1 and 5",
		},
		{
			To:      &k.downloads,
			Name:    "site_downloads",
			Unit:    "downloads/d",
			Default: experiment.FloatValue(0),
			Max:     1e6,
			Meaning: "downloads of each URL that a day has time for, as a mean, to which all " +
				"download times are scaled by one factor; 0: as the site has them",
			Source: "ours; 1.2 in the paper: 605,000 downloads of 62,000 URLs in 8 days",
		},
		{
			To:      &k.Days,
			Name:    "site_days",
			Unit:    "d",
			Default: experiment.IntValue(18),
			Min:     1,
			Max:     365,
			Meaning: "days that the site was recorded, from the start of the simulation",
			Source:  paper + "section 4: an 18 days long experiment",
		},
		{
			To:      &k.LeadDays,
			Name:    "lead_days",
			Unit:    "d",
			Default: experiment.IntValue(2),
			Max:     100,
			Meaning: "days before the simulation in which new URLs appear, to fill the hubs",
			Source:  chosen,
		},
		{
			To:      &k.ArchivePages,
			Name:    "archive_pages",
			Unit:    "URLs",
			Default: experiment.IntValue(37000),
			Max:     1e6,
			Meaning: "pages there from the beginning",
			Source:  calibrated,
		},
		{
			To:      &k.NewPerDay,
			Name:    "new_per_day",
			Unit:    "URLs/d",
			Default: experiment.FloatValue(1200),
			Max:     1e5,
			Meaning: "mean number of new URLs a day",
			Source:  "Centralized reward system…, section 3.2",
		},
		{
			To:      &k.DayAmplitude,
			Name:    "day_amplitude",
			Default: experiment.FloatValue(0.2),
			Max:     1,
			Meaning: "relative amplitude of the daily rhythm of new URLs",
			Source:  rounded,
		},
		{
			To:      &k.PeakHour,
			Name:    "peak_hour",
			Unit:    "h",
			Default: experiment.FloatValue(20),
			Max:     24,
			Meaning: "hour of the day with most new URLs",
			Source:  chosen,
		},
		{
			To:      &k.Sections,
			Name:    "sections",
			Symbol:  "K",
			Default: experiment.IntValue(40),
			Min:     4,
			Max:     1000,
			Meaning: "sections of the site, each with its own topic",
			Source:  chosen,
		},
		{
			To:      &k.SubFronts,
			Name:    "sub_fronts",
			Default: experiment.IntValue(2),
			Min:     2,
			Max:     100,
			Meaning: "sub-front pages of each section",
			Source:  chosen,
		},
		{
			To:      &k.Topics,
			Name:    "topics",
			Symbol:  "k",
			Default: experiment.IntValue(50),
			Min:     1,
			Max:     1000,
			Meaning: "dimension of the state vectors, at least sections",
			Source:  paper + "section 3.1.2",
		},
		{
			To:      &k.SectionZipf,
			Name:    "section_zipf",
			Default: experiment.FloatValue(0.41),
			Max:     5,
			Meaning: "section s gets news in proportion to (s+1) to this power, negated",
			Source:  calibrated,
		},
		{
			To:      &k.TopicShare,
			Name:    "topic_share",
			Default: experiment.FloatValue(0.12),
			Max:     1,
			Meaning: "share of pages with the topic of their section",
			Source:  calibrated,
		},
		{
			To:      &k.StrayShare,
			Name:    "stray_share",
			Default: experiment.FloatValue(0.1),
			Max:     1,
			Meaning: "share of pages with a topic drawn at random",
			Source:  rounded,
		},
		{
			To:      &k.DatedShare,
			Name:    "dated_share",
			Default: experiment.FloatValue(0.443),
			Max:     1,
			Meaning: "share of new pages that are dated stories",
			Source:  calibrated,
		},
		{
			To:      &k.Revisions,
			Name:    "revisions",
			Default: experiment.FloatValue(4),
			Max:     1000,
			Meaning: "mean number of revisions of a story",
			Source:  rounded,
		},
		{
			To:      &k.RevisionHours,
			Name:    "revision_hours",
			Unit:    "h",
			Default: experiment.FloatValue(2.5),
			Min:     0.001,
			Max:     1e4,
			Meaning: "mean time between revisions of a story",
			Source:  rounded,
		},
		{
			To:      &k.RevisionSigma,
			Name:    "revision_sigma",
			Symbol:  "σ",
			Default: experiment.FloatValue(1.27),
			Max:     5,
			Meaning: "shape of the lognormal time between revisions",
			Source:  calibrated,
		},
		{
			To:      &k.MainList,
			Name:    "main_list",
			Unit:    "links",
			Default: experiment.IntValue(3),
			Min:     1,
			Max:     1000,
			Meaning: "newest postings that the main page shows",
			Source:  calibrated,
		},
		{
			To:      &k.HubList,
			Name:    "hub_list",
			Unit:    "links",
			Default: experiment.IntValue(10),
			Min:     1,
			Max:     1000,
			Meaning: "newest postings that a front or sub-front shows",
			Source:  rounded,
		},
		{
			To:      &k.MainShare,
			Name:    "main_share",
			Default: experiment.FloatValue(0.5),
			Max:     1,
			Meaning: "share of stories posted to the main page",
			Source:  chosen,
		},
		{
			To:      &k.FrontShare,
			Name:    "front_share",
			Default: experiment.FloatValue(0.9),
			Max:     1,
			Meaning: "share of stories posted to their section's front page",
			Source:  chosen,
		},
		{
			To:      &k.UndatedShare,
			Name:    "undated_share",
			Default: experiment.FloatValue(0.5),
			Max:     1,
			Meaning: "share of undated new pages posted to a sub-front",
			Source:  chosen,
		},
		{
			To:      &k.OutExponent,
			Name:    "out_exponent",
			Symbol:  "γ_out",
			Default: experiment.FloatValue(1.395),
			Max:     10,
			Meaning: "out-degrees of pages are drawn in proportion to k to this power, negated",
			Source:  calibrated,
		},
		{
			To:      &k.OutMax,
			Name:    "out_max",
			Unit:    "links",
			Default: experiment.IntValue(511),
			Min:     1,
			Max:     1e4,
			Meaning: "largest out-degree drawn",
			Source:  "assumed: 2^9 − 1, so that the last of the doubling bins of a fit is whole",
		},
		{
			To:      &k.ArchiveLeaves,
			Name:    "archive_leaves",
			Default: experiment.FloatValue(0.957),
			Max:     1,
			Meaning: "share of archive pages without links of their own",
			Source:  calibrated,
		},
		{
			To:      &k.NewLeaves,
			Name:    "new_leaves",
			Default: experiment.FloatValue(0.31),
			Max:     1,
			Meaning: "share of new pages without links of their own",
			Source:  calibrated,
		},
		{
			To:      &k.HubLinkShare,
			Name:    "hub_link_share",
			Default: experiment.FloatValue(0.025),
			Max:     1,
			Meaning: "share of a page's links that lead to hubs",
			Source:  calibrated,
		},
		{
			To:      &k.MainLinkShare,
			Name:    "main_link_share",
			Default: experiment.FloatValue(0.45),
			Max:     1,
			Meaning: "share of these that lead to the main page",
			Source:  tried,
		},
		{
			To:      &k.FrontLinkShare,
			Name:    "front_link_share",
			Default: experiment.FloatValue(0.4),
			Max:     1,
			Meaning: "share of these that lead to their section's front page, the rest to a " +
				"sub-front",
			Source: chosen,
		},
		{
			To:      &k.SectionShare,
			Name:    "section_share",
			Default: experiment.FloatValue(0.35),
			Max:     1,
			Meaning: "share of a page's other links that stay in its section",
			Source:  tried,
		},
		{
			To:      &k.RecentShare,
			Name:    "recent_share",
			Default: experiment.FloatValue(0.6),
			Max:     1,
			Meaning: "share of these that lead to a page born shortly before",
			Source:  chosen,
		},
		{
			To:      &k.RecentReach,
			Name:    "recent_reach",
			Unit:    "pages",
			Default: experiment.FloatValue(40),
			Max:     1e6,
			Meaning: "mean distance of such pages in their section's order of birth",
			Source:  tried,
		},
		{
			To:      &k.CopyShare,
			Name:    "copy_share",
			Default: experiment.FloatValue(0.637),
			Max:     1,
			Meaning: "share of the remaining links that copy the target of an earlier link",
			Source:  paper + "section 4.1: 1/(2.57 − 1) gives its in-degree exponent",
		},
		{
			To:      &k.IndexLinks,
			Name:    "index_links",
			Unit:    "links",
			Default: experiment.IntValue(4),
			Max:     1000,
			Meaning: "contents pages, archive pages with most links, that a front or sub-front " +
				"of their section always links to; each hub the next ones",
			Source: tried,
		},
		{
			To:      &k.IndexShun,
			Name:    "index_shun",
			Default: experiment.FloatValue(0.45),
			Max:     10,
			Meaning: "a page with k links, if no hub, is accepted as a link's target with " +
				"probability (1+k) to this power, negated",
			Source: calibrated,
		},
		{
			To:      &k.LookaheadHours,
			Name:    "lookahead_hours",
			Unit:    "h",
			Default: experiment.FloatValue(6),
			Max:     1e4,
			Meaning: "a page links to pages born at most this much later",
			Source:  chosen,
		},
		{
			To:      &k.DownloadTime,
			Name:    "download_seconds",
			Symbol:  "τ",
			Unit:    "s",
			Default: experiment.FloatValue(2.41),
			Min:     0.001,
			Max:     1e4,
			Meaning: "download time of a page of the section with most news",
			Source:  calibrated,
		},
		{
			To:      &k.DownloadZipf,
			Name:    "download_zipf",
			Default: experiment.FloatValue(0.41),
			Min:     -5,
			Max:     5,
			Meaning: "a page of section s takes (s+1) to this power, negated, of that time",
			Source: "assumed: as section_zipf, so that times are in proportion to the news of " +
				"a section",
		},
	}
	ofAnySite := []string{"site", "rewired", "site_downloads"}
	for _, p := range params[1:] {
		if !slices.Contains(ofAnySite, p.Name) {
			params[0].Replaces = append(params[0].Replaces, p.Name)
		}
	}
	return params
}

// readTables reads the tables of a site in a directory.
func (s *sites) readTables(dir string, _ history.Renaming) (*newssite.Site, string, error) {
	return archive.Read(dir, s.shipped)
}

// siteRules declares what the parameters of a site must satisfy together.
func siteRules() []experiment.Rule {
	require := experiment.Rules(new(sites).siteParams)
	return []experiment.Rule{
		require((*siteKey).CheckTopics, "sections", "topics"),
		require((*siteKey).CheckHubLinks, "main_link_share", "front_link_share"),
		require((*siteKey).CheckTopicShares, "topic_share", "stray_share"),
		require((*siteKey).CheckDownloads,
			"download_seconds", "download_zipf", "sections"),
		require((*siteKey).CheckSize, sizeParams...),
	}
}

// sizeParams are the parameters on which the size of a site depends.
var sizeParams = []string{
	"new_per_day", "archive_pages", "site_days", "lead_days", "revisions",
	"out_max", "out_exponent", "main_list", "hub_list", "sections", "sub_fronts",
	"dated_share", "main_share", "front_share", "undated_share",
	"archive_leaves", "new_leaves", "index_links",
}
