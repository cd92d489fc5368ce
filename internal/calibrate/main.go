// Calibrate searches the generated news site's free parameters so that the
// foraging experiment meets Table 2 and the structure numbers of the
// paper, and judges parameters on worlds that the search never met.
//
//	go run ./internal/calibrate                 judge the declared defaults
//	go run ./internal/calibrate -search 2000    search, 2000 evaluations
//	go run ./internal/calibrate -set sections=30 -set section_zipf=0.5
//
// Targets: the 18 means of Table 2, the four structure numbers of section
// 4.1, and the order of RL and WL in the seven rows where the table has a
// clear one; nothing else of the papers. Loss: the mean over runs and cells
// of the squared logarithm of ours/paper, each run for itself, so that a
// parameter set that is right only on average is not good; plus hinges for
// the orders and for cells more than 6 % off on average, and squares for the
// structure. Search: CMA-ES
// (gonum's) from the declared defaults. It is a pure function of its flags.
//
// The declared defaults came from several such searches, each from where the
// last one ended (2026, about 1,000 evaluations in all, worlds 1001 to 1012),
// rounded to two digits; hub_link_share and new_leaves were then set by hand
// to the best of seven pairs on worlds 1001 to 1024. That these two matter
// for single worlds was seen on worlds 1 to 10, and intermediate sets were
// judged on worlds 101 to 124; worlds 201 to 1000 were met by none of this.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/sourcegraph/conc/pool"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat"

	"sweep/environments/newssite"
	"sweep/experiment"
	"sweep/experiments"
)

// A free parameter is one that the search may move, in the interval that
// its unit step refers to.
type free struct {
	name   string
	lo, hi float64
}

// freeParameters lists them. All other parameters of the site have values
// from the papers or assumed ones, as their declarations say.
func freeParameters() []free {
	return []free{
		{"archive_pages", 25000, 50000},
		{"section_zipf", 0, 1},
		{"topic_share", 0.3, 0.8},
		{"stray_share", 0, 0.5},
		{"dated_share", 0.3, 0.6},
		{"revisions", 1, 8},
		{"revision_hours", 1, 8},
		{"revision_sigma", 0.5, 3.5},
		{"main_list", 2, 20},
		{"hub_list", 5, 25},
		{"archive_leaves", 0.5, 0.95},
		{"new_leaves", 0, 0.5},
		{"hub_link_share", 0, 0.1},
		{"section_share", 0.2, 0.9},
		{"download_seconds", 1, 3},
		{"download_zipf", 0, 0.6},
	}
}

func main() {
	log.SetFlags(0)
	var (
		search  = flag.Int("search", 0, "evaluations of a search; 0 judges without searching")
		first   = flag.Int64("first", 0, "first world seed (default: 201 to judge, 1001 to search)")
		worlds  = flag.Int("worlds", 0, "worlds (default: 24 to judge, 8 to search)")
		seeds   = flag.Int("seeds", 0, "runs of each fleet in each world (default: 3 to judge, 2 to search)")
		step    = flag.Float64("step", 0.12, "first step of the search, in parts of the parameters' intervals")
		rewired = flag.Bool("rewired", false, "judge the rewired worlds: a prediction, not a target")
		set     overrides
	)
	flag.Var(&set, "set", "name=value, a parameter unlike its default; may be repeated")
	flag.Parse()

	c := newCalibration()
	c.rewired = *rewired
	for _, o := range set {
		c.set(o.name, o.value)
	}
	pick := func(v *int, judge, search int, searching bool) {
		if *v == 0 {
			*v = judge
			if searching {
				*v = search
			}
		}
	}
	pick(worlds, 24, 8, *search > 0)
	pick(seeds, 3, 2, *search > 0)
	if *first == 0 {
		*first = 201
		if *search > 0 {
			*first = 1001
		}
	}
	c.first, c.worlds, c.seeds = *first, *worlds, *seeds
	if *search == 0 {
		c.judge().print(os.Stdout)
		return
	}
	c.search(*search, *step)
}

type override struct {
	name  string
	value float64
}

type overrides []override

func (o *overrides) String() string { return "" }

func (o *overrides) Set(s string) error {
	name, value, ok := strings.Cut(s, "=")
	if !ok {
		return fmt.Errorf("want name=value")
	}
	v, err := strconv.ParseFloat(value, 64)
	*o = append(*o, override{name, v})
	return err
}

// calibration evaluates parameter sets of the foraging experiment.
type calibration struct {
	experiment *experiment.Experiment
	table      *experiment.Table
	values     []experiment.Value
	first      int64
	worlds     int
	seeds      int
	rewired    bool
}

func newCalibration() *calibration {
	e := experiments.Foraging(experiments.Options{WorldMemory: 64 << 20})
	c := &calibration{experiment: e, table: e.Table("table2")}
	for _, p := range e.Params {
		c.values = append(c.values, p.Default)
	}
	return c
}

// set gives a parameter a value, rounded if it is whole.
func (c *calibration) set(name string, x float64) {
	p, i := c.experiment.Param(name)
	if p == nil {
		log.Fatalf("no parameter %q", name)
	}
	switch p.Kind {
	case experiment.Int:
		c.values[i] = experiment.IntValue(int64(math.Round(x)))
	case experiment.Float:
		c.values[i] = experiment.FloatValue(x)
	case experiment.Bool:
		c.values[i] = experiment.BoolValue(x != 0)
	}
	if err := p.Check(c.values[i]); err != nil {
		log.Fatal(err)
	}
}

func (c *calibration) get(name string) float64 {
	_, i := c.experiment.Param(name)
	return c.values[i].Float()
}

// outcome is what a parameter set yields.
type outcome struct {
	table     *experiment.Table
	runs      [][][][]float64 // [world][row][column][seed]
	mean      [][][]float64   // [world][row][column]: mean over seeds
	std       [][]float64     // [row][column]: mean over worlds of the std over seeds
	structure newssite.Structure
}

func (c *calibration) judge() *outcome {
	o := &outcome{table: c.table, runs: make([][][][]float64, c.worlds)}
	p := pool.New().WithMaxGoroutines(runtime.GOMAXPROCS(0))
	for w := range c.worlds {
		p.Go(func() { o.runs[w] = c.world(c.first + int64(w)) })
	}
	p.Go(func() {
		site, err := experiments.NewsSite(c.point("RL", c.first, 0))
		if err != nil {
			log.Fatal(err)
		}
		o.structure = newssite.Measure(site, 100)
	})
	p.Wait()
	o.std = make([][]float64, len(c.table.Rows))
	for r := range o.std {
		o.std[r] = make([]float64, len(c.table.Headers))
	}
	for _, world := range o.runs {
		means := make([][]float64, len(world))
		for r, columns := range world {
			for h, sample := range columns {
				mean, std := stat.MeanStdDev(sample, nil)
				means[r] = append(means[r], mean)
				o.std[r][h] += std / float64(c.worlds)
			}
		}
		o.mean = append(o.mean, means)
	}
	return o
}

func (c *calibration) point(fleet string, world, seed int64) experiment.Point {
	values := append([]experiment.Value(nil), c.values...)
	for i := range values {
		switch p := &c.experiment.Params[i]; {
		case p.Name == experiment.Algorithm:
			values[i] = experiment.StringValue(fleet)
		case p.Name == "world_seed":
			values[i] = experiment.IntValue(world)
		case p.Name == "rewired":
			values[i] = experiment.BoolValue(c.rewired)
		case !p.Uses(fleet):
			values[i] = experiment.Value{}
		}
	}
	return experiment.Point{Experiment: c.experiment, Values: values, Seed: seed}
}

// world returns the runs in one world, by row and column of the table and
// seed.
func (c *calibration) world(world int64) [][][]float64 {
	runs := make([][][]float64, len(c.table.Rows))
	for r := range runs {
		runs[r] = make([][]float64, len(c.table.Headers))
	}
	for h, fleet := range c.table.Headers {
		for seed := range c.seeds {
			var result experiment.Result
			if err := c.experiment.Run(context.Background(), c.point(fleet, world, int64(seed+1)), &result); err != nil {
				log.Fatal(err)
			}
			for r, row := range c.table.Rows {
				runs[r][h] = append(runs[r][h], result.Metrics[c.experiment.Metric(row.Metric)])
			}
		}
	}
	return runs
}

// ordered tells how the paper's table orders the two columns of a row: +1
// if the second is larger, −1 if the first is, 0 if the row has no clear
// order (download efficiency: "about the same").
func ordered(row experiment.TableRow) float64 {
	if row.Metric == "download_efficiency" || row.Metric == "found_urls" {
		return 0
	}
	return math.Copysign(1, row.Mean[1]-row.Mean[0])
}

func (o *outcome) loss() float64 {
	var loss float64
	for w, mean := range o.mean {
		for r, row := range o.table.Rows {
			for h := range row.Mean {
				for _, x := range o.runs[w][r][h] {
					d := math.Log(x / row.Mean[h])
					loss += d * d / float64(len(o.runs[w][r][h]))
				}
			}
			if sign := ordered(row); sign != 0 {
				// the order should hold by half of the paper's margin; what is
				// missing counts in parts of that
				wanted := 0.5 * math.Abs(math.Log(row.Mean[1]/row.Mean[0]))
				if missing := 1 - sign*math.Log(mean[r][1]/mean[r][0])/wanted; missing > 0 {
					loss += 0.02 * missing * missing
				}
			}
		}
	}
	loss /= float64(len(o.mean) * len(o.table.Rows) * 2)
	for r, row := range o.table.Rows { // no single cell may be far off
		for h := range row.Mean {
			ratio := 0.0
			for _, mean := range o.mean {
				ratio += mean[r][h] / row.Mean[h] / float64(len(o.mean))
			}
			if far := math.Abs(math.Log(ratio)) - 0.06; far > 0 {
				loss += 0.5 * far * far
			}
		}
	}
	square := func(x float64) float64 { return x * x }
	s := &o.structure
	loss += 0.002 * (square((s.OutDegree.Exponent-newssite.PaperOutExponent)/0.2) + square((s.InDegree.Exponent-newssite.PaperInExponent)/0.2) +
		square(math.Log(s.Clustering/newssite.PaperClustering)/0.3) + square((s.MeanPath-newssite.PaperMeanPath)/0.7))
	if math.IsNaN(loss) {
		return math.Inf(1)
	}
	return loss
}

func (o *outcome) print(w *os.File) {
	worlds := float64(len(o.mean))
	fmt.Fprintf(w, "%-20s", "row")
	for _, h := range o.table.Headers {
		fmt.Fprintf(w, " | %-4s %9s %9s %6s %6s %6s %6s %5s", h, "mean", "paper", "ratio", "±world", "std", "paper", "z")
	}
	fmt.Fprintln(w, " | order")
	var fit float64
	for r, row := range o.table.Rows {
		fmt.Fprintf(w, "%-20s", row.Metric)
		for h := range o.table.Headers {
			var ratios []float64
			for _, m := range o.mean {
				ratios = append(ratios, m[r][h]/row.Mean[h])
			}
			ratio, spread := stat.MeanStdDev(ratios, nil)
			fit += math.Abs(math.Log(ratio)) / float64(2*len(o.table.Rows))
			fmt.Fprintf(w, " | %14.5g %9.5g %6.3f %6.3f %6.3g %6.3g %5.1f", ratio*row.Mean[h], row.Mean[h], ratio, spread,
				o.std[r][h], row.Std[h], (ratio-1)*row.Mean[h]/row.Std[h])
		}
		held := 0
		for _, m := range o.mean {
			if (m[r][1]-m[r][0])*(row.Mean[1]-row.Mean[0]) > 0 {
				held++
			}
		}
		fmt.Fprintf(w, " | %d/%d\n", held, len(o.mean))
	}
	all := 0
	for _, m := range o.mean {
		held := true
		for r, row := range o.table.Rows {
			if sign := ordered(row); sign != 0 && sign*(m[r][1]-m[r][0]) <= 0 {
				held = false
			}
		}
		if held {
			all++
		}
	}
	s := &o.structure
	fmt.Fprintf(w, "all orders hold in %d of %v worlds; mean |ln ratio| %.3f; loss %.5f\n", all, worlds, fit, o.loss())
	fmt.Fprintf(w, "structure: out %.2f (paper %.2f), in %.2f (%.2f), clustering %.4f (%.2f), path %.2f (%.2f)\n",
		s.OutDegree.Exponent, newssite.PaperOutExponent, s.InDegree.Exponent, newssite.PaperInExponent, s.Clustering, newssite.PaperClustering, s.MeanPath, newssite.PaperMeanPath)
}

// search minimises the loss by CMA-ES and prints each better set. The
// method samples with unit covariance at first, so that its coordinates
// are in units of the first step.
func (c *calibration) search(evaluations int, step float64) {
	free := freeParameters()
	start := make([]float64, len(free))
	for i, f := range free {
		start[i] = (c.get(f.name) - f.lo) / (f.hi - f.lo) / step
	}
	best := math.Inf(1)
	count := 0
	problem := optimize.Problem{Func: func(x []float64) float64 {
		count++
		outside := 0.0
		for i, f := range free {
			at := x[i] * step
			inside := min(max(at, 0), 1)
			outside += (at - inside) * (at - inside)
			c.set(f.name, f.lo+inside*(f.hi-f.lo))
		}
		if c.get("topic_share")+c.get("stray_share") > 1 {
			return 10 + outside
		}
		o := c.judge()
		loss := o.loss() + outside
		if loss < best {
			best = loss
			fmt.Printf("\nevaluation %d, loss %.5f:", count, loss)
			for _, f := range free {
				fmt.Printf(" -set %s=%.4g", f.name, c.get(f.name))
			}
			fmt.Println()
			o.print(os.Stdout)
		}
		return loss
	}}
	settings := &optimize.Settings{FuncEvaluations: evaluations, Converger: optimize.NeverTerminate{}}
	method := &optimize.CmaEsChol{InitStepSize: 1, Src: rand.NewPCG(1, 1)}
	if _, err := optimize.Minimize(problem, start, settings, method); err != nil {
		log.Fatal(err)
	}
}
