package results

import "sweep/grid"

// A count is how many of the runs that are needed are there, and the sum of
// their hashes.
type count struct {
	ok, failed int64
	sum        hashSum
}

// count returns the count of the runs that are there.
func (r *Reader) count() *count {
	if r.counted == nil {
		r.counted = r.countNeeded()
	}
	return r.counted
}

// countNeeded counts the runs that are there and needed: if the plan is even,
// all that the index has.
func (r *Reader) countNeeded() *count {
	if r.Plan.IsEven() {
		return &count{r.index.ok, r.index.failed, r.index.sum}
	}
	n := &count{}
	for i, e := range r.entries() {
		if e.ok() {
			n.ok++
		} else {
			n.failed++
		}
		n.sum.add(r.index.hashes[i])
	}
	return n
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
func (r *Reader) Digest() string { return r.count().sum.String() }

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

// MissingIn returns, for each of count shards of the plan, the number of its
// assigned runs that are not there.
func (r *Reader) MissingIn(count int64) []int64 {
	missing := make([]int64, count)
	for index := range missing {
		missing[index] = r.assigned(r.Plan.Shard(int64(index), count))
	}
	shard := r.Plan.Shard(0, count)
	for i := range r.entries() {
		missing[shard.Of(i)]--
	}
	return missing
}
