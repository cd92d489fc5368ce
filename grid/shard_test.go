package grid

import (
	"fmt"
	"math"
	"testing"
)

// Every run is in one shard, the two directions agree, and the shards of a
// plan differ in size by at most one, also within each block of count runs.
func TestShardsPartition(t *testing.T) {
	for cells := int64(1); cells <= 12; cells++ {
		for _, seeds := range []int64{1, 2, 7} {
			plan := parse(t, fmt.Sprintf("seeds = %d\n[grid]\nx = { from = 1, to = %d, step = 1 }", seeds, cells)).Plan()
			for count := int64(1); count <= 20; count++ {
				owner := map[int64]int64{}
				for index := range count {
					s := plan.Shard(index, count)
					if n := plan.Runs() / count; s.Runs() != n && s.Runs() != n+1 {
						t.Fatalf("shard %d of %d of %d runs has %d", index, count, plan.Runs(), s.Runs())
					}
					last := int64(-1)
					for k := range s.Runs() {
						i := s.Run(k)
						if i <= last || i/count != k || i >= plan.Runs() {
							t.Fatalf("run %d of shard %d of %d is %d, after %d of %d", k, index, count, i, last, plan.Runs())
						}
						if _, twice := owner[i]; twice {
							t.Fatalf("run %d is in shards %d and %d of %d", i, owner[i], index, count)
						}
						owner[i], last = index, i
					}
				}
				if int64(len(owner)) != plan.Runs() {
					t.Fatalf("%d of %d runs are in one of %d shards", len(owner), plan.Runs(), count)
				}
				for i, index := range owner {
					for other := range count {
						if got := plan.Shard(other, count).Has(i); got != (other == index) {
							t.Fatalf("Has(%d) of shard %d of %d is %v; shard %d lists it", i, other, count, got, index)
						}
					}
				}
			}
		}
	}
}

// With a stopping rule all runs of a cell are in one shard, and shards have
// as many cells as others, or one more.
func TestShardsOfWholeCells(t *testing.T) {
	for cells := int64(1); cells <= 12; cells++ {
		plan := parse(t, fmt.Sprintf("[stop]\nmetric='sent'\nhalf_width=1\nmax=11\n[grid]\nx = { from = 1, to = %d, step = 1 }", cells)).Plan()
		for count := int64(1); count <= 14; count++ {
			owner := map[int64]int64{}
			for index := range count {
				s := plan.Shard(index, count)
				if n := cells / count * 11; s.Runs() != n && s.Runs() != n+11 {
					t.Fatalf("shard %d of %d of %d cells has %d runs", index, count, cells, s.Runs())
				}
				last := int64(-1)
				for k := range s.Runs() {
					i := s.Run(k)
					if c, is := owner[i%cells]; is && c != index {
						t.Fatalf("cell %d is in shards %d and %d of %d", i%cells, c, index, count)
					}
					owner[i%cells] = index
					if i <= last || i >= plan.Runs() || !s.Has(i) {
						t.Fatalf("run %d of shard %d of %d is %d, after %d of %d", k, index, count, i, last, plan.Runs())
					}
					if other := plan.Shard((index+1)%count, count); count > 1 && other.Has(i) {
						t.Fatalf("run %d is in two shards of %d", i, count)
					}
					last = i
				}
			}
			if int64(len(owner)) != cells {
				t.Fatalf("%d of %d cells are in one of %d shards", len(owner), cells, count)
			}
		}
	}
}

// tally counts each shard's runs of each cell.
func tally(d partition) [][]int64 {
	counts := make([][]int64, d.parts)
	for part := range counts {
		counts[part] = make([]int64, d.cycle)
		for k := range d.size(int64(part)) {
			counts[part][d.item(int64(part), k)%d.cycle]++
		}
	}
	return counts
}

// After as many seeds as repeat all places, each shard has exactly as many
// runs of one cell as of another.
func TestShardsAreBalancedInTime(t *testing.T) {
	for cells := int64(1); cells <= 24; cells++ {
		for count := int64(1); count <= 24; count++ {
			for part, counts := range tally(partition{items: cells * count * count, cycle: cells, parts: count}) {
				for cell, n := range counts {
					if n != count {
						t.Fatalf("%d cells, %d seeds: shard %d of %d has %d runs of cell %d, want %d", cells, count*count, part, count, n, cell, count)
					}
				}
			}
		}
	}
}

// With any number of cells and shards, a shard has about its share of each
// cell: beyond it by less than six standard deviations of a random one,
// and with one cell in two of a kind (the last axis has two values) never
// one kind only, once it has enough runs to tell.
func TestShardsAreBalanced(t *testing.T) {
	for cells := int64(2); cells <= 40; cells++ {
		for count := int64(2); count <= 64; count++ {
			for _, seeds := range []int64{1, 5, 30} {
				d := partition{items: cells * seeds, cycle: cells, parts: count}
				for part, counts := range tally(d) {
					share := float64(seeds) / float64(count)
					even, all := int64(0), d.size(int64(part))
					for cell, n := range counts {
						if dev := math.Abs(float64(n) - share); dev > 1+6*math.Sqrt(share) {
							t.Errorf("%d cells, %d seeds: shard %d of %d has %d runs of cell %d, its share is %.1f", cells, seeds, part, count, n, cell, share)
						}
						if cell%2 == 0 {
							even += n
						}
					}
					if all >= 16 && cells%2 == 0 && (even == 0 || even == all) {
						t.Errorf("%d cells, %d seeds: the %d runs of shard %d of %d are of every other cell only", cells, seeds, all, part, count)
					}
				}
			}
		}
	}
}

// The main sweep: 2 cells, 30 seeds. Divided in turn, each shard would have
// runs of one cell only.
func TestShardsOfTwoCells(t *testing.T) {
	for _, count := range []int64{2, 4, 8} {
		for part, counts := range tally(partition{items: 60, cycle: 2, parts: count}) {
			if d := counts[0] - counts[1]; d < -1 || d > 1 {
				t.Errorf("shard %d of %d has %d runs of one cell and %d of the other", part, count, counts[0], counts[1])
			}
		}
	}
}

func TestShardOfHugePlan(t *testing.T) {
	plan := parse(t, "seeds = 9000000000000000000").Plan()
	s := plan.Shard(999_999, 1_000_000)
	if n := s.Runs(); n != 9e12 {
		t.Errorf("%d runs, want 9e12", n)
	}
	if i := s.Run(s.Runs() - 1); !s.Has(i) || i/1_000_000 != 9e12-1 {
		t.Errorf("its last run is %d", i)
	}
}

func TestNoSuchShard(t *testing.T) {
	plan := parse(t, "").Plan()
	for _, c := range [][2]int64{{-1, 3}, {3, 3}, {0, 0}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Shard(%d, %d) does not panic", c[0], c[1])
				}
			}()
			plan.Shard(c[0], c[1])
		}()
	}
}
