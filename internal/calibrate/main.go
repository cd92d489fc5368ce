// Calibrate fits the generated news site's free parameters to Table 2 and
// the structure numbers of the paper, and judges parameters on worlds that
// the fit never met.
//
//	go run ./internal/calibrate                 judge the declared defaults, or others by -set
//	go run ./internal/calibrate -fit 6          fit: a response surface, 6 Newton steps
//
// Targets: the 18 means of Table 2 (12 of them independent) and the six
// structure numbers of section 4.1, two of them of the rewired site; nothing
// else of the papers. A residual is ln(ours/paper), the mean over worlds.
//
// Method: single evaluations are noisy and outcomes nearly linear in the
// logarithms of parameters. So a linear response surface is fitted by least
// squares to random designs around the start, a few worlds and one run each;
// then each step evaluates accurately and solves the surface for the step that
// takes the residuals off, bounded and damped. It is a pure function of its
// flags, and writes every evaluation to standard output as CSV.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/sourcegraph/conc/pool"
	"gonum.org/v1/gonum/mat"

	"sweep/environments/newssite"
	"sweep/experiment"
	"sweep/experiments"
	"sweep/internal/rng"
)

// freeParameters lists what a fit moves.
var freeParameters = []string{
	"archive_pages", "section_zipf", "topic_share", "dated_share", "revision_sigma", "hub_list",
	"main_list", "archive_leaves", "hub_link_share", "download_seconds", "download_zipf", "index_shun",
}

func main() {
	log.SetFlags(0)
	var (
		c       = newCalibration()
		steps   = flag.Int("fit", 0, "Newton steps of a fit; 0 judges the declared defaults")
		designs = flag.Int("designs", 100, "random designs of the response surface")
	)
	flag.Int64Var(&c.first, "first", 4001, "first world seed to judge by; a fit uses worlds from 2001 on")
	flag.IntVar(&c.worlds, "worlds", 24, "worlds to judge by, or to evaluate a Newton step by")
	flag.IntVar(&c.seeds, "seeds", 4, "runs of each fleet in each world")
	flag.Func("set", "name=value, a parameter unlike its default; may be repeated", func(s string) error {
		name, value, _ := strings.Cut(s, "=")
		x, err := strconv.ParseFloat(value, 64)
		if err == nil {
			c.set(name, x)
		}
		return err
	})
	flag.Parse()
	if *steps > 0 {
		c.fit(*designs, *steps)
		return
	}
	c.judge()
}

// calibration evaluates parameter sets of the foraging experiment.
type calibration struct {
	experiment *experiment.Experiment
	table      *experiment.Table
	values     []experiment.Value
	first      int64
	worlds     int
	seeds      int
	sources    int // of shortest paths
}

func newCalibration() *calibration {
	e := experiments.Foraging(experiments.Options{WorldMemory: 64 << 20})
	c := &calibration{experiment: e, table: e.Table("table2"), sources: 50}
	for _, p := range e.Params {
		c.values = append(c.values, p.Default)
	}
	return c
}

// set gives a parameter a value, rounded if it is whole and moved into its
// range, and returns it.
func (c *calibration) set(name string, x float64) float64 {
	p, i := c.experiment.Param(name)
	if p == nil {
		log.Fatalf("no parameter %q", name)
	}
	x = min(max(x, p.Min), p.Max)
	c.values[i] = experiment.FloatValue(x)
	if p.Kind == experiment.Int {
		x = math.Round(x)
		c.values[i] = experiment.IntValue(int64(x))
	}
	return x
}

// point returns the point of one run.
func (c *calibration) point(fleet string, rewired bool, world, seed int64) experiment.Point {
	values := slices.Clone(c.values)
	for i := range values {
		switch p := &c.experiment.Params[i]; {
		case p.Name == experiment.Algorithm:
			values[i] = experiment.StringValue(fleet)
		case p.Name == "world_seed":
			values[i] = experiment.IntValue(world)
		case p.Name == "rewired":
			values[i] = experiment.BoolValue(rewired)
		case !p.Uses(fleet):
			values[i] = experiment.Value{}
		}
	}
	return experiment.Point{Experiment: c.experiment, Values: values, Seed: seed}
}

// world is what the runs in one world yield.
type world struct {
	seed      int64
	results   map[string][]experiment.Result // of each fleet; "rewired RL" where links are rewired
	structure [2]newssite.Structure          // as it is and rewired
}

// evaluate runs the fleets in all worlds, the first ones of rewired worlds too.
func (c *calibration) evaluate(fleets ...string) []world {
	worlds := make([]world, c.worlds)
	p := pool.New().WithMaxGoroutines(runtime.GOMAXPROCS(0))
	for i := range worlds {
		p.Go(func() {
			w := world{seed: c.first + int64(i), results: map[string][]experiment.Result{}}
			site, err := experiments.NewsSite(c.point("RL", false, w.seed, 0))
			if err != nil {
				log.Fatal(err)
			}
			w.structure[0] = newssite.Measure(site, c.sources)
			w.structure[1] = newssite.Measure(newssite.Rewire(site, w.seed), c.sources)
			for _, f := range fleets {
				name, rewired := strings.CutPrefix(f, "rewired ")
				for seed := range c.seeds {
					var r experiment.Result
					if err := c.experiment.Run(context.Background(), c.point(name, rewired, w.seed, int64(seed+1)), &r); err != nil {
						log.Fatal(err)
					}
					w.results[f] = append(w.results[f], r)
				}
			}
			worlds[i] = w
		})
	}
	p.Wait()
	return worlds
}

// mean returns the mean of a metric over the runs of a fleet in one world.
func (c *calibration) mean(w world, fleet, metric string) (mean float64) {
	for _, r := range w.results[fleet] {
		mean += r.Metrics[c.experiment.Metric(metric)] / float64(len(w.results[fleet]))
	}
	return mean
}

// A target is a number of the paper and how to find ours in one world.
type target struct {
	name   string
	paper  float64
	weight float64
	ours   func(world) float64
}

func (c *calibration) targets() []target {
	var list []target
	for _, row := range c.table.Rows {
		for h, fleet := range c.table.Headers {
			list = append(list, target{row.Metric + " " + fleet, row.Mean[h], 1,
				func(w world) float64 { return c.mean(w, fleet, row.Metric) }})
		}
	}
	// paths differ most between worlds; 10 % of the others are as 5 % in the table
	return append(list,
		target{"out_slope", newssite.PaperOutExponent, 0.5, func(w world) float64 { return w.structure[0].OutDegree.Exponent }},
		target{"in_slope", newssite.PaperInExponent, 0.5, func(w world) float64 { return w.structure[0].InDegree.Exponent }},
		target{"clustering", newssite.PaperClustering, 0.5, func(w world) float64 { return w.structure[0].Clustering }},
		target{"mean_path", newssite.PaperMeanPath, 0.25, func(w world) float64 { return w.structure[0].MeanPath }},
		target{"rewired clustering", newssite.PaperRewiredClustering, 0.5, func(w world) float64 { return w.structure[1].Clustering }},
		target{"rewired mean_path", newssite.PaperRewiredMeanPath, 0.25, func(w world) float64 { return w.structure[1].MeanPath }})
}

// residuals returns ln(ours/paper) of each target, the mean over worlds.
func residuals(targets []target, worlds []world) []float64 {
	r := make([]float64, len(targets))
	for i, t := range targets {
		for _, w := range worlds {
			r[i] += math.Log(t.ours(w)/t.paper) / float64(len(worlds))
		}
	}
	return r
}

// designSpread is the standard deviation of a design's parameters, on the
// scale on which they are moved.
const designSpread = 0.12

// A fit moves the free parameters from where they are.
type fit struct {
	*calibration
	targets []target
	free    []*experiment.Param
	start   []float64 // on the scale on which they are moved
}

func (c *calibration) fit(designs, steps int) {
	f := &fit{calibration: c, targets: c.targets()}
	for _, name := range freeParameters {
		p, i := c.experiment.Param(name)
		f.free, f.start = append(f.free, p), append(f.start, upon(p, c.values[i].Float()))
	}
	header := append([]string{"step"}, freeParameters...)
	for _, t := range f.targets {
		header = append(header, t.name)
	}
	fmt.Println(strings.Join(header, ","))

	accurate := *c
	c.first, c.worlds, c.seeds, c.sources = 2001, 4, 1, 10
	surface := f.surface(designs)
	c.worlds, c.seeds, c.sources = accurate.worlds, accurate.seeds, accurate.sources
	move := make([]float64, len(f.free))
	for k := range steps {
		moved, r := f.evaluate(fmt.Sprintf("step %d", k), move)
		for j, x := range f.solve(surface, r) {
			move[j] = min(max(moved[j]+x, -4*designSpread), 4*designSpread)
		}
	}
	f.evaluate(fmt.Sprintf("step %d", steps), move)
}

// evaluate returns the residuals after a move, and the move as far as
// rounding and ranges let it.
func (f *fit) evaluate(step string, move []float64) (moved, r []float64) {
	fmt.Print(step)
	for j, p := range f.free {
		x := f.set(p.Name, from(p, f.start[j]+move[j]))
		moved = append(moved, upon(p, x)-f.start[j])
		fmt.Printf(",%.4g", x)
	}
	r = residuals(f.targets, f.calibration.evaluate(f.table.Headers...))
	for _, x := range r {
		fmt.Printf(",%.4f", x)
	}
	fmt.Println()
	return moved, r
}

// surface returns what a move of each parameter does to each residual, and
// the residuals without one, by random designs.
func (f *fit) surface(designs int) *mat.Dense {
	s := rng.New("calibration designs")
	x := mat.NewDense(designs, len(f.free)+1, nil)
	y := mat.NewDense(designs, len(f.targets), nil)
	for d := range designs {
		move := make([]float64, len(f.free))
		for j := range move {
			move[j] = designSpread * s.Normal()
		}
		moved, r := f.evaluate(fmt.Sprintf("design %d", d+1), move)
		x.SetRow(d, append(moved, 1))
		y.SetRow(d, r)
	}
	var surface mat.Dense
	if err := surface.Solve(x, y); err != nil {
		log.Fatal(err)
	}
	return &surface
}

// upon returns a parameter's value on the scale on which a fit moves it:
// shares by half of their log odds, other numbers by their logarithm.
func upon(p *experiment.Param, x float64) float64 {
	if p.Min == 0 && p.Max == 1 {
		return math.Log(x/(1-x)) / 2
	}
	return math.Log(x)
}

// from is the inverse of upon.
func from(p *experiment.Param, x float64) float64 {
	if p.Min == 0 && p.Max == 1 {
		return 1 / (1 + math.Exp(-2*x))
	}
	return math.Exp(x)
}

// solve returns the move that brings the residuals nearest to zero by the
// surface: weighted least squares, damped so that a parameter moves by
// designSpread only if that takes .02 off.
func (f *fit) solve(surface *mat.Dense, r []float64) []float64 {
	n := len(f.free)
	a := mat.NewDense(len(f.targets)+n, n, nil)
	b := mat.NewVecDense(len(f.targets)+n, nil)
	for i, t := range f.targets {
		for j := range n {
			a.Set(i, j, t.weight*surface.At(j, i))
		}
		b.SetVec(i, -t.weight*r[i])
	}
	for j := range n {
		a.Set(len(f.targets)+j, j, 0.02/designSpread)
	}
	var change mat.VecDense
	if err := change.SolveVec(a, b); err != nil {
		log.Fatal(err)
	}
	return change.RawVector().Data
}

// judge prints how parameters do, target by target, and what was no target.
func (c *calibration) judge() {
	worlds := c.evaluate("RL", "WL", "WLRL", "fixed", "rewired RL", "rewired WL", "rewired WLRL", "rewired fixed")
	targets := c.targets()
	for i, r := range residuals(targets, worlds) {
		fmt.Printf("%-25s %+.1f %% of the paper's %.5g\n", targets[i].name, 100*r, targets[i].paper)
	}
	compare := func(metric, a, b string) {
		above, ratio := 0, 0.0
		for _, w := range worlds {
			x := c.mean(w, a, metric) / c.mean(w, b, metric)
			ratio += x / float64(len(worlds))
			if x > 1 {
				above++
			}
		}
		fmt.Printf("%-20s %12s / %-12s %.3f, above 1 in %d of %d\n", metric, a, b, ratio, above, len(worlds))
	}
	for _, row := range c.table.Rows {
		compare(row.Metric, "WL", "RL")
	}
	for _, pair := range [][2]string{{"WL", "fixed"}, {"WLRL", "fixed"}, {"RL", "fixed"},
		{"rewired RL", "rewired WL"}, {"rewired WLRL", "rewired RL"}, {"rewired RL", "rewired fixed"}} {
		compare("relevant", pair[0], pair[1])
	}
}
