package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"sweep/experiment"
	"sweep/internal/disk"
)

// A log is the file of one writer: records that are only ever appended.
type log struct {
	disk disk.Dir
	path string // for messages
	file disk.File

	number int       // among the logs of a reader, from 1
	others *openLogs // of a reader; nil: the log stays open

	size    int64  // of what is in the file
	pending []byte // not yet in the file

	window   []byte // the part of the file that was read last
	windowAt int64

	// Found by scan.
	headers []header
	corrupt int64 // bytes
	told    int64 // corrupt bytes that the last header reports, and so the user knows
	first   int64 // offset of the first corrupt byte that it does not
	torn    bool  // the file ends within a line, which was never written whole

	// other is why the records behind the last header are not those of the
	// experiment as it is declared now: they have other metrics or series. Such
	// records are not read. A log has them if the spec was changed.
	other error

	// fitted tells that there are records, or were to be, that are not others.
	fitted bool
}

func newLog(d disk.Dir, f disk.File) *log {
	return &log{disk: d, path: d.Path(logFile), file: f}
}

// openLog opens the log of a directory for reading. It is nil if there is none,
// because its writer was stopped before the first run.
func openLog(d disk.Dir) (*log, error) {
	if err := survey(d, ""); err != nil {
		return nil, err
	}
	f, err := d.Open(logFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return newLog(d, f), err
}

// scanBuffer is how much of a log is read at once.
const scanBuffer = 1 << 20

// nextLine returns the first line of data, and its content if the checksum is
// right; no line if there may be more of it. A line ends behind its line break.
// One that is corrupt ends where another record begins, too, for the line break
// may have become something else. No text within a record can look like that:
// its quotation marks are escaped.
func nextLine(data []byte, end bool) (line, content []byte, whole bool) {
	at := 1 + bytes.IndexByte(data, '\n')
	switch {
	case at > 0:
	case len(data) > maxRecord || end && len(data) > 0:
		at = len(data)
	default:
		return nil, nil, false
	}
	content, whole = unseal(data[:at-1], lineEnd) // whatever the line break is
	if !whole {
		for _, start := range []string{recordStart, headerStart} {
			if next := bytes.Index(data[1:at], []byte(start)); next >= 0 {
				at = next + 1
			}
		}
		content, whole = unseal(data[:at-1], lineEnd)
	}
	return data[:at], content, whole
}

// scan reads the log from its beginning, compares the checksum of each line and
// calls visit for every record. It notes what is corrupt and skips it, at most
// one record for each damaged part. A last line that was never written whole
// does not count. Records with other metrics or series are skipped. The error
// is a *DataError if the runs are of another experiment or model version.
func (l *log) scan(e *experiment.Experiment, visit func(r *record) error) error {
	size, err := disk.Size(l.file)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(io.NewSectionReader(l.file, 0, size))
	lines.Buffer(make([]byte, min(size, scanBuffer)), 2*maxRecord)
	var line, content []byte
	var whole bool
	lines.Split(func(data []byte, end bool) (int, []byte, error) {
		line, content, whole = nextLine(data, end)
		return len(line), line, nil
	})
	r := record{log: l}
	for lines.Scan() {
		broken := line[len(line)-1] != '\n'
		r.at = l.size
		switch {
		case whole && r.parse(line, content):
			if l.other == nil {
				err = visit(&r)
			}
		case whole:
			err = l.takeHeader(&r, content, e)
		case broken && l.size+int64(len(line)) == size && len(line) <= maxRecord:
			l.torn = true
			return nil
		default:
			l.spoil(l.size, len(line))
		}
		if err != nil {
			return err
		}
		l.size += int64(len(line))
		if whole && broken {
			l.spoil(l.size-1, 1)
		}
	}
	return lines.Err()
}

// takeHeader takes what is no record.
func (l *log) takeHeader(r *record, content []byte, e *experiment.Experiment) error {
	var h header
	object := append(slices.Clip(content), '}')
	if !bytes.HasPrefix(object, []byte(headerStart)) || json.Unmarshal(object, &h) != nil {
		return r.wrong(errRecord)
	}
	if h.Format != logFormat {
		const hint = "another version of this program wrote it: use that, or another directory"
		return disk.Refuse(l.path, hint,
			"the format is %q, and here %q is expected", h.Format, logFormat)
	}
	h.at = r.at
	l.headers = append(l.headers, h)
	l.told = h.Corrupt
	l.other = h.measures(e, l.path)
	l.fitted = l.fitted || l.other == nil
	return h.fits(e, l.path)
}

// hostOf returns the host that computed the record at an offset: that of the
// last header before it. It is empty if that is not known.
func (l *log) hostOf(at int64) string {
	for _, h := range slices.Backward(l.headers) {
		if h.at <= at {
			return h.Host
		}
	}
	return ""
}

// spoil notes a corrupt part.
func (l *log) spoil(at int64, length int) {
	if l.corrupt == l.told {
		l.first = at
	}
	l.corrupt += int64(length)
}

// damage returns an error if corrupt bytes were not yet reported, as a list.
func (l *log) damage() []*DataError {
	if l.corrupt <= l.told {
		return nil
	}
	fault := disk.Refuse(l.path, "",
		"%d bytes were corrupt, from byte %d on; their runs count as missing",
		l.corrupt-l.told, l.first)
	return []*DataError{fault}
}

// runAgain is what to do about corrupt results.
const runAgain = "run the sweep there again: what is corrupt is computed anew"

// read reads the record at an offset into r, and compares its checksum. The
// record is valid until the next call. It reads ahead where records follow each
// other, nearly in order.
func (l *log) read(r *record, at int64, length int) error {
	if at < l.windowAt || at+int64(length) > l.windowAt+int64(len(l.window)) {
		if err := l.fetch(at, length); err != nil {
			return err
		}
	}
	line := l.window[at-l.windowAt:][:length]
	r.log = l
	r.at = at
	if content, ok := unseal(line[:length-1], lineEnd); ok && r.parse(line, content) {
		return nil
	}
	// It was intact when the log was opened.
	return disk.Refuse(l.path, runAgain, "the record at byte %d is corrupt", at)
}

// What fetch reads around a record that is near the last one, in bytes: about
// 400 records of a usual run, or fewer if there are many logs, and a part of
// them behind, for records are nearly in order.
const (
	readAhead   = 1 << 17
	windowBytes = 64 << 20 // of all logs of a reader
	partBehind  = 16
)

// ahead returns how many bytes are read at once.
func (l *log) ahead() int64 {
	if l.others == nil {
		return readAhead
	}
	return min(readAhead, windowBytes/l.others.logs)
}

// fetch makes the record at an offset part of the window.
func (l *log) fetch(at int64, length int) error {
	begin := at
	size := length
	ahead := l.ahead()
	if at >= l.windowAt && at < l.windowAt+2*ahead {
		begin = max(0, at-ahead/partBehind)
		size = max(length+int(at-begin), int(min(ahead, l.size-begin)))
	}
	if err := l.reopen(); err != nil {
		return err
	}
	l.window = slices.Grow(l.window[:0], size)[:size]
	l.windowAt = begin
	n, err := l.file.ReadAt(l.window, begin)
	if n == size {
		return nil
	}
	l.window = nil
	if errors.Is(err, io.EOF) {
		return disk.Refuse(l.path, "try again", "the file was cut off while it was read")
	}
	return err
}

// maxOpen bounds the logs that are open at once. Tests change it.
var maxOpen = 500

// An openLogs closes logs when too many are open; they are opened again when
// they are read. What was read of them stays in memory: the runs of a plan are
// in all of its shards in turn.
type openLogs struct {
	queue []*log
	logs  int64 // open or not
}

// add takes a log that was opened into account.
func (o *openLogs) add(l *log) {
	if l.others == nil {
		o.logs++
	}
	l.others = o
	o.queue = append(o.queue, l)
	if len(o.queue) > maxOpen {
		o.queue[0].close()
		o.queue = o.queue[1:]
	}
}

// close closes the log, if it is open.
func (l *log) close() {
	if l.file != nil {
		l.file.Close() // only read
	}
	l.file = nil
}

// reopen opens the log again if it was closed. If another file has its name
// now, its records have other checksums or other hashes.
func (l *log) reopen() error {
	if l.file != nil {
		return nil
	}
	err := disk.Within(filepath.Dir(l.path), func(d disk.Dir) (err error) {
		l.file, err = d.Open(logFile)
		return err
	})
	if err == nil {
		l.others.add(l)
	}
	return err
}

// end returns the offset of the next record.
func (l *log) end() int64 { return l.size + int64(len(l.pending)) }

// isOurs returns an error if somebody else has written to the file or cut it
// off, or has replaced the file or the directory.
func (l *log) isOurs() error {
	if err := l.disk.Moved(l.file, logFile); err != nil {
		return err
	}
	size, err := disk.Size(l.file)
	if err == nil && size != l.size {
		// The lock was lost, or the file system has none.
		err = fmt.Errorf("another process writes here: the file has %d bytes instead of %d",
			size, l.size)
		err = &fs.PathError{Op: "write", Path: l.path, Err: err}
	}
	return err
}

// commit writes what is pending, durably. It fails if the file is no longer
// ours.
func (l *log) commit() error {
	if len(l.pending) == 0 {
		return nil
	}
	if err := l.isOurs(); err != nil {
		return err
	}
	isNew := l.size == 0
	if _, err := l.file.Write(l.pending); err != nil {
		return err
	}
	if err := l.file.Sync(); err != nil {
		return err
	}
	l.size = l.end()
	l.pending = l.pending[:0]
	if isNew {
		return l.disk.Sync()
	}
	return nil
}
