package command

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"sweep/experiment"
)

// workers holds the idle persistent programs of this process, and which
// numbers are taken: by idle and busy workers, and by runs that start a program
// of their own.
var workers struct {
	sync.Mutex
	idle    map[*program][]*worker
	numbers []bool // whether a worker has this number
}

// answered counts the runs that workers have answered.
var answered atomic.Int64

// takeWorker returns an idle worker with the GPUs that the run has, or starts
// one in a directory beside that of the run. A worker that comes with an error
// did not start; its stderr says why.
func (p *program) takeWorker(
	ctx context.Context, point experiment.Point, run string,
) (*worker, error) {
	workers.Lock()
	gpus := experiment.GPUs(ctx)
	idle := workers.idle[p]
	fits := func(w *worker) bool { return w.gpus == gpus }
	if i := slices.IndexFunc(idle, fits); i >= 0 && !isFresh(ctx) {
		defer workers.Unlock()
		w := idle[i]
		workers.idle[p] = slices.Delete(idle, i, i+1)
		return w, nil
	}
	workers.Unlock()
	number := takeNumber()
	dir, err := filepath.Abs(uniquePath(filepath.Dir(run)))
	if err != nil {
		freeNumber(number)
		return nil, err
	}
	env := p.environmentIn(ctx, filepath.Join(dir, "run"), number)
	env = append(env, prefix+"PERSISTENT=1")
	w, err := startWorker(ctx, p.arguments(point, setup{worker: number}), env, dir)
	if w == nil {
		freeNumber(number)
		return nil, whyEnded(ctx, err)
	}
	w.number = number
	w.gpus = gpus
	return w, whyEnded(ctx, err)
}

// returnWorker makes a worker idle if it is ready for another run, and else
// ends it. A worker in a scratch directory ends with its run.
func (p *program) returnWorker(ctx context.Context, w *worker, ready bool) {
	scratch := experiment.Directory(ctx) == ""
	if !ready || scratch || isFresh(ctx) || p.isWorn(w) || w.reset() != nil {
		w.end()
		freeNumber(w.number)
		return
	}
	workers.Lock()
	defer workers.Unlock()
	if workers.idle == nil {
		workers.idle = map[*program][]*worker{}
	}
	workers.idle[p] = append(workers.idle[p], w)
}

// isWorn reports whether a worker has reached a limit of the spec.
func (p *program) isWorn(w *worker) bool {
	if p.restartAfter > 0 && w.answers >= p.restartAfter {
		return true
	}
	return p.restartAbove > 0 && w.memory() > p.restartAbove
}

// takeNumber returns the lowest number that no worker has.
func takeNumber() int {
	workers.Lock()
	defer workers.Unlock()
	number := slices.Index(workers.numbers, false)
	if number < 0 {
		number = len(workers.numbers)
		workers.numbers = append(workers.numbers, false)
	}
	workers.numbers[number] = true
	return number
}

func freeNumber(number int) {
	workers.Lock()
	defer workers.Unlock()
	workers.numbers[number] = false
}

// Answered returns how many runs persistent programs have answered in this
// process.
func Answered() int64 { return answered.Load() }

// EndWorkers ends all idle workers and removes their directories, when a sweep
// has no more runs for them.
func EndWorkers() {
	endSpaces()
	workers.Lock()
	defer workers.Unlock()
	var ends sync.WaitGroup
	for _, idle := range workers.idle {
		for _, w := range idle {
			ends.Go(w.end)
			workers.numbers[w.number] = false
		}
	}
	ends.Wait()
	workers.idle = nil
	endFamilies()
}
