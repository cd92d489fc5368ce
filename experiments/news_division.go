package experiments

import (
	"context"
	"fmt"
	"math"

	"sweep/algorithms/foraging"
	"sweep/environments/newssite"
	"sweep/environments/sources/history"
	"sweep/experiment"
)

// What the papers' figures show of one community: so many foragers, in the
// order of their creation, the last with all that follow; and new starting
// points by so many domains of URLs, in the order of their first download, the
// last with all that follow.
const (
	shownForagers = 30
	shownDomains  = 12
	domainURLs    = 4000
)

// divisionWindow is what one window shows of a community, forager by forager.
type divisionWindow struct {
	end    float64 // hours
	values [shownForagers]float64
	own    [shownForagers]foraging.Own
	starts [shownDomains]int
}

// NewsDivision declares the community of the news-forager papers as their
// figures show one: the value of each forager, what each contributes to the
// division of work, and where new starting points are. Its series is wide, so
// it is an experiment of its own.
func NewsDivision(shipped history.Files) *experiment.Experiment {
	s := newSites(shipped)
	return experiment.Simulation(experiment.Experiment{
		Name:    "news-division",
		Version: newsForagersVersion,
		Title:   "a community of news foragers, forager by forager: values, shares, starting points",
		Source: "Palotai, Mandusitz, Lőrincz: Centralized reward system gives rise to fast and " +
			"efficient work sharing for intelligent Internet agents lacking direct " +
			"communication; Computer study of the evolution of 'news foragers' on the Internet",
		Rules:   s.foragingRules(s.newsForagersParams),
		Figures: newsDivisionFigures(),
	}, s.newsForagersParams, newsDivisionMeasures, newsDivisionColumns, s.runNewsDivision)
}

func (s *sites) runNewsDivision(ctx context.Context, c *foragingConfig, seed int64) (
	m foraging.Measurements, windows []divisionWindow, err error,
) {
	var d *foraging.Division
	observe := func(site *newssite.Site) func(foraging.Download) {
		d = foraging.NewDivision(site, c.WindowHours)
		return d.Observe
	}
	m, err = s.run(ctx, c, seed, observe)
	if err != nil {
		return m, nil, err
	}
	intervals := d.Intervals()
	for i := range m.Windows {
		at := int(math.Round(m.Windows[i].End/c.WindowHours)) - 1
		windows = append(windows, divided(&m.Windows[i], &intervals[at]))
	}
	return m, windows, nil
}

// divided returns what a window and its interval show of each forager.
func divided(w *foraging.Window, interval *foraging.Interval) (shown divisionWindow) {
	shown.end = w.End
	for k := range shown.values {
		shown.values[k] = math.NaN()
	}
	for _, s := range w.Scores {
		if s.Forager < shownForagers {
			shown.values[s.Forager] = s.Score
		}
	}
	for k, own := range interval.Own {
		to := &shown.own[min(k, shownForagers-1)]
		to.Visits += own.Visits
		to.Walks += own.Walks
	}
	for _, rank := range interval.Starts {
		shown.starts[min(rank/domainURLs, shownDomains-1)]++
	}
	return shown
}

func newsDivisionMeasures(m *foraging.Measurements) []experiment.Measure {
	const source = centralized + "section 3"
	return []experiment.Measure{
		experiment.Measured("foragers", "foragers", "foragers at the end", source, m.Foragers),
		experiment.Measured("multiplications", "",
			"foragers multiplied", centralized+"section 2", m.Multiplications),
	}
}

// numbered names the k-th of some columns, counted from 1.
func numbered(name string, k int) string { return fmt.Sprintf("%s_%02d", name, k+1) }

func newsDivisionColumns(w *divisionWindow) []experiment.Measure {
	columns := []experiment.Measure{
		experiment.Measured("hours", "h", "end of the window, hours from the start", "", w.end),
	}
	for k, x := range w.values {
		meaning := fmt.Sprintf("value of forager %d in the order of creation", k+1)
		columns = append(columns, experiment.Measured(numbered("value", k), "score", meaning,
			centralized+"Figure 2(b)", x))
	}
	for k := range w.own {
		meaning := fmt.Sprintf("share of the URLs visited that only forager %d visited", k+1)
		columns = append(columns, experiment.Measured(numbered("visited", k), "", meaning,
			centralized+"Figure 3", w.own[k].Visits))
	}
	for k := range w.own {
		meaning := fmt.Sprintf("share of the different two-step trajectories that only forager "+
			"%d took, of those from URLs from which several went on", k+1)
		columns = append(columns, experiment.Measured(numbered("walked", k), "", meaning,
			centralized+"Figure 3(c)", w.own[k].Walks))
	}
	for k, n := range w.starts {
		meaning := fmt.Sprintf("URLs at which a path began for the first time, of the %d URLs "+
			"after the first %d that were downloaded", domainURLs, k*domainURLs)
		columns = append(columns, experiment.Measured(numbered("starts", k), "URLs", meaning,
			computer+"Figure 5", n))
	}
	return columns
}

// newsDivisionFigures are those of the papers that show single foragers.
func newsDivisionFigures() []experiment.Figure {
	columns := func(name string, n int) (names []string) {
		for k := range n {
			names = append(names, numbered(name, k))
		}
		return names
	}
	// ranks labels columns by what each begins after.
	ranks := func(columns []string, step int) map[string]string {
		labels := map[string]string{}
		for k, name := range columns {
			first := k * step
			if step == 1 {
				first++
			}
			labels[name] = fmt.Sprint(first)
		}
		return labels
	}
	values := columns("value", shownForagers)
	starts := columns("starts", shownDomains)
	visited := columns("visited", shownForagers)
	walked := columns("walked", shownForagers)
	return []experiment.Figure{
		{
			Name:   "figure2b",
			Title:  "values of the foragers, in the order of their creation",
			Source: centralized + "Figure 2(b)",
			Kind:   experiment.Heat,
			Colour: values,
			Labels: ranks(values, 1),
		},
		{
			Name:   "figure3b",
			Title:  "what each forager contributes to the URLs that only one visits",
			Source: centralized + "Figure 3(a) and (b)",
			Kind:   experiment.Areas,
			Y:      visited,
			Labels: map[string]string{visited[0]: "share of the URLs visited"},
		},
		{
			Name:   "figure3c",
			Title:  "what each forager contributes to the two-step trajectories of one only",
			Source: centralized + "Figure 3(c)",
			Kind:   experiment.Areas,
			Y:      walked,
			Labels: map[string]string{walked[0]: "share of the trajectories"},
		},
		{
			Name:   "figure5",
			Title:  "new starting points over the number of the URL, in the order of first downloads",
			Source: computer + "Figure 5",
			Kind:   experiment.Heat,
			Colour: starts,
			Labels: ranks(starts, domainURLs),
		},
	}
}
