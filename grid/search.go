package grid

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sweep/experiment"
	"sweep/grid/design"
	"sweep/internal/document"
)

// The keys of a spec that ask for a search and record its rounds.
const (
	searchKey   = "search"
	searchedKey = "searched"
)

// A Search is the [search] table of a spec: a rule by which parameters are
// found whose results come near to targets, and the rounds that it has had. A
// round is a block of the plan for each [grid], with the points of the round in
// it. The first round follows from the spec, each later one from the results of
// those before it (package analysis), and the record of a round is where its
// points lie. When the parameters are found, a last block runs them with the
// sealed seeds and worlds; until then the plan has neither.
type Search struct {
	Rounds  int     // at most
	Points  int     // of a round
	Seed    int64   // of the designs
	Spread  float64 // how far points lie from the centre of the first round
	Free    []*Free
	Targets []Target

	Centres []Centre           // of the rounds that the plan has, at least one
	Found   []experiment.Value // of Free; nil until it is known

	sealed      seeds
	sealedTable *document.Node // other values of parameters, and seeds
	windows     []window       // of the cells
	cycle       int64          // cells of the first round
}

// A Centre is where the points of a round lie: around one point, up to Spread
// to each side, in parts of the scale of each range.
type Centre struct {
	At     []experiment.Value // of Free
	Spread float64
}

// A Target is a comparison that the found parameters are to meet, in the
// language of claims.
type Target struct {
	Claim
	Weight float64 // 0: it is not fitted, but judged with the others
}

// A window is which seeds of the plan a cell has: their positions from first to
// before end.
type window struct{ first, end int64 }

const (
	maxRounds       = 64
	maxSearchPoints = 10_000
	maxSearchSeeds  = 1 << 20
	maxTargets      = 1000
	defaultSpread   = 0.25
)

const searchForm = "a table such as [search] with rounds, points, [search.free], " +
	"[search.sealed] and [[search.target]]"

// search reads the [search] table, and what was recorded of it, without the
// parameters that it names. It returns nil if there is none.
func (r *reader) search(top map[string]*document.Node) *Search {
	n := top[searchKey]
	record := top[searchedKey]
	if n == nil {
		r.must(record == nil, record, "the spec has no [search]\n"+
			"hint: delete [searched], which records its rounds")
		return nil
	}
	for _, key := range []string{sampleKey, "stop", boughtKey, "claim"} {
		other := top[key]
		r.must(other == nil, other, "%s does not go with [search]\n"+
			"hint: it can stand in a spec of its own, with the values that were found", key)
	}
	keys := r.table(n, searchForm,
		[]string{"rounds", "points", "seed", "spread", "free", "sealed", "target"})
	for _, key := range []string{"rounds", "points", "free", "sealed", "target"} {
		r.must(keys[key] != nil, n, "the search has no %q, want %s", key, searchForm)
	}
	s := &Search{Seed: 1, Spread: defaultSpread}
	s.Free = r.freeParams(keys["free"], top[parametersKey])
	s.Rounds = r.count(keys["rounds"], 1, maxRounds)
	s.Points = r.count(keys["points"], len(s.Free)+2, maxSearchPoints)
	if e := keys["seed"]; e != nil {
		s.Seed = r.integer(e, 0)
	}
	if e := keys["spread"]; e != nil {
		s.Spread = r.searchSpread(e)
	}
	s.Targets = r.targets(keys["target"])
	s.sealedTable = keys["sealed"]
	r.want(s.sealedTable.Kind == document.Table, s.sealedTable, "a table such as [search.sealed]")
	s.sealed = r.sealedSeeds(s.sealedTable)
	start := Centre{Spread: s.Spread}
	for _, f := range s.Free {
		start.At = append(start.At, f.At(f.start))
	}
	s.Centres = []Centre{start}
	if record != nil {
		r.searched(record, s)
	}
	return s
}

// count reads an integer within bounds.
func (r *reader) count(n *document.Node, least, most int) int {
	x := r.integer(n, int64(least))
	r.must(x <= int64(most), n, "%s is %d, want at most %d", n.Key, x, most)
	return int(x)
}

// searchSpread reads how far the points of a round lie from their centre.
func (r *reader) searchSpread(n *document.Node) float64 {
	x, ok := numberIn(n)
	r.want(ok && x > 0 && x <= 0.5, n, "a number above 0, at most 0.5")
	return x
}

// targets reads the [[search.target]].
func (r *reader) targets(n *document.Node) (list []Target) {
	r.want(n.Kind == document.Array && len(n.Elements) > 0 && len(n.Elements) <= maxTargets, n,
		fmt.Sprintf("1 to %d tables such as [[search.target]]", maxTargets))
	for _, e := range n.Elements {
		keys := r.table(e, "tables such as [[search.target]]", []string{"expect", "weight"})
		r.must(keys["expect"] != nil, e,
			"the target has no key \"expect\": what is wanted, such as total within 5%% of 3")
		text := r.claimText(keys["expect"])
		t := Target{
			Claim:  Claim{Text: text, Expect: text, reader: r, node: e},
			Weight: 1,
		}
		if w := keys["weight"]; w != nil {
			x, ok := numberIn(w)
			r.want(ok && x >= 0, w, "a number of at least 0; of 0 for what is not fitted")
			t.Weight = x
		}
		list = append(list, t)
	}
	isFitted := slices.ContainsFunc(list, func(t Target) bool { return t.Weight > 0 })
	r.must(isFitted, n, "all targets have a weight of 0, want one to fit")
	return list
}

// sealedSeeds reads the seeds of [search.sealed].
func (r *reader) sealedSeeds(n *document.Node) seeds {
	e := n.Entry("seeds")
	r.must(e != nil, n, "[search.sealed] has no \"seeds\": those of the judgement, "+
		"which the search cannot use")
	s := r.seeds(e)
	r.must(s.count <= maxSearchSeeds, e, "%d seeds are sealed, want at most %d",
		s.count, maxSearchSeeds)
	return s
}

// searched reads the record of later rounds and of what was found.
func (r *reader) searched(n *document.Node, s *Search) {
	const form = "as in the spec.toml of a sweep"
	keys := r.table(n, form, []string{"rounds", "found"})
	if e := keys["rounds"]; e != nil {
		for _, round := range r.list(e, "a list of rounds, "+form) {
			part := r.table(round, form, []string{"centre", "spread"})
			r.must(part["centre"] != nil && part["spread"] != nil, round,
				"the round has no centre, or no spread, want both")
			spread := r.searchSpread(part["spread"])
			s.Centres = append(s.Centres, Centre{r.foundValues(part["centre"], s), spread})
		}
	}
	r.must(len(s.Centres) <= s.Rounds, n, "searched has %d rounds, and rounds is %d\n"+
		"hint: delete [searched]: what was run is found again", len(s.Centres), s.Rounds)
	if e := keys["found"]; e != nil {
		s.Found = r.foundValues(e, s)
	}
}

// foundValues reads one value of each free parameter.
func (r *reader) foundValues(n *document.Node, s *Search) (list []experiment.Value) {
	elements := r.list(n, "a list of numbers")
	r.must(len(elements) == len(s.Free), n,
		"%s has %d numbers, and [search.free] %d parameters\n"+
			"hint: delete [searched]: what was run is found again",
		n.Key, len(elements), len(s.Free))
	for i, e := range elements {
		f := s.Free[i]
		x := r.number(e)
		if x < f.from || x > f.to {
			r.fail(e, "%s holds %v, outside of %s", n.Key, x, f.outline())
		}
		list = append(list, numeric(f.kind, x))
	}
	return list
}

// PointsOf returns the points of a round, 0 ≤ k < len(Centres), the first of
// which is its centre: values of Free, no two alike.
func (s *Search) PointsOf(k int) (points [][]experiment.Value) {
	c := s.Centres[k]
	points = append(points, c.At)
	known := map[string]bool{fmt.Sprint(c.At): true}
	cube := design.Points(design.LatinHypercube, s.Points-1, len(s.Free), s.Seed+int64(k))
	for _, x := range cube {
		var point []experiment.Value
		for i, f := range s.Free {
			low := max(0, f.Share(c.At[i])-c.Spread)
			high := min(1, f.Share(c.At[i])+c.Spread)
			point = append(point, f.At(low+float64(x[i]*(high-low))))
		}
		text := fmt.Sprint(point)
		if !known[text] {
			known[text] = true
			points = append(points, point)
		}
	}
	return points
}

// recordForm is the record of rounds at the end of a text.
var recordForm = regexp.MustCompile(`\n*# Later rounds, as found [^\n]*\n\[searched\]\n[\s\S]*$`)

// WithRounds returns the text of a spec that records the rounds of a search
// after the first, and what was found unless it is nil.
func (s *Spec) WithRounds(later []Centre, found []experiment.Value) []byte {
	text := recordForm.ReplaceAll(s.Source, nil)
	text = bytes.TrimRight(text, "\n")
	if later == nil && found == nil {
		return text
	}
	text = append(slices.Clip(text), "\n\n# Later rounds, as found by [search]\n[searched]\n"...)
	if later != nil {
		text = append(text, "rounds = [\n"...)
		for _, c := range later {
			spread := strconv.FormatFloat(c.Spread, 'g', -1, 64)
			text = fmt.Appendf(text, "  { spread = %s, centre = %s },\n", spread, listed(c.At))
		}
		text = append(text, "]\n"...)
	}
	if found != nil {
		text = fmt.Appendf(text, "found = %s\n", listed(found))
	}
	return text
}

// listed writes values as a list in TOML.
func listed(values []experiment.Value) string {
	var texts []string
	for _, v := range values {
		texts = append(texts, v.String())
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// equal reports whether two searches have the same rounds and seeds.
func (s *Search) equal(t *Search) bool {
	if s == nil || t == nil {
		return s == t
	}
	return slices.Equal(s.windows, t.windows)
}

// Sealed returns the names of the parameters whose values are sealed.
func (s *Search) Sealed() (names []string) {
	for _, e := range s.sealedTable.Entries {
		if !isSeeds(e) {
			names = append(names, e.Key)
		}
	}
	return names
}
