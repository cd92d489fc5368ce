package results

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/bits"

	"sweep/experiment"
)

// A Hash is that of the outcome of one run; see appendHashed.
type Hash [sha256.Size]byte

// start returns the first eight bytes: two different outcomes have the same
// with a chance of 2⁻⁶⁴.
func (h Hash) start() uint64 { return binary.BigEndian.Uint64(h[:]) }

// A Digest sums up runs whatever their order and wherever they are kept:
// two directories have equal digests if they hold the same runs with the
// same outcomes, bit for bit, and otherwise, but for a chance of 2⁻²⁵⁶,
// different ones. Shards and merged ones give the same digest.
//
// It is the sum, modulo 2²⁵⁶, of the SHA-256 of each run: a multiset hash
// after Bellare and Micciancio (A New Paradigm for Collision-Free Hashing,
// 1997, AdHash). It finds accidents; whoever chooses millions of rows on
// purpose can make collisions.
type Digest struct {
	OK, Failed int64 // runs in it

	sum [4]uint64 // least significant first
}

// String returns the digest as 64 hexadecimal digits.
func (d Digest) String() string {
	var b Hash
	for i, word := range d.sum {
		binary.BigEndian.PutUint64(b[8*(3-i):], word)
	}
	return hex.EncodeToString(b[:])
}

func (d *Digest) add(h Hash) {
	carry := uint64(0)
	for i := range d.sum {
		d.sum[i], carry = bits.Add64(d.sum[i], binary.BigEndian.Uint64(h[8*(3-i):]), carry)
	}
}

func (d *Digest) subtract(h Hash) {
	borrow := uint64(0)
	for i := range d.sum {
		d.sum[i], borrow = bits.Sub64(d.sum[i], binary.BigEndian.Uint64(h[8*(3-i):]), borrow)
	}
}

// appendHashed appends what is hashed of a run:
//
//	"sweep result 1\n"
//	the id, 32 hexadecimal digits
//	the status, the error (empty unless failed)
//	the number of metrics, the metrics
//	the numbers of the series, row by row, its axis first
//
// where a text is preceded by its length, a length or count is a 64-bit
// integer, and a number is the bits of a float64: zero for negative zero,
// those of one certain NaN if it is null, as all metrics of a failed run
// are; integers are in big-endian order. The first line must change whenever
// anything below it does.
func appendHashed(b []byte, e *experiment.Experiment, r *Row) []byte {
	text := func(s string) {
		b = append(binary.BigEndian.AppendUint64(b, uint64(len(s))), s...)
	}
	b = append(b, "sweep result 1\n"...)
	b = hex.AppendEncode(b, r.ID[:])
	text(r.Status)
	text(r.Error)
	b = binary.BigEndian.AppendUint64(b, uint64(len(e.Metrics)))
	if r.Status != OK {
		for range e.Metrics {
			b = appendBits(b, math.NaN())
		}
		return b
	}
	for _, x := range r.Result.Metrics {
		b = appendBits(b, x)
	}
	for _, x := range r.Result.Series {
		b = appendBits(b, x)
	}
	return b
}

func appendBits(b []byte, x float64) []byte {
	word := uint64(0x7ff8000000000001)
	if !math.IsNaN(x) {
		word = math.Float64bits(x + 0)
	}
	return binary.BigEndian.AppendUint64(b, word)
}
