// Command newssite writes the recorded news site of the foraging experiment
// as Parquet tables for another program. What its links look like is
// measured by "sweep run structure".
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"sweep/environments/newssite/archive"
	"sweep/experiment"
	"sweep/experiments"
)

func main() {
	if err := newExport().Execute(); err != nil {
		os.Exit(1)
	}
}

// newExport returns the only command.
func newExport() *cobra.Command {
	site := newWorld()
	cmd := &cobra.Command{
		Use:   "newssite DIR",
		Short: "Write the recorded news site as Parquet tables",
		Long: `Write the site into DIR as the tables urls, pages, states and links, with a
README that describes them and the rules by which a run meets them.`,
		Example: `  newssite out/world
  newssite out/rewired --set rewired=1
  newssite out/large --set world_seed=2 --set archive_pages=100000`,
		Args:         cobra.ExactArgs(1),
		SilenceUsage: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			built, err := experiments.NewsSite(experiment.Point(*site))
			if err != nil {
				return err
			}
			return archive.Write(args[0], built)
		},
	}
	cmd.Flags().Var(site, "set", `a parameter of the world, as "sweep params foraging" lists them; may be repeated`)
	return cmd
}

// A world is the point of the foraging experiment whose world is meant, and
// the value of the flag --set.
type world experiment.Point

// newWorld returns the world of the defaults.
func newWorld() *world {
	w := &world{Experiment: experiments.Foraging(experiments.Options{})}
	for i := range w.Experiment.Params {
		w.Values = append(w.Values, w.Experiment.Params[i].Default)
	}
	return w
}

// String, Set and Type implement pflag.Value.
func (w *world) String() string { return "" }

func (w *world) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("want NAME=VALUE")
	}
	p, i := w.Experiment.Param(name)
	if p == nil || p.Group != experiments.WorldGroup {
		return fmt.Errorf("%q is no parameter of the world", name)
	}
	v, err := p.Parse(value)
	w.Values[i] = v
	return err
}

func (w *world) Type() string { return "NAME=VALUE" }
