package experiments

import (
	"context"
	"math"
	"slices"

	"sweep/algorithms/foraging"
	"sweep/environments/newssite"
	"sweep/environments/sources/history"
	"sweep/experiment"
)

// The news-forager papers.
const (
	centralized = "Centralized reward system…, "
	computer    = "Computer study of the evolution of 'news foragers'…, "
)

// newsRun is what a run of the news foragers yields: what any fleet does,
// and how it divides the work.
type newsRun struct {
	foraging.Measurements
	windows []newsWindow
}

type newsWindow struct {
	foraging.Window
	foraging.Interval
}

// join puts windows and intervals of the given hours side by side, up to the
// end of the simulation, so that the series of all runs are of one length:
// from the window in which the last forager dies on, nothing happens.
func (r *newsRun) join(intervals []foraging.Interval, hours, end float64) {
	for _, w := range r.Windows {
		i := int(math.Round(w.End/hours)) - 1
		r.windows = append(r.windows, newsWindow{w, intervals[i]})
	}
	nan := math.NaN()
	for next := math.Floor(r.End/hours) + 1; r.Foragers == 0 && next*hours <= end; next++ {
		r.windows = append(r.windows, newsWindow{
			foraging.Window{End: next * hours, MeanScore: nan},
			foraging.Interval{Exclusive: nan, Downloads: nan, Walks: nan, Lag: nan}})
	}
}

// NewsForagers declares the community of Palotai, Mandusitz and Lőrincz:
// foragers with both memories that multiply without limit and die out. Its
// algorithms are those of the foraging experiment, with other rules.
func NewsForagers(shipped history.Files) *experiment.Experiment {
	s := newSites(shipped)
	return experiment.Simulation(experiment.Experiment{
		Name:    "news-foragers",
		Version: newsForagersVersion,
		Title:   "a community of news foragers that multiply without limit and die out, rewarded by one center",
		Source:  "Palotai, Mandusitz, Lőrincz: Centralized reward system gives rise to fast and efficient work sharing for intelligent Internet agents lacking direct communication; Computer study of the evolution of 'news foragers' on the Internet",
		Rules:   s.foragingRules(s.newsForagersParams),
		Figures: newsForagersFigures(),
	}, s.newsForagersParams, newsForagersMeasures, newsForagersColumns, func(ctx context.Context, c *foragingConfig, seed int64) (r newsRun, windows []newsWindow, err error) {
		var d *foraging.Division
		r.Measurements, err = s.run(ctx, c, seed, func(site *newssite.Site) func(foraging.Download) {
			d = foraging.NewDivision(site, c.run.WindowHours)
			return d.Observe
		})
		if err == nil {
			r.join(d.Intervals(), c.run.WindowHours, 24*c.run.Days)
		}
		return r, r.windows, err
	})
}

// newsForagersParams declares the parameters: those of the foraging
// experiment, of which the papers or their site give some other values.
func (s *sites) newsForagersParams(c *foragingConfig) []experiment.Param {
	const site = "chosen by hand for the numbers of " + centralized + "section 3: see docs/deviations.md"
	params := s.params(c)
	other := func(name string, v experiment.Value, source string) { declare(params, name, v, source) }
	number, whole, truth := experiment.FloatValue, experiment.IntValue, experiment.BoolValue(true)
	other(experiment.Algorithm, experiment.StringValue("WLRL"), centralized+"section 2")
	other("penalty", number(0), centralized+"section 2: every document sent costs, no other")
	other("send_cost", number(-1), centralized+"section 2")
	other("send_hours", number(48), centralized+"section 3.1: identical dates can be found for 48 hours")
	other("send_again", truth, centralized+"section 2: what is sent is not said to be remembered")
	other("skip_visited", truth, centralized+"section 2: documents of URLs not visited yet are downloaded")
	other("document", experiment.StringValue(foraging.DocumentDay), centralized+"section 2: time stamps are dates, at GMT")
	other("min_forager", whole(0), centralized+"section 2: a forager whose value hits 0 dies out")
	other("max_forager", whole(foraging.MaxFleet), centralized+"section 2: no limit is told")
	other("days", number(14), centralized+"section 3: two weeks")
	other("window_hours", number(1.25), centralized+"section 3.2: intervals of 75 minutes")
	other("archive_pages", whole(15000), site)
	other("sections", whole(15), site)
	other("hub_link_share", number(0.15), site)
	other("out_exponent", number(1.3), paper+"section 4.1")
	other("main_list", whole(18), site)
	other("hub_list", whole(40), site)
	other("dated_share", number(0.33), site)
	other("download_seconds", number(1.11), centralized+"section 3: 1,090,074 downloads in two weeks")
	other("download_zipf", number(0), "one download time for all pages: the papers tell of no other")
	return params
}

// declare gives a parameter another default, and its source.
func declare(params []experiment.Param, name string, v experiment.Value, source string) {
	i := slices.IndexFunc(params, func(p experiment.Param) bool { return p.Name == name })
	params[i].Default, params[i].Source = v, source
}

func newsForagersMeasures(r *newsRun) []experiment.Measure {
	const source = centralized + "section 3"
	return append(counted(reinforcedNames, "", source, &r.Counts),
		measure("foragers", "foragers", "foragers at the end", source, r.Foragers),
		measure("multiplications", "", "foragers multiplied", centralized+"section 2", r.Multiplications),
		measure("deletions", "", "foragers that died out", centralized+"section 2", r.Deletions),
		measure("least_value", "score", "the least value that a forager had at the end of a foraging period", centralized+"section 3.1", r.LeastScore),
		measure("lived_days", "d", "until the last forager died, or the simulation ended", centralized+"section 3.1", r.End/24),
		measure("exclusive", "", "share of the URLs visited in a window that only one forager visited, mean over windows", centralized+"section 3.2",
			r.mean(func(w *newsWindow) float64 { return w.Exclusive })),
		measure("exclusive_downloads", "", "share of the URLs downloaded in a window that only one forager downloaded, mean over windows", centralized+"section 3.2",
			r.mean(func(w *newsWindow) float64 { return w.Downloads })),
		measure("own_walks", "", "share of the different two-step trajectories in a window that only one forager took, of those from URLs from which several went on, mean over windows", centralized+"section 3.2",
			r.mean(func(w *newsWindow) float64 { return w.Walks })),
		measure("new_starts", "URLs/d", "URLs a day at which a path began for the first time", computer+"section 4.3 and Figure 5",
			r.mean(func(w *newsWindow) float64 { return float64(w.NewStarts) })*float64(len(r.windows))/(r.End/24)),
		measure("lag_hours", "h", "time from the date stamp of a document to its reward, mean over windows", centralized+"section 3.1",
			r.mean(func(w *newsWindow) float64 { return w.Lag })))
}

// mean returns the mean of a window's number over the windows in which it
// is defined.
func (r *newsRun) mean(of func(*newsWindow) float64) float64 {
	var sum, n float64
	for i := range r.windows {
		if x := of(&r.windows[i]); !math.IsNaN(x) {
			sum += x
			n++
		}
	}
	return sum / n
}

func newsForagersColumns(w *newsWindow) []experiment.Measure {
	const efficiency, division = centralized + "Figure 2", centralized + "Figure 3"
	return append(windowed(reinforcedNames, efficiency, &w.Window),
		measure("sent_efficiency", "", "reinforced / sent in the window", efficiency, ratio(w.Relevant, w.Sent)),
		measure("download_efficiency", "", "reinforced / downloaded in the window", efficiency, ratio(w.Relevant, w.Counts.Downloaded)),
		measure("foragers", "foragers", "foragers at the window's end", efficiency, w.Foragers),
		measure("mean_value", "score", "mean value of these", efficiency, w.MeanScore),
		measure("exclusive", "", "share of the URLs visited that only one forager visited", division, w.Exclusive),
		measure("exclusive_downloads", "", "share of the URLs downloaded that only one forager downloaded", division, w.Downloads),
		measure("own_walks", "", "share of the different two-step trajectories that only one forager took, of those from URLs from which several went on", division, w.Walks),
		measure("new_starts", "URLs", "URLs at which a path began for the first time", computer+"Figure 5", w.NewStarts),
		measure("lag_hours", "h", "mean time from the date stamp of a document to its reward", centralized+"section 3.1", w.Lag))
}

// newsForagersFigures are those of the papers, of the communities at their
// cost of sending on the site as it is; the last is of what they say in words.
func newsForagersFigures() []experiment.Figure {
	same := []experiment.Condition{is(experiment.Algorithm, "WLRL"),
		{Param: "score_minus", From: 0.05, To: 0.05}, atMost("rewired", 0)}
	series := func(name, title, source string, columns ...string) experiment.Figure {
		return experiment.Figure{Name: name, Title: title, Source: source, Kind: experiment.Lines, Y: columns,
			Where: same, ScaleFrom: 24}
	}
	return []experiment.Figure{
		series("figure2a", "reinforced documents in parts of the sent and of the downloaded", centralized+"Figure 2(a)", "sent_efficiency", "download_efficiency"),
		series("figure2b", "how many foragers there are, their mean value, and how long news waits", centralized+"Figure 2(b) and section 3.1", "foragers", "mean_value", "lag_hours"),
		series("figure3", "what only one forager visits, downloads, or takes as two steps", centralized+"Figure 3", "exclusive", "exclusive_downloads", "own_walks"),
		series("figure5", "new starting points and new URLs", computer+"Figure 5", "new_starts", "found_urls"),
		{
			Name: "cost", Title: "foragers at the end, and how long there were any, over the cost of sending", Source: centralized + "section 3.1",
			Kind: experiment.Lines, X: []string{"score_minus"}, Y: []string{"foragers", "lived_days"},
			Where: []experiment.Condition{is(experiment.Algorithm, "WLRL"), same[2]},
		},
	}
}
