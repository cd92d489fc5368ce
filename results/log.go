package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"sweep/experiment"
)

// A log is the file of one writer: records that are only ever appended.
type log struct {
	disk disk
	path string // for messages

	size    int64  // of what is in the file
	pending []byte // not yet in the file
	file    file   // nil: not there yet

	// Of the last scan.
	experiment *experiment.Experiment // whose records they have to be; nil: any
	headers    []header
	corrupt    []byte // the first of what is so
	lost       int64  // how many bytes that is in all
	first      int64  // where it begins
	torn       bool   // there is more in the file, the end of which was never written
	current    record // that is visited
	line       []byte // the same as it is in the file
}

// end returns where the next record will be.
func (l *log) end() int64 { return l.size + int64(len(l.pending)) }

// openLog opens a log with one of the functions of its disk; scan is to
// follow.
func openLog(d disk, open func(name string) (file, error)) (*log, error) {
	f, err := open(logFile)
	if err != nil {
		return nil, err
	}
	return &log{disk: d, path: d.path(logFile), file: f}, nil
}

// openPart opens the log of a directory for reading; it is nil if there is
// none: who writes there was stopped before the first run.
func openPart(d disk) (*log, error) {
	if _, err := survey(d); err != nil {
		return nil, err
	}
	l, err := openLog(d, d.open)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return l, err
}

// openParts opens the logs of a sweep's shards and, last, its own. The caller
// may close d afterwards.
func openParts(d disk) (logs []*log, err error) {
	err = eachPart(d, func(in disk) error {
		l, err := openPart(in)
		if l != nil {
			logs = append(logs, l)
		}
		return err
	})
	if err != nil {
		closeLogs(logs)
	}
	return logs, err
}

func closeLogs(logs []*log) {
	for _, l := range logs {
		if l.file != nil {
			l.file.Close() // what was written is synced
		}
	}
}

// A visitor is called for each record of a log, with its place.
type visitor func(r *record, at int64, length int) error

// scanBuffer is how much of a log is read at once.
const scanBuffer = 1 << 20

// scan reads the log from its beginning, compares the checksum of each line
// and calls visit for every record. What is corrupt is noted and passed
// over, at most a record for each damage. Behind the last line break may be
// a line that its writer did not come to end: it does not count. A *DataError
// tells of another experiment or model version.
func (l *log) scan(visit visitor) error {
	size, err := l.file.Size()
	if err != nil {
		return err
	}
	l.size, l.headers, l.corrupt, l.lost, l.torn = 0, nil, nil, 0, false
	lines := bufio.NewScanner(io.NewSectionReader(l.file, 0, size))
	lines.Buffer(make([]byte, min(size, scanBuffer)), 2*maxRecord)
	lines.Split(func(data []byte, end bool) (int, []byte, error) {
		at := 1 + bytes.IndexByte(data, '\n')
		switch {
		case at > 0:
			return at, data[:at], nil
		case len(data) > maxRecord || end && len(data) > 0:
			return len(data), data, nil
		}
		return 0, nil, nil
	})
	for lines.Scan() {
		line := lines.Bytes()
		switch {
		case line[len(line)-1] == '\n':
			err = l.take(line, visit)
		case len(line) > maxRecord:
			l.spoil(l.size, line)
		default:
			return l.takeTorn(line, visit)
		}
		if err != nil {
			return err
		}
		l.size += int64(len(line))
	}
	return lines.Err()
}

// take reads a line.
func (l *log) take(line []byte, visit visitor) error {
	if whole, err := l.accept(line, l.size, visit); whole {
		return err
	}
	// Of two lines that have become one both may be whole.
	at := l.size
	for _, part := range split(line) {
		whole, err := l.accept(part, at, visit)
		if err != nil {
			return err
		}
		if !whole {
			l.spoil(at, part)
		}
		at += int64(len(part))
	}
	return nil
}

// takeTorn reads what comes after the last line break. If it holds a whole
// record, what came after that was a line break.
func (l *log) takeTorn(rest []byte, visit visitor) error {
	for _, part := range split(rest) {
		if _, whole := unseal(part); whole {
			err := l.take(rest, visit)
			l.size += int64(len(rest))
			return err
		}
	}
	l.torn = len(rest) > 0
	return nil
}

// split cuts a line where records begin in it. No text within a record
// can look so: its quotation marks are escaped.
func split(line []byte) (parts [][]byte) {
	for len(line) > 0 {
		next := len(line)
		for _, start := range []string{recordStart, headerStart} {
			if at := bytes.Index(line[1:], []byte(start)); at >= 0 {
				next = min(next, at+1)
			}
		}
		parts = append(parts, line[:next])
		line = line[next:]
	}
	return parts
}

// accept takes a line if it is as it was written. Its line break may have
// become something else.
func (l *log) accept(line []byte, at int64, visit visitor) (whole bool, err error) {
	content, whole := unseal(line)
	if !whole {
		return false, nil
	}
	if line[len(line)-1] != '\n' {
		l.spoil(at+int64(len(line))-1, line[len(line)-1:])
	}
	var ok bool
	if l.current, ok = parseRecord(content); ok {
		l.line = line
		return true, visit(&l.current, at, len(line))
	}
	var h header
	if !bytes.HasPrefix(content, []byte(headerStart)) || json.Unmarshal(append(slices.Clip(content), '}'), &h) != nil {
		return true, recordError(l, at, errRecord)
	}
	if h.Format != logFormat {
		return true, &DataError{
			Path:    l.path,
			Message: fmt.Sprintf("the format is %q, and here %q is expected", h.Format, logFormat),
			Hint:    "another version of this program wrote it: use that, or another directory",
		}
	}
	l.headers = append(l.headers, h)
	return true, h.fits(l.experiment, l.path)
}

// spoil notes a corrupt part.
func (l *log) spoil(at int64, part []byte) {
	if l.lost == 0 {
		l.first = at
	}
	l.lost += int64(len(part))
	l.corrupt = append(l.corrupt, part[:min(len(part), smallFile-len(l.corrupt))]...)
}

// damage says what is corrupt, as a list of one or none.
func (l *log) damage() []Damage {
	if l.lost == 0 {
		return nil
	}
	return []Damage{{l.path, fmt.Sprintf("%d bytes were corrupt, from byte %d on; their runs count as missing", l.lost, l.first)}}
}

// read returns the bytes at a place; to is memory to use.
func (l *log) read(to []byte, at int64, length int) ([]byte, error) {
	if at >= l.size {
		return l.pending[at-l.size:][:length], nil
	}
	to = slices.Grow(to[:0], length)[:length]
	n, err := l.file.ReadAt(to, at)
	if n == length {
		return to, nil
	}
	if errors.Is(err, io.EOF) {
		err = &DataError{Path: l.path, Message: "the file was cut off while it was read", Hint: "try again"}
	}
	return nil, err
}

// A placeReader reads records by their places. It reads ahead where they
// follow each other.
type placeReader struct {
	log    *log // of the window
	at     int64
	window []byte
	single []byte // a record that is elsewhere

	last *log // that was read, and what follows
	next int64
}

const readAhead = 1 << 17

// read returns the record at a place of a log, with its checksum compared.
// It is valid until the next call.
func (p *placeReader) read(l *log, from place) (r record, err error) {
	line, err := p.line(l, from.at, int(from.length))
	if err != nil {
		return r, err
	}
	if content, ok := unseal(line); ok {
		if r, ok = parseRecord(content); ok {
			return r, nil
		}
	}
	// Not so when the log was opened.
	return r, &DataError{Path: l.path, Message: fmt.Sprintf("the record at byte %d is corrupt", from.at), Hint: runAgain}
}

// runAgain is what to do about corrupt results.
const runAgain = "run the sweep there again: what is corrupt is computed anew"

// line returns the bytes at a place.
func (p *placeReader) line(l *log, at int64, length int) (line []byte, err error) {
	follows := p.last == l && at >= p.next && at < p.next+readAhead
	p.last, p.next = l, at+int64(length)
	if p.log == l && at >= p.at && p.next <= p.at+int64(len(p.window)) {
		return p.window[at-p.at:][:length], nil
	}
	if !follows || at >= l.size {
		p.single, err = l.read(p.single, at, length)
		return p.single, err
	}
	p.log, p.at = l, at
	p.window, err = l.read(p.window, at, max(length, int(min(readAhead, l.size-at))))
	if err != nil {
		p.log = nil
		return nil, err
	}
	return p.window[:length], nil
}

// append appends to what commit will write.
func (l *log) append(line []byte) { l.pending = append(l.pending, line...) }

// commit writes what is pending, durably, unless somebody else has written
// meanwhile or has put another directory here.
func (l *log) commit() error {
	if len(l.pending) == 0 {
		return nil
	}
	if err := l.disk.moved(); err != nil {
		return err
	}
	made := l.file == nil
	if made {
		f, err := l.disk.create(logFile)
		if err != nil {
			return err
		}
		l.file = f
	}
	size, err := l.file.Size()
	if err != nil {
		return err
	}
	if size != l.size {
		// The lock was lost, or the file system has none.
		return &fs.PathError{Op: "write", Path: l.path,
			Err: fmt.Errorf("another process writes here: the file has %d bytes instead of %d", size, l.size)}
	}
	if _, err := l.file.Write(l.pending); err != nil {
		return err
	}
	if err := l.file.Sync(); err != nil {
		return err
	}
	l.size = l.end()
	l.pending = l.pending[:0]
	if made {
		return l.disk.syncDir(".")
	}
	return nil
}
