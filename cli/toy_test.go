package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sweep/experiment"
)

// toys returns the experiments that the tests sweep over: "toy" can do all
// that an experiment may do, rightly or wrongly.
func toys() []*experiment.Experiment {
	toy := &experiment.Experiment{
		Name: "toy", Version: 3,
		Title: "A formula in place of a simulation", Source: "none",
		Params: []experiment.Param{
			{Name: "algorithm", Kind: experiment.String, Default: experiment.StringValue("sum"),
				Choices: []string{"sum", "product"}, Meaning: "what is done with x and the seed", Source: "invented"},
			{Name: "x", Symbol: "ξ", Kind: experiment.Float, Unit: "m", Default: experiment.FloatValue(0.5), Min: 0, Max: 10, MinOpen: true,
				Meaning: "the first operand, which is explained here at such length that the help text needs a second line for it",
				Source:  "invented"},
			{Name: "N", Kind: experiment.Int, Default: experiment.IntValue(1), Min: 0, Max: 1e9, UsedBy: []string{"sum"},
				Group: "details", Meaning: "how often x is added", Source: "invented"},
			{Name: "fault", Kind: experiment.String, Default: experiment.StringValue("none"), Choices: []string{"none", "error", "panic", "fraction", "deaf"},
				Group: "tests", Meaning: "how the run with seed 2 fails; deaf, it pauses and does not heed the end of its context", Source: "invented"},
			{Name: "pause", Kind: experiment.Int, Unit: "ms", Default: experiment.IntValue(0), Min: 0, Max: 60_000,
				Group: "tests", Meaning: "how long a run takes", Source: "invented"},
		},
		Rules: []experiment.Rule{{Params: []string{"pause", "fault"}, Warns: true, Check: func(p experiment.Point) error {
			if p.Value("fault").Text() == "fraction" && p.Value("pause").Int() > 0 {
				return fmt.Errorf("pause %s delays nothing but a fault", p.Value("pause"))
			}
			return nil
		}}},
		Metrics: []experiment.Metric{
			{Name: "total", Kind: experiment.Float, Unit: "m", Meaning: "the result", Source: "arithmetic"},
			{Name: "rounds", Kind: experiment.Int, Meaning: "the seed again"},
		},
		Series: []experiment.Metric{
			{Name: "hours", Kind: experiment.Float, Unit: "h", Meaning: "when a window ends"},
			{Name: "part", Kind: experiment.Float, Unit: "m", Meaning: "the result so far"},
		},
		Tables: []experiment.Table{{
			Name: "toytable", Title: "The toy's published results", Source: "invented",
			Column: "algorithm", Headers: []string{"sum", "product"},
			Rows: []experiment.TableRow{{Metric: "total", Label: "Total", Mean: []float64{2.5, 1}, Std: []float64{1, 0.5}, Digits: 1}},
		}},
		Run: toyRun,
	}
	other := &experiment.Experiment{
		Name: "bare", Version: 1, Title: "As little as can be declared", Source: "none",
		Metrics: []experiment.Metric{{Name: "seeds", Kind: experiment.Int, Meaning: "the seed"}},
		Run: func(_ context.Context, p experiment.Point, out *experiment.Result) error {
			out.Metrics = []float64{float64(p.Seed)}
			return nil
		},
	}
	return []*experiment.Experiment{toy, other}
}

func toyRun(ctx context.Context, p experiment.Point, out *experiment.Result) error {
	x, seed := p.Value("x").Float(), float64(p.Seed)
	total := x * seed
	if p.Value("algorithm").Text() == "sum" {
		total = math.FMA(x, p.Value("N").Float(), seed)
	}
	out.Metrics = []float64{total, seed}
	out.Series = []float64{3, total / 2, 6, total}
	if p.Seed == 2 {
		switch p.Value("fault").Text() {
		case "error":
			return errors.New("the toy broke")
		case "panic":
			panic("the toy exploded")
		case "fraction":
			out.Metrics[1] = 0.5
		case "deaf":
			time.Sleep(time.Duration(p.Value("pause").Int()) * time.Millisecond)
			return nil
		}
	}
	select {
	case <-time.After(time.Duration(p.Value("pause").Int()) * time.Millisecond):
		// On a machine that stalled, the end of ctx may be due and not yet here.
		if deadline, ok := ctx.Deadline(); ok && time.Now().After(deadline) {
			<-ctx.Done()
		}
	case <-ctx.Done():
	}
	return ctx.Err()
}

// variant returns the toys of a program in which another thing comes of a run of
// the toy.
func variant(version int, change func(p experiment.Point, out *experiment.Result), metrics ...experiment.Metric) []*experiment.Experiment {
	all := toys()
	toy := all[0]
	toy.Version, toy.Metrics = version, append(toy.Metrics, metrics...)
	toy.Run = func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
		err := toyRun(ctx, p, out)
		change(p, out)
		return err
	}
	return all
}

// changedToys returns the toys of a program in which a run of the toy is no
// longer what it was, though nobody has raised its model version: with seed
// 3, the total differs in its last bit, and the series is cut.
func changedToys() []*experiment.Experiment {
	return variant(3, func(p experiment.Point, out *experiment.Result) {
		if p.Seed == 3 {
			out.Metrics[0] = math.Nextafter(out.Metrics[0], 0)
			out.Series = out.Series[:2]
		}
	})
}

// newerToys returns the toys of a program with another version of the model,
// with a metric more, which is defined in no run.
func newerToys() []*experiment.Experiment {
	return variant(4, func(_ experiment.Point, out *experiment.Result) {
		out.Metrics = append(out.Metrics, math.NaN())
	}, experiment.Metric{Name: "never", Kind: experiment.Float, Meaning: "what no run defines"})
}

// declaringToys returns an experiment that a spec declares: it adds up the
// parameters of the grid. Since version 2 it has a metric and a parameter more.
func declaringToys(version int) []*experiment.Experiment {
	own := &experiment.Experiment{Name: "own", Version: version, Title: "What a spec adds up", Source: "the toy of the tests"}
	declared := *own
	own.Declare = func(r *experiment.Request) (*experiment.Experiment, error) {
		total := r.Table.Entry("total")
		if total == nil || total.Value == nil {
			return nil, r.Table.Errorf("want total, the name of the sum")
		}
		e := declared
		e.Metrics = []experiment.Metric{{Name: total.Value.(string), Kind: experiment.Float, Meaning: "the sum"}}
		for _, named := range r.Grid {
			p := named.Param
			p.Min, p.Max, p.Meaning, p.Source = -1e9, 1e9, "a summand", "the spec"
			e.Params = append(e.Params, p)
		}
		if version > 1 {
			e.Params = append(e.Params, experiment.Param{Name: "later", Kind: experiment.Bool,
				Default: experiment.BoolValue(false), Meaning: "what is new", Source: "invented"})
			e.Metrics = append(e.Metrics, experiment.Metric{Name: "never", Kind: experiment.Float, Meaning: "what no run defines"})
		}
		e.Run = func(_ context.Context, p experiment.Point, out *experiment.Result) error {
			sum := float64(p.Seed)
			for _, v := range p.Values {
				sum += v.Float()
			}
			out.Metrics = []float64{sum, math.NaN()}[:len(e.Metrics)]
			return nil
		}
		return &e, nil
	}
	return []*experiment.Experiment{own}
}

// readingToys returns the toys of a program in which the toy's total is the number
// of words in a file, if one is given.
func readingToys() []*experiment.Experiment {
	files := map[experiment.Value][]string{}
	all := variant(3, func(p experiment.Point, out *experiment.Result) {
		if file := p.Value("file"); !file.IsNull() {
			words, ok := files[file]
			if !ok {
				panic("the file was not read")
			}
			out.Metrics[0] = float64(len(words))
		}
	})
	all[0].Params = append(all[0].Params, experiment.Param{Name: "file", Kind: experiment.String, Meaning: "a text", Source: "invented", Replaces: []string{"pause"},
		Input: &experiment.Input{Accepts: "a file of words", Read: func(path string, _ map[string]string) (experiment.Value, error) {
			text, err := os.ReadFile(path)
			if err != nil {
				return experiment.Value{}, err
			}
			words := strings.Fields(string(text))
			v := experiment.StringValue(filepath.Base(path) + "@" + strings.Join(words, "-"))
			files[v] = words
			return v, nil
		}, Describe: func(v experiment.Value) string {
			if words, ok := files[v]; ok {
				return fmt.Sprint(len(words), " words")
			}
			return ""
		}}})
	return all
}
