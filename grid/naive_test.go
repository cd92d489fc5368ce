package grid

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sweep/experiment"
	"sweep/internal/testutil"
)

// A small block, made at random, that can be written as TOML and expanded by
// nested loops.
type smallBlock struct {
	entries            []smallEntry
	zip                []int // two indices of entries, or none
	excludes, includes [][]smallEntry
}

type smallEntry struct {
	param  int
	axis   bool
	values []experiment.Value // one if not an axis
	span   string             // how the values are written, if not as a list
}

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

// one takes any of a list.
func one[T any](c *choices, list []T) T { return list[c.below(len(list))] }

// pools are the values that each parameter may take; few, so that blocks
// overlap and patterns match.
func pools(e *experiment.Experiment) (pools [][]experiment.Value) {
	for _, p := range e.Params {
		list := map[experiment.Kind][]any{
			experiment.Bool:   {false, true},
			experiment.Int:    {int64(8), int64(16), p.Default.Int(), int64(24)},
			experiment.Float:  {0.1, 0.2, 0.3, p.Default.Float()},
			experiment.String: {nil, "a.csv", "b.csv"},
		}[p.Kind]
		if p.Choices != nil {
			list = nil
			for _, choice := range p.Choices {
				list = append(list, choice)
			}
		}
		var pool []experiment.Value
		for _, v := range list {
			pool = append(pool, experiment.ValueOf(v))
		}
		pools = append(pools, pool)
	}
	return pools
}

func (c *choices) blocks(e *experiment.Experiment) (blocks []smallBlock) {
	pools := pools(e)
	for range 1 + c.below(3) {
		var b smallBlock
		var axes []int
		for range c.below(5) {
			param := c.below(len(pools))
			if slices.ContainsFunc(b.entries, func(en smallEntry) bool { return en.param == param }) {
				continue
			}
			if b.entries = append(b.entries, c.entry(param, pools[param])); b.entries[len(b.entries)-1].axis {
				axes = append(axes, len(b.entries)-1)
			}
		}
		if len(axes) >= 2 && c.below(2) == 1 {
			k := c.below(len(axes) - 1)
			b.zip = axes[k : k+2]
			// Equal lengths; values may repeat.
			n := 1 + c.below(4)
			for _, i := range b.zip {
				en := &b.entries[i]
				en.values, en.span = nil, ""
				for range n {
					en.values = append(en.values, one(c, pools[en.param]))
				}
			}
		}
		for range c.below(3) {
			b.excludes = append(b.excludes, c.point(b, pools, 1))
		}
		for range c.below(3) {
			b.includes = append(b.includes, c.point(b, pools, 0))
		}
		blocks = append(blocks, b)
	}
	return blocks
}

func (c *choices) entry(param int, pool []experiment.Value) smallEntry {
	en := smallEntry{param: param, axis: c.below(4) > 0}
	switch {
	case !en.axis:
		en.values = []experiment.Value{one(c, pool)}
	case pool[0].Kind() == experiment.Float && c.below(3) == 0:
		en.values = pool[:3]
		en.span = one(c, []string{"{ from = 0.1, to = 0.3, step = 0.1 }", "{ from = 0.1, to = 0.3, count = 3 }"})
	default:
		mask := 1 + c.below(1<<len(pool)-1)
		for i, v := range pool {
			if mask>>i&1 == 1 && !slices.Contains(en.values, v) {
				en.values = append(en.values, v)
			}
		}
		if c.below(2) == 1 {
			slices.Reverse(en.values)
		}
	}
	return en
}

// point names some parameters, mostly ones of the block.
func (c *choices) point(b smallBlock, pools [][]experiment.Value, least int) (point []smallEntry) {
	for range least + c.below(2) {
		i := c.below(len(pools))
		v := one(c, pools[i])
		if len(b.entries) > 0 && c.below(4) > 0 {
			en := one(c, b.entries)
			i, v = en.param, one(c, en.values)
		}
		if !slices.ContainsFunc(point, func(en smallEntry) bool { return en.param == i }) {
			point = append(point, smallEntry{param: i, values: []experiment.Value{v}})
		}
	}
	return point
}

// pairs writes entries as keys and values. JSON's values are TOML, but for null.
func pairs(e *experiment.Experiment, entries []smallEntry, separator string) string {
	var list []string
	for _, en := range entries {
		text := strings.ReplaceAll(string(testutil.Must(json.Marshal(en.values))), "null", "''")
		if !en.axis {
			text = strings.Trim(text, "[]")
		}
		list = append(list, e.Params[en.param].Name+" = "+cmp.Or(en.span, text))
	}
	return strings.Join(list, separator)
}

// write writes the blocks as a spec.
func write(e *experiment.Experiment, blocks []smallBlock) string {
	text := "experiment = '" + e.Name + "'\n"
	for _, b := range blocks {
		text += "[[grid]]\n" + pairs(e, b.entries, "\n") + "\n"
		if b.zip != nil {
			text += fmt.Sprintf("zip = [['%s', '%s']]\n", e.Params[b.entries[b.zip[0]].param].Name, e.Params[b.entries[b.zip[1]].param].Name)
		}
		for k, points := range [2][][]smallEntry{b.excludes, b.includes} {
			var list []string
			for _, p := range points {
				list = append(list, "{ "+pairs(e, p, ", ")+" }")
			}
			if list != nil {
				text += [2]string{excludeKey, includeKey}[k] + " = [" + strings.Join(list, ", ") + "]\n"
			}
		}
	}
	return text
}

// null makes null what the algorithm does not use, or a file replaces.
func null(e *experiment.Experiment, values []experiment.Value) {
	for i := range values {
		if !e.Params[i].Uses(values[0].Text()) {
			values[i] = experiment.Value{}
		}
	}
	for i := range e.Params {
		for _, name := range e.Params[i].Replaces {
			if _, k := e.Param(name); !values[i].IsNull() {
				values[k] = experiment.Value{}
			}
		}
	}
}

// expand lists the points of a block by nested loops; the reason is why the
// block is not valid, or empty.
func (b smallBlock) expand(e *experiment.Experiment) (list [][]experiment.Value, reason string) {
	base := make([]experiment.Value, len(e.Params))
	for i := range base {
		base[i] = e.Params[i].Default
	}
	var loops [][]int // the entries that each moves
	for i, en := range b.entries {
		switch {
		case !en.axis:
			base[en.param] = en.values[0]
		case !slices.Contains(b.zip, i):
			loops = append(loops, []int{i})
		case i == b.zip[0]:
			loops = append(loops, b.zip)
		}
	}
	product := [][]experiment.Value{slices.Clone(base)}
	for _, loop := range loops {
		var longer [][]experiment.Value
		for _, point := range product {
			seen := map[string]bool{}
			for k := range b.entries[loop[0]].values {
				values, key := slices.Clone(point), ""
				for _, j := range loop {
					values[b.entries[j].param] = b.entries[j].values[k]
					key += b.entries[j].values[k].String() + " "
				}
				if seen[key] {
					return nil, "a repeated combination"
				}
				seen[key] = true
				longer = append(longer, values)
			}
		}
		product = longer
	}
	for _, values := range product {
		null(e, values)
	}
	for _, en := range b.entries {
		p := &e.Params[en.param]
		unset := func(values []experiment.Value) bool { return values[en.param].IsNull() }
		if en.axis && p.Input == nil && !slices.ContainsFunc(product, func(v []experiment.Value) bool { return !unset(v) }) {
			return nil, "an unused axis"
		}
		for i := range e.Params { // which may take its place in all points
			if slices.Contains(e.Params[i].Replaces, p.Name) && !slices.ContainsFunc(product, func(v []experiment.Value) bool { return v[i].IsNull() }) {
				return nil, "a replaced parameter"
			}
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
			list = append(list, values)
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
		null(e, values)
		for _, en := range p {
			if values[en.param].IsNull() && e.Params[en.param].Input == nil {
				return nil, "an include of an unused parameter"
			}
		}
		list = append(list, values)
	}
	return list, ""
}

// compare checks Parse against the nested loops.
func compare(t *testing.T, e *experiment.Experiment, source []byte) (valid bool) {
	t.Helper()
	c := choices(source)
	blocks := c.blocks(e)
	text, reason := write(e, blocks), ""
	var want [][]experiment.Value
	seen := map[string]bool{}
	for _, b := range blocks {
		points, fault := b.expand(e)
		reason += fault
		for _, values := range points {
			if key := fmt.Sprint(values); !seen[key] {
				seen[key] = true
				want = append(want, values)
			}
		}
	}
	if len(want) == 0 {
		reason += "no points"
	}
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
	for c := range want {
		if got := p.Point(int64(c)).Values; !slices.Equal(got, want[c]) {
			t.Fatalf("cell %d is\n%v, want\n%v\n%s", c, got, want[c], text)
		}
	}
	for i := range e.Params {
		varies := slices.ContainsFunc(want, func(v []experiment.Value) bool { return v[i] != want[0][i] })
		if varies != slices.Contains(p.Varying, i) {
			t.Fatalf("Varying = %v, but for parameter %d\n%s", p.Varying, i, text)
		}
	}
	checkPlan(t, s)
	return true
}

func TestAgainstNestedLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	valid := 0
	specs := testutil.IfThorough(3000, 600)
	for range specs {
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
	if valid < specs/3 {
		t.Errorf("only %d of the specs were valid", valid)
	}
	t.Logf("%d of %d specs were valid", valid, 2*specs)
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

// FuzzParse: no text panics; every fault has a position within the text
// and a message; what is accepted is consistent with itself.
func FuzzParse(f *testing.F) {
	for _, c := range expansions {
		f.Add(head + c.spec)
	}
	if flag.Lookup("test.fuzz").Value.String() != "" || testutil.Thorough() {
		for _, c := range faults { // TestFaults has them, too
			f.Add(c.text[:min(len(c.text), 1000)])
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("t.toml", []byte(text), experiments())
		if err != nil {
			var fault *Error
			if !errors.As(err, &fault) || fault.Message == "" || fault.File != "t.toml" {
				t.Fatalf("Parse: %#v", err)
			}
			lines := strings.Split(text, "\n")
			if fault.Line < 1 || fault.Line > len(lines) || fault.Column < 1 || fault.Column > len(lines[fault.Line-1])+2 {
				t.Fatalf("%v is not in the text", fault)
			}
			return
		}
		checkPlan(t, s)
	})
}
