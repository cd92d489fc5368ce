package grid

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sweep/internal/document"
)

// boughtKey is the key of a spec that records how many seeds each cell has
// after more of them were bought for its claims, in the order of the cells:
//
//	[bought]
//	seeds = [20, 80, 80]
//
// A spec with this record asks for these runs, as for any others.
const boughtKey = "bought"

const boughtForm = "a table such as [bought] with the number of seeds of each cell, " +
	"as in the spec.toml of a sweep"

// maxBought bounds the seeds of a cell that are bought.
const maxBought = 1_000_000_000

// bought reads what a spec records of seeds that were bought for a plan that is
// otherwise complete.
func (r *reader) bought(n *document.Node, plan *Plan) {
	if n == nil {
		return
	}
	keys := r.table(n, boughtForm, []string{"seeds"})
	list := keys["seeds"]
	r.must(list != nil, n, "bought has no \"seeds\", want %s", boughtForm)
	r.want(list.Kind == document.Array, list, "a list of the number of seeds of each cell")
	r.must(plan.stop == nil, n, "the spec has [stop] too, whose rule gives cells their seeds")
	r.must(int64(len(list.Elements)) == plan.Cells(), list,
		"bought has the seeds of %d cells, and the sweep has %d\n"+
			"hint: after a change of the grid delete [bought]: what was run is found again",
		len(list.Elements), plan.Cells())
	for _, e := range list.Elements {
		seeds := r.integer(e, plan.own)
		r.must(seeds <= maxBought, e, "bought holds %d, want at most %d", seeds, maxBought)
		plan.bought = append(plan.bought, seeds)
	}
	plan.seeds.extend(slices.Max(plan.bought))
}

// extend adds seeds up to a number of them: those behind the largest.
func (s *seeds) extend(count int64) {
	if s.list != nil {
		next := slices.Max(s.list)
		for s.count < count {
			next++
			s.where[next] = s.count
			s.list = append(s.list, next)
			s.count++
		}
	}
	s.count = count
}

// Own returns the number of seeds that the spec itself asks for, without those
// that were bought, or are sealed.
func (p *Plan) Own() int64 { return p.own }

// Bought returns the number of seeds of each cell, if some were bought for the
// claims; nil otherwise.
func (p *Plan) Bought() []int64 { return p.bought }

// written is the record of Bought at the end of a text.
var written = regexp.MustCompile(
	`\n*# Seeds of each cell, as bought [^\n]*\n\[bought\]\n[^\]]*\]\n$`)

// WithBought returns the text of a spec that records seeds that were bought.
func (s *Spec) WithBought(seeds []int64) []byte {
	text := written.ReplaceAll(s.Source, nil)
	list := strings.ReplaceAll(fmt.Sprint(seeds), " ", ", ")
	return fmt.Appendf(text, "\n\n# Seeds of each cell, as bought by check --until-decided\n"+
		"[bought]\nseeds = %s\n", list)
}
