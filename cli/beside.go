package cli

import "io"

// A besideFile is one that a job writes beside the results, such as a log. A
// full disk there ends no sweep; the user is told at the end.
type besideFile struct {
	flag string // which names it
	err  error  // why it lacks something, or nil
}

// A besideLog is a writer of such a file, to which lines are appended. It keeps
// the first error, which a log ignores.
type besideLog struct {
	io.Writer
	file *besideFile
}

// besideLog returns a writer of the log.
func (j *job) besideLog(w io.Writer) io.Writer {
	file := &besideFile{flag: "--log-file"}
	j.beside = append(j.beside, file)
	return &besideLog{w, file}
}

// Write appends a record.
func (l *besideLog) Write(record []byte) (int, error) {
	n, err := l.Writer.Write(record)
	if l.file.err == nil {
		l.file.err = err
	}
	return n, err
}

// tellUnwritten warns of the files that lack something.
func (j *job) tellUnwritten(warn func(text string)) {
	for _, file := range j.beside {
		if file.err != nil {
			warn(file.flag + ": " + file.err.Error() + ": it is not whole")
		}
	}
}
