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
	"time"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/disk"
)

// A log is a text of one JSON object a line. The first line, and any that
// is not a run's, is a header:
//
//	{"format":"sweep log 1","sweep":"table2","experiment":"foraging",
//	"model_version":3,"spec_sha256":"…","columns":[…],"host":"node7",
//	"crc32c":"0123abcd"}
//
// Another header stands wherever the spec, the host or the number of corrupt
// bytes changes.
// Every other line is the record of a run:
//
//	{"cell":"…","seed":7,"status":"ok","hash":"…","seconds":0.012,
//	"parameters":{…},"metrics":{…},"series":[[…],…],"crc32c":"0123abcd"}
//
// or, if the run failed,
//
//	{"cell":"…","seed":8,"status":"failed","hash":"…","seconds":0.012,
//	"parameters":{…},"error":"…","crc32c":"0123abcd"}
//
// Each is on one line, without the breaks that are here. The seconds are
// followed by what is known of the attempts and the usage of the run:
//
//	"seconds":2.31,"attempts":2,"started":"2026-11-24T02:19:29.123Z",
//	"cpu_seconds":2.2,"peak_memory":58720256,
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
	sum := crc32.Checksum(content, disk.Castagnoli)
	b = append(b, end[0]...)
	var word [4]byte
	binary.BigEndian.PutUint32(word[:], sum)
	b = hex.AppendEncode(b, word[:])
	return append(b, end[1]...)
}

// unseal returns the content of an object; ok tells whether its checksum is
// right.
func unseal(object []byte, end [2]string) (content []byte, ok bool) {
	at := max(0, len(object)-len(end[0])-8-len(end[1]))
	var want [64]byte
	return object[:at], bytes.Equal(seal(want[:0], object[:at], end), object[at:])
}

// sealLine ends the line that begins at start and lacks its closing bracket.
func sealLine(b []byte, start int) []byte {
	return append(seal(b, b[start:], lineEnd), '\n')
}

// A record is a run's line: what an index needs of it, and the rest to read.
type record struct {
	log  *log  // that holds it
	at   int64 // its offset there
	cell grid.ID
	seed int64
	ok   bool
	hash [sha256.Size]byte
	line []byte // with its line break

	// row is the run that the record was written from; nil if it was read.
	row *Row

	rest      []byte // to be read: from the seconds on, without the checksum
	malformed bool   // what was read is not as this program writes it
}

// errRecord is what is wrong with a line that has the right checksum.
var errRecord = errors.New("a record is not as this program writes it")

// wrong returns the error of a record whose checksum is right and whose content
// is wrong.
func (r *record) wrong(err error) error {
	message := fmt.Sprintf("the record at byte %d", r.at)
	return &DataError{Path: r.log.path, Message: message, Err: err}
}

// parse reads a line. content is the part that its checksum covers.
func (r *record) parse(line, content []byte) bool {
	r.line = line
	r.rest = content
	r.malformed = false
	r.fixed(0, recordStart)
	r.hex(r.cell[:], `","seed":`)
	seed := r.to(`,"status":"`)
	r.ok = bytes.HasPrefix(r.rest, []byte(OK+`"`))
	if r.ok {
		r.fixed(0, OK+`","hash":"`)
	} else {
		r.fixed(0, Failed+`","hash":"`)
	}
	r.hex(r.hash[:], `","seconds":`)
	if r.malformed {
		return false
	}
	var ok bool
	r.seed, ok = parseSeed(seed)
	return ok
}

// parseSeed returns the integer that digits are. It is false for anything else,
// and for an integer of more than 63 bits.
func parseSeed(digits []byte) (seed int64, ok bool) {
	const most = math.MaxInt64 / 10 // to which a digit can be added
	for _, digit := range digits {
		isDigit := '0' <= digit && digit <= '9'
		if !isDigit || seed < 0 || seed > most {
			return 0, false
		}
		seed = 10*seed + int64(digit-'0')
	}
	return seed, len(digits) > 0 && seed >= 0 // below 0: the last digit was too much
}

// to returns what comes before a mark, and moves behind the mark.
func (r *record) to(mark string) []byte {
	word, rest, found := bytes.Cut(r.rest, []byte(mark))
	r.rest = rest
	r.malformed = r.malformed || !found
	return word
}

// fixed returns the first bytes, so many, if a mark follows, and moves behind
// the mark.
func (r *record) fixed(length int, mark string) []byte {
	end := length + len(mark)
	if len(r.rest) < end || string(r.rest[length:end]) != mark {
		r.malformed = true
		return nil
	}
	word := r.rest[:length]
	r.rest = r.rest[end:]
	return word
}

// hex decodes what comes before a mark.
func (r *record) hex(x []byte, mark string) {
	word := r.fixed(hex.EncodedLen(len(x)), mark)
	if word == nil {
		return
	}
	_, err := hex.Decode(x, word)
	r.malformed = r.malformed || err != nil
}

// number returns the number before a mark; null is NaN.
func (r *record) number(mark string) float64 {
	return r.decimal(r.to(mark))
}

// decimal returns the number that a word is; null is NaN.
func (r *record) decimal(word []byte) float64 {
	if string(word) == "null" {
		return math.NaN()
	}
	x, err := strconv.ParseFloat(string(word), 64)
	r.malformed = r.malformed || err != nil || math.IsNaN(x)
	return x
}

// fill reads the outcome of a record into a row that has its Point. A whole
// row, which has its ID, gets the series, and its hash is compared; another
// gets what comes before the series. A record can be read once.
func (r *record) fill(row *Row, whole bool) error {
	e := row.Point.Experiment
	result := &row.Result
	result.Metrics = result.Metrics[:0]
	result.Series = result.Series[:0]
	row.Status = OK
	row.Error = ""
	r.timings(row)
	if r.ok {
		r.metrics(e, result)
		switch {
		case hasSeries(e) && whole:
			r.series(e, result)
		case hasSeries(e):
			r.rest = nil
		}
	} else {
		row.Status = Failed
		r.to(`},"error":`) // in a string, the quotation marks would be escaped
		r.malformed = r.malformed || json.Unmarshal(r.rest, &row.Error) != nil
		r.rest = nil
	}
	if r.malformed || len(r.rest) > 0 || !(row.Seconds >= 0) {
		return errRecord
	}
	if !whole {
		return nil
	}
	if err := e.CheckResult(result); r.ok && err != nil {
		return err
	}
	if row.Hash() != r.hash {
		return errors.New("its hash is not that of its outcome")
	}
	return nil
}

// usage is what follows the seconds in a record.
type usage struct {
	Attempts   int64      `json:"attempts,omitempty"` // 0: 1
	Started    *time.Time `json:"started,omitempty"`
	CPUSeconds *float64   `json:"cpu_seconds,omitempty"`
	PeakMemory int64      `json:"peak_memory,omitempty"`
}

// timings reads from the seconds to the parameters' begin.
func (r *record) timings(row *Row) {
	seconds, more, _ := bytes.Cut(r.to(`,"parameters":{`), []byte(","))
	row.Seconds = r.decimal(seconds)
	row.Host = r.log.hostOf(r.at)
	row.Attempts = 1
	row.Result.Usage = experiment.Usage{}
	if len(more) == 0 {
		return
	}
	var u usage
	err := json.Unmarshal(slices.Concat([]byte("{"), more, []byte("}")), &u)
	r.malformed = r.malformed || err != nil || u.PeakMemory < 0
	row.Attempts = max(u.Attempts, 1)
	if u.Started == nil {
		return
	}
	row.Result.Usage = experiment.Usage{
		Started:    *u.Started,
		CPUSeconds: math.NaN(),
		PeakMemory: u.PeakMemory,
	}
	if u.CPUSeconds != nil {
		row.Result.Usage.CPUSeconds = *u.CPUSeconds
	}
}

// appendUsage appends what is known of a run besides its seconds.
func appendUsage(b []byte, r *Row) []byte {
	var u usage
	if r.Attempts > 1 {
		u.Attempts = r.Attempts
	}
	measured := r.Result.Usage
	if !measured.Started.IsZero() {
		u.Started = new(measured.Started.UTC().Truncate(time.Millisecond))
		u.PeakMemory = measured.PeakMemory
		if !math.IsNaN(measured.CPUSeconds) {
			u.CPUSeconds = &measured.CPUSeconds
		}
	}
	if u == (usage{}) {
		return b
	}
	text := asJSON(u)
	b = append(b, ',')
	return append(b, text[1:len(text)-1]...)
}

// metrics reads from behind the parameters' begin to the end of the metrics.
func (r *record) metrics(e *experiment.Experiment, result *experiment.Result) {
	r.to(`},"metrics":{"`)
	for i := range e.Metrics {
		name := r.to(`":`)
		r.malformed = r.malformed || string(name) != e.Metrics[i].Name
		mark := `,"`
		if i == len(e.Metrics)-1 {
			mark = `}`
		}
		result.Metrics = append(result.Metrics, r.number(mark))
	}
}

// series reads the series, which ends the record.
func (r *record) series(e *experiment.Experiment, result *experiment.Result) {
	r.to(`,"series":[`)
	for !r.malformed && string(r.rest) != `]` {
		r.to(`[`)
		for range e.Columns() {
			result.Series = append(result.Series, r.number(`,`))
		}
		result.Series = append(result.Series, r.number(`]`)) // the axis is a column, too
	}
	r.rest = nil
}

// appendRecord appends the line of a run with the given hash.
func appendRecord(b []byte, cell grid.ID, r *Row, hash [sha256.Size]byte) []byte {
	return appendLine(b, cell, r, hash, appendParameters(nil, &r.Point))
}

// appendParameters appends the parameters of a point as they are in its record.
func appendParameters(b []byte, p *experiment.Point) []byte {
	b = append(b, `,"parameters":{`...)
	for i, v := range p.Values {
		if v.IsNull() {
			continue
		}
		b = appendName(b, p.Experiment.Params[i].Name)
		if v.Kind() == experiment.String {
			b = append(b, asJSON(v.Text())...)
		} else {
			b = v.Append(b)
		}
	}
	return b
}

// appendLine appends the line of a run with the given hash, whose parameters
// are those of appendParameters.
func appendLine(
	b []byte, cell grid.ID, r *Row, hash [sha256.Size]byte, parameters []byte,
) []byte {
	start := len(b)
	e := r.Point.Experiment
	b = append(b, recordStart...)
	b = hex.AppendEncode(b, cell[:])
	b = append(b, `","seed":`...)
	b = strconv.AppendInt(b, r.Point.Seed, 10)
	b = append(b, `,"status":"`...)
	b = append(b, r.Status...)
	b = append(b, `","hash":"`...)
	b = hex.AppendEncode(b, hash[:])
	b = append(b, `","seconds":`...)
	b = appendSeconds(b, r.Seconds)
	b = appendUsage(b, r)
	b = append(b, parameters...)
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
		b = appendSeries(b, e, r.Result.Series)
	}
	return sealLine(b, start)
}

// appendSeconds appends a time as records have it: four digits.
func appendSeconds(b []byte, seconds float64) []byte {
	return strconv.AppendFloat(b, max(seconds, 0), 'g', 4, 64)
}

// CheckSize returns an error if the record of a run that has succeeded would be
// longer than a log can hold. The time that the run took plays no part.
func (r *Row) CheckSize() error {
	const (
		numberBytes = 25   // of a number and what separates it, at most
		otherBytes  = 1024 // of time, processors and memory, at most
	)
	numbers := len(r.Result.Metrics) + len(r.Result.Series)
	if numbers*numberBytes < maxRecord/2 {
		return nil
	}
	own := *r
	own.Seconds = 0
	own.Result.Usage = experiment.Usage{}
	line := appendRecord(nil, grid.ID{}, &own, [sha256.Size]byte{})
	if len(line)+otherBytes <= maxRecord {
		return nil
	}
	return fmt.Errorf("the result has %d numbers, more than the %d MB of a record can hold",
		numbers, maxRecord>>20)
}

// appendSeries appends the rows of a series.
func appendSeries(b []byte, e *experiment.Experiment, series []float64) []byte {
	b = append(b, `,"series":[`...)
	for row := range slices.Chunk(series, len(e.Series)) {
		b = append(b, '[')
		for i, x := range row {
			b = appendNumber(b, e.Series[i].Kind, x)
			b = append(b, ',')
		}
		b = append(b[:len(b)-1], "],"...)
	}
	b = bytes.TrimSuffix(b, []byte(","))
	return append(b, ']')
}

// appendName appends the name of a value to an object, behind its bracket or
// another value.
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
