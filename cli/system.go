package cli

import (
	"context"
	"debug/elf"
	"errors"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"sweep/experiments/command"
)

// This file has what the system does to the program: signals, and limits of memory.

// interruptible returns a context that the first of the interrupts ends,
// with a *failure as its cause, before calling notify. A second signal
// ends the program at once, as the first does without this function, with the
// exit code by which shells tell of a signal. One that was ignored when the
// program began, as nohup has it, stays ignored. The caller must call stop,
// which restores that.
func interruptible(ctx context.Context, notify func(syscall.Signal)) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, slices.DeleteFunc(slices.Clone(interrupts), signal.Ignored)...)
	var watcher sync.WaitGroup
	watcher.Go(func() {
		for s := range signals {
			s := s.(syscall.Signal)
			if ctx.Err() != nil {
				exitNow(128 + int(s))
			}
			cancel(&failure{code: exitInterrupted, message: "interrupted", signal: s})
			notify(s)
		}
	})
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		watcher.Wait()
		cancel(nil)
	}
}

// exitNow ends this program, and those that runs have started, without waiting
// for anything.
func exitNow(code int) {
	command.KillAll()
	os.Exit(code)
}

// closing is how long a sweep that is to end may take to close its directory
// after the runs under way have ended or were given up: what is left of the
// 30 s that schedulers leave between SIGTERM and SIGKILL. Tests shorten it.
var closing = 8 * time.Second

// requeue runs a command that gives a batch job back to its scheduler, if
// err says that the sweep is to be tried again, and returns err: it ran out of
// time, as a scheduler also tells by SIGUSR1, SIGUSR2 or SIGXCPU, or another
// process has its directory. SIGINT, SIGTERM and SIGHUP are somebody's will that
// it ends: a scheduler that only wants its machine back puts the job into the
// queue by itself. That the command failed is told on stderr.
//
// That the program runs it itself lets a job's script become this program
// (exec). If the script's shell stayed to do so, each signal would reach the
// shell and the program, or the shell alone, depending on who sends it.
func requeue(cmd *cobra.Command, command string, err error) error {
	f, ok := errors.AsType[*failure](err)
	onRequest := ok && slices.Contains([]syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}, f.signal)
	if command == "" || onRequest || exitCode(err) != exitInterrupted {
		return err
	}
	sh := exec.CommandContext(cmd.Context(), "sh", "-c", command)
	sh.Stdout, sh.Stderr = cmd.ErrOrStderr(), cmd.ErrOrStderr()
	if shErr := sh.Run(); shErr != nil {
		say(cmd.ErrOrStderr(), "%s: --requeue-with %q: %v", cmd.Root().Name(), command, shErr)
	}
	return err
}

// leastMemory is what the program needs of the address space, of which the Go
// runtime has reserved its 1.2 GB when the program begins; linkedMemory is the
// same of a program that is linked to the C library, which reserves stacks and
// arenas for its threads.
const leastMemory, linkedMemory = 128 << 20, 352 << 20

// checkMemory refuses a limit under which the runtime would end the program
// sooner or later, and keeps it from using more than a limit allows: the heap
// grows in steps of 64 MiB.
func checkMemory(left uint64) error {
	needed := uint64(leastMemory)
	if self, err := os.Executable(); err == nil && left < linkedMemory && len(linkedTo(self)) > 0 {
		needed = linkedMemory
	}
	if left < needed {
		f := failed(exitIO, "the limit of the address space (ulimit -v, h_vmem) leaves %s, and %s are needed",
			humanize.IBytes(left), humanize.IBytes(needed))
		f.hint = "allow 2 GB: that is address space, not memory"
		return f
	}
	if limit := debug.SetMemoryLimit(-1); left/2 < uint64(limit) { // -1 asks
		debug.SetMemoryLimit(int64(left / 2))
	}
	return nil
}

// limitMemory tells the Go runtime how much memory the program may use, unless
// GOMEMLIMIT or checkMemory does: as much as the control group that it is in, or
// else, as others live there too, half of the machine's memory. Package
// experiments takes the room for its worlds from that.
//
// The runtime keeps to it as far as it can, by collecting garbage more
// often. A tenth is left for what the runtime does not count, such as the
// program itself and the files in memory.
func limitMemory() {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 { // asks
		return
	}
	machine, _ := memlimit.FromSystem() // 0: unknown
	limit, err := memlimit.FromCgroup()
	if err != nil || machine > 0 && limit >= machine {
		limit = machine / 2
	}
	if limit > 0 {
		debug.SetMemoryLimit(int64(limit - limit/10))
	}
}

// linkedTo returns the libraries that a program loads where it runs. The Go
// command links to the C library where there is a C compiler.
func linkedTo(program string) []string {
	f, err := elf.Open(program)
	if err != nil {
		return nil // not of this kind of system
	}
	defer f.Close()
	libraries, _ := f.ImportedLibraries() // an error: there are none
	return libraries
}
