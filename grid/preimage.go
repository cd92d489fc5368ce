package grid

import (
	"math/big"

	"sweep/experiment"
	"sweep/grid/internal/sequence"
	"sweep/grid/internal/tuples"
)

// preimage returns the indices of s whose values satisfy c.
func (u *union) preimage(s sequence.Sequence, c constraint) []tuples.Run {
	if c.any == nil {
		return preimageOne(s, c.one)
	}
	pair := [2]sequence.Sequence{s, c.any}
	if runs, ok := u.shared[pair]; ok {
		return runs
	}
	runs := preimageAny(s, c.any)
	u.shared[pair] = runs
	return runs
}

// preimageAny returns the indices of s whose values t has too; the two are
// manageable, or nothing is returned.
func preimageAny(s, t sequence.Sequence) []tuples.Run {
	var runs []tuples.Run
	if k, ok := offset(s, t); ok {
		// i+k must be an index of t. Bounds that int64 cannot hold are
		// out of reach anyway.
		first, last := new(big.Int).Neg(big.NewInt(k)), big.NewInt(t.Len()-1)
		last.Sub(last, big.NewInt(k))
		if first.Sign() < 0 {
			first.SetInt64(0)
		}
		if end := big.NewInt(s.Len() - 1); last.Cmp(end) > 0 {
			last = end
		}
		if first.Cmp(last) <= 0 {
			runs = append(runs, tuples.Run{First: first.Int64(), Last: last.Int64()})
		}
		return runs
	}
	switch {
	case apart(s, t):
	case s.Len() <= min(t.Len(), mostCompared):
		for i := range s.Len() {
			if _, ok := t.Next(s.At(i), 0); ok {
				runs = append(runs, tuples.Run{First: i, Last: i})
			}
		}
	case t.Len() <= mostCompared:
		for i := range t.Len() {
			runs = append(runs, preimageOne(s, t.At(i))...)
		}
	}
	return tuples.Normal(runs)
}

// preimageOne returns the indices at which a sequence has a value.
func preimageOne(s sequence.Sequence, v experiment.Value) []tuples.Run {
	var runs []tuples.Run
	for i, ok := s.Next(v, 0); ok; i, ok = s.Next(v, i+1) {
		runs = append(runs, tuples.Run{First: i, Last: i})
	}
	return tuples.Normal(runs)
}
