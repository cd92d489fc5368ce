package results

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"sweep/grid"
)

// count counts the runs that are there and sums up their hashes, unless that is
// known.
func (r *Reader) count() *Reader {
	if r.digest != "" {
		return r
	}
	r.ok = 0
	r.failed = 0
	sum := [4]uint64{} // least significant first
	for _, e := range r.entries() {
		if e.ok {
			r.ok++
		} else {
			r.failed++
		}
		carry := uint64(0)
		for i := range sum {
			word := binary.BigEndian.Uint64(e.hash[8*(3-i):])
			sum[i], carry = bits.Add64(sum[i], word, carry)
		}
	}
	r.digest = fmt.Sprintf("%016x%016x%016x%016x", sum[3], sum[2], sum[1], sum[0])
	return r
}

// Digest sums up the runs that are there, in 64 hexadecimal digits. Neither
// their order nor where they are kept matters: shards and the merged sweep give
// the same digest. Two directories have equal digests if they hold the same
// runs with the same outcomes, bit for bit, and otherwise different ones, but
// for a chance of 2⁻²⁵⁶.
//
// It is the sum, modulo 2²⁵⁶, of the SHA-256 of each run: a multiset hash
// after Bellare and Micciancio (A New Paradigm for Collision-Free Hashing,
// 1997, AdHash). It finds accidents; somebody who chooses millions of rows on
// purpose can make collisions.
func (r *Reader) Digest() string { return r.count().digest }

// OK returns the number of the plan's runs that succeeded.
func (r *Reader) OK() int64 { return r.count().ok }

// Failed returns the number of the plan's runs that failed.
func (r *Reader) Failed() int64 { return r.count().failed }

// Assigned returns the number of runs that belong in the directory: those that
// are there, and those that are needed and missing. In the directory of a
// shard, only the shard's runs can be missing.
func (r *Reader) Assigned() int64 {
	if r.Shard != nil {
		return r.assigned(*r.Shard)
	}
	return r.assigned(r.Plan.Shard(0, 1))
}

// assigned returns the number of runs of a shard that are needed: all or, if
// there is a stopping rule, those that it asks for, judged by the runs that are
// there. Where seeds were bought, cells have different numbers of them.
func (r *Reader) assigned(shard grid.Shard) (n int64) {
	if r.Plan.IsEven() {
		return shard.Runs()
	}
	for k := range shard.Runs() / r.Plan.Seeds() { // it has whole cells
		n += r.seeds(shard.Run(k))
	}
	return n
}

// Missing returns the number of assigned runs that are not there.
func (r *Reader) Missing() int64 { return r.Assigned() - r.OK() - r.Failed() }

// MissingIn is Missing of a shard of the plan.
func (r *Reader) MissingIn(shard grid.Shard) int64 {
	n := r.assigned(shard)
	end := int64(0) // behind the last run that is there
	for page := range r.pages {
		end = max(end, (page+1)*pageRuns)
	}
	for k := range shard.Runs() {
		i := shard.Run(k)
		if i >= end {
			break
		}
		if r.Status(i) != "" {
			n--
		}
	}
	return n
}
