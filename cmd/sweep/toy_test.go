package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"sweep/internal/schema"
)

// toys returns the experiments that the tests sweep over: "toy" can do all
// that an experiment may do, rightly or wrongly.
func toys() []*schema.Experiment {
	toy := &schema.Experiment{
		Name: "toy", Version: 3,
		Title: "A formula in place of a simulation", Source: "none",
		Params: []schema.Param{
			{Name: "algorithm", Kind: schema.String, Default: schema.StringValue("sum"),
				Choices: []string{"sum", "product"}, Meaning: "what is done with x and the seed", Source: "invented"},
			{Name: "x", Symbol: "ξ", Kind: schema.Float, Unit: "m", Default: schema.FloatValue(0.5), Min: 0, Max: 10, MinOpen: true,
				Meaning: "the first operand, which is explained here at such length that the help text needs a second line for it",
				Source:  "invented"},
			{Name: "N", Kind: schema.Int, Default: schema.IntValue(1), Min: 0, Max: 1e9, UsedBy: []string{"sum"},
				Group: "details", Meaning: "how often x is added", Source: "invented"},
			{Name: "fault", Kind: schema.String, Default: schema.StringValue("none"), Choices: []string{"none", "error", "panic", "fraction", "deaf"},
				Group: "tests", Meaning: "how the run with seed 2 fails; deaf, it pauses and does not heed the end of its context", Source: "invented"},
			{Name: "pause", Kind: schema.Int, Unit: "ms", Default: schema.IntValue(0), Min: 0, Max: 60_000,
				Group: "tests", Meaning: "how long a run takes", Source: "invented"},
		},
		Rules: []schema.Rule{{Params: []string{"pause", "fault"}, Warns: true, Check: func(p schema.Point) error {
			if p.Value("fault").Text() == "fraction" && p.Value("pause").Int() > 0 {
				return fmt.Errorf("pause %s delays nothing but a fault", p.Value("pause"))
			}
			return nil
		}}},
		Metrics: []schema.Metric{
			{Name: "total", Kind: schema.Float, Unit: "m", Meaning: "the result", Source: "arithmetic"},
			{Name: "rounds", Kind: schema.Int, Meaning: "the seed again"},
		},
		Series: schema.Series{
			Axis:    schema.Metric{Name: "hours", Kind: schema.Float, Unit: "h", Meaning: "when a window ends"},
			Columns: []schema.Metric{{Name: "part", Kind: schema.Float, Unit: "m", Meaning: "the result so far"}},
		},
		Tables: []schema.Table{{
			Name: "toytable", Title: "The toy's published results", Source: "invented",
			Column: "algorithm", Headers: []string{"sum", "product"},
			Rows: []schema.TableRow{{Metric: "total", Label: "Total", Mean: []float64{2.5, 1}, Std: []float64{1, 0.5}, Digits: 1}},
		}},
		Run: toyRun,
	}
	other := &schema.Experiment{
		Name: "bare", Version: 1, Title: "As little as can be declared", Source: "none",
		Metrics: []schema.Metric{{Name: "seeds", Kind: schema.Int, Meaning: "the seed"}},
		Run: func(_ context.Context, p schema.Point, out *schema.Result) error {
			out.Metrics = []float64{float64(p.Seed)}
			return nil
		},
	}
	return []*schema.Experiment{toy, other}
}

func toyRun(ctx context.Context, p schema.Point, out *schema.Result) error {
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
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// changedToys returns the toys of a program in which a run of the toy is no
// longer what it was, though nobody has raised its model version: with seed
// 3, the total differs in its last bit, and the series is cut.
func changedToys() []*schema.Experiment {
	all := toys()
	all[0].Run = func(ctx context.Context, p schema.Point, out *schema.Result) error {
		err := toyRun(ctx, p, out)
		if p.Seed == 3 {
			out.Metrics[0] = math.Nextafter(out.Metrics[0], 0)
			out.Series = out.Series[:2]
		}
		return err
	}
	return all
}

// newerToys returns the toys of a program with another version of the
// model: a parameter and two metrics more, one of them defined in no run, one
// metric less, and products that are larger by a tenth.
func newerToys() []*schema.Experiment {
	all := toys()
	toy := all[0]
	toy.Version++
	toy.Params = append(toy.Params, schema.Param{Name: "detail", Kind: schema.Int, Default: schema.IntValue(2), Max: 9,
		Meaning: "how closely one looks", Source: "invented"})
	toy.Metrics[1] = schema.Metric{Name: "laps", Kind: schema.Int, Meaning: "rounds by another name"}
	toy.Metrics = append(toy.Metrics, schema.Metric{Name: "never", Kind: schema.Float, Meaning: "what no run defines"})
	toy.Run = func(ctx context.Context, p schema.Point, out *schema.Result) error {
		err := toyRun(ctx, p, out)
		if p.Value("algorithm").Text() == "product" {
			out.Metrics[0] *= 1.1
		}
		out.Metrics = append(out.Metrics, math.NaN())
		return err
	}
	return all
}
