package results

import (
	"slices"
	"sort"
	"strconv"

	"sweep/experiment"
	"sweep/grid"
)

// recent has the numbers of runs that a store has appended, so that an export
// need not read them from the log: of plain runs, as long as there is room.
// They are kept in the order of the log, in chunks.
type recent struct {
	metrics int // of a run
	chunks  []*recentChunk
	near    int // the chunk that was used last
}

// A recentChunk has the numbers of neighbours in the log.
type recentChunk struct {
	at      []int64 // the offsets of their records, ascending
	ids     []grid.ID
	seconds []float64 // as the log has them
	metrics []float64 // run by run
}

const (
	chunkRuns   = 4096
	recentBytes = 48 << 20 // room for all chunks
)

// keep keeps the numbers of a run whose record is at an offset, unless there is
// no room, or more to tell of the run.
func (x *recent) keep(at int64, r *Row) {
	isPlain := r.Status == OK && r.Attempts <= 1 && r.Result.Usage == (experiment.Usage{}) &&
		len(r.Result.Series) == 0
	if !isPlain {
		return
	}
	last := len(x.chunks) - 1
	if last < 0 || len(x.chunks[last].at) == chunkRuns {
		bytes := 8 * (4 + x.metrics) * chunkRuns
		if (len(x.chunks)+1)*bytes > recentBytes {
			return
		}
		x.chunks = append(x.chunks, &recentChunk{
			at:      make([]int64, 0, chunkRuns),
			ids:     make([]grid.ID, 0, chunkRuns),
			seconds: make([]float64, 0, chunkRuns),
			metrics: make([]float64, 0, chunkRuns*x.metrics),
		})
		last++
	}
	c := x.chunks[last]
	c.at = append(c.at, at)
	c.ids = append(c.ids, r.ID)
	c.seconds = append(c.seconds, recordedSeconds(r.Seconds))
	for _, number := range r.Result.Metrics {
		c.metrics = append(c.metrics, number+0) // negative zero becomes zero
	}
}

// recordedSeconds returns a time as it is read from a record.
func recordedSeconds(seconds float64) float64 {
	var buffer [32]byte
	text := appendSeconds(buffer[:0], seconds)
	recorded, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		panic("results: " + err.Error()) // it was formatted just now
	}
	return recorded
}

// fill fills the outcome of a row whose record is at an offset. It returns
// false if the numbers were not kept.
func (x *recent) fill(at int64, row *Row) bool {
	if x.near >= len(x.chunks) || !x.chunks[x.near].covers(at) {
		behind := sort.Search(len(x.chunks), func(i int) bool { return x.chunks[i].at[0] > at })
		x.near = max(behind-1, 0)
	}
	if x.near >= len(x.chunks) {
		return false
	}
	c := x.chunks[x.near]
	k, isThere := slices.BinarySearch(c.at, at)
	if !isThere {
		return false
	}
	row.ID = c.ids[k]
	row.Status = OK
	row.Error = ""
	row.Seconds = c.seconds[k]
	row.Attempts = 1
	row.Result.Usage = experiment.Usage{}
	row.Result.Series = row.Result.Series[:0]
	row.Result.Metrics = append(row.Result.Metrics[:0], c.metrics[k*x.metrics:(k+1)*x.metrics]...)
	return true
}

// covers reports whether an offset is between the first and the last.
func (c *recentChunk) covers(at int64) bool {
	return c.at[0] <= at && at <= c.at[len(c.at)-1]
}
