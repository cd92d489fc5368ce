package results

import (
	"math"
	"math/rand/v2"
	"testing"

	"sweep/grid"
)

// naiveNeeded is what the rule says, word for word: at each checkpoint in
// turn, all rows of the cell up to there.
func naiveNeeded(rule *grid.Stop, rows map[int64]float64) (int64, bool) {
	for _, n := range rule.Checkpoints() {
		sum, squares, defined := 0.0, 0.0, 0.0
		for k := range n {
			x, ok := rows[k]
			if !ok {
				return n, false
			}
			if !math.IsNaN(x) {
				sum, squares, defined = sum+x, squares+x*x, defined+1
			}
		}
		mean := sum / defined
		std := math.Sqrt((squares - defined*mean*mean) / (defined - 1))
		const t10, t15, t23, t35, t40 = 2.262157, 2.144787, 2.073873, 2.032245, 2.022691 // 97.5 % of Student's t, from tables
		factor := map[int64]float64{10: t10, 15: t15, 23: t23, 35: t35, 40: t40}[int64(defined)]
		if defined >= float64(rule.Min) && factor*std/math.Sqrt(defined) <= rule.HalfWidth {
			return n, true
		}
	}
	return rule.Max, true
}

// In whatever order rows arrive, the judgement is that of the rule.
func TestJudge(t *testing.T) {
	rule := &grid.Stop{HalfWidth: 0.45, Confidence: 0.95, Min: 10, Max: 40}
	const cells = 60
	rng := rand.New(rand.NewPCG(4, 5))
	j := newJudge(rule, cells)
	rows := make([]map[int64]float64, cells)
	type arrival struct{ cell, seed int64 }
	var arrivals []arrival
	for c := range rows {
		rows[c] = map[int64]float64{}
		for k := range rule.Max {
			arrivals = append(arrivals, arrival{int64(c), k})
		}
	}
	rng.Shuffle(len(arrivals), func(i, k int) { arrivals[i], arrivals[k] = arrivals[k], arrivals[i] })
	ends := map[int64]int{}
	for n, a := range arrivals {
		x := rng.NormFloat64() * float64(a.cell%6+1) / 4
		j.record(a.seed*cells+a.cell, x)
		rows[a.cell][a.seed] = x
		if n%97 != 0 && n < len(arrivals)-cells {
			continue // a judgement costs time; it may be asked for at any moment
		}
		for c := range rows {
			wantSeeds, wantDecided := naiveNeeded(rule, rows[c])
			if seeds, decided := j.needed(int64(c)); seeds != wantSeeds || decided != wantDecided {
				t.Fatalf("after %d rows cell %d needs %d, %v; want %d, %v", n+1, c, seeds, decided, wantSeeds, wantDecided)
			}
		}
	}
	for c := range rows {
		seeds, decided := j.needed(int64(c))
		if !decided {
			t.Errorf("cell %d has all rows and is not decided", c)
		}
		ends[seeds]++
	}
	if len(ends) < 4 {
		t.Errorf("cells end at %v: too few different ends for a test", ends)
	}
}

// Failed and undefined runs take a seed, but are no evidence; a run that is
// repeated with success is.
func TestJudgeOfFailures(t *testing.T) {
	j := newJudge(&grid.Stop{HalfWidth: 0.1, Relative: true, Confidence: 0.95, Min: 2, Max: 5}, 1) // judged at 2, 3, 5
	want := func(seeds int64, decided bool) {
		t.Helper()
		if s, d := j.needed(0); s != seeds || d != decided {
			t.Errorf("the cell needs %d, %v; want %d, %v", s, d, seeds, decided)
		}
	}
	want(2, false)
	j.record(0, 100)
	want(2, false)
	j.record(1, math.NaN())
	want(3, false)
	j.record(2, 100.5)
	want(3, true)
	j.record(1, 20)
	want(5, false)
	j.record(3, math.NaN())
	j.record(4, 100)
	want(5, true)
}

func TestNoRuleNoJudge(t *testing.T) {
	if newJudge(nil, 3) != nil {
		t.Error("a plan without a rule has a judge")
	}
}

// Seeds that failed, or at which the metric is not defined, do not count
// among the least that a cell needs.
func TestJudgeWantsDefinedValues(t *testing.T) {
	rule := &grid.Stop{HalfWidth: 1, Confidence: 0.95, Min: 10, Max: 40}
	j := newJudge(rule, 1)
	for seed := range int64(15) {
		x := 7.0
		if seed == 3 {
			x = math.NaN()
		}
		j.record(seed, x)
		if seeds, decided := j.needed(0); seed >= 9 && (seeds != 15 || decided != (seed == 14)) {
			t.Errorf("with %d seeds, of which one failed: %d are needed, decided %v; want 15", seed+1, seeds, decided)
		}
	}
}
