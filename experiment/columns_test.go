package experiment

import (
	"context"
	"strings"
	"testing"
)

// TestColumnNames: names that would collide in one of the files are found.
func TestColumnNames(t *testing.T) {
	metric := func(name string) Metric { return Metric{Name: name, Kind: Float, Meaning: "x"} }
	param := func(name string) []Param {
		return []Param{{Name: name, Kind: Int, Default: IntValue(1), Max: 9, Meaning: "x", Source: "x"}}
	}
	for _, test := range []struct {
		name   string
		params []Param
		series []string // the axis first
		want   string   // part of the error; empty if there is to be none
	}{
		{"the papers' N", param("N"), nil, ""},
		{"a statistic", param("mean"), nil, "name of a column that sweep itself"},
		{"a statistic in capitals", param("N_Failed"), nil, "name of a column that sweep itself"},
		{"the summary's count", param("n"), nil, "name of a column that sweep itself"},
		{"a metric", param("Y"), nil, "only by case"},
		{"series", nil, []string{"hours", "y"}, ""},
		{"series of one name", nil, []string{"hours", "Hours"}, "series"},
		{"series with the engine's name", nil, []string{"window", "y"}, "series"},
		{"series without an axis", nil, []string{"", "y"}, "series"},
	} {
		e := Experiment{
			Name: "x", Version: 1, Params: test.params, Metrics: []Metric{metric("y")},
			Run: func(context.Context, Point, *Result) error { return nil },
		}
		for i, name := range test.series {
			if i == 0 {
				e.Series.Axis = metric(name)
			} else {
				e.Series.Columns = append(e.Series.Columns, metric(name))
			}
		}
		err := e.Validate()
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: Validate() = %v, want an error with %q", test.name, err, test.want)
		}
	}
}
