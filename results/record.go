package results

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strconv"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/disk"
	"sweep/internal/lists"
)

// A log is a text of one JSON object a line. The first line, and any that
// is not a run's, is a header:
//
//	{"format":"sweep log 1","sweep":"table2","experiment":"foraging","model_version":3,"spec_sha256":"…","columns":[…],"crc32c":"0123abcd"}
//
// Every other line is the record of a run:
//
//	{"cell":"…","seed":7,"status":"ok","hash":"…","seconds":0.012,"parameters":{…},"metrics":{…},"series":[[…],…],"crc32c":"0123abcd"}
//	{"cell":"…","seed":8,"status":"failed","hash":"…","seconds":0.012,"parameters":{…},"error":"…","crc32c":"0123abcd"}
//
// The cell is the identity of the run without its seed, and hash that of
// its outcome. Parameters that the run does not use are left out, a number
// that is not defined is null, and every other number is the shortest decimal
// that reads back as itself. The keys are always in this order, without
// blanks, so that a reader finds its way by position; crc32c is the CRC-32C
// of the line up to the comma before it.
const (
	logFormat   = "sweep log 1"
	headerStart = `{"format":"`
	recordStart = `{"cell":"`
)

// maxRecord bounds the bytes of a record.
const maxRecord = 1 << 26

// A JSON object ends with the checksum of what comes before it, as the value of
// its last key: between these two texts in a line, and in the manifest.
var (
	lineEnd     = [2]string{`,"crc32c":"`, "\"}"}
	manifestEnd = [2]string{",\n  \"crc32c\": \"", "\"\n}\n"}
)

// seal appends the end of an object of that content.
func seal(b, content []byte, end [2]string) []byte {
	b = append(b, end[0]...)
	b = hex.AppendEncode(b, binary.BigEndian.AppendUint32(nil, crc32.Checksum(content, disk.Castagnoli)))
	return append(b, end[1]...)
}

// unseal returns the content of an object; ok tells whether its checksum is
// right.
func unseal(object []byte, end [2]string) (content []byte, ok bool) {
	at := max(0, len(object)-len(end[0])-8-len(end[1]))
	var want [64]byte
	return object[:at], bytes.Equal(seal(want[:0], object[:at], end), object[at:])
}

// sealLine ends the line that begins at start, the closing bracket of which is
// still missing.
func sealLine(b []byte, start int) []byte { return append(seal(b, b[start:], lineEnd), '\n') }

// A header says what the records below it are.
type header struct {
	Format     string   `json:"format"`
	Sweep      string   `json:"sweep"` // the spec's name
	Experiment string   `json:"experiment"`
	Version    int      `json:"model_version"`
	SpecSHA256 string   `json:"spec_sha256"`
	Columns    []Column `json:"columns"` // of runs.parquet and series.parquet

	// Corrupt is how many bytes before the header were corrupt when it was
	// written. They stay where they are; whoever wrote it has told of them and
	// computed their runs again.
	Corrupt int64 `json:"corrupt_bytes,omitempty"`
}

// recordColumns are those of runs.parquet and series.parquet, each once.
func recordColumns(e *experiment.Experiment) []Column {
	runs, series, _ := Columns(e)
	if !hasSeries(e) {
		return runs
	}
	return append(runs, series[axisAt:]...)
}

// fits refuses a log whose records cannot be read as those of an experiment as it
// is declared now. Its parameters may be others: a run is known by its own.
func (h *header) fits(e *experiment.Experiment, path string) error {
	const hint = "use another directory"
	if h.Experiment != e.Name || h.Version != e.Version {
		return disk.Refuse(path, hint, "the runs are of %s, model version %d, and here those of %s, model version %d, "+
			"are expected", h.Experiment, h.Version, e.Name, e.Version)
	}
	measured := func(columns []Column) []string {
		columns = slices.DeleteFunc(slices.Clone(columns), func(c Column) bool { return c.Role == "parameter" })
		return append(lists.Map(columns, func(c Column) string { return c.Name + " (" + c.Kind + ")" }), "no more")
	}
	here := measured(recordColumns(e))
	for i, there := range measured(h.Columns) { // of two lengths, the shorter differs at its end
		if there != here[i] {
			return disk.Refuse(path, hint, "the runs have measured %s where %s is expected", there, here[i])
		}
	}
	return nil
}

// A record is a run's line as far as an index needs it, and what else there is
// in it to be read.
type record struct {
	log  *log  // that it is in
	at   int64 // where
	cell grid.ID
	seed int64
	ok   bool
	hash [sha256.Size]byte
	line []byte // with its line break

	rest   []byte // to be read: from the seconds on, without the checksum
	failed bool   // what was read is not as this program writes it
}

// errRecord is what is wrong with a line that has the right checksum.
var errRecord = errors.New("a record is not as this program writes it")

// wrong tells of a record that has the right checksum and is wrong all the
// same.
func (r *record) wrong(err error) error {
	return &DataError{Path: r.log.path, Message: fmt.Sprintf("the record at byte %d", r.at), Err: err}
}

// parse reads a line, the content of which its checksum covers.
func (r *record) parse(line, content []byte) bool {
	r.line, r.rest, r.failed = line, content, false
	r.to(recordStart)
	r.hex(r.cell[:], `","seed":`)
	seed, status := r.to(`,"status":"`), r.to(`","hash":"`)
	r.hex(r.hash[:], `","seconds":`)
	var err error
	r.seed, err = strconv.ParseInt(string(seed), 10, 64)
	r.ok = string(status) == OK
	return !r.failed && err == nil && r.seed >= 0 && (r.ok || string(status) == Failed)
}

// to returns what comes before a mark, and goes beyond that.
func (r *record) to(mark string) []byte {
	word, rest, found := bytes.Cut(r.rest, []byte(mark))
	r.rest, r.failed = rest, r.failed || !found
	return word
}

// hex decodes what comes before a mark.
func (r *record) hex(x []byte, mark string) {
	word := r.to(mark)
	if len(word) != hex.EncodedLen(len(x)) {
		r.failed = true
	} else if _, err := hex.Decode(x, word); err != nil {
		r.failed = true
	}
}

// number returns the number before a mark; null is NaN.
func (r *record) number(mark string) float64 {
	word := r.to(mark)
	if string(word) == "null" {
		return math.NaN()
	}
	x, err := strconv.ParseFloat(string(word), 64)
	r.failed = r.failed || err != nil || math.IsNaN(x)
	return x
}

// fill reads the outcome of a record into a row that has its Point and ID, and
// compares its hash. Without its series, a run that has one is read no further
// than its metrics. A record is read once.
func (r *record) fill(row *Row, series bool) error {
	e, result := row.Point.Experiment, &row.Result
	row.Status, row.Error, row.Seconds = OK, "", r.number(`,"parameters":{`)
	result.Metrics, result.Series = result.Metrics[:0], result.Series[:0]
	if !r.ok {
		row.Status = Failed
		r.to(`},"error":`) // in a string, the quotation marks would be escaped
		r.failed = r.failed || json.Unmarshal(r.rest, &row.Error) != nil
		r.rest = nil
	} else {
		r.to(`},"metrics":{"`)
		for i := range e.Metrics {
			name, mark := r.to(`":`), `,"`
			if i == len(e.Metrics)-1 {
				mark = `}`
			}
			r.failed = r.failed || string(name) != e.Metrics[i].Name
			result.Metrics = append(result.Metrics, r.number(mark))
		}
		if hasSeries(e) {
			if !series && !r.failed {
				return nil
			}
			r.to(`,"series":[`)
			for !r.failed && string(r.rest) != `]` {
				r.to(`[`)
				for range e.Columns() {
					result.Series = append(result.Series, r.number(`,`))
				}
				result.Series = append(result.Series, r.number(`]`)) // the axis is a column, too
			}
			r.rest = nil
		}
	}
	if r.failed || len(r.rest) > 0 || !(row.Seconds >= 0) {
		return errRecord
	}
	if err := e.CheckResult(result); r.ok && err != nil {
		return err
	}
	if row.Hash() != r.hash {
		return errors.New("its hash is not that of its outcome")
	}
	return nil
}

// appendRecord appends the line of a run with the given hash.
func appendRecord(b []byte, cell grid.ID, r *Row, hash [sha256.Size]byte) []byte {
	start, e := len(b), r.Point.Experiment
	b = append(b, recordStart...)
	b = hex.AppendEncode(b, cell[:])
	b = append(b, `","seed":`...)
	b = strconv.AppendInt(b, r.Point.Seed, 10)
	b = append(b, `,"status":"`...)
	b = append(b, r.Status...)
	b = append(b, `","hash":"`...)
	b = hex.AppendEncode(b, hash[:])
	b = append(b, `","seconds":`...)
	b = strconv.AppendFloat(b, max(r.Seconds, 0), 'g', 4, 64)
	b = append(b, `,"parameters":{`...)
	for i, v := range r.Point.Values {
		if v.IsNull() {
			continue
		}
		b = appendName(b, e.Params[i].Name)
		if v.Kind() == experiment.String {
			b = append(b, asJSON(v.Text())...)
		} else {
			b = v.Append(b)
		}
	}
	if r.Status != OK {
		b = append(b, `},"error":`...)
		return sealLine(append(b, asJSON(r.Error)...), start)
	}
	b = append(b, `},"metrics":{`...)
	for i, m := range e.Metrics {
		b = appendName(b, m.Name)
		b = appendNumber(b, m.Kind, r.Result.Metrics[i])
	}
	b = append(b, '}')
	if hasSeries(e) {
		b = append(b, `,"series":[`...)
		for row := range slices.Chunk(r.Result.Series, len(e.Series)) {
			mark := byte('[')
			for i, x := range row {
				b = appendNumber(append(b, mark), e.Series[i].Kind, x)
				mark = ','
			}
			b = append(b, "],"...)
		}
		b = append(bytes.TrimSuffix(b, []byte(",")), ']')
	}
	return sealLine(b, start)
}

// appendName appends a name of an object, of which the bracket, or another value,
// comes before it.
func appendName(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, name...)
	return append(b, `":`...)
}

// appendNumber appends a measured number as its declared kind, NaN as null.
// Negative zero becomes zero: which of the two is a column's minimum in a
// Parquet file would depend on the processor.
func appendNumber(b []byte, kind experiment.Kind, x float64) []byte {
	switch {
	case math.IsNaN(x):
		return append(b, "null"...)
	case kind == experiment.Int:
		return strconv.AppendInt(b, int64(x), 10)
	}
	return strconv.AppendFloat(b, x+0, 'g', -1, 64)
}
