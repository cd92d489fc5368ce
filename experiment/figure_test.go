package experiment

import (
	"math"
	"strings"
	"testing"

	"sweep/internal/document"
)

// A figure of what the experiment does not have is found.
func TestValidateFigures(t *testing.T) {
	e := Experiment{
		Params:  []Param{{Name: "x", Kind: Float, Max: 1}, {Name: "color", Kind: String, Choices: []string{"red", "blue"}}},
		Metrics: []Metric{{Name: "y"}},
		Series:  Series{Axis: Metric{Name: "time"}, Columns: []Metric{{Name: "v"}}},
	}
	good := Figure{Name: "figure1", Title: "t", Source: "s", Kind: Lines, X: []string{"x"}, Y: []string{"y"},
		Where: []Condition{{Param: "color", Is: []Value{StringValue("red")}}}}
	for want, change := range map[string]func(*Figure){
		"":                     func(*Figure) {},
		"lacks its name":       func(f *Figure) { f.Source = "" },
		`no kind "pie"`:        func(f *Figure) { f.Kind = "pie" },
		`no parameter "z"`:     func(f *Figure) { f.Facets = []string{"z"} },
		"is no number":         func(f *Figure) { f.X = []string{"color"} },
		"a map needs X":        func(f *Figure) { f.Kind, f.X = Map, nil },
		"no metric and no":     func(f *Figure) { f.Y = nil },
		`no metric or column`:  func(f *Figure) { f.Y = []string{"v"} }, // which is of the series
		`is "green", want one`: func(f *Figure) { f.Where = []Condition{{Param: "color", Is: []Value{StringValue("green")}}} },
		`a slope of "y"`:       func(f *Figure) { f.Slopes = []Slope{{Y: "y", Metric: "z"}} },
	} {
		f := good
		change(&f)
		e.Figures = []Figure{f}
		err := faultOf(e.validateFigures)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	e.Figures = []Figure{good, good}
	if err := faultOf(e.validateFigures); err == nil {
		t.Error("two figures have one name")
	}
}

func TestConditions(t *testing.T) {
	small := Condition{Param: "N", From: math.Inf(-1), To: 16}
	named := Condition{Param: "color", Is: []Value{StringValue("red"), StringValue("blue")}}
	if !small.Holds(IntValue(16)) || small.Holds(IntValue(17)) || small.Holds(Value{}) || !named.Holds(StringValue("blue")) || named.Holds(StringValue("green")) {
		t.Error("a condition does not hold where it should, or does where it should not")
	}
	if got := small.String() + ", " + named.String(); got != "N ≤ 16, color = red or blue" {
		t.Errorf("conditions read %q", got)
	}
}

func faultOf(validate func()) (err error) {
	defer document.Catch[*document.Fault](&err)
	validate()
	return nil
}
