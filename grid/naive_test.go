package grid

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sweep/experiment"
)

// A small spec, made at random, that can be written as TOML and expanded by
// nested loops.
type smallSpec struct{ blocks []smallBlock }

type smallBlock struct {
	entries  []smallEntry
	zips     [][]int // indices of entries
	excludes []smallPoint
	includes []smallPoint
}

type smallEntry struct {
	param  int
	axis   bool
	text   string             // how the values are written
	values []experiment.Value // one if not an axis
}

type smallPoint []smallEntry

// choices turns bytes into decisions; when they run out all are 0.
type choices []byte

func (c *choices) below(n int) int {
	if len(*c) == 0 {
		return 0
	}
	b := (*c)[0]
	*c = (*c)[1:]
	return int(b) % n
}

// pools are the values that each parameter may take; few, so that blocks
// overlap and patterns match.
func pools(e *experiment.Experiment) [][]experiment.Value {
	var pools [][]experiment.Value
	for i := range e.Params {
		p := &e.Params[i]
		var pool []experiment.Value
		switch p.Kind {
		case experiment.String:
			if p.Input != nil {
				pool = append(pool, experiment.Value{}, experiment.StringValue("a.csv"), experiment.StringValue("b.csv"))
			}
			for _, c := range p.Choices[:min(3, len(p.Choices))] {
				pool = append(pool, experiment.StringValue(c))
			}
			if p.Name == experiment.Algorithm {
				pool = append(pool, experiment.StringValue("FPA"))
			}
		case experiment.Bool:
			pool = append(pool, experiment.BoolValue(false), experiment.BoolValue(true))
		case experiment.Int:
			pool = append(pool, experiment.IntValue(8), experiment.IntValue(16), p.Default, experiment.IntValue(24))
		default:
			pool = append(pool, experiment.FloatValue(0.1), experiment.FloatValue(0.2), experiment.FloatValue(0.3), p.Default)
		}
		pools = append(pools, pool)
	}
	return pools
}

func literal(v experiment.Value) string {
	if v.Kind() == experiment.String || v.IsNull() {
		return "'" + v.Text() + "'"
	}
	return v.String()
}

func (c *choices) spec(e *experiment.Experiment) smallSpec {
	pools := pools(e)
	var s smallSpec
	for range 1 + c.below(3) {
		var b smallBlock
		unused := make([]int, len(e.Params))
		for i := range unused {
			unused[i] = i
		}
		for range c.below(5) {
			k := c.below(len(unused))
			i := unused[k]
			unused = slices.Delete(unused, k, k+1)
			b.entries = append(b.entries, c.entry(i, pools[i]))
		}
		var axes []int
		for i, en := range b.entries {
			if en.axis {
				axes = append(axes, i)
			}
		}
		if len(axes) >= 2 && c.below(2) == 1 {
			k := c.below(len(axes) - 1)
			zip := axes[k : k+2]
			// Equal lengths; values may repeat.
			n := 1 + c.below(4)
			for _, i := range zip {
				en := &b.entries[i]
				en.values, en.text = nil, ""
				for range n {
					en.values = append(en.values, pools[en.param][c.below(len(pools[en.param]))])
				}
				en.write()
			}
			b.zips = append(b.zips, zip)
		}
		for range c.below(3) {
			b.excludes = append(b.excludes, c.point(b, pools, 1))
		}
		for range c.below(3) {
			b.includes = append(b.includes, c.point(b, pools, 0))
		}
		s.blocks = append(s.blocks, b)
	}
	return s
}

func (c *choices) entry(param int, pool []experiment.Value) smallEntry {
	en := smallEntry{param: param, axis: c.below(4) > 0}
	if !en.axis {
		en.values = []experiment.Value{pool[c.below(len(pool))]}
		en.text = literal(en.values[0])
		return en
	}
	if pool[0].Kind() == experiment.Float && c.below(3) == 0 {
		en.values = pool[:3]
		en.text = []string{"{ from = 0.1, to = 0.3, step = 0.1 }", "{ from = 0.1, to = 0.3, count = 3 }"}[c.below(2)]
		return en
	}
	mask := 1 + c.below(1<<len(pool)-1)
	for i, v := range pool {
		if mask>>i&1 == 1 && !slices.Contains(en.values, v) {
			en.values = append(en.values, v)
		}
	}
	if c.below(2) == 1 {
		slices.Reverse(en.values)
	}
	en.write()
	return en
}

func (en *smallEntry) write() {
	var texts []string
	for _, v := range en.values {
		texts = append(texts, literal(v))
	}
	en.text = "[" + strings.Join(texts, ", ") + "]"
}

// point names some parameters, mostly ones of the block.
func (c *choices) point(b smallBlock, pools [][]experiment.Value, least int) smallPoint {
	var p smallPoint
	for range least + c.below(2) {
		i := c.below(len(pools))
		v := pools[i][c.below(len(pools[i]))]
		if len(b.entries) > 0 && c.below(4) > 0 {
			en := b.entries[c.below(len(b.entries))]
			i, v = en.param, en.values[c.below(len(en.values))]
		}
		if !slices.ContainsFunc(p, func(en smallEntry) bool { return en.param == i }) {
			p = append(p, smallEntry{param: i, text: literal(v), values: []experiment.Value{v}})
		}
	}
	return p
}

// toml writes the spec.
func (s smallSpec) toml(e *experiment.Experiment) string {
	var b strings.Builder
	fmt.Fprintf(&b, "experiment = %q\n", e.Name)
	points := func(key string, list []smallPoint) {
		if len(list) == 0 {
			return
		}
		var texts []string
		for _, p := range list {
			var pairs []string
			for _, en := range p {
				pairs = append(pairs, e.Params[en.param].Name+" = "+en.text)
			}
			texts = append(texts, "{ "+strings.Join(pairs, ", ")+" }")
		}
		fmt.Fprintf(&b, "%s = [%s]\n", key, strings.Join(texts, ", "))
	}
	for _, block := range s.blocks {
		b.WriteString("[[grid]]\n")
		for _, en := range block.entries {
			fmt.Fprintf(&b, "%s = %s\n", e.Params[en.param].Name, en.text)
		}
		for _, zip := range block.zips {
			fmt.Fprintf(&b, "zip = [['%s', '%s']]\n", e.Params[block.entries[zip[0]].param].Name, e.Params[block.entries[zip[1]].param].Name)
		}
		points(excludeKey, block.excludes)
		points(includeKey, block.includes)
	}
	return b.String()
}

// expand lists the points by nested loops; the reason is why the spec is
// not valid, or empty.
func (s smallSpec) expand(e *experiment.Experiment) (list [][]experiment.Value, reason string) {
	seen := map[string]bool{}
	emit := func(values []experiment.Value) {
		if key := fmt.Sprint(values); !seen[key] {
			seen[key] = true
			list = append(list, slices.Clone(values))
		}
	}
	null := func(values []experiment.Value) {
		for i := range values {
			if !e.Params[i].Uses(values[0].Text()) {
				values[i] = experiment.Value{}
			}
		}
		for i := range e.Params {
			if e.Params[i].Replaces != nil && !values[i].IsNull() {
				for _, name := range e.Params[i].Replaces {
					_, k := e.Param(name)
					values[k] = experiment.Value{}
				}
			}
		}
	}
	for _, b := range s.blocks {
		base := make([]experiment.Value, len(e.Params))
		for i := range base {
			base[i] = e.Params[i].Default
		}
		// One loop per group: the entries it moves.
		var loops [][]int
		for i, en := range b.entries {
			if !en.axis {
				base[en.param] = en.values[0]
				continue
			}
			if len(b.zips) == 1 && i == b.zips[0][1] {
				continue
			}
			loop := []int{i}
			if len(b.zips) == 1 && i == b.zips[0][0] {
				loop = b.zips[0]
			}
			tuples := map[string]bool{}
			for k := range b.entries[i].values {
				var t []string
				for _, j := range loop {
					t = append(t, b.entries[j].values[k].String())
				}
				if key := strings.Join(t, " "); tuples[key] {
					return nil, "a repeated combination"
				} else {
					tuples[key] = true
				}
			}
			loops = append(loops, loop)
		}
		var product [][]experiment.Value
		used := make([]bool, len(e.Params))
		var nest func(level int, values []experiment.Value)
		nest = func(level int, values []experiment.Value) {
			if level == len(loops) {
				values = slices.Clone(values)
				null(values)
				for i, v := range values {
					used[i] = used[i] || !v.IsNull() || e.Params[i].Input != nil
				}
				product = append(product, values)
				return
			}
			for k := range b.entries[loops[level][0]].values {
				for _, j := range loops[level] {
					values[b.entries[j].param] = b.entries[j].values[k]
				}
				nest(level+1, values)
			}
		}
		nest(0, slices.Clone(base))
		for _, en := range b.entries {
			if en.axis && !used[en.param] {
				return nil, "an unused axis"
			}
			if replacedThroughout(e, en.param, product) {
				return nil, "a replaced parameter"
			}
		}
		hits := make([]bool, len(b.excludes))
		for _, values := range product {
			dropped := false
			for x, p := range b.excludes {
				if !slices.ContainsFunc(p, func(en smallEntry) bool { return values[en.param] != en.values[0] }) {
					hits[x], dropped = true, true
				}
			}
			if !dropped {
				emit(values)
			}
		}
		if slices.Contains(hits, false) {
			return nil, "an exclude without effect"
		}
		for _, p := range b.includes {
			values := slices.Clone(base)
			for _, en := range p {
				values[en.param] = en.values[0]
			}
			null(values)
			for _, en := range p {
				if values[en.param].IsNull() && e.Params[en.param].Input == nil {
					return nil, "an include of an unused parameter"
				}
			}
			emit(values)
		}
	}
	if len(list) == 0 {
		return nil, "no points"
	}
	return list, ""
}

// replacedThroughout reports whether another parameter takes the place of
// this one in all points.
func replacedThroughout(e *experiment.Experiment, param int, points [][]experiment.Value) bool {
	for i := range e.Params {
		if slices.Contains(e.Params[i].Replaces, e.Params[param].Name) {
			return !slices.ContainsFunc(points, func(values []experiment.Value) bool { return values[i].IsNull() })
		}
	}
	return false
}

// compare checks Parse against the nested loops.
func compare(t *testing.T, e *experiment.Experiment, source []byte) (valid bool) {
	t.Helper()
	c := choices(source)
	small := c.spec(e)
	text := small.toml(e)
	want, reason := small.expand(e)
	s, err := Parse("t.toml", []byte(text), []*experiment.Experiment{e})
	if (err != nil) != (reason != "") {
		t.Fatalf("Parse says %v, the loops %q\n%s", err, reason, text)
	}
	if err != nil {
		return false
	}
	p := s.Plan()
	if p.Cells() != int64(len(want)) {
		t.Fatalf("%d cells, want %d\n%s", p.Cells(), len(want), text)
	}
	values := make([]experiment.Value, len(e.Params))
	varies := make([]bool, len(e.Params))
	for c := range want {
		p.Cell(int64(c), values)
		if !slices.Equal(values, want[c]) {
			t.Fatalf("cell %d is\n%v, want\n%v\n%s", c, values, want[c], text)
		}
		for i := range varies {
			varies[i] = varies[i] || want[c][i] != want[0][i]
		}
	}
	for i := range varies {
		if varies[i] != slices.Contains(p.Varying(), i) {
			t.Fatalf("Varying() = %v, want %v\n%s", p.Varying(), varies, text)
		}
	}
	checkPlan(t, s)
	return true
}

func TestAgainstNestedLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	valid := 0
	for range 3000 {
		source := make([]byte, r.IntN(120))
		for i := range source {
			source[i] = byte(r.Uint32())
		}
		for _, e := range []*experiment.Experiment{foraging(), recorded()} {
			if compare(t, e, source) {
				valid++
			}
		}
	}
	if valid < 1000 {
		t.Errorf("only %d of the specs were valid", valid)
	}
	t.Logf("%d of 6000 specs were valid", valid)
}

// FuzzExpand is TestAgainstNestedLoops with bytes chosen by the fuzzer.
func FuzzExpand(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{2, 3, 0, 1, 0, 5, 1, 2, 3, 1, 0, 1, 2, 3, 1, 1, 1, 2, 2, 2, 1, 0, 3, 1})
	f.Add([]byte{1, 4, 0, 3, 1, 14, 0, 0, 3, 1, 7, 1, 1, 3, 1, 6, 0, 1, 1, 3, 1, 2, 3, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1})
	f.Fuzz(func(t *testing.T, source []byte) {
		compare(t, foraging(), source)
		compare(t, recorded(), source)
	})
}
