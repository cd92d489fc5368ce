package results

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"sweep/experiment"
)

// naiveDigest is the digest as its description has it.
func naiveDigest(rows []*Row) string {
	sum := new(big.Int)
	for _, r := range rows {
		text := func(s string) string { return string(binary.BigEndian.AppendUint64(nil, uint64(len(s)))) + s }
		number := func(x float64) string {
			word := math.Float64bits(x)
			if x != x {
				word = 0x7ff8000000000001
			}
			return string(binary.BigEndian.AppendUint64(nil, word))
		}
		all := "sweep result 1\n" + r.ID.String() + text(r.Status) + text(r.Error) + string(binary.BigEndian.AppendUint64(nil, 3))
		metrics := r.Result.Metrics
		if r.Status == Failed {
			metrics = []float64{math.NaN(), math.NaN(), math.NaN()}
		}
		for _, x := range append(slices.Clone(metrics), r.Result.Series...) {
			all += number(x)
		}
		hash := sha256.Sum256([]byte(all))
		sum.Add(sum, new(big.Int).SetBytes(hash[:]))
	}
	sum.Mod(sum, new(big.Int).Lsh(big.NewInt(1), 256))
	return fmt.Sprintf("%064x", sum)
}

func digestOf(t *testing.T, dir string) Digest {
	t.Helper()
	v, err := OpenReader(dir, []*experiment.Experiment{toy()})
	must(t, err)
	d, err := v.Digest()
	must(t, err)
	return d
}

// The digest is that of the rows, in whatever order they came and in
// whatever files they are.
func TestDigest(t *testing.T) {
	spec, plan := mustParse(t, smallSpec)
	for name, order := range map[string]func(int64) []int64{"in order": ascending, "in disorder": shuffled} {
		dir := t.TempDir()
		s, err := Open(dir, spec, plan)
		must(t, err)
		var rows []*Row
		ok := int64(0)
		for n, i := range order(plan.Runs()) {
			row := luckyRow(plan, i)
			if row.Status == OK {
				ok++
			}
			rows = append(rows, row)
			mustAppend(t, s, row)
			if n%30 == 29 {
				must(t, s.Commit())
				d := digestOf(t, dir)
				if d.String() != naiveDigest(rows) || d.OK != ok || d.OK+d.Failed != int64(len(rows)) {
					t.Errorf("%s, after %d runs: %s of %d and %d runs, want %s", name, len(rows), d, d.OK, d.Failed, naiveDigest(rows))
				}
			}
		}
		must(t, s.Finish())
		must(t, s.Close())
		if d := digestOf(t, dir); d.String() != naiveDigest(rows) {
			t.Errorf("%s, finished: %s, want %s", name, d, naiveDigest(rows))
		}
	}
}

// Whatever changes in a row changes the digest.
func TestDigestTellsRowsApart(t *testing.T) {
	spec, plan := mustParse(t, smallSpec)
	base := func() *Row {
		r := luckyRow(plan, 3)
		r.Status, r.Error = OK, ""
		r.Result = experiment.Result{Metrics: []float64{5, 0.1, math.NaN()}, Series: []float64{1, 2, 0.5, 2, 2, 0.25}}
		return r
	}
	seen := map[string]string{}
	for name, change := range map[string]func(r *Row){
		"nothing":                 func(*Row) {},
		"the last bit of one":     func(r *Row) { r.Result.Metrics[1] = math.Nextafter(0.1, 1) },
		"null to a number":        func(r *Row) { r.Result.Metrics[2] = 0 },
		"a whole number":          func(r *Row) { r.Result.Metrics[0] = 6 },
		"two metrics swapped":     func(r *Row) { r.Result.Metrics[1], r.Result.Metrics[2] = r.Result.Metrics[2], 0.1 },
		"a number of the series":  func(r *Row) { r.Result.Series[5] = math.NaN() },
		"the axis of the series":  func(r *Row) { r.Result.Series[3] = 3 },
		"a shorter series":        func(r *Row) { r.Result.Series = r.Result.Series[:3] },
		"two windows swapped":     func(r *Row) { r.Result.Series = []float64{2, 2, 0.25, 1, 2, 0.5} },
		"failure":                 func(r *Row) { r.Status, r.Error = Failed, "no luck" },
		"failure, another reason": func(r *Row) { r.Status, r.Error = Failed, "no lucK" },
		"the id":                  func(r *Row) { r.ID[15] ^= 1 },
	} {
		dir := t.TempDir()
		s, err := Open(dir, spec, plan)
		must(t, err)
		r := base()
		change(r)
		mustAppend(t, s, r)
		must(t, s.Close())
		d := digestOf(t, dir).String()
		if other, twice := seen[d]; twice {
			t.Errorf("%q and %q have the same digest", name, other)
		}
		seen[d] = name
	}
}

// Equal hashes must not cancel each other, as they would in an exclusive or.
func TestDigestCountsRepetitions(t *testing.T) {
	var d Digest
	var none Digest
	hash := sha256.Sum256([]byte("a run"))
	d.add(hash)
	once := d
	d.add(hash)
	if d == none || d == once {
		t.Errorf("twice the same run: %v", d)
	}
	// 2²⁵⁶ - 1 and 1 are 0: the carry goes through all words.
	d = Digest{}
	d.add([32]byte(slices.Repeat([]byte{0xff}, 32)))
	d.add([32]byte{31: 1})
	if d != none {
		t.Errorf("the sum is not modulo 2²⁵⁶: %v", d)
	}
}
