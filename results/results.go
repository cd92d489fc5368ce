// Package results keeps what the runs of a sweep yield: an append-only log
// while the sweep runs, and Parquet files that are exported from it.
//
// The way through the package, in the order the data takes:
//
//   - record.go writes and reads the line of a run, and header.go the line
//     before them; log.go scans the file of lines, reads single records and
//     appends.
//   - reader.go holds Reader, the runs of a plan that are in one or several
//     logs; index.go knows where their records are, count.go counts them,
//     stop.go says which of them a stopping rule asks for, and sample.go takes
//     measures from them.
//   - store.go holds Store, a Reader of the directory of one sweep or shard
//     that is open for writing; merge.go takes runs from other directories.
//   - summary.go describes cells. export.go exports runs.parquet,
//     series.parquet and summary.parquet, which parquet.go writes, from the log
//     and from the runs that recent.go keeps in memory; cellvalues.go has their
//     metrics by cell. collect.go writes the runs of several sweeps into one
//     file; effort.go adds up what runs took.
//   - older.go opens results of an earlier model version.
//   - layout.go knows the names in a directory, and manifest.go its manifest;
//     package disk holds all that is done to the file system.
//
// A run's outcome has a hash; Reader.Digest sums them up.
//
// # Layout of a directory
//
//	spec.toml        the spec as given
//	manifest.json    when, where and by which build it was run
//	runs.jsonl       the log: a header, then a record for every run
//	runs.parquet     one row per run, in the order of the plan
//	series.parquet   the runs' rows over time, in the same order
//	summary.parquet  one row per metric and cell
//	timings.parquet  one row per run: what it took of time and memory
//	shards/0-of-3/   spec.toml, manifest.json and runs.jsonl of one shard
//
// The log decides: a run is finished when its record is there. Records are
// found by the identity of their cell and their seed, so a plan may grow,
// shrink or be reordered. The spec may come to ask for other metrics, too: a
// header says what the records behind it have measured, and those that have
// measured something else are not read. Everything else but the spec follows
// from the log; the bytes of the exported files but timings.parquet depend on
// the spec and the model alone, not on the order in which runs ended.
//
// The process that writes to a directory holds a lock on its log and, where the
// file system has such locks, on the directory.
//
// Every line of the log, the manifest and the exported files have checksums;
// that of the spec is in the log. Files named .*.tmp are unfinished, and
// removed when the directory is next opened.
//
// # Errors
//
// A *DataError tells of a directory or file whose content is not acceptable
// (corrupt, or of another sweep), ErrLocked of one that another process
// writes to. Every other error is a fault of input or output and wraps the
// operating system's, with its path. Misuse of the package, such as a row of
// the wrong length, panics.
package results

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/disk"
)

// The statuses of a run.
const (
	OK     = "ok"
	Failed = "failed"
)

// Row is the outcome of one run.
type Row struct {
	Index  int64   // position in the plan
	ID     grid.ID // only of a row that is read whole
	Point  experiment.Point
	Status string            // OK or Failed
	Error  string            // empty unless failed
	Result experiment.Result // Metrics and Series; ignored if failed

	// These, and the result's Usage, are no part of the outcome.
	Seconds  float64 // that the last attempt took
	Attempts int64   // at least 1
	Host     string  // where it was; empty: not known. Append knows it
}

// A DataError says that a directory or file cannot be used as it is: corrupt,
// or the results of something else.
type DataError = disk.DataError

// ErrLocked refuses a directory that another process writes to.
var ErrLocked = disk.ErrLocked

// ErrReplaced is the error of a writer whose log, or whose directory, was
// removed, renamed or replaced. What it wrote last may be gone.
var ErrReplaced = disk.ErrReplaced

// Hash returns the hash of the run's outcome. Two outcomes have the same hash
// if the files hold the same bits for both. It is the SHA-256 of
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
func (r *Row) Hash() [sha256.Size]byte {
	var buffer [1024]byte // saves an allocation for all but long series
	b := append(buffer[:0], "sweep result 1\n"...)
	b = hex.AppendEncode(b, r.ID[:])
	for _, text := range []string{r.Status, r.Error} {
		b = append(binary.BigEndian.AppendUint64(b, uint64(len(text))), text...)
	}
	b = binary.BigEndian.AppendUint64(b, uint64(len(r.Point.Experiment.Metrics)))
	if r.Status != OK {
		for range r.Point.Experiment.Metrics {
			b = appendBits(b, math.NaN())
		}
		return sha256.Sum256(b)
	}
	for _, x := range r.Result.Metrics {
		b = appendBits(b, x)
	}
	for _, x := range r.Result.Series {
		b = appendBits(b, x)
	}
	return sha256.Sum256(b)
}

func appendBits(b []byte, x float64) []byte {
	word := uint64(0x7ff8000000000001)
	if !math.IsNaN(x) {
		word = math.Float64bits(x + 0)
	}
	return binary.BigEndian.AppendUint64(b, word)
}
