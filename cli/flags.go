package cli

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sweep/grid"
	"sweep/internal/document"
	"sweep/internal/table"
	"sweep/results"
)

// arguments accepts from minArgs to maxArgs arguments.
func arguments(minArgs, maxArgs int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if minArgs <= len(args) && len(args) <= maxArgs {
			return nil
		}
		found := table.Count(int64(len(args)), "argument")
		return usage(helpHint(cmd), "%q got %s, want: %s", cmd.CommandPath(), found, cmd.UseLine())
	}
}

// otherFlags annotates a command with the hint about flags that it does not
// know.
const otherFlags = "other flags"

// flagError turns a fault that the flag parser found into a usage error.
func flagError(cmd *cobra.Command, err error) error {
	missing, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return usage(helpHint(cmd), "%v", err)
	}
	hint := cmd.Annotations[otherFlags]
	if hint == "" {
		hint = helpHint(cmd)
	}
	if missing.GetSpecifiedShortnames() != "" {
		return usage(hint, "%v", err)
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	name := missing.GetSpecifiedName()
	if near := document.DidYouMean(name, known); near != "" {
		hint = near
	}
	return usage(hint, "unknown flag %q, known are: %s", name, strings.Join(known, ", "))
}

// choices is the annotation of a flag that has the words it accepts.
const choices = "choices"

// choiceFlag defines a flag that accepts the known words; the first is the
// default.
func choiceFlag(cmd *cobra.Command, name, usage string, known ...string) *string {
	chosen := known[0]
	list := strings.Join(known, ", ")
	text := fmt.Sprintf("%s: %s (default %s)", usage, list, chosen)
	cmd.Flags().Func(name, text, func(word string) error {
		if !slices.Contains(known, word) {
			return errors.New("want one of " + list)
		}
		chosen = word
		return nil
	})
	_ = cmd.Flags().SetAnnotation(name, choices, known) // it is defined
	return &chosen
}

// outputFlag defines the flag -o, for the directory into which a command
// writes.
func outputFlag(cmd *cobra.Command, dir *string, usage string) {
	cmd.Flags().FuncP("output", "o", usage, func(name string) error {
		if name == "" {
			return errors.New("want a directory")
		}
		*dir = name
		return nil
	})
	_ = cmd.MarkFlagDirname("output") // it is defined
}

// workersFlag defines the flag --workers. The help text does not name the
// default, which depends on the machine.
func workersFlag(cmd *cobra.Command, workers *int) {
	*workers = runtime.GOMAXPROCS(0) // respects affinity and cgroup limits
	const usage = "execute at most `N` runs at once (default: usable processors)"
	cmd.Flags().Func("workers", usage, atLeast(1, workers))
}

// metricsFlag defines the flag -m.
func metricsFlag(cmd *cobra.Command) *[]string {
	return cmd.Flags().StringSliceP("metric", "m", nil, "only these `METRICS` (default: all)")
}

// overFlag defines the flag --over.
func overFlag(cmd *cobra.Command) *[]string {
	const usage = "take means over the values of these `AXES`, with limits over them, " +
		"such as world_seed"
	return cmd.Flags().StringSlice("over", nil, usage)
}

// chooseAxes returns the positions of the parameters that --over names; nil if
// it names none. They must vary.
func chooseAxes(names []string, plan *grid.Plan) (params []int, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	indices, err := choose("axis", names, axisNames(plan))
	for _, i := range indices {
		params = append(params, plan.Varying[i])
	}
	return params, err
}

// meansOver returns the parameters over which tables and figures of a
// directory take means: those that --over names or, without that flag, those
// that the spec names beside a paper's table.
func meansOver(cmd *cobra.Command, names []string, r *results.Reader) ([]int, error) {
	if !cmd.Flags().Changed("over") {
		return r.PaperOver(), nil
	}
	return chooseAxes(names, r.Plan)
}

// specFlags defines the flags --set and --seeds, and returns a function that
// loads a spec and changes it as they say. The changed text is what is run,
// and what spec.toml records.
func (p *Program) specFlags(cmd *cobra.Command) (load func(name string) (*grid.Spec, error)) {
	const (
		seedsUsage = "run `N` seeds, or A..B, in place of the spec's"
		setUsage   = "give a parameter values, `NAME=V,...`, in place of the spec's"
	)
	seeds := cmd.Flags().String("seeds", "", seedsUsage)
	var sets, named []string
	cmd.Flags().Func("set", setUsage, func(text string) error {
		name, values, _ := strings.Cut(text, "=")
		name = strings.TrimSpace(name)
		if name == "" || values == "" {
			return errors.New("want a parameter with its values, such as beta=0.2,0.3")
		}
		if slices.Contains(named, name) {
			return fmt.Errorf("%s is set twice, want all its values at once", name)
		}
		named = append(named, name)
		sets = append(sets, text)
		return nil
	})
	return func(name string) (*grid.Spec, error) {
		return p.loadSpec(name, *seeds, sets...)
	}
}

// choose returns the indices of words in a list of known words, each once, or
// all indices if there are no words.
func choose(what string, words, known []string) (indices []int, err error) {
	if len(words) == 0 {
		words = known
	}
	for _, word := range words {
		i := slices.Index(known, word)
		if i < 0 {
			return nil, unknown(what, word, known)
		}
		if !slices.Contains(indices, i) {
			indices = append(indices, i)
		}
	}
	return indices, nil
}
