package results

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// An index is a map from runs to their last outcomes, whatever the order.
func TestIndexIsAMap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	type outcome struct {
		hash [sha256.Size]byte
		ok   bool
		at   int64
	}
	for _, all := range []bool{false, true} {
		x := &index{
			pages:  map[int64]*page{},
			hashes: map[int64][sha256.Size]byte{},
			all:    all,
		}
		naive := map[int64]outcome{}
		for at := range int64(5000) {
			i := random.Int64N(3000)
			if at%3 == 0 {
				i *= 1e12 // as in a shard of a large plan
			}
			if naive[i].ok {
				continue // it stays so
			}
			o := outcome{hash: hashOf(at), ok: random.IntN(2) == 0, at: at}
			naive[i] = o
			l := &log{number: 1 + int(at%70000)}
			x.set(i, newEntry(&record{hash: o.hash, ok: o.ok, line: []byte("ab")}, l, at), o.hash)
		}
		sum := new(big.Int)
		var ok, failed int64
		for i, o := range naive {
			e := x.entry(i)
			if e.at != o.at || e.ok() != o.ok || e.length != 2 || e.log() != 1+int(o.at%70000) ||
				e.hash != binary.BigEndian.Uint64(o.hash[:]) {
				t.Fatalf("run %d is %+v, want %+v", i, e, o)
			}
			if o.ok {
				ok++
			} else {
				failed++
			}
			sum.Add(sum, new(big.Int).SetBytes(o.hash[:]))
		}
		if x.ok != ok || x.failed != failed {
			t.Errorf("%d and %d, want %d and %d", x.ok, x.failed, ok, failed)
		}
		sum.Mod(sum, new(big.Int).Lsh(big.NewInt(1), 256))
		if want := fmt.Sprintf("%064x", sum); x.sum.String() != want {
			t.Errorf("sum %v, want %s", &x.sum, want)
		}
		var runs []int64
		for i, e := range x.entries() {
			runs = append(runs, i)
			if e != x.entry(i) {
				t.Fatalf("entries has %+v of run %d, entry %+v", e, i, x.entry(i))
			}
		}
		if want := slices.Sorted(maps.Keys(naive)); !slices.Equal(runs, want) {
			t.Errorf("the entries are of %d runs, want %d in order", len(runs), len(want))
		}
	}
}

func hashOf(n int64) [sha256.Size]byte {
	return sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(n)))
}

// A run of a shard of a large plan takes what a run takes, not a page.
func TestIndexOfAShardIsSmall(t *testing.T) {
	x := &index{pages: map[int64]*page{}, hashes: map[int64][sha256.Size]byte{}}
	const runs = 1000
	for k := range int64(runs) {
		e := newEntry(&record{ok: true}, &log{number: 1}, k)
		x.set(k*10000, e, hashOf(k))
	}
	room := 0
	for _, p := range x.pages {
		room += cap(p.list)
	}
	if room > 2*runs {
		t.Errorf("there is room for %d entries of %d runs", room, runs)
	}
}
