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

// newsRun is the result of a run of the news foragers: what any fleet does, and
// how it divides the work.
type newsRun struct {
	foraging.Measurements
	windows []newsWindow
}

type newsWindow struct {
	foraging.Window
	foraging.Interval
}

// join puts windows and intervals of the given hours side by side, up to the
// end of the simulation: after the window in which the last forager dies,
// nothing happens in them. So the series of all runs have the same length.
func (r *newsRun) join(intervals []foraging.Interval, hours, end float64) {
	for _, w := range r.Windows {
		i := int(math.Round(w.End/hours)) - 1
		r.windows = append(r.windows, newsWindow{w, intervals[i]})
	}
	nan := math.NaN()
	for next := math.Floor(r.End/hours) + 1; r.Foragers == 0 && next*hours <= end; next++ {
		r.windows = append(r.windows, newsWindow{
			foraging.Window{End: next * hours, MeanScore: nan},
			foraging.Interval{
				Exclusive: nan,
				Downloads: nan,
				Walks:     nan,
				Lag:       nan,
			},
		})
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
		Title: "a community of news foragers that multiply without limit and die out, " +
			"rewarded by one center",
		Source: "Palotai, Mandusitz, Lőrincz: Centralized reward system gives rise to fast and " +
			"efficient work sharing for intelligent Internet agents lacking direct " +
			"communication; Computer study of the evolution of 'news foragers' on the Internet",
		Rules:   s.foragingRules(s.newsWeeksParams),
		Figures: newsForagersFigures(),
	}, s.newsWeeksParams, newsForagersMeasures, newsForagersColumns, s.runNewsForagers)
}

func (s *sites) runNewsForagers(ctx context.Context, c *foragingConfig, seed int64) (
	r newsRun, windows []newsWindow, err error,
) {
	var d *foraging.Division
	observe := func(site *newssite.Site) func(foraging.Download) {
		d = foraging.NewDivision(site, c.WindowHours)
		return d.Observe
	}
	r.Measurements, err = s.run(ctx, c, seed, observe)
	if err != nil {
		return r, nil, err
	}
	r.join(d.Intervals(), c.WindowHours, 24*c.Days)
	return r, r.windows, nil
}

// newsWeeksParams declares the parameters: those of any news foragers, and the
// rhythm of a week.
func (s *sites) newsWeeksParams(c *foragingConfig) []experiment.Param {
	week := experiment.Group(WorldGroup, []experiment.Param{
		{
			To:      &c.site.WeekendDrop,
			Name:    "weekend_drop",
			Default: experiment.FloatValue(0),
			Max:     1,
			Meaning: "share of the new URLs of other days that Saturdays and Sundays lack; the " +
				"simulation starts at 0:00 on a Monday",
			Source: centralized + "section 3.1 speaks of news of a Friday; 0: all days are alike",
		},
	})
	params := s.newsForagersParams(c)
	for i := range params {
		if params[i].Name == "site_tables" {
			params[i].Replaces = append(params[i].Replaces, week[0].Name)
		}
	}
	return append(params, week...)
}

// newsForagersParams declares the parameters: those of the foraging
// experiment, some with other values that the papers or their site give.
func (s *sites) newsForagersParams(c *foragingConfig) []experiment.Param {
	const site = "chosen by hand for the numbers of " + centralized +
		"section 3: see docs/deviations.md"
	params := s.params(c)
	for _, other := range []struct {
		name   string
		value  experiment.Value
		source string
	}{
		{experiment.Algorithm, experiment.StringValue("WLRL"), centralized + "section 2"},
		{"penalty", experiment.FloatValue(0), centralized + "section 2: every document sent costs, no other"},
		{"send_cost", experiment.FloatValue(-1), centralized + "section 2"},
		{"send_hours", experiment.FloatValue(48), centralized + "section 3.1: identical dates can be found for 48 hours"},
		{"send_again", experiment.BoolValue(true), centralized + "section 2: what is sent is not said to be remembered"},
		{"skip_visited", experiment.BoolValue(true), centralized + "section 2: documents of URLs not visited yet are downloaded"},
		{"document", experiment.StringValue(foraging.DocumentDay), centralized + "section 2: time stamps are dates, at GMT"},
		{"min_forager", experiment.IntValue(0), centralized + "section 2: a forager whose value hits 0 dies out"},
		{"max_forager", experiment.IntValue(foraging.MaxFleet), centralized + "section 2: no limit is told"},
		{"days", experiment.FloatValue(14), centralized + "section 3: two weeks"},
		{"window_hours", experiment.FloatValue(1.25), centralized + "section 3.2: intervals of 75 minutes"},
		{"archive_pages", experiment.IntValue(15000), site},
		{"sections", experiment.IntValue(15), site},
		{"hub_link_share", experiment.FloatValue(0.15), site},
		{"out_exponent", experiment.FloatValue(1.3), paper + "section 4.1"},
		{"main_list", experiment.IntValue(18), site},
		{"hub_list", experiment.IntValue(40), site},
		{"dated_share", experiment.FloatValue(0.33), site},
		{"download_seconds", experiment.FloatValue(1.11), centralized + "section 3: 1,090,074 downloads in two weeks"},
		{"download_zipf", experiment.FloatValue(0), "one download time for all pages: the papers tell of no other"},
	} {
		declare(params, other.name, other.value, other.source)
	}
	return params
}

// declare gives a parameter another default, and its source.
func declare(params []experiment.Param, name string, v experiment.Value, source string) {
	for i := range params {
		if params[i].Name == name {
			params[i].Default = v
			params[i].Source = source
		}
	}
}

func newsForagersMeasures(r *newsRun) []experiment.Measure {
	const source = centralized + "section 3"
	days := r.End / 24
	starts := r.mean(func(w *newsWindow) float64 { return float64(w.NewStarts) })
	return slices.Concat(counted(reinforcedNames, "", source, &r.Counts), []experiment.Measure{
		experiment.Measured("foragers", "foragers", "foragers at the end", source, r.Foragers),
		experiment.Measured("multiplications", "",
			"foragers multiplied", centralized+"section 2", r.Multiplications),
		experiment.Measured("deletions", "",
			"foragers that died out", centralized+"section 2", r.Deletions),
		experiment.Measured("least_value", "score",
			"the least value that a forager had at the end of a foraging period",
			centralized+"section 3.1", r.LeastScore),
		experiment.Measured("lived_days", "d",
			"until the last forager died, or the simulation ended",
			centralized+"section 3.1", days),
		experiment.Measured("exclusive", "",
			"share of the URLs visited in a window that only one forager visited, mean over "+
				"windows",
			centralized+"section 3.2", r.mean(func(w *newsWindow) float64 { return w.Exclusive })),
		experiment.Measured("exclusive_downloads", "",
			"share of the URLs downloaded in a window that only one forager downloaded, mean "+
				"over windows",
			centralized+"section 3.2", r.mean(func(w *newsWindow) float64 { return w.Downloads })),
		experiment.Measured("own_walks", "",
			"share of the different two-step trajectories in a window that only one forager "+
				"took, of those from URLs from which several went on, mean over windows",
			centralized+"section 3.2", r.mean(func(w *newsWindow) float64 { return w.Walks })),
		experiment.Measured("new_starts", "URLs/d",
			"URLs a day at which a path began for the first time",
			computer+"section 4.3 and Figure 5", starts*float64(len(r.windows))/days),
		experiment.Measured("lag_hours", "h",
			"time from the date stamp of a document to its reward, mean over windows",
			centralized+"section 3.1", r.mean(func(w *newsWindow) float64 { return w.Lag })),
		experiment.Measured("peak_lead", "h",
			"hours by which the daily peak of reinforced / sent is before that of reinforced / "+
				"downloaded, after the first day; from -12 to 12",
			centralized+"section 3.1", r.peakLead()),
		experiment.Measured("reinforced_hour", "h",
			"hour of the day at which the daily oscillation of reinforced documents peaks, "+
				"after the first day; from 0 to 24, days begin with the simulation",
			centralized+"section 3.1", r.peakHour(relevantOf)),
		experiment.Measured("least_sent_hour", "h",
			"hour of the day at which the daily oscillation of sent documents is lowest, "+
				"likewise",
			centralized+"section 3.1", math.Mod(r.peakHour(sentOf)+12, 24)),
		experiment.Measured("path_seconds", "s",
			"time of 100 steps", centralized+"section 3", 100*r.StepSeconds),
		experiment.Measured("overrun_seconds", "s",
			"time by which the last step of a turn overruns it, mean over turns",
			centralized+"section 3", r.Overrun),
	}, persistence(centralized+"section 3.2", &r.Persistence))
}

// peakHour returns the hour of the day at which a number of the windows after
// the first day peaks.
func (r *newsRun) peakHour(of func(*newsWindow) float64) float64 {
	var hours, values []float64
	for i := range r.windows {
		w := &r.windows[i]
		if x := of(w); w.End > 24 && !math.IsNaN(x) {
			hours = append(hours, w.End-r.windows[0].End/2) // the middle of the window
			values = append(values, x)
		}
	}
	return foraging.PeakHour(hours, values)
}

// Numbers of a window.
func relevantOf(w *newsWindow) float64     { return float64(w.Relevant) }
func sentOf(w *newsWindow) float64         { return float64(w.Sent) }
func sentEfficiency(w *newsWindow) float64 { return ratio(w.Relevant, w.Sent) }
func downloadEfficiency(w *newsWindow) float64 {
	return ratio(w.Relevant, w.Counts.Downloaded)
}

// peakLead returns by how many hours the daily peak of one efficiency is before
// that of the other.
func (r *newsRun) peakLead() float64 {
	lead := r.peakHour(downloadEfficiency) - r.peakHour(sentEfficiency)
	switch {
	case lead <= -12:
		lead += 24
	case lead > 12:
		lead -= 24
	}
	return lead
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
	const efficiency = centralized + "Figure 2"
	const division = centralized + "Figure 3"
	return slices.Concat(windowed(reinforcedNames, efficiency, &w.Window), []experiment.Measure{
		experiment.Measured("sent_efficiency", "",
			"reinforced / sent in the window", efficiency, ratio(w.Relevant, w.Sent)),
		experiment.Measured("download_efficiency", "",
			"reinforced / downloaded in the window",
			efficiency, ratio(w.Relevant, w.Counts.Downloaded)),
		experiment.Measured("foragers", "foragers",
			"foragers at the window's end", efficiency, w.Foragers),
		experiment.Measured("mean_value", "score", "mean value of these", efficiency, w.MeanScore),
		experiment.Measured("exclusive", "",
			"share of the URLs visited that only one forager visited", division, w.Exclusive),
		experiment.Measured("exclusive_downloads", "",
			"share of the URLs downloaded that only one forager downloaded",
			division, w.Downloads),
		experiment.Measured("own_walks", "",
			"share of the different two-step trajectories that only one forager took, of those "+
				"from URLs from which several went on",
			division, w.Walks),
		experiment.Measured("new_starts", "URLs",
			"URLs at which a path began for the first time", computer+"Figure 5", w.NewStarts),
		experiment.Measured("lag_hours", "h",
			"mean time from the date stamp of a document to its reward",
			centralized+"section 3.1", w.Lag),
		experiment.Measured("late_documents", "documents",
			"reinforced documents whose date stamp is of an earlier day",
			centralized+"section 3.1", w.Late),
	})
}

// newsForagersFigures are those of the papers, which show communities at one
// cost of sending on the site as it is, and a figure of what they say in words
// about that cost.
func newsForagersFigures() []experiment.Figure {
	both := is(experiment.Algorithm, "WLRL")
	unchanged := atMost("rewired", 0)
	usual := atLeast("new_per_day", 1000) // not the site that changes slowly
	figures := []experiment.Figure{
		{
			Name:   "figure2a",
			Title:  "reinforced documents in parts of the sent and of the downloaded",
			Source: centralized + "Figure 2(a)",
			Y:      []string{"sent_efficiency"},
			Right:  "download_efficiency",
			Means:  [][2]float64{{48, 96}, {216, 264}}, // two days of either week
		},
		{
			Name:   "figure2b",
			Title:  "how many foragers there are, their mean value, and how long news waits",
			Source: centralized + "Figure 2(b) and section 3.1",
			Y:      []string{"foragers", "mean_value", "lag_hours"},
		},
		{
			Name:   "figure3",
			Title:  "what only one forager visits, downloads, or takes as two steps",
			Source: centralized + "Figure 3",
			Y:      []string{"exclusive", "exclusive_downloads", "own_walks"},
		},
		{
			Name:   "figure5",
			Title:  "new starting points and new URLs",
			Source: computer + "Figure 5",
			Y:      []string{"new_starts"},
			Right:  "found_urls",
		},
	}
	for i := range figures {
		f := &figures[i]
		f.Kind = experiment.Lines
		f.Where = []experiment.Condition{
			both,
			{Param: "score_minus", From: 0.05, To: 0.05},
			unchanged,
			usual,
		}
		f.Over = []string{"world_seed"}
		f.ScaleFrom = 24 // hours
	}
	return append(figures, experiment.Figure{
		Name:   "cost",
		Title:  "foragers at the end, and how long there were any, over the cost of sending",
		Source: centralized + "section 3.1",
		Kind:   experiment.Lines,
		X:      []string{"score_minus"},
		Y:      []string{"foragers", "lived_days"},
		Over:   []string{"world_seed"},
		Where:  []experiment.Condition{both, unchanged, usual},
	})
}
