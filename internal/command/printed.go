package command

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// maxOutput bounds what a program may write to stdout and stderr together, in
// bytes.
var maxOutput int64 = 256 << 20 // tests change it

// maxHeld is how much of each of them is held in memory, in bytes. The rest is
// in a file.
const maxHeld = 64 << 10

// showAfter is how long a program runs until its output is in files, where the
// user can look at it. Most programs that run for a shorter time need no file.
// Tests change it.
var showAfter = time.Second

// A printed is what a program is told on stdin and what it writes to stdout and
// stderr. All three are pipes of this run alone, so that nothing that outlives
// the run can read or write what is another run's.
type printed struct {
	dir            string // of the run, for the files
	input          []byte
	stdout, stderr stream

	total   atomic.Int64 // bytes written
	tooMuch func()       // is called when they are more than maxOutput
	theirs  [3]*os.File  // the program's ends of the pipes
	told    *os.File     // our end of stdin

	show   *time.Timer
	saving sync.Mutex // for:
	saved  bool       // all is in files
	over   bool       // the run has ended
}

// A stream is what a program writes to one of its descriptors.
type stream struct {
	path  string   // of its file
	pipe  *os.File // our end
	ended chan struct{}

	mu   sync.Mutex
	text []byte   // all of it, unless there is a file
	file *os.File // all of it, if not nil
	size int64
	over bool  // nothing more is read
	err  error // of the file
}

// listen opens the pipes for a program and begins to read from them.
func listen(dir string, input []byte, tooMuch func()) (*printed, error) {
	p := &printed{dir: dir, input: input, tooMuch: tooMuch}
	p.stdout.path = filepath.Join(dir, outputFile)
	p.stderr.path = filepath.Join(dir, errorFile)
	var err error
	p.theirs[0], p.told, err = os.Pipe()
	if err != nil {
		return nil, err
	}
	for i, s := range []*stream{&p.stdout, &p.stderr} {
		s.ended = make(chan struct{})
		s.pipe, p.theirs[i+1], err = os.Pipe()
		if err != nil {
			p.close()
			return nil, err
		}
		go p.read(s)
	}
	go p.tell()
	p.show = time.AfterFunc(showAfter, func() {
		p.saving.Lock()
		defer p.saving.Unlock()
		if !p.over {
			_ = p.toFiles() // save tries again
		}
	})
	return p, nil
}

// tell writes the input, which may be more than a pipe holds.
func (p *printed) tell() {
	_, _ = p.told.Write(p.input) // a program need not read it
	p.told.Close()
}

// buffers are what streams read into.
var buffers = sync.Pool{New: func() any { return new([maxHeld]byte) }}

// read reads a stream to its end.
func (p *printed) read(s *stream) {
	defer s.finish()
	buffer := buffers.Get().(*[maxHeld]byte)
	defer buffers.Put(buffer)
	for {
		n, err := s.pipe.Read(buffer[:])
		total := p.total.Add(int64(n))
		s.add(buffer[:max(0, int64(n)-max(0, total-maxOutput))])
		if total > maxOutput {
			p.tooMuch()
			return
		}
		if err != nil {
			return
		}
	}
}

// add adds to a stream what the program has written.
func (s *stream) add(part []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || s.err != nil {
		return
	}
	s.size += int64(len(part))
	if s.file == nil && s.size > maxHeld {
		s.err = s.toFile()
	}
	switch {
	case s.err != nil:
	case s.file == nil:
		s.text = append(s.text, part...)
	default:
		_, s.err = s.file.Write(part)
	}
}

// finish ends what is known of a stream.
func (s *stream) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.over = true
		close(s.ended)
	}
}

// toFile moves a stream from memory to a file.
func (s *stream) toFile() error {
	if s.file != nil {
		return nil
	}
	file, err := createNew(s.path)
	if err != nil {
		return err
	}
	s.file = file
	_, err = file.Write(s.text)
	s.text = nil
	return err
}

// createNew creates a file in place of whatever has its name: it may be a link
// to something that is not ours.
func createNew(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if !errors.Is(err, os.ErrExist) {
		return file, err
	}
	if err := os.RemoveAll(path); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
}

// writeNew creates a file as createNew does, and writes to it.
func writeNew(path string, from io.Reader) error {
	file, err := createNew(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from)
	return errors.Join(err, file.Close())
}

// streamGrace is how long the streams of a program that has ended by itself may
// stay open. What it printed is read long before, but not always within
// termGrace on a machine that has far more to do than it can. Tests change it.
var streamGrace = 5 * time.Second

// end waits for the end of the streams, after the program has ended and what it
// has left running was killed. What has left the program's process group may
// hold them open: it is waited for as long as limit says.
func (p *printed) end(limit time.Duration) error {
	p.show.Stop()
	p.saving.Lock()
	p.over = true
	p.saving.Unlock()
	for _, file := range p.theirs {
		file.Close() // the program had descriptors of its own
	}
	timer := time.AfterFunc(limit, func() {
		p.stdout.finish()
		p.stderr.finish()
	})
	defer timer.Stop()
	<-p.stdout.ended
	<-p.stderr.ended
	return errors.Join(p.stdout.err, p.stderr.err)
}

// toFiles writes what there is to files in the run's directory. What comes
// later is added to them.
func (p *printed) toFiles() error {
	if p.saved {
		return nil
	}
	for _, s := range []*stream{&p.stdout, &p.stderr} {
		s.mu.Lock()
		err := s.toFile()
		s.mu.Unlock()
		if err != nil {
			return err
		}
	}
	err := writeNew(filepath.Join(p.dir, inputFile), bytes.NewReader(p.input))
	p.saved = err == nil
	return err
}

// save writes input and output of a run that has ended to files in its
// directory, which the program may have removed.
func (p *printed) save() error {
	err := os.MkdirAll(p.dir, 0o777)
	return errors.Join(err, p.toFiles())
}

// tail returns at most the last n bytes of a stream that has ended.
func (s *stream) tail(n int64) ([]byte, error) {
	size := min(n, s.size)
	if s.file == nil {
		return s.text[s.size-size:], nil
	}
	return io.ReadAll(io.NewSectionReader(s.file, s.size-size, size))
}

// close gives back what the run holds of the system.
func (p *printed) close() {
	files := append(p.theirs[:], p.told, p.stdout.pipe, p.stderr.pipe, p.stdout.file, p.stderr.file)
	for _, file := range files {
		if file != nil {
			file.Close() // what it should hold was checked
		}
	}
}
