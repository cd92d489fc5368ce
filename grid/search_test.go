package grid

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"sweep/experiment"
)

const searchSpec = `seeds = 2
[[grid]]
algorithm = ["RL", "WL", "WLRL"]
x = [1, 2]
[[grid]]
algorithm = "CGLA"
[search]
rounds = 3
points = 6
[search.free]
beta = { from = 0.1, to = 0.9, start = 0.2 }
N = { from = 2, to = 64 }
[search.sealed]
seeds = [7, 5]
x = [3, 4, 5]
[[search.target]]
expect = "sent within 5% of 3"
`

// Rounds are blocks: with each the cells that were there stay, in their places
// and their shards, and the cells of a sealed world, and sealed seeds, come last.
func TestSearchRounds(t *testing.T) {
	s := parse(t, searchSpec)
	free := s.Plan().Search.Free
	centre := Centre{At: []experiment.Value{free[0].At(0.6), free[1].At(0.3)}, Spread: 0.1}
	x, _ := s.Experiment.Param("x")
	var before *Plan
	for stage := range 4 {
		plan := s.Plan()
		isLast := stage == 3
		var wanted int64 // runs
		for c := range plan.Cells() {
			first, end := plan.Window(c)
			wanted += end - first
			point := plan.Point(c)
			isSealed := point.Value(x.Name).Float() >= 3
			for k := first; k < end; k++ {
				seed := plan.Seed(k)
				if sealedSeed := seed == 7 || seed == 5; sealedSeed && !isLast || isSealed && !sealedSeed {
					t.Errorf("stage %d: cell %d (%s) has seed %d", stage, c, plan.DescribeCell(point.Values), seed)
				}
			}
			if isSealed && !isLast {
				t.Errorf("stage %d has a sealed world", stage)
			}
		}
		if before != nil {
			if plan.Difference(before) == "" || !plan.Covers(before) {
				t.Errorf("stage %d: %q", stage, plan.Difference(before))
			}
			for c := range before.Cells() {
				if plan.CellID(c) != before.CellID(c) {
					t.Fatalf("stage %d: cell %d is another one", stage, c)
				}
				for i := range int64(3) {
					if before.Shard(i, 3).Has(c) != plan.Shard(i, 3).Has(c) {
						t.Errorf("stage %d: cell %d has gone to another shard", stage, c)
					}
				}
			}
		}
		if n := int64(0); true {
			for i := range int64(3) {
				n += plan.Shard(i, 3).Runs()
			}
			if n != plan.Runs() || wanted > n {
				t.Errorf("shards have %d of %d runs", n, plan.Runs())
			}
		}
		before = plan
		var source []byte
		switch {
		case stage < 2:
			source = s.WithRounds(append(slices.Clone(plan.Search.Centres[1:]), centre), nil)
		default:
			source = s.WithRounds(plan.Search.Centres[1:], centre.At)
		}
		s = parse(t, strings.TrimPrefix(string(source), head))
	}
	sealed := s.Blocks[len(s.Blocks)-2]
	if !sealed.Sealed || sealed.Cells != 3*3 || s.Blocks[2].Round != 2 {
		t.Errorf("blocks %+v", s.Blocks)
	}
	// Cells of RL use none of the free parameters, and are those of round 1.
	if strings.Count(string(s.Source), "[searched]") != 1 || string(s.WithRounds(nil, nil)) != strings.TrimSpace(head+searchSpec) {
		t.Errorf("the text is\n%s", s.Source)
	}
}

// Cells that a search and its judgement have in common get the seeds of both.
func TestSearchSharedCells(t *testing.T) {
	s := parse(t, strings.ReplaceAll(searchSpec, "x = [3, 4, 5]\n", "")+"[searched]\nfound = [0.3, 9]\n")
	plan := s.Plan()
	counts := map[string]int{}
	for c := range plan.Cells() {
		first, end := plan.Window(c)
		counts[fmt.Sprint(plan.Point(c).Value("algorithm").Text(), first, end)]++
	}
	if counts["RL0 4"] != 2 || counts["WL2 4"] != 2 || counts["WL0 2"] != 12 || counts["CGLA2 4"] != 1 {
		t.Errorf("cells by algorithm and window: %v", counts)
	}
}

// Points stay in their ranges and around their centre, no two alike, and shares
// and values are each other's inverse.
func TestSearchPoints(t *testing.T) {
	s := parse(t, strings.Replace(searchSpec, "points = 6", "points = 200", 1)).Plan().Search
	points := s.PointsOf(0)
	known := map[string]bool{}
	for _, p := range points {
		for i, f := range s.Free {
			share := f.Share(p[i])
			if math.Abs(share-f.Share(s.Centres[0].At[i])) > 0.25+0.1*float64(i) || share < 0 || share > 1 { // integers are rounded
				t.Errorf("%s = %s is at %v", f.Key, p[i], share)
			}
			if f.At(share) != p[i] {
				t.Errorf("%s = %s comes back as %s", f.Key, p[i], f.At(share))
			}
		}
		known[fmt.Sprint(p)] = true
	}
	if len(known) != len(points) || len(points) < 150 || s.Free[0].Scale != "odds" || s.Free[1].Scale != "log" {
		t.Errorf("%d points, %d different", len(points), len(known))
	}
}
