package plots

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"

	"sweep/experiment"
)

// The figures of Myrer and Olsen, Incremental Web Crawling as a Competitive
// Game of Learning Automata ("the thesis").

// retrieved is how the thesis calls what most of its figures show.
const retrieved = "retrieved importance-value"

// A selection is the cells of the monitoring experiment that a figure of
// the thesis shows.
type selection struct {
	needs string              // for messages
	where func(settings) bool // which cells
	axes  []string            // what may tell them apart
	must  []string            // those of axes that must
}

// settings are the parameters of one cell by name.
type settings func(name string) experiment.Value

// choose returns the cells of a selection, or why there are none.
func (d *Data) choose(s selection) (cells []int, why string) {
	for i := range d.cells {
		if s.where(func(name string) experiment.Value { return d.cells[i].params[d.param(name)] }) {
			cells = append(cells, i)
		}
	}
	chosen := make([]cell, len(cells))
	for i, c := range cells {
		chosen[i] = d.cells[c]
	}
	var free []string
	for _, p := range freeAxes(d.Experiment, chosen) {
		free = append(free, d.Experiment.Params[p].Name)
	}
	for _, name := range s.must {
		if !slices.Contains(free, name) {
			return nil, "it shows " + s.needs
		}
	}
	for _, name := range free {
		if !slices.Contains(s.axes, name) {
			return nil, fmt.Sprintf("it shows %s, and nothing else may vary; here %s does", s.needs, name)
		}
	}
	return cells, ""
}

func (d *Data) params(names ...string) []int {
	params := make([]int, len(names))
	for i, name := range names {
		params[i] = d.param(name)
	}
	return params
}

func thesisFigure(number, title string, page func() page) []Figure {
	return []Figure{{
		Name:  "figure" + number,
		Title: title + " (Incremental Web Crawling…, Figure " + number + ")",
		page:  page,
	}}
}

// figure71 shows how often nodes change.
func figure71(d *Data) ([]Figure, string) {
	if len(d.cells) > mostLines {
		return nil, fmt.Sprintf("%d cells are too many lines", len(d.cells))
	}
	return thesisFigure("7.1", "probability of change of each node", func() page {
		c := d.timeChart(d.column("change_probability"), d.all(), d.axes, asItIs)
		c.x, c.y = "node, by falling probability of change", "probability of change in a slot"
		return arrange([]panel{c}, panelHeight, d.bandNote(d.all()))
	}), ""
}

// figure72 shows the retrieved importance-value of CGLA over time for
// different resolutions.
func figure72(d *Data) ([]Figure, string) {
	cells, why := d.choose(selection{
		needs: "CGLA with several N on nodes that do not switch",
		where: func(get settings) bool {
			return get("algorithm").Text() == "CGLA" && get("switch_every").Int() == 0
		},
		axes: []string{"N"}, must: []string{"N"},
	})
	if why != "" {
		return nil, why
	}
	return thesisFigure("7.2", "CGLA over time with different N", func() page {
		c := d.timeChart(d.column("retrieved"), cells, d.params("N"), asItIs)
		c.y = retrieved
		return arrange([]panel{c}, 6*vg.Centimeter, d.bandNote(cells))
	}), ""
}

// figure73 and figure74 show the retrieved importance-value of FPA over
// time for different shares f, with small N and with large N.
func figure73(d *Data) ([]Figure, string) {
	return partitioning(d, "7.3", "small", "up to 16", func(n int64) bool { return n <= 16 })
}

func figure74(d *Data) ([]Figure, string) {
	return partitioning(d, "7.4", "large", "from 32 on", func(n int64) bool { return n >= 32 })
}

func partitioning(d *Data, number, size, meaning string, has func(n int64) bool) ([]Figure, string) {
	cells, why := d.choose(selection{
		needs: "FPA with several f and " + size + " N (" + meaning + ") on nodes that do not switch",
		where: func(get settings) bool {
			return get("algorithm").Text() == "FPA" && get("switch_every").Int() == 0 && has(get("N").Int())
		},
		axes: []string{"N", "f"}, must: []string{"f"},
	})
	if why != "" {
		return nil, why
	}
	return thesisFigure(number, "FPA over time with different f and "+size+" N", func() page {
		var row []panel
		for _, g := range d.groupBy(cells, d.params("N")) {
			c := d.timeChart(d.column("retrieved"), g.cells, d.params("f"), asItIs)
			c.title, c.y = d.label(d.params("N"), g.key), retrieved
			row = append(row, c)
		}
		sameRange(row)
		return matrix([][]panel{row}, 6*vg.Centimeter, d.bandNote(cells))
	}), ""
}

// figure75 and figure76 show all schedulers against the expected
// change-capacity ratio, where changes overwrite and where they disappear.
func figure75(d *Data) ([]Figure, string) { return schedulers(d, "7.5", "overwrite") }

func figure76(d *Data) ([]Figure, string) { return schedulers(d, "7.6", "disappear") }

func schedulers(d *Data, number, model string) ([]Figure, string) {
	cells, why := d.choose(selection{
		needs: "several of CGLA, FPA, uniform and proportional at several change ratios, in the model " + model + ", on nodes that do not switch",
		where: func(get settings) bool {
			return slices.Contains([]string{"CGLA", "FPA", "uniform", "proportional"}, get("algorithm").Text()) &&
				get("model").Text() == model && get("switch_every").Int() == 0 && get("change_ratio").Float() > 0
		},
		axes: []string{"algorithm", "execution", "change_ratio"}, must: []string{"algorithm", "change_ratio"},
	})
	if why != "" {
		return nil, why
	}
	return thesisFigure(number, "all schedulers against the change-capacity ratio, model "+model, func() page {
		c := d.against(d.param("change_ratio"), d.Experiment.Metric("retrieved"), cells, d.params("algorithm", "execution"))
		c.x, c.y = "expected change-capacity ratio", retrieved
		return arrange([]panel{c}, 6*vg.Centimeter, d.countNote(cells, "mean and 95 % confidence limits"))
	}), ""
}

// figure77 and figure78 show polls and retrieved importance-value over time
// on nodes that switch, with a panel for each model.
func figure77(d *Data) ([]Figure, string) {
	return switching(d, "7.7", "polls in a slot", "polls_per_slot")
}

func figure78(d *Data) ([]Figure, string) {
	return switching(d, "7.8", retrieved, "retrieved")
}

func switching(d *Data, number, what, column string) ([]Figure, string) {
	cells, why := d.choose(selection{
		needs: "CGLA and FPA on nodes that switch",
		where: func(get settings) bool {
			return slices.Contains([]string{"CGLA", "FPA"}, get("algorithm").Text()) && get("switch_every").Int() > 0
		},
		axes: []string{"algorithm", "model"}, must: []string{"algorithm"},
	})
	if why != "" {
		return nil, why
	}
	return thesisFigure(number, what+" over time on nodes that switch", func() page {
		var row []panel
		for _, g := range d.groupBy(cells, d.params("model")) {
			c := d.timeChart(d.column(column), g.cells, d.params("algorithm"), asItIs)
			c.title, c.y = d.label(d.params("model"), g.key), what
			params := d.cells[g.cells[0]].params
			every, end := params[d.param("switch_every")].Float(), params[d.param("slots")].Float()
			for at := every; at < end; at += every {
				c.events = append(c.events, at)
			}
			row = append(row, c)
		}
		sameRange(row)
		return matrix([][]panel{row}, 6*vg.Centimeter, d.bandNote(cells)+"; dashed: switches")
	}), ""
}
