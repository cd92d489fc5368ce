package monitoring

import (
	"slices"
	"testing"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/rng"
	"sweep/internal/testutil"
)

// randomLinks returns pairs of different nodes.
func randomLinks(n, nodes int) [][2]int32 {
	d := rng.New("links")
	pairs := make([][2]int32, n)
	for k := range pairs {
		i := d.IntN(nodes)
		pairs[k] = [2]int32{int32(i), int32((i + 1 + d.IntN(nodes-1)) % nodes)}
	}
	return pairs
}

// Nodes that are drawn know nothing of each other.
func TestLinksThatMeanNothingDoLittleHarm(t *testing.T) {
	testutil.NeedsThorough(t, "the quality of a learner")
	t.Parallel()
	c := config("bayes")
	c.Slots, c.Warmup = 5000, 2500
	without := run(c, 1).Retrieved
	c.Links = randomLinks(3000, c.World.Nodes)
	if with := run(c, 1).Retrieved; with < 0.995*without {
		t.Errorf("%.4f with 3000 links, %.4f without", with, without)
	}
}

// Ten projects of ten pages, whose pages change together: a poll of one tells of
// all, which is worth many polls. The links of other pairs are known to mean
// nothing.
func TestLinksTellWhatChangesTogether(t *testing.T) {
	t.Parallel()
	const nodes, slots = 100, 4000
	st := rng.New("projects")
	changed := make([]bitset.Set, slots)
	for slot := range changed {
		changed[slot] = bitset.NewSet(nodes)
		for first := 0; first < nodes; first += 10 {
			together := st.Chance(0.02)
			for i := first; together && i < first+10; i++ {
				if st.Chance(0.8) {
					changed[slot].Add(i)
				}
			}
		}
	}
	world := testutil.Must(sources.Replay(slices.Repeat([]float64{0.5}, nodes), changed))
	c := config("bayes")
	c.World, c.Slots, c.Warmup = sources.Law{Nodes: nodes, Capacity: 2}, slots, slots/2
	without := runOn(world.WithCapacity(2), c, 1).Retrieved
	for first := int32(0); first < nodes; first += 10 {
		for i := range int32(9) {
			c.Links = append(c.Links, [2]int32{first + i, first + i + 1}, [2]int32{first, first + i + 1})
		}
	}
	c.Links = append(c.Links, randomLinks(200, nodes)...)
	if with := runOn(world.WithCapacity(2), c, 1).Retrieved; with < 1.05*without {
		t.Errorf("%.4f with links, %.4f without", with, without)
	}
}
