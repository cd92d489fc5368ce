package grid

import (
	"fmt"
	"math"
	"testing"

	"sweep/internal/testutil"
)

// Every run is in one shard, the two directions agree, and the shards of a plan
// differ in size by at most one, also within each block of count runs. With a
// stopping rule all runs of a cell are in one shard, and shards have as many
// cells as others, or one more.
func TestShardsPartition(t *testing.T) {
	for cells := int64(1); cells <= 12; cells++ {
		for _, head := range []string{"seeds = 1", "seeds = 2", "seeds = 7", "[stop]\nmetric='sent'\nhalf_width=1\nmax=11"} {
			plan := parse(t, fmt.Sprintf("%s\n[grid]\nx = { from = 1, to = %d, step = 1 }", head, cells)).Plan()
			runs, together := plan.Runs(), int64(1)
			if plan.Stop() != nil {
				together = plan.Seeds()
			}
			for count := int64(1); count <= 20; count++ {
				owner := map[int64]int64{}
				for index := range count {
					s := plan.Shard(index, count)
					if n := runs / together / count; s.Runs() != n*together && s.Runs() != (n+1)*together {
						t.Fatalf("shard %v of %d runs has %d", s, runs, s.Runs())
					}
					last := int64(-1)
					for k := range s.Runs() {
						i := s.Run(k)
						other, twice := owner[i]
						if i <= last || i >= runs || together == 1 && i/count != k || twice {
							t.Fatalf("run %d of shard %v is %d, after %d of %d, in shard %d too: %v", k, s, i, last, runs, other, twice)
						}
						owner[i], last = index, i
					}
				}
				for i := range runs {
					if together > 1 && owner[i] != owner[i%cells] {
						t.Fatalf("cell %d is in shards %d and %d of %d", i%cells, owner[i], owner[i%cells], count)
					}
					for other := range count {
						if index, listed := owner[i]; !listed || plan.Shard(other, count).Has(i) != (other == index) {
							t.Fatalf("run %d is in one of %d shards: %v; Has of shard %d disagrees", i, count, listed, other)
						}
					}
				}
			}
		}
	}
}

// tally counts each shard's runs of each cell.
func tally(cells, seeds, count int64) [][]int64 {
	counts := make([][]int64, count)
	for index := range counts {
		counts[index] = make([]int64, cells)
		s := Shard{Index: int64(index), Count: count, items: cells * seeds, cycle: cells, copies: 1}
		s.size = s.share()
		for k := range s.Runs() {
			counts[index][s.Run(k)%cells]++
		}
	}
	return counts
}

// With any number of cells and shards, a shard has about its share of each
// cell: beyond it by less than six standard deviations of a random one, exactly
// that after as many seeds as repeat all places, and with one cell in two of a
// kind (the last axis has two values) never one kind only, once it has enough runs
// to tell. The main sweep, of 2 cells and 30 seeds, divided in turn, would give
// each shard runs of one cell only.
func TestShardsAreBalanced(t *testing.T) {
	for cells := int64(1); cells <= testutil.IfThorough[int64](40, 12); cells++ {
		for count := int64(1); count <= 64; count++ {
			for _, seeds := range []int64{1, 5, 30, count * count} {
				if seeds > 24*24 {
					break // it would take seconds
				}
				for part, counts := range tally(cells, seeds, count) {
					share := float64(seeds) / float64(count)
					most := 1 + 6*math.Sqrt(share)
					if seeds == count*count {
						most = 0
					}
					even, all := int64(0), int64(0)
					for cell, n := range counts {
						if dev := math.Abs(float64(n) - share); dev > most {
							t.Errorf("%d cells, %d seeds: shard %d of %d has %d runs of cell %d, its share is %.1f", cells, seeds, part, count, n, cell, share)
						}
						if all += n; cell%2 == 0 {
							even += n
						}
					}
					if cells == 2 && seeds == 30 && 8%count == 0 && max(counts[0]-counts[1], counts[1]-counts[0]) > 1 {
						t.Errorf("shard %d of %d has %d runs of one cell and %d of the other", part, count, counts[0], counts[1])
					}
					if all >= 16 && cells%2 == 0 && (even == 0 || even == all) {
						t.Errorf("%d cells, %d seeds: the %d runs of shard %d of %d are of every other cell only", cells, seeds, all, part, count)
					}
				}
			}
		}
	}
}

func TestShardOfHugePlan(t *testing.T) {
	plan := parse(t, "seeds = 9000000000000000000").Plan()
	s := plan.Shard(999_999, 1_000_000)
	if n, i := s.Runs(), s.Run(s.Runs()-1); n != 9e12 || !s.Has(i) || i/1_000_000 != 9e12-1 {
		t.Errorf("%d runs, want 9e12; the last is %d", n, i)
	}
	for _, c := range [][2]int64{{-1, 3}, {3, 3}, {0, 0}} {
		func() {
			defer func() { _ = recover() }()
			plan.Shard(c[0], c[1])
			t.Errorf("Shard(%d, %d) does not panic", c[0], c[1])
		}()
	}
}
