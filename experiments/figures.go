package experiments

import (
	"math"

	"sweep/environments/newssite"
	"sweep/experiment"
)

// The figures of the papers.

// is is a condition that a parameter has one of some names.
func is(param string, names ...string) experiment.Condition {
	var values []experiment.Value
	for _, name := range names {
		values = append(values, experiment.StringValue(name))
	}
	return experiment.Condition{Param: param, Is: values}
}

func atLeast(param string, x float64) experiment.Condition {
	return experiment.Condition{Param: param, From: x, To: math.Inf(1)}
}

func atMost(param string, x float64) experiment.Condition {
	return experiment.Condition{Param: param, From: math.Inf(-1), To: x}
}

// figure completes a figure that has a number in a publication and shows lines.
func figure(publication, number string, f experiment.Figure) experiment.Figure {
	f.Name = "figure" + number
	f.Source = publication + "Figure " + number
	f.Kind = experiment.Lines
	return f
}

// structureFigures are those of Selection in Scale-Free Small World that show
// the site.
func structureFigures() []experiment.Figure {
	return []experiment.Figure{
		figure(paper, "1", experiment.Figure{
			Title: "distributions of in- and out-degrees with their slopes",
			Y:     []string{"out_urls", "in_urls"},
			Labels: map[string]string{
				"degree":   "degree k",
				"out_urls": "share of URLs with degree k",
			},
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
	unchanged := []experiment.Condition{atMost("rewired", 0), is("pages", newssite.PagesDrawn)}
	return []experiment.Figure{
		figure(paper, "2", experiment.Figure{
			Title:     "download efficiency over days, a panel for each fleet",
			Y:         []string{"download_efficiency"},
			Panels:    []string{experiment.Algorithm},
			Shared:    []string{experiment.YAxis},
			Where:     fleets,
			ScaleFrom: 24, // hours; the first windows find what nobody has sent yet
		}),
		figure(paper, "3", experiment.Figure{
			Title:  "freshness and age over days",
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
			Panels: []string{"section_zipf"},
			Shared: []string{experiment.YAxis},
			Where:  fleets,
			Labels: map[string]string{
				"rewired":  "share of the links that are rewired",
				"relevant": "relevant documents found",
			},
		},
		{
			Name:   "exchange",
			Title:  "what is found of all that can be found, and how much is sent for it",
			Source: paper + "section 2, and ours",
			Kind:   experiment.Lines,
			X:      []string{"sent_efficiency"},
			Along:  []string{"watch_send_cost"},
			Y:      []string{"relevant_share"},
			Bounds: map[string]float64{"relevant_share": 1},
			Colour: []string{experiment.Algorithm},
			Where:  unchanged,
			Labels: map[string]string{
				"sent_efficiency": "relevant documents in parts of the sent",
				"relevant_share":  "share of the documents that can be found",
			},
		},
	}
}

// sourcesFigures show the nodes of the thesis.
func sourcesFigures() []experiment.Figure {
	return []experiment.Figure{
		figure(thesis, "7.1", experiment.Figure{
			Title: "probability of change of each node",
			Y:     []string{"change_probability"},
			Labels: map[string]string{
				"node":               "node, by falling probability of change",
				"change_probability": "probability of change in a slot",
			},
		}),
	}
}

// monitoringFigures are the figures of the thesis' results.
func monitoringFigures() []experiment.Figure {
	figures := []experiment.Figure{
		figure(thesis, "7.2", experiment.Figure{
			Title:  "CGLA over time with different N",
			Y:      []string{"retrieved"},
			Colour: []string{"N"},
			Where: []experiment.Condition{
				is(experiment.Algorithm, "CGLA"),
				atMost("switch_every", 0),
			},
		}),
		resolutions("7.3", "small", atMost("N", 16)),
		resolutions("7.4", "large", atLeast("N", 32)),
		schedulers("7.5", "overwrite"),
		schedulers("7.6", "disappear"),
		switching("7.7", "polls_per_slot"),
		switching("7.8", "retrieved"),
	}
	figures = append(figures, regretFigure())
	for i := range figures {
		figures[i].Labels = monitoringLabels
	}
	return figures
}

// regretFigure shows what algorithms that are not told the rates lose on nodes
// that switch, on a logarithmic scale: automata lose twenty times as much as
// the learner.
func regretFigure() experiment.Figure {
	return experiment.Figure{
		Name:   "regret",
		Kind:   experiment.Lines,
		Title:  "what learners lose against the bound on nodes that switch",
		Source: regretSource,
		Y:      []string{"regret"},
		Colour: []string{experiment.Algorithm},
		Panels: []string{"model"},
		Log:    []string{experiment.YAxis},
		Where: []experiment.Condition{
			is(experiment.Algorithm, "filter", "bayes", "HTRAA", "sorted_HTRAA", "learn_and_crawl",
				"lambda_learn_and_crawl", "CGLA", "FPA", "uniform", "told_at_poll"),
			atLeast("switch_every", 1),
		},
		Marks: "switch_every",
	}
}

// monitoringLabels are the titles of axes in the thesis.
var monitoringLabels = map[string]string{
	"retrieved":      "retrieved importance-value",
	"regret":         "regret in slots of Σωp",
	"polls_per_slot": "polls in a slot",
	"change_ratio":   "expected change-capacity ratio",
}

// resolutions is a figure of FPA with some sizes of N.
func resolutions(number, size string, bound experiment.Condition) experiment.Figure {
	return figure(thesis, number, experiment.Figure{
		Title:  "FPA over time with different f and " + size + " N",
		Y:      []string{"retrieved"},
		Colour: []string{"f"},
		Panels: []string{"N"},
		Shared: []string{experiment.YAxis},
		Where: []experiment.Condition{
			is(experiment.Algorithm, "FPA"),
			atMost("switch_every", 0),
			bound,
		},
	})
}

// schedulers is a figure that compares schedulers under a model.
func schedulers(number, model string) experiment.Figure {
	return figure(thesis, number, experiment.Figure{
		Title:  "all schedulers against the change-capacity ratio, model " + model,
		X:      []string{"change_ratio"},
		Y:      []string{"retrieved"},
		Colour: []string{experiment.Algorithm, "execution"},
		Where: []experiment.Condition{
			is(experiment.Algorithm,
				"CGLA", "FPA", "HTRAA", "sorted_HTRAA", "uniform", "proportional"),
			is("model", model),
			atMost("switch_every", 0),
			atLeast("change_ratio", 0.01), // 0 stands for another law
		},
	})
}

// switching is a figure of a column over time on nodes that switch.
func switching(number, column string) experiment.Figure {
	return figure(thesis, number, experiment.Figure{
		Title:  monitoringLabels[column] + " over time on nodes that switch",
		Y:      []string{column},
		Colour: []string{experiment.Algorithm},
		Panels: []string{"model"},
		Shared: []string{experiment.YAxis},
		Where: []experiment.Condition{
			is(experiment.Algorithm, "CGLA", "FPA", "HTRAA", "sorted_HTRAA"),
			atLeast("switch_every", 1),
		},
		Marks: "switch_every",
	})
}
