package results

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"
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

// The digest is that of the rows, in whatever order they came.
func TestDigest(t *testing.T) {
	spec := parse(t, smallSpec)
	for name, order := range map[string]func(int64) []int64{"in order": ascending, "in disorder": shuffled} {
		dir := t.TempDir()
		s := mustOpen(t, dir, spec)
		var rows []*Row
		for n, i := range order(spec.Plan().Runs()) {
			rows = append(rows, toyRow(spec.Plan(), i))
			must(t, s.Append(rows[n]))
			if n%40 == 39 {
				must(t, s.Commit())
				r, _ := read(t, dir, false)
				if d := r.Digest(); d.String() != naiveDigest(rows) || s.Digest() != d || d.OK+d.Failed != int64(len(rows)) {
					t.Errorf("%s, after %d runs: %s of %d and %d runs, want %s", name, len(rows), d, d.OK, d.Failed, naiveDigest(rows))
				}
			}
		}
		must(t, s.Close())
	}
}

// Equal hashes must not cancel each other, as they would in an exclusive or.
func TestDigestCountsRepetitions(t *testing.T) {
	var d Digest
	var none Digest
	hash := sha256.Sum256([]byte("a run"))
	d.add(hash, true)
	once := d
	d.add(hash, true)
	if d == none || d == once {
		t.Errorf("twice the same run: %v", d)
	}
	// 2²⁵⁶ - 1 and 1 are 0: the carry goes through all words.
	d = Digest{}
	d.add([32]byte(slices.Repeat([]byte{0xff}, 32)), true)
	d.add([32]byte{31: 1}, true)
	if d.sum != none.sum {
		t.Errorf("the sum is not modulo 2²⁵⁶: %v", d)
	}
}
