package experiments

import (
	"math"

	"sweep/experiment"
	"sweep/internal/lists"
)

// The figures of the papers.

// is is a condition that a parameter has one of some names.
func is(param string, names ...string) experiment.Condition {
	return experiment.Condition{Param: param, Is: lists.Map(names, experiment.StringValue)}
}

func atLeast(param string, x float64) experiment.Condition {
	return experiment.Condition{Param: param, From: x, To: math.Inf(1)}
}

func atMost(param string, x float64) experiment.Condition {
	return experiment.Condition{Param: param, From: math.Inf(-1), To: x}
}

// figure returns the figure of a publication that has a number there: lines.
func figure(publication, number, title string, of experiment.Figure) experiment.Figure {
	of.Name, of.Title, of.Source = "figure"+number, title, publication+"Figure "+number
	of.Kind = experiment.Lines
	return of
}

// structureFigures are those of Selection in Scale-Free Small World that show
// the site.
func structureFigures() []experiment.Figure {
	return []experiment.Figure{
		figure(paper, "1", "distributions of in- and out-degrees with their slopes", experiment.Figure{
			Y:      []string{"out_urls", "in_urls"},
			Labels: map[string]string{"degree": "degree k", "out_urls": "share of URLs with degree k"},
			Slopes: []experiment.Slope{
				{Y: "out_urls", Label: "out", Metric: "out_slope", Paper: -1.3},
				{Y: "in_urls", Label: "in", Metric: "in_slope", Paper: -2.57},
			},
		}),
	}
}

// foragingFigures are those of the same paper that show foragers.
func foragingFigures() []experiment.Figure {
	fleets := []experiment.Condition{is(experiment.Algorithm, "RL", "WL")}
	return []experiment.Figure{
		figure(paper, "2", "download efficiency over days, a panel for each fleet", experiment.Figure{
			Y:         []string{"download_efficiency"},
			Facets:    []string{experiment.Algorithm},
			Where:     fleets,
			ScaleFrom: 24, // hours; the first windows find what nobody has sent yet
		}),
		figure(paper, "3", "freshness and age over days", experiment.Figure{
			Y:      []string{"freshness", "age_hours"},
			Colour: []string{experiment.Algorithm},
			Where:  fleets,
		}),
		{
			Name:   "smallworld",
			Title:  "who finds more, from the small world to one whose links are all rewired",
			Source: paper + "section 5",
			Kind:   experiment.Lines,
			X:      []string{"rewired"},
			Y:      []string{"relevant"},
			Colour: []string{experiment.Algorithm},
			Facets: []string{"section_zipf"},
			Where:  fleets,
			Labels: map[string]string{"rewired": "share of the links that are rewired", "relevant": "relevant documents found"},
		},
	}
}

// sourcesFigures show the nodes of the thesis.
func sourcesFigures() []experiment.Figure {
	return []experiment.Figure{
		figure(thesis, "7.1", "probability of change of each node", experiment.Figure{
			Y:      []string{"change_probability"},
			Labels: map[string]string{"node": "node, by falling probability of change", "change_probability": "probability of change in a slot"},
		}),
	}
}

// monitoringFigures are the figures of the thesis' results.
func monitoringFigures() []experiment.Figure {
	labels := map[string]string{
		"retrieved":      "retrieved importance-value",
		"polls_per_slot": "polls in a slot",
		"change_ratio":   "expected change-capacity ratio",
	}
	labelled := func(number, title string, of experiment.Figure) experiment.Figure {
		of.Labels = labels
		return figure(thesis, number, title, of)
	}
	resolutions := func(number, size string, bound experiment.Condition) experiment.Figure {
		return labelled(number, "FPA over time with different f and "+size+" N", experiment.Figure{
			Y:      []string{"retrieved"},
			Colour: []string{"f"}, Facets: []string{"N"},
			Where: []experiment.Condition{is(experiment.Algorithm, "FPA"), atMost("switch_every", 0), bound},
		})
	}
	schedulers := func(number, model string) experiment.Figure {
		return labelled(number, "all schedulers against the change-capacity ratio, model "+model, experiment.Figure{
			X: []string{"change_ratio"}, Y: []string{"retrieved"},
			Colour: []string{experiment.Algorithm, "execution"},
			Where: []experiment.Condition{is(experiment.Algorithm, "CGLA", "FPA", "uniform", "proportional"),
				is("model", model), atMost("switch_every", 0), atLeast("change_ratio", 0.01)}, // 0 stands for another law
		})
	}
	switching := func(number, column string) experiment.Figure {
		return labelled(number, labels[column]+" over time on nodes that switch", experiment.Figure{
			Y:      []string{column},
			Colour: []string{experiment.Algorithm}, Facets: []string{"model"},
			Where: []experiment.Condition{is(experiment.Algorithm, "CGLA", "FPA"), atLeast("switch_every", 1)},
			Marks: "switch_every",
		})
	}
	return []experiment.Figure{
		labelled("7.2", "CGLA over time with different N", experiment.Figure{
			Y: []string{"retrieved"}, Colour: []string{"N"},
			Where: []experiment.Condition{is(experiment.Algorithm, "CGLA"), atMost("switch_every", 0)},
		}),
		resolutions("7.3", "small", atMost("N", 16)),
		resolutions("7.4", "large", atLeast("N", 32)),
		schedulers("7.5", "overwrite"),
		schedulers("7.6", "disappear"),
		switching("7.7", "polls_per_slot"),
		switching("7.8", "retrieved"),
	}
}
