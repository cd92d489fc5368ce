package results

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"math/bits"
	"slices"

	"sweep/internal/bitset"
)

// An index says where the record of each run stands. It takes about 24 bytes a
// run, wherever in the plan the runs are: those of one shard are spread over
// all of it.
type index struct {
	pages map[int64]*page // by run / pageRuns

	// The page that was used last, since runs mostly follow the plan.
	last   *page
	number int64

	newest *page // the page that was made last; nil: none

	// Of the runs in the index, needed or not.
	ok, failed int64
	sum        hashSum

	// hashes has the hash of each outcome that the sum may lose again: of
	// failed runs, which may be repeated, and of all if all is true.
	hashes map[int64][sha256.Size]byte
	all    bool
}

// pageRuns is how many runs a page stands for.
const pageRuns = 512

// A page has the entries of neighbours in the plan.
type page struct {
	has  [pageRuns / 64]uint64 // a bitset.Set
	list []entry               // of those in has, in order
}

// An entry tells where the record of a run is. The zero entry is that of a run
// that is not there.
type entry struct {
	at     int64
	hash   uint64 // the first 64 bits of the outcome's
	length uint32
	source uint32 // the number of the log, from 1, and whether the run succeeded
}

// succeeded is the bit of entry.source for a run that did.
const succeeded = 1 << 31

func (e entry) isThere() bool { return e.source != 0 }
func (e entry) ok() bool      { return e.source&succeeded != 0 }
func (e entry) log() int      { return int(e.source &^ succeeded) }

// newEntry returns the entry of a record at an offset of a log.
func newEntry(rec *record, l *log, at int64) entry {
	e := entry{
		at:     at,
		hash:   shortHash(&rec.hash),
		length: uint32(len(rec.line)),
		source: uint32(l.number),
	}
	if rec.ok {
		e.source |= succeeded
	}
	return e
}

// shortHash returns the first 64 bits of a hash. Different outcomes of a run
// have the same ones by a chance of 2⁻⁶⁴.
func shortHash(hash *[sha256.Size]byte) uint64 { return binary.BigEndian.Uint64(hash[:8]) }

// set returns which runs of the page are there.
func (p *page) set() bitset.Set { return p.has[:] }

// rank returns how many entries come before that of a run of the page, and
// whether it is there.
func (p *page) rank(k int) (rank int, isThere bool) {
	for _, word := range p.has[:k/64] {
		rank += bits.OnesCount64(word)
	}
	before := p.has[k/64] & (1<<(k%64) - 1)
	return rank + bits.OnesCount64(before), p.set().Has(k)
}

// page returns the page of a run; nil if there is none.
func (x *index) page(i int64) *page {
	if number := i / pageRuns; x.last == nil || x.number != number {
		x.last = x.pages[number]
		x.number = number
	}
	return x.last
}

// entry returns the entry of run i.
func (x *index) entry(i int64) entry {
	p := x.page(i)
	if p == nil {
		return entry{}
	}
	rank, isThere := p.rank(int(i % pageRuns))
	if !isThere {
		return entry{}
	}
	return p.list[rank]
}

// set enters a run with the hash of its outcome, in place of an earlier
// failure.
func (x *index) set(i int64, e entry, hash [sha256.Size]byte) {
	p := x.page(i)
	if p == nil {
		p = x.newPage()
		x.pages[i/pageRuns] = p
		x.last = p
	}
	k := int(i % pageRuns)
	rank, isThere := p.rank(k)
	if isThere {
		x.sum.subtract(x.hashes[i])
		delete(x.hashes, i)
		x.failed--
		p.list[rank] = e
	} else {
		p.set().Add(k)
		p.list = slices.Insert(p.list, rank, e)
	}
	if e.ok() {
		x.ok++
	} else {
		x.failed++
	}
	if x.all || !e.ok() {
		x.hashes[i] = hash
	}
	x.sum.add(hash)
}

// newPage returns a page with room for as many entries as the newest page has
// by now: 512 if the log follows the plan, and few if it is that of a shard.
func (x *index) newPage() *page {
	p := new(page)
	if x.newest != nil {
		p.list = make([]entry, 0, len(x.newest.list))
	}
	x.newest = p
	return p
}

// entries yields the runs that are there, in the order of the plan.
func (x *index) entries() iter.Seq2[int64, entry] {
	return func(yield func(int64, entry) bool) {
		for _, number := range slices.Sorted(maps.Keys(x.pages)) {
			p := x.pages[number]
			rank := 0
			for k := range p.set().All {
				if !yield(number*pageRuns+int64(k), p.list[rank]) {
					return
				}
				rank++
			}
		}
	}
}

// A hashSum is a sum of hashes modulo 2²⁵⁶, the least significant word first.
type hashSum [4]uint64

func (s *hashSum) add(hash [sha256.Size]byte) {
	carry := uint64(0)
	for i := range s {
		word := binary.BigEndian.Uint64(hash[8*(3-i):])
		s[i], carry = bits.Add64(s[i], word, carry)
	}
}

func (s *hashSum) subtract(hash [sha256.Size]byte) {
	borrow := uint64(0)
	for i := range s {
		word := binary.BigEndian.Uint64(hash[8*(3-i):])
		s[i], borrow = bits.Sub64(s[i], word, borrow)
	}
}

func (s *hashSum) String() string {
	return fmt.Sprintf("%016x%016x%016x%016x", s[3], s[2], s[1], s[0])
}
