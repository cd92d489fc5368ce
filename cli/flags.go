package cli

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/arrayjob"
)

// choiceFlag defines a flag that accepts the known words; the first is the
// default.
func choiceFlag[S ~string](cmd *cobra.Command, name, usage string, known ...S) *S {
	texts := namesOf(known, func(k S) string { return string(k) })
	list, chosen := strings.Join(texts, ", "), known[0]
	cmd.Flags().Func(name, fmt.Sprintf("%s: %s (default %s)", usage, list, chosen), func(word string) error {
		if !slices.Contains(known, S(word)) {
			return errors.New("want one of " + list)
		}
		chosen = S(word)
		return nil
	})
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(texts, cobra.ShellCompDirectiveNoFileComp)) // it is defined
	return &chosen
}

// outputFlag defines the flag -o, for the directory into which a command
// writes.
func outputFlag(cmd *cobra.Command, dir *string, usage string) {
	cmd.Flags().StringVarP(dir, "output", "o", "", usage)
	_ = cmd.MarkFlagDirname("output") // it is defined
}

// workersFlag defines the flag --workers. The help text names no number,
// which would be this machine's.
func workersFlag(cmd *cobra.Command, workers *int) {
	*workers = runtime.GOMAXPROCS(0) // respects affinity and cgroup limits
	cmd.Flags().Func("workers", "execute at most `N` runs at once (default: usable processors)", atLeast(1, workers))
}

// parsed sets what parse makes of a text, if it is accepted.
func parsed[T any](to *T, want string, parse func(string) (T, error), accepts func(T) bool) func(text string) error {
	return func(text string) error {
		v, err := parse(text)
		if err != nil || !accepts(v) {
			return errors.New("want " + want)
		}
		*to = v
		return nil
	}
}

// atLeast sets a whole number.
func atLeast(low int, to *int) func(text string) error {
	return parsed(to, fmt.Sprintf("a whole number of at least %d", low), strconv.Atoi, func(n int) bool { return n >= low })
}

// duration sets for how long.
func duration(to *time.Duration) func(text string) error {
	return parsed(to, "a duration such as 90s, 50m or 1h30m", time.ParseDuration, func(d time.Duration) bool { return d >= 0 })
}

// size sets how many bytes, at least as many as the program itself needs.
func size(to *uint64) func(text string) error {
	return parsed(to, "a size of at least 64MiB, such as 4GiB or 500MB", humanize.ParseBytes,
		func(n uint64) bool { return 64<<20 <= n && n <= math.MaxInt64 })
}

// A shardFlag names one of several parts; the zero value is the whole.
type shardFlag arrayjob.Shard

func (s *shardFlag) set(text string) error {
	index, count, divided := strings.Cut(text, "/")
	n, err := strconv.ParseInt(count, 10, 64)
	if index == "auto" {
		if divided && (err != nil || n < 1) {
			return errors.New("want auto or auto/N, for example auto/8")
		}
		found, err := arrayjob.Detect(os.Getenv, n)
		*s = shardFlag(found)
		return err
	}
	i, indexErr := strconv.ParseInt(index, 10, 64)
	if err != nil || indexErr != nil || i < 0 || n < 1 {
		return errors.New("want I/N, for example 0/8, or auto/N in an array job")
	}
	if i >= n {
		return fmt.Errorf("there is no shard %d of %d: the last one is %d/%d", i, n, n-1, n)
	}
	*s = shardFlag{Index: i, Count: n}
	return nil
}

// of returns the part of the plan; nil if it is the whole.
func (s *shardFlag) of(plan *grid.Plan) *grid.Shard {
	if s.Count == 0 {
		return nil
	}
	shard := plan.Shard(s.Index, s.Count)
	return &shard
}

// A share says how many of something: so many, or so many in a hundred. The
// zero share is none.
type share struct {
	number  float64
	percent bool
}

func (s *share) set(text string) error {
	number, percent := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(number, 64)
	if err != nil || percent && !(x > 0 && x <= 100) || !percent && !(x >= 1 && x == math.Trunc(x) && x < 1<<62) {
		return errors.New("want a whole number of at least 1, or a percentage such as 5%")
	}
	*s = share{x, percent}
	return nil
}

// of returns how many of n that are, rounded up; a count stays what it is.
func (s *share) of(n int64) int64 {
	if !s.percent {
		return int64(s.number)
	}
	return min(n, int64(math.Ceil(float64(n)*s.number/100)))
}

// namesOf returns what name says of each element of a list.
func namesOf[T any](list []T, name func(T) string) []string {
	names := make([]string, len(list))
	for i, x := range list {
		names[i] = name(x)
	}
	return names
}

// chosenMetrics returns the indices of the named metrics, of all if none is
// named.
func chosenMetrics(e *experiment.Experiment, names []string) ([]int, error) {
	known := namesOf(e.Metrics, func(m experiment.Metric) string { return m.Name })
	if len(names) == 0 {
		names = known
	}
	return chosen("metric", e, names, known)
}

// chosenParams returns the indices of the named parameters.
func chosenParams(e *experiment.Experiment, names []string) ([]int, error) {
	return chosen("parameter", e, names, namesOf(e.Params, func(p experiment.Param) string { return p.Name }))
}

func chosen(what string, e *experiment.Experiment, names, known []string) (indices []int, err error) {
	for _, name := range names {
		i := slices.Index(known, name)
		if i < 0 {
			return nil, unknownName(what, name, e, known)
		}
		indices = append(indices, i)
	}
	return indices, nil
}

// unknownName reports a name that an experiment does not declare: what is
// "parameter" or "metric". There may be too many to list them.
func unknownName(what, name string, e *experiment.Experiment, known []string) error {
	return usage(didYouMean(name, known, fmt.Sprintf("\"sweep params %s\" lists them", e.Name)), "%s has no %s %q", e.Name, what, name)
}

// leastMemory is what the program needs of the address space, of which the Go
// runtime has reserved its 1.2 GB when the program begins.
const leastMemory = 128 << 20

// linkedMemory is the same of a program that is linked to the C library, which
// reserves stacks and arenas for its threads.
const linkedMemory = 352 << 20

// checkMemory refuses a limit under which the runtime would end the program
// sooner or later, and keeps it from using more than a limit allows: the heap
// grows in steps of 64 MiB.
func checkMemory(left uint64) error {
	needed := uint64(leastMemory)
	if self, err := os.Executable(); err == nil && left < linkedMemory && len(linkedTo(self)) > 0 {
		needed = linkedMemory
	}
	if left < needed {
		return &failure{code: exitIO,
			message: fmt.Sprintf("the limit of the address space (ulimit -v, h_vmem) leaves %s, and %s are needed", humanize.IBytes(left), humanize.IBytes(needed)),
			hint:    "allow 2 GB: that is address space, not memory"}
	}
	if limit := debug.SetMemoryLimit(-1); left/2 < uint64(limit) { // -1 asks
		debug.SetMemoryLimit(int64(left / 2))
	}
	return nil
}

// limitMemory tells the Go runtime how much memory the program may use; 0
// means: as much as the control group that it is in, or else, as others live
// there too, half of the machine's memory, unless the environment has set
// GOMEMLIMIT. Package experiments takes the room for its worlds from that.
//
// The runtime keeps to it as far as it can, by collecting garbage more
// often. A tenth is left for what the runtime does not count, such as the
// program itself and the files in memory.
func limitMemory(limit uint64) {
	if limit == 0 {
		if debug.SetMemoryLimit(-1) != math.MaxInt64 { // asks
			return
		}
		group, err := memlimit.FromCgroup()
		machine, _ := memlimit.FromSystem() // 0: unknown
		if limit = machine / 2; err == nil && (machine == 0 || group < machine) {
			limit = group
		}
	}
	if limit > 0 {
		debug.SetMemoryLimit(int64(limit - limit/10))
	}
}
