package grid

import (
	"fmt"
	"math"

	"sweep/experiment"
	"sweep/internal/detmath"
	"sweep/internal/document"
)

// A Free is a parameter that a search is to find, with its range. Points of the
// range are at shares of its scale, from 0 to 1.
type Free struct {
	Key   string // as the spec names it
	Param int    // set when the declaration is known
	Scale string // log, odds or linear

	from, to float64
	start    float64 // where the search begins, as a share
	kind     experiment.Kind
	node     *document.Node
}

// The scales of free parameters. Results are nearly linear in the logarithm of
// most parameters or, of shares between 0 and 1, in that of their odds.
const (
	logScale    = "log"
	oddsScale   = "odds"
	linearScale = "linear"
)

const freeForm = "a range such as { from = 1, to = 9, start = 3 }"

// freeParams reads [search.free]. described is [parameters], if there is one.
func (r *reader) freeParams(n, described *document.Node) (list []*Free) {
	r.want(n.Kind == document.Table && len(n.Entries) > 0, n,
		"a table such as [search.free] with at least one parameter and its range")
	r.must(len(n.Entries) <= maxFree, n, "%d parameters are free, want at most %d",
		len(n.Entries), maxFree)
	for _, e := range n.Entries {
		list = append(list, r.free(e, described))
	}
	return list
}

// maxFree bounds the free parameters of a search.
const maxFree = 64

// free reads the range of a free parameter, which [parameters] may describe.
func (r *reader) free(n, described *document.Node) *Free {
	f := &Free{Key: n.Key, Param: -1, kind: experiment.Float, Scale: logScale, node: n}
	p, _ := find(r.experiment, n.Key)
	if p == nil && r.experiment.Declare == nil {
		r.unknownParam(n, nil)
	}
	if isDeclaredInt(described, n.Key) {
		f.kind = experiment.Int
	}
	if p != nil {
		f.kind = p.Kind
		r.must(p.Kind.IsNumber(), n, "%s is no number, and cannot be free", p.Name)
	}
	keys := r.table(n, freeForm, []string{"from", "to", "start", "scale"})
	read := func(key string) float64 {
		e := keys[key]
		r.must(e != nil, n, "the range of %s has no %q, want %s", n.Key, key, freeForm)
		if p != nil {
			return r.end(p, e)
		}
		return r.number(e)
	}
	f.from = read("from")
	f.to = read("to")
	r.must(f.from < f.to, n, "%s goes from %v to %v, want a larger \"to\"", n.Key, f.from, f.to)
	isShare := p != nil && p.Kind == experiment.Float && p.Min == 0 && p.Max == 1
	switch {
	case f.from <= 0:
		f.Scale = linearScale
	case isShare && f.to < 1:
		f.Scale = oddsScale
	}
	if e := keys["scale"]; e != nil {
		scales := []string{logScale, oddsScale, linearScale}
		f.Scale = scales[r.choose(e, scales)]
		fits := f.Scale == linearScale || f.from > 0 && (f.Scale == logScale || f.to < 1)
		r.must(fits, e, "a range from %v to %v has no scale %q\n"+
			"hint: log is for numbers above 0, odds for those between 0 and 1",
			f.from, f.to, f.Scale)
	}
	width := f.scaled(f.to) - f.scaled(f.from)
	r.must(!math.IsInf(width, 0), n, "%s goes from %v to %v, want ends that are less far apart",
		n.Key, f.from, f.to)
	r.must(f.At(0) != f.At(1), n, "%s goes from %v to %v, and values have 9 digits, "+
		"want a larger \"to\"", n.Key, f.from, f.to)
	f.start = 0.5
	if keys["start"] != nil {
		start := read("start")
		if start < f.from || start > f.to {
			r.fail(keys["start"], "%s starts at %v, outside of %s", n.Key, start, f.outline())
		}
		f.start = f.Share(numeric(f.kind, start))
	}
	return f
}

// checkFree rejects a range that goes beyond what the declaration allows, which
// is known late where a spec declares its experiment.
func (r *reader) checkFree(f *Free) {
	p := &r.experiment.Params[f.Param]
	for _, key := range []string{"from", "to"} {
		r.value(p, f.node.Entry(key))
	}
}

// isDeclaredInt reports whether [parameters] says that a parameter, which is
// called by its name or its symbol, is an integer.
func isDeclaredInt(described *document.Node, key string) bool {
	if described == nil {
		return false
	}
	for _, p := range described.Entries {
		symbol := p.Entry("symbol")
		if p.Key == key || symbol != nil && symbol.Value == key {
			kind := p.Entry("kind")
			return kind != nil && kind.Value == "int"
		}
	}
	return false
}

// scaled returns where a number lies on the scale.
func (f *Free) scaled(x float64) float64 {
	switch f.Scale {
	case logScale:
		return detmath.Log(x)
	case oddsScale:
		return detmath.Log(x) - detmath.Log(1-x)
	}
	return x
}

// Share returns where a value lies in the range: 0 at its beginning, 1 at its
// end.
func (f *Free) Share(v experiment.Value) float64 {
	low := f.scaled(f.from)
	return (f.scaled(v.Float()) - low) / (f.scaled(f.to) - low)
}

// At returns the value at a share of the range, with nine digits, of an integer
// the nearest.
func (f *Free) At(share float64) experiment.Value {
	low := f.scaled(f.from)
	x := low + float64(share*(f.scaled(f.to)-low))
	switch f.Scale {
	case logScale:
		x = detmath.Exp(x)
	case oddsScale:
		x = 1 / (1 + detmath.Exp(-x))
	}
	if f.kind == experiment.Int {
		x = math.Round(x)
	} else {
		x = detmath.Round(x, sampledDigits)
	}
	return numeric(f.kind, min(max(x, f.from), f.to))
}

// outline describes the range.
func (f *Free) outline() string { return fmt.Sprintf("its range, %v to %v", f.from, f.to) }

// Range returns the ends of the range.
func (f *Free) Range() (from, to experiment.Value) {
	return numeric(f.kind, f.from), numeric(f.kind, f.to)
}
