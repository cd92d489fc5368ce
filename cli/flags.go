package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/arrayjob"
	"sweep/internal/lists"
	"sweep/internal/report"
	"sweep/internal/suggest"
	"sweep/results"
)

// flagError turns a fault that the flag parser found into a usage error.
func flagError(cmd *cobra.Command, err error) error {
	missing, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return usage(helpHint(cmd), "%v", err)
	}
	other, name := cmp.Or(cmd.Annotations[otherFlags], helpHint(cmd)), missing.GetSpecifiedName()
	if missing.GetSpecifiedShortnames() != "" {
		return usage(other, "%v", err)
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	return usage(cmp.Or(suggest.Hint(name, known), other), "unknown flag %q, known are: %s", name, strings.Join(known, ", "))
}

// otherFlags annotates a command: what to do about flags that it does not know.
const otherFlags = "other flags"

// choose returns the places of words in what is known, each once; of all of it if
// there are none.
func choose(what string, words, known []string) (places []int, err error) {
	if len(words) == 0 {
		words = known
	}
	for _, word := range words {
		i := slices.Index(known, word)
		if i < 0 {
			return nil, unknown(what, word, known)
		}
		if !slices.Contains(places, i) {
			places = append(places, i)
		}
	}
	return places, nil
}

// unknown reports a word that is none of those known.
func unknown(what, word string, known []string) error {
	list := strings.Join(known, ", ")
	return usage(suggest.Hint(word, known), "unknown %s %q, known are: %s", what, word, list)
}

func helpHint(cmd *cobra.Command) string {
	return fmt.Sprintf("%q explains the command", cmd.CommandPath()+" --help")
}

// arguments accepts at least low and at most high arguments.
func arguments(low, high int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if low <= len(args) && len(args) <= high {
			return nil
		}
		found := report.Count(int64(len(args)), "argument")
		return usage(helpHint(cmd), "%q got %s, want: %s", cmd.CommandPath(), found, cmd.UseLine())
	}
}

// choiceFlag defines a flag that accepts the known words; the first is the
// default.
func choiceFlag(cmd *cobra.Command, name, usage string, known ...string) *string {
	list, chosen := strings.Join(known, ", "), known[0]
	cmd.Flags().Func(name, fmt.Sprintf("%s: %s (default %s)", usage, list, chosen), func(word string) error {
		if chosen = word; !slices.Contains(known, word) {
			return errors.New("want one of " + list)
		}
		return nil
	})
	complete := cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp)
	_ = cmd.RegisterFlagCompletionFunc(name, complete) // it is defined
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

// metricsFlag defines the flag -m.
func metricsFlag(cmd *cobra.Command) *[]string {
	return cmd.Flags().StringSliceP("metric", "m", nil, "only these `METRICS` (default: all)")
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

// shardFlag sets one of several shards, and how many there are.
func shardFlag(shard, shards *int64) func(text string) error {
	return func(text string) (err error) {
		index, count, divided := strings.Cut(text, "/")
		n, err := strconv.ParseInt(count, 10, 64)
		if index == "auto" {
			if divided && (err != nil || n < 1) {
				return errors.New("want auto or auto/N, for example auto/8")
			}
			*shard, *shards, err = arrayjob.Detect(os.Getenv, n)
			return err
		}
		i, indexErr := strconv.ParseInt(index, 10, 64)
		if err != nil || indexErr != nil || i < 0 || n < 1 {
			return errors.New("want I/N, for example 0/8, or auto/N in an array job")
		}
		if i >= n {
			return fmt.Errorf("there is no shard %d of %d: the last one is %d/%d", i, n, n-1, n)
		}
		*shard, *shards = i, n
		return nil
	}
}

// share sets how many of n a text asks for: so many, or so many in a hundred,
// rounded up.
func share(to *func(n int64) int64) func(text string) error {
	return func(text string) error {
		number, percent := strings.CutSuffix(text, "%")
		x, err := strconv.ParseFloat(number, 64)
		if err != nil || percent && !(x > 0 && x <= 100) || !percent && !(x >= 1 && x == math.Trunc(x) && x < 1<<62) {
			return errors.New("want a whole number of at least 1, or a percentage such as 5%")
		}
		*to = func(n int64) int64 {
			if !percent {
				return int64(x)
			}
			return min(n, int64(math.Ceil(float64(n)*x/100)))
		}
		return nil
	}
}

// specFlags defines the flags --set and --seeds, and returns what loads a spec
// and changes it so. The changed text is what is run, and what spec.toml
// records.
func (p *Program) specFlags(cmd *cobra.Command) (load func(name string) (*grid.Spec, error)) {
	var sets []string
	seeds := cmd.Flags().String("seeds", "", "run `N` seeds, or A..B, in place of the spec's")
	cmd.Flags().Func("set", "give a parameter values, `NAME=V,...`, in place of the spec's", func(text string) error {
		if name, values, _ := strings.Cut(text, "="); strings.TrimSpace(name) == "" || values == "" {
			return errors.New("want a parameter with its values, such as beta=0.2,0.3")
		}
		sets = append(sets, text)
		return nil
	})
	return func(name string) (*grid.Spec, error) { return p.loadSpec(name, *seeds, sets...) }
}

// axisNames returns the names of the parameters that a plan varies.
func axisNames(plan *grid.Plan) []string {
	return lists.Map(plan.Varying, func(i int) string { return plan.Experiment().Params[i].Name })
}

// completeFlags lets a shell complete the flags that name what is in the
// directory or the spec that is the command's first argument.
func (p *Program) completeFlags(cmd *cobra.Command) {
	for flag, list := range map[string]func(plan *grid.Plan) []string{
		"metric": func(plan *grid.Plan) []string {
			describe := func(m experiment.Metric) string { return m.Name + "\t" + m.Meaning }
			return lists.Map(plan.Experiment().Metrics, describe)
		},
		"over":     axisNames,
		"by":       axisNames,
		"baseline": func(plan *grid.Plan) []string { return valuesOf(plan, cmd.Flag("by").Value.String()) },
		"set": func(plan *grid.Plan) []string {
			describe := func(p experiment.Param) string { return p.Name + "=\t" + p.Meaning }
			return lists.Map(plan.Experiment().Params, describe)
		},
	} {
		if cmd.Flag(flag) == nil {
			continue
		}
		complete := func(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var known []string
			name := strings.Join(args[:min(len(args), 1)], "") // empty: nothing has it
			if reader, err := results.OpenReader(name, p.Experiments); err == nil {
				known = list(reader.Plan)
			} else if spec, err := p.loadSpec(name, ""); err == nil {
				known = list(spec.Plan())
			}
			for i := range known {
				known[i] = begun[:strings.LastIndex(begun, ",")+1] + known[i] // of a list
			}
			return known, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
		_ = cmd.RegisterFlagCompletionFunc(flag, complete) // it is defined, and only once
	}
}

// valuesOf returns the values that a parameter has in the cells of a plan.
func valuesOf(plan *grid.Plan, name string) (values []string) {
	if p, _ := plan.Experiment().Param(name); p == nil {
		return nil
	}
	for c := range plan.Cells() { // the runs with the first seed
		if v := plan.Point(c).Value(name); !v.IsNull() && !slices.Contains(values, v.String()) {
			values = append(values, v.String())
		}
	}
	return values
}
