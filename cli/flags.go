package cli

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/arrayjob"
)

// A choice is the value of a flag that accepts a few words.
type choice struct {
	value string
	known []string
	kind  string // the placeholder in help texts
}

// choiceFlag defines a flag that accepts the known words; the first is the
// default.
func choiceFlag(cmd *cobra.Command, name, usage string, known ...string) *choice {
	kind := strings.ToUpper(name[strings.LastIndex(name, "-")+1:]) // FORMAT of --log-format
	c := &choice{value: known[0], known: known, kind: kind}
	cmd.Flags().Var(c, name, usage+": "+strings.Join(known, ", "))
	err := cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag was defined above
	}
	return c
}

// String, Set and Type implement pflag.Value.
func (c *choice) String() string { return c.value }

func (c *choice) Set(word string) error {
	if !slices.Contains(c.known, word) {
		return fmt.Errorf("want one of %s", strings.Join(c.known, ", "))
	}
	c.value = word
	return nil
}

func (c *choice) Type() string { return c.kind }

// outputFlag defines the flag -o, for the directory into which a command
// writes.
func outputFlag(cmd *cobra.Command, dir *string, usage string) {
	cmd.Flags().StringVarP(dir, "output", "o", "", usage)
	if err := cmd.MarkFlagDirname("output"); err != nil {
		panic(err) // the flag was defined above
	}
}

// workersFlag defines the flag --workers. The help text names no number,
// which would be this machine's.
func workersFlag(cmd *cobra.Command, workers *int) {
	*workers = runtime.GOMAXPROCS(0) // respects affinity and cgroup limits
	cmd.Flags().Func("workers", "execute at most `N` runs at once (default: usable processors)", atLeast(1, workers))
}

// atLeast sets a whole number.
func atLeast(low int, to *int) func(text string) error {
	return func(text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < low {
			return fmt.Errorf("want a whole number of at least %d", low)
		}
		*to = n
		return nil
	}
}

// duration sets for how long.
func duration(to *time.Duration) func(text string) error {
	return func(text string) error {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return errors.New("want a duration such as 90s, 50m or 1h30m")
		}
		*to = d
		return nil
	}
}

// size sets how many bytes.
func size(to *int64) func(text string) error {
	return func(text string) error {
		const least = 64 << 20 // the program itself needs as much
		n, err := humanize.ParseBytes(text)
		if err != nil || n < least || n > math.MaxInt64 {
			return errors.New("want a size of at least 64MiB, such as 4GiB or 500MB")
		}
		*to = int64(n)
		return nil
	}
}

// A shardFlag names one of several parts; the zero value is the whole.
type shardFlag struct{ index, count int64 }

func (s *shardFlag) set(text string) error {
	index, count, ok := strings.Cut(text, "/")
	if index == "auto" {
		return s.detect(count, ok)
	}
	i, err1 := strconv.ParseInt(index, 10, 64)
	n, err2 := strconv.ParseInt(count, 10, 64)
	if !ok || err1 != nil || err2 != nil || i < 0 || n < 1 {
		return errors.New("want I/N, for example 0/8, or auto/N in an array job")
	}
	if i >= n {
		return fmt.Errorf("there is no shard %d of %d: the last one is %d/%d", i, n, n-1, n)
	}
	*s = shardFlag{i, n}
	return nil
}

// detect sets the shard that an array job's environment asks for. The count
// is the number of shards, unless the scheduler is to tell it.
func (s *shardFlag) detect(count string, given bool) error {
	var n int64
	if given {
		var err error
		if n, err = strconv.ParseInt(count, 10, 64); err != nil || n < 1 {
			return errors.New("want auto or auto/N, for example auto/8")
		}
	}
	found, err := arrayjob.Detect(os.Getenv, n)
	*s = shardFlag{found.Index, found.Count}
	return err
}

// of returns the part of the plan; nil if it is the whole.
func (s *shardFlag) of(plan *grid.Plan) *grid.Shard {
	if s.count == 0 {
		return nil
	}
	shard := plan.Shard(s.index, s.count)
	return &shard
}

// A share says how many of something: so many, or so many in a hundred. The
// zero share is none.
type share struct {
	count   int64   // 0: percent applies
	percent float64 // in (0, 100]
}

func (s *share) set(text string) error {
	if percent, ok := strings.CutSuffix(text, "%"); ok {
		p, err := strconv.ParseFloat(percent, 64)
		if err != nil || !(p > 0 && p <= 100) {
			return errors.New("want a percentage above 0% and up to 100%")
		}
		*s = share{percent: p}
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return errors.New("want a whole number of at least 1, or a percentage such as 5%")
	}
	*s = share{count: n}
	return nil
}

// of returns how many of n that are, rounded up; a count stays what it is.
func (s *share) of(n int64) int64 {
	if s.count > 0 {
		return s.count
	}
	return min(n, int64(math.Ceil(float64(n)*s.percent/100)))
}

// chosenMetrics returns the indices of the named metrics, of all if none is
// named.
func chosenMetrics(e *experiment.Experiment, names []string) ([]int, error) {
	known := make([]string, len(e.Metrics))
	for i, m := range e.Metrics {
		known[i] = m.Name
	}
	if len(names) == 0 {
		names = known
	}
	return chosen("metric", e, names, known)
}

// chosenParams returns the indices of the named parameters.
func chosenParams(e *experiment.Experiment, names []string) ([]int, error) {
	known := make([]string, len(e.Params))
	for i, p := range e.Params {
		known[i] = p.Name
	}
	return chosen("parameter", e, names, known)
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

// words returns a list of names as strings.
func words[S ~string](list []S) []string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = string(s)
	}
	return texts
}

// completeDirs completes arguments that are directories in the shell.
func completeDirs(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}
