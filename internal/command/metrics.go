package command

import (
	"regexp"
	"slices"

	"sweep/experiment"
)

// metrics reads a list of names, or a table that describes them: the metrics,
// or the columns of the series.
func (t table) metrics(key string) (list []experiment.Metric) {
	setting := t.Entry(key)
	if setting != nil && setting.Table != nil {
		for _, e := range setting.Table {
			keys := metricKeys
			if key == "series" {
				keys = columnKeys
			}
			own := table{setting}.below(e.Key, keys)
			list = append(list, own.metric(e.Key))
		}
	} else {
		for _, name := range t.texts(key) {
			list = append(list, table{}.metric(name))
		}
	}
	if key == "metrics" { // a series has a file of its own, where names cannot clash
		for _, m := range list {
			table{setting}.must(experiment.CheckName("metric", m.Name))
		}
	}
	return list
}

// metric reads the description of a metric.
func (t table) metric(name string) experiment.Metric {
	return experiment.Metric{
		Name:    name,
		Kind:    t.kind(experiment.Float),
		Unit:    t.text("unit"),
		Meaning: t.textOr("meaning", "as the program tells it"),
		Source:  "the program's answer",
	}
}

// setPlaces says of metrics and columns where the program writes them, if that
// is no part of the runs' identity.
func (p *program) setPlaces(e *experiment.Experiment) {
	if p.hasSheet() && len(e.Columns()) > 0 {
		written := p.written(e.Series)
		for i := range written {
			written[i].From = p.file
		}
	}
	for i := range e.Metrics {
		m := &e.Metrics[i]
		switch {
		case p.patterns[m.Name] != nil:
			m.From = "stdout: " + p.patterns[m.Name].String()
		case p.hasSheet() && len(e.Columns()) == 0:
			m.From = p.file
		}
	}
}

// readPatterns reads the patterns by which metrics are found in the program's
// output.
func (p *program) readPatterns(t table, metrics []experiment.Metric) {
	p.patterns = map[string]*regexp.Regexp{}
	for _, m := range metrics {
		own := table{table{t.Entry("metrics")}.Entry(m.Name)}
		text := own.text("pattern")
		if own.Entry("pattern") == nil {
			continue
		}
		if p.persistent {
			own.fail("pattern", "", "the stdout of a persistent program holds answers alone: "+
				"want %s in the answer", m.Name)
		}
		pattern, err := regexp.Compile(text)
		if err != nil {
			own.fail("pattern", "", "%v", err)
		}
		if n := pattern.NumSubexp(); n != 1 {
			own.fail("pattern", `a group such as ([0-9.eE+-]+) is the number; (?:…) is no group`,
				"%q has %d groups, want one", text, n)
		}
		p.patterns[m.Name] = pattern
	}
}

// seriesOf reads the columns of the series, the axis first; without an axis
// its rows are counted.
func (t table) seriesOf() []experiment.Metric {
	columns := t.metrics("series")
	if columns == nil {
		return nil
	}
	axis := t.text("axis")
	if axis == "" {
		step := experiment.Metric{
			Name:    "step",
			Kind:    experiment.Int,
			Meaning: "number of the row, from 1",
		}
		return append([]experiment.Metric{step}, columns...)
	}
	for i, m := range columns {
		if m.Name == axis && len(columns) > 1 {
			return append([]experiment.Metric{m}, slices.Delete(columns, i, i+1)...)
		}
	}
	t.fail("axis", "", "%q, want one of several names in series", axis)
	return nil
}
