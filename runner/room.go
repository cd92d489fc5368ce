package runner

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/dustin/go-humanize"

	"sweep/experiment"
)

// A Room is what a machine has for the runs that execute at once, besides the
// processors that Options.Workers bounds.
type Room struct {
	// Memory is what a run needs, in bytes: the first value at its first
	// attempt, and the next one after an attempt that ran out of it. Nil: it is
	// not counted.
	Memory []int64

	// Available is the memory that the runs under way may need together, at
	// least Memory[0].
	Available int64

	// GPUs are lists such as "0,1", one for each of Workers. A run has one of
	// them to itself (experiment.GPUs). Nil: GPUs are not counted.
	GPUs []string
}

// Shared is what sweeps that are carried out at the same time share: so many
// runs of all of them execute at once, and find one Room.
type Shared struct{ *room }

// Share returns what sweeps share that execute so many runs at once.
func Share(workers int, r Room) *Shared {
	shared := &Shared{newRoom(r)}
	shared.workers = make(chan struct{}, workers)
	return shared
}

// room returns the room for the runs of a sweep.
func (o *Options) room() *room {
	if o.Shared != nil {
		return o.Shared.room
	}
	return newRoom(o.Room)
}

// A room keeps account of a Room.
type room struct {
	Room
	workers chan struct{} // holds one for each run under way; nil: nobody shares them
	turn    chan struct{} // full while a run waits for memory: none that needs less overtakes
	freed   chan struct{} // full if memory was given back and nobody has looked since

	mu   sync.Mutex // guards what follows
	left int64      // of Available
	gpus []string   // those that are free
}

// A share is what one attempt holds of a room.
type share struct {
	worker bool // one that is shared
	memory int64
	gpus   string
}

func newRoom(r Room) *room {
	return &room{
		Room:  r,
		turn:  make(chan struct{}, 1),
		freed: make(chan struct{}, 1),
		left:  r.Available,
		gpus:  slices.Clone(r.GPUs),
	}
}

// take waits until there is room for an attempt with a value of Memory. It
// returns false if ctx ends before.
func (r *room) take(ctx context.Context, value int) (s share, ok bool) {
	if r.workers != nil {
		select {
		case r.workers <- struct{}{}:
			s.worker = true
		case <-ctx.Done():
			return s, false
		}
	}
	if r.Memory != nil {
		memory := r.Memory[value]
		if !r.takeMemory(ctx, memory) {
			r.give(s)
			return share{}, false
		}
		s.memory = memory
	}
	if r.GPUs == nil {
		return s, true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if last := len(r.gpus) - 1; last >= 0 {
		s.gpus = r.gpus[last]
		r.gpus = r.gpus[:last]
	}
	return s, true
}

func (r *room) takeMemory(ctx context.Context, bytes int64) bool {
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
	}
	for ctx.Err() == nil {
		r.mu.Lock()
		fits := r.left >= bytes
		if fits {
			r.left -= bytes
		}
		r.mu.Unlock()
		if fits {
			return true
		}
		select {
		case <-r.freed:
		case <-ctx.Done():
		}
	}
	return false
}

// give takes back what an attempt held.
func (r *room) give(s share) {
	if s.worker { // at last: who takes it finds the rest
		defer func() { <-r.workers }()
	}
	if s.memory == 0 && s.gpus == "" {
		return
	}
	r.mu.Lock()
	r.left += s.memory
	if s.gpus != "" {
		r.gpus = append(r.gpus, s.gpus)
	}
	r.mu.Unlock()
	select {
	case r.freed <- struct{}{}:
	default: // it holds one
	}
}

// in returns the context of an attempt that holds a share.
func (s share) in(ctx context.Context) context.Context {
	if s.gpus == "" {
		return ctx
	}
	return experiment.WithGPUs(ctx, s.gpus)
}

// hasMore reports whether a run that ran out of a value of Memory can have the
// next.
func (r *room) hasMore(value int) bool {
	return value+1 < len(r.Memory) && r.Memory[value+1] <= r.Available
}

// verdict says of a run that ran out of a value of Memory why it does not get
// more. It becomes part of the run's error.
func (r *room) verdict(value int) string {
	if r.Memory == nil {
		return ""
	}
	had := humanize.Bytes(uint64(r.Memory[value]))
	if value+1 == len(r.Memory) {
		return fmt.Sprintf("it ran out of memory with %s, the last of memory: ", had)
	}
	return fmt.Sprintf("it ran out of memory with %s, and the next of memory, %s, "+
		"is more than this machine has: ", had, humanize.Bytes(uint64(r.Memory[value+1])))
}
