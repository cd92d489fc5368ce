package grid

import (
	"reflect"
	"testing"

	"sweep/experiment"
)

// A figure of a spec is a figure as experiments declare it.
func TestFigures(t *testing.T) {
	series := plainExperiment()
	series.Name = "series"
	series.Params = append(series.Params, experiment.Param{
		Name: "beta", Symbol: "β", Kind: experiment.Float, Default: experiment.FloatValue(1),
		Max: 9, Meaning: "meaning", Source: "source",
	})
	series.Series = []experiment.Metric{{Name: "day"}, {Name: "sick_people"}}
	list := []*experiment.Experiment{series}
	for text, want := range map[string]experiment.Figure{
		"x = 'day'\ny = 'sick_people'\nhold = true\ncolour = 'β'": {
			Title: "sick people against day", Kind: experiment.Lines, Y: []string{"sick_people"}, Hold: true, Colour: []string{"beta"},
		},
		"x = 'β'\ny = 'sent'\ntitle = 'A'\nsource = 'B'\nlog = []\nlimits = { x = [1, 2.5] }\nlabels = { 'β' = 'rate' }": {
			Title: "A", Source: "B", Kind: experiment.Lines, X: []string{"beta"}, Y: []string{"sent"}, Log: []string{},
			Limits: map[string][2]float64{"x": {1, 2.5}}, Labels: map[string]string{"beta": "rate"},
		},
		"x = 'x'\ny = 'sent'\n[sample]\ndesign = 'lhs'\npoints = 8\n[grid]\nx = { from = 0, to = 1 }": {
			Title: "sent against x", Kind: experiment.Scatter, X: []string{"x"}, Y: []string{"sent"},
		},
		"kind = 'heat'\ncolour = 'sick_people'": {
			Title: "sick people against day", Kind: experiment.Heat, Colour: []string{"sick_people"},
		},
		"kind = 'heat'\nx = 'x'\ny = ['β']\ncolour = 'sent'": {
			Title: "sent against x, beta", Kind: experiment.Heat, X: []string{"x"}, Y: []string{"beta"}, Colour: []string{"sent"},
		},
	} {
		want.Name = "a"
		s, err := Parse("t.toml", []byte("experiment = 'series'\ntitle = 'T'\ndescription = 'D'\n[[figure]]\nname = 'a'\n"+text), list)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := s.Figures[0]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n got %+v\nwant %+v", text, got, want)
		}
		if s.Heading() != "T" || s.Description != "D" {
			t.Errorf("the heading is %q", s.Heading())
		}
	}
	if s, err := Parse("t.toml", []byte("experiment = 'series'"), list); err != nil || s.Heading() != series.Title {
		t.Errorf("without a title: %v, %v", s, err)
	}
}
