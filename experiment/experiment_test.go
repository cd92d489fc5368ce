package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

func TestValuesAreCanonical(t *testing.T) {
	for want, v := range map[string]Value{
		"null null": {}, "bool true": BoolValue(true), "bool false": BoolValue(false),
		"int -5": IntValue(-5), "int 9223372036854775807": IntValue(math.MaxInt64),
		"float 0.1": FloatValue(0.1), "float 1": FloatValue(1), "float 1e+21": FloatValue(1e21), "float 0": FloatValue(math.Copysign(0, -1)),
		"string RL": StringValue("RL"),
	} {
		if got := v.Kind().String() + " " + v.String(); got != want {
			t.Errorf("value %s, want %s", got, want)
		}
	}
	values := []Value{{}, BoolValue(true), IntValue(-5), FloatValue(0.1), FloatValue(1e21), StringValue(`"β"`)}
	if text, err := json.Marshal(values); err != nil || string(text) != `[null,true,-5,0.1,1e+21,"\"β\""]` {
		t.Errorf("as JSON %s, %v", text, err)
	}
	if FloatValue(math.Copysign(0, -1)) != FloatValue(0) {
		t.Error("negative zero is another value than zero")
	}
	if FloatValue(1) == IntValue(1) || (Value{}) == IntValue(0) || BoolValue(false) == (Value{}) {
		t.Error("values of different kinds are equal")
	}
	if IntValue(3).Float() != 3 || FloatValue(2.5).Int() != 0 || !BoolValue(true).Bool() || StringValue("x").Text() != "x" {
		t.Error("values do not read back")
	}
}

func TestFloatValueRefusesWhatNoParameterMayHold(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		panics(t, func() { FloatValue(x) })
	}
}

// panics expects a function to panic.
func panics(t *testing.T, f func()) {
	t.Helper()
	defer func() { _ = recover() }()
	f()
	t.Error("no panic")
}

var (
	share = Param{Name: "share", Kind: Float, Default: FloatValue(0.5), Min: 0, Max: 1, MinOpen: true, Meaning: "m", Source: "s"}
	count = Param{Name: "count", Kind: Int, Default: IntValue(3), Min: 1, Max: 10, Meaning: "m", Source: "s"}
	fleet = Param{Name: Algorithm, Kind: String, Default: StringValue("RL"), Choices: []string{"RL", "WL"}, Meaning: "m", Source: "s"}
	flag  = Param{Name: "flag", Kind: Bool, Default: BoolValue(false), Meaning: "m", Source: "s"}
)

func TestParseAndCheck(t *testing.T) {
	for _, c := range []struct {
		param      *Param
		text, want string // want: the value with its kind, or the error
	}{
		{&share, "0.25", "float 0.25"},
		{&share, "1", "float 1"},
		{&share, "0", "share is 0, want a number in (0, 1]"},
		{&share, "1.5", "share is 1.5, want a number in (0, 1]"},
		{&share, "NaN", `share is "NaN", want a number in (0, 1]`},
		{&share, "lots", `share is "lots", want a number in (0, 1]`},
		{&count, "10", "int 10"},
		{&count, "11", "count is 11, want an integer in [1, 10]"},
		{&count, "2.0", `count is "2.0", want an integer in [1, 10]`},
		{&fleet, "WL", "string WL"},
		{&fleet, "wl", `algorithm is "wl", want one of RL, WL`},
		{&flag, "true", "bool true"},
		{&flag, "maybe", `flag is "maybe", want true or false`},
	} {
		v, err := c.param.Parse(c.text)
		got := v.Kind().String() + " " + v.String()
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: Parse(%q) gave %s, want %s", c.param.Name, c.text, got, c.want)
		}
	}
	if p := file(); p.Check(StringValue("anything")) != nil || p.Check(Value{}) != nil || p.Check(IntValue(1)) == nil {
		t.Error("a file is not any string, or none")
	}
	if err := count.Check(FloatValue(2)); err == nil || err.Error() != "count is a number, want an integer in [1, 10]" {
		t.Errorf("Check of another kind: %v", err)
	}
}

// file returns a parameter that names a file.
func file() Param {
	return Param{Name: "file", Kind: String, Meaning: "m", Source: "s", Replaces: []string{"flag"},
		Input: &Input{Accepts: "a file", Read: func(path string, _ map[string]string) (Value, error) { return StringValue(path), nil }}}
}

func valid() *Experiment {
	beta := share
	beta.Name, beta.UsedBy = "beta", []string{"WL"}
	return &Experiment{
		Name: "test", Version: 1,
		Params: []Param{fleet, count, beta, flag, file()},
		Rules: []Rule{{Params: []string{"file", "count"}, // not on the defaults, where there is no file
			Check: func(Point) error { return errors.New("no count is right") }}},
		Metrics: []Metric{{Name: "sent", Kind: Int, Meaning: "m"}, {Name: "age", Kind: Float, Meaning: "m"}},
		Tables: []Table{{Name: "table", Column: Algorithm, Headers: []string{"RL", "WL"},
			Rows: []TableRow{{Metric: "sent", Mean: []float64{1, 2}, Std: []float64{0, 0}}}}},
		Series: []Metric{{Name: "hours", Kind: Float, Meaning: "m"}, {Name: "y", Kind: Float, Meaning: "m"}},
		Figures: []Figure{{Name: "figure1", Title: "t", Source: "s", Kind: Lines, X: []string{"count"}, Y: []string{"sent"},
			Where: []Condition{{Param: Algorithm, Is: []Value{StringValue("RL")}}}}},
		Run: func(context.Context, Point, *Result) error { return nil },
	}
}

func TestValidateFindsEachFault(t *testing.T) {
	same := valid() // parameters may share a symbol, and have their name as one
	same.Params[1].Symbol, same.Params[2].Symbol, same.Params[3].Symbol = "β", "β", "flag"
	for _, e := range []*Experiment{valid(), same} {
		if err := e.Validate(); err != nil {
			t.Fatal(err)
		}
	}
	for fault, spoil := range map[string]func(*Experiment){
		`name "my test" is not an identifier`:    func(e *Experiment) { e.Name = "my test" },
		"version 0 is below 1":                   func(e *Experiment) { e.Version = 0 },
		"needs Run":                              func(e *Experiment) { e.Run = nil },
		"at least one metric":                    func(e *Experiment) { e.Metrics = nil },
		`"Count" differs from "count" only by c`: func(e *Experiment) { e.Params[3].Name = "Count" },
		`"seed" is the name of a column`:         func(e *Experiment) { e.Params[3].Name = "seed" },
		`"count" is declared twice`:              func(e *Experiment) { e.Metrics[0].Name = "count" },
		`"a b" is not an identifier`:             func(e *Experiment) { e.Metrics[0].Name = "a b" },
		"lacks its meaning or source":            func(e *Experiment) { e.Params[1].Source = "" },
		"lacks Min and Max":                      func(e *Experiment) { e.Params[1].Min, e.Params[1].Max = 0, 0 }, "default: count is 0": func(e *Experiment) { e.Params[1].Default = IntValue(0) },
		`unknown algorithm "XL"`:                 func(e *Experiment) { e.Params[2].UsedBy = []string{"XL"} },
		`metric "age" lacks`:                     func(e *Experiment) { e.Metrics[1].Kind = String },
		`no parameter "fleet"`:                   func(e *Experiment) { e.Tables[0].Column = "fleet" },
		`algorithm is "XL"`:                      func(e *Experiment) { e.Tables[0].Headers[1] = "XL" },
		"lacks its parameters or its c":          func(e *Experiment) { e.Rules[0].Params = nil },
		`on the unknown parameter "x"`:           func(e *Experiment) { e.Rules[0].Params = []string{"count", "x"} },
		"the defaults break a rule: no":          func(e *Experiment) { e.Rules[0].Params = []string{"count"} },
		"an input is a string without ":          func(e *Experiment) { e.Params[4].Default = StringValue("") },
		"and needs Accepts and Read":             func(e *Experiment) { e.Params[4].Input.Read = nil },
		"replaces others and is no inp":          func(e *Experiment) { e.Params[1].Replaces = []string{"flag"} },
		`replaces "algorithm", which is`:         func(e *Experiment) { e.Params[4].Replaces = []string{Algorithm} },
		`replaces "fleet", which is no `:         func(e *Experiment) { e.Params[4].Replaces = []string{"fleet"} },
		"has no metric or the wrong nu":          func(e *Experiment) { e.Tables[0].Rows[0].Mean = []float64{1} },
		`"mean" is the name of a column`:         func(e *Experiment) { e.Params[3].Name = "mean" },
		`"N_Failed" is the name of a column`:     func(e *Experiment) { e.Params[3].Name = "N_Failed" },
		`"n" is the name of a column`:            func(e *Experiment) { e.Params[3].Name = "n" },
		`"Hours" differs from "hours" only by c`: func(e *Experiment) { e.Series[1].Name = "Hours" },
		`"window" is the name of a column`:       func(e *Experiment) { e.Series[0].Name = "window" },
		`column "" is not an identifier`:         func(e *Experiment) { e.Series[0].Name = "" },
		"lacks its name":                         func(e *Experiment) { e.Figures[0].Source = "" },
		`kind is "pie"`:                          func(e *Experiment) { e.Figures[0].Kind = "pie" },
		`panels names "z", want a parameter`:     func(e *Experiment) { e.Figures[0].Panels = []string{"z"} },
		"want a numeric parameter":               func(e *Experiment) { e.Figures[0].X = []string{Algorithm} },
		"along is for lines whose x is a met":    func(e *Experiment) { e.Figures[0].Along = []string{"count"} },
		`a bound of "z"`:                         func(e *Experiment) { e.Figures[0].Bounds = map[string]float64{"z": 1} },
		"a heat figure with y needs a param":     func(e *Experiment) { e.Figures[0].Kind, e.Figures[0].X = Heat, nil },
		"there is no y, want metrics":            func(e *Experiment) { e.Figures[0].Y = nil },
		`y names "y", want a metric`:             func(e *Experiment) { e.Figures[0].Y = []string{"y"} }, // which is of the series
		`is "green", want one`:                   func(e *Experiment) { e.Figures[0].Where[0].Is = []Value{StringValue("green")} },
		`a slope of "sent"`:                      func(e *Experiment) { e.Figures[0].Slopes = []Slope{{Y: "sent", Metric: "z"}} },
		`parameter "flag" lacks its Kind`: func(e *Experiment) {
			e.Params[3] = Param{Name: "flag", Meaning: "m", Source: "s"}
		},
		`has UsedBy, and no parameter "algorithm" has Ch`: func(e *Experiment) { e.Params[0].Choices = nil },
		`"beta" is used by no algorithm`:                  func(e *Experiment) { e.Params[2].UsedBy = []string{} },
		`has the choice "RL" twice`:                       func(e *Experiment) { e.Params[0].Choices = []string{"RL", "WL", "RL"} },
		"has an empty list of choices":                    func(e *Experiment) { e.Params[3].Choices = []string{} },
		`table "table" comes twice`:                       func(e *Experiment) { e.Tables = append(e.Tables, e.Tables[0]) },
		`table "" comes twice, or lacks`:                  func(e *Experiment) { e.Tables[0].Name = "" },
		`figure "../../x" is no name for file`:            func(e *Experiment) { e.Figures[0].Name = "../../x" },
		`figure "figure1" comes twice`:                    func(e *Experiment) { e.Figures = append(e.Figures, e.Figures[0]) },
	} {
		e := valid()
		spoil(e)
		if err := e.Validate(); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("error %v, want one with %q", err, fault)
		}
	}
}

func TestLookups(t *testing.T) {
	e := valid()
	if p := &e.Params[2]; p.Uses("RL") || !p.Uses("WL") || e.Metric("nope") != -1 || e.Table("table") == nil || e.Table("nope") != nil {
		t.Error("what is declared is not found by name")
	}
	p := Point{Experiment: e, Values: []Value{StringValue("RL"), IntValue(7), {}, BoolValue(true)}}
	if p.Value("count") != IntValue(7) || !p.Value("beta").IsNull() {
		t.Error("values are not found by name")
	}
	panics(t, func() { p.Value("nope") })
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
