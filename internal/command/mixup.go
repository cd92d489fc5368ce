package command

import (
	"errors"
	"fmt"
	"sync"

	"sweep/experiment"
)

// A talkError is a fault in what a persistent program and sweep say to each
// other. The run that is under way need not be its cause: the program may have
// answered the one before it twice, or have ended after that.
type talkError struct{ error }

func (e talkError) Unwrap() error { return e.error }

// isTalk reports whether an error may be the fault of an earlier run of the
// process.
func isTalk(err error) bool {
	_, is := errors.AsType[talkError](err)
	return is && !errors.Is(err, experiment.ErrOutOfMemory)
}

// mixups are the runs that had such an error, and had none in a new process.
var mixups struct {
	sync.Mutex
	count int64
	first string
}

// addMixup remembers an error that came after the answer to another run.
func addMixup(after string, err error) {
	mixups.Lock()
	defer mixups.Unlock()
	mixups.count++
	if mixups.count == 1 {
		mixups.first = fmt.Sprintf("after run %s, %v", after, err)
	}
}

// Mixups returns how many runs of this process had to be executed in a new
// process, because one that had answered other runs was out of step with sweep,
// and what happened to the first of them.
func Mixups() (count int64, first string) {
	mixups.Lock()
	defer mixups.Unlock()
	return mixups.count, mixups.first
}
