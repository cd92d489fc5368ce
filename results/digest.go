package results

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"math/bits"

	"github.com/parquet-go/parquet-go"

	"sweep/experiment"
)

// A Digest sums up runs whatever their order and wherever they are kept:
// two directories have equal digests if they hold the same runs with the
// same outcomes, bit for bit, and otherwise, but for a chance of 2⁻²⁵⁶,
// different ones. Segments and final files, shards and merged ones, give
// the same digest.
//
// It is the sum, modulo 2²⁵⁶, of the SHA-256 of each run: a multiset hash
// after Bellare and Micciancio (A New Paradigm for Collision-Free Hashing,
// 1997, AdHash). The exclusive or would do for a set, but two equal rows
// would cancel each other there, and here they do not. It finds accidents;
// whoever chooses millions of rows on purpose can make collisions.
type Digest struct {
	OK, Failed int64 // runs in it

	sum [4]uint64 // least significant first
}

// String returns the digest as 64 hexadecimal digits.
func (d Digest) String() string {
	var b [32]byte
	for i, word := range d.sum {
		binary.BigEndian.PutUint64(b[8*(3-i):], word)
	}
	return hex.EncodeToString(b[:])
}

func (d *Digest) add(hash [sha256.Size]byte) {
	carry := uint64(0)
	for i := range d.sum {
		d.sum[i], carry = bits.Add64(d.sum[i], binary.BigEndian.Uint64(hash[8*(3-i):]), carry)
	}
}

// Digest reads all runs that are there, with their series.
func (v *Reader) Digest() (Digest, error) {
	d := newDigester(v.Plan.Experiment())
	if err := v.merge(true, d); err != nil {
		return Digest{}, err
	}
	return d.digest(), nil
}

// A digester is the sink that computes a Digest. For each run it hashes
//
//	"sweep result 1\n"
//	the id, 32 hexadecimal digits
//	the status, the error (empty unless failed)
//	the number of metrics, the metrics
//	the numbers of the series, row by row, its axis first
//
// where a text is preceded by its length, a length or count is a 64-bit
// integer, and a metric is the bits of a float64, those of one certain NaN
// if it is null; integers are in big-endian order. The first line must
// change whenever anything below it does.
type digester struct {
	experiment *experiment.Experiment
	total      Digest
	hash       hash.Hash
	pending    bool // hash waits for the rest of its run's series
	text       []byte
}

const digestFormat = "sweep result 1\n"

func newDigester(e *experiment.Experiment) *digester {
	return &digester{experiment: e, hash: sha256.New()}
}

func (d *digester) run(_ int64, row parquet.Row) error {
	d.end()
	e := d.experiment
	status := row[statusAt(e)].ByteArray()
	if string(status) == OK {
		d.total.OK++
	} else {
		d.total.Failed++
	}
	d.text = append(d.text[:0], digestFormat...)
	d.text = append(d.text, row[idAt].ByteArray()...)
	d.addText(status)
	d.addText(row[statusAt(e)+1].ByteArray())
	d.text = binary.BigEndian.AppendUint64(d.text, uint64(len(e.Metrics)))
	for i, m := range e.Metrics {
		d.addNumber(metricValue(m.Kind, row[metricsAt(e)+i]))
	}
	d.hash.Reset()
	d.hash.Write(d.text)
	d.pending = true
	return nil
}

func (d *digester) series(row parquet.Row) error {
	d.text = d.text[:0]
	d.addNumber(metricValue(d.experiment.Series.Axis.Kind, row[axisAt]))
	for i, c := range d.experiment.Series.Columns {
		d.addNumber(metricValue(c.Kind, row[axisAt+1+i]))
	}
	d.hash.Write(d.text)
	return nil
}

// end adds the run that is complete now.
func (d *digester) end() {
	if d.pending {
		d.total.add([sha256.Size]byte(d.hash.Sum(d.text[:0])))
		d.pending = false
	}
}

// digest returns the digest of the runs taken so far, the last of which
// must be complete.
func (d *digester) digest() Digest {
	d.end()
	return d.total
}

func (d *digester) addText(text []byte) {
	d.text = binary.BigEndian.AppendUint64(d.text, uint64(len(text)))
	d.text = append(d.text, text...)
}

func (d *digester) addNumber(x float64) {
	word := uint64(0x7ff8000000000001)
	if !math.IsNaN(x) {
		word = math.Float64bits(x)
	}
	d.text = binary.BigEndian.AppendUint64(d.text, word)
}
