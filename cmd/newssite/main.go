// Command newssite writes the recorded news site of the foraging experiment
// as Parquet tables for another program. What its links look like is
// measured by "sweep run structure".
package main

import (
	"errors"
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
	world := experiment.Point{Experiment: experiments.Foraging(experiments.Options{})}
	for _, p := range world.Experiment.Params {
		world.Values = append(world.Values, p.Default)
	}
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
			built, err := experiments.NewsSite(world)
			if err != nil {
				return err
			}
			return archive.Write(args[0], built)
		},
	}
	cmd.Flags().Func("set", "give a parameter of the world a value, `NAME=VALUE`; \"sweep params foraging\" lists them; may be repeated", func(text string) error {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return errors.New("want NAME=VALUE")
		}
		p, i := world.Experiment.Param(name)
		if p == nil || p.Group != experiments.WorldGroup {
			return fmt.Errorf("%q is no parameter of the world", name)
		}
		v, err := p.Parse(value)
		world.Values[i] = v
		return err
	})
	return cmd
}
