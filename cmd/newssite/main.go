// Command newssite writes a news site as Parquet tables: the recorded site of
// the foraging experiment, for another program, or a real one, for the
// experiment (its parameter site_tables). What the links of either look like is
// measured by "sweep run structure".
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sweep/environments/newssite"
	"sweep/environments/newssite/archive"
	"sweep/environments/newssite/crawl"
	"sweep/experiment"
	"sweep/experiments"
)

func main() {
	os.Exit(exitCode(newExport().Execute()))
}

// errData is wrapped, without a text of its own, by faults in what was read.
var errData = errors.New("")

// exitCode returns the code of an error in the manner of sysexits.h: 65 for what
// was read, 74 for reading, writing and starting git, else 64 for the command line.
func exitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.As(err, new(*fs.PathError)), errors.As(err, new(*os.LinkError)), errors.As(err, new(*exec.Error)):
		return 74
	case errors.Is(err, errData):
		return 65
	}
	return 64
}

// newExport returns the command that writes the experiment's site, with the one
// below it that imports a real site.
func newExport() *cobra.Command {
	world := experiment.Point{Experiment: experiments.Foraging(nil)}
	world.Values = world.Experiment.Defaults()
	cmd := &cobra.Command{
		Use:   "newssite DIR",
		Short: "Write the recorded news site as Parquet tables",
		Long: `Write the site into DIR as the tables urls, pages, states and links, with a
README that describes them and the rules by which a run meets them.`,
		Example: `  newssite out/world
  newssite out/rewired --set rewired=1
  newssite out/large --set world_seed=2 --set archive_pages=100000
  newssite import crawl.jsonl out/site`,
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
		if p == nil || p.Group != experiments.WorldGroup || p.Input != nil {
			return fmt.Errorf("%q is no parameter of the world", name)
		}
		v, err := p.Parse(value)
		world.Values[i] = v
		return err
	})
	cmd.AddCommand(newImport())
	return cmd
}

// newImport returns "newssite import".
func newImport() *cobra.Command {
	var window crawl.Window
	var below string
	var lists int
	cmd := &cobra.Command{
		Use:   "import SOURCE DIR",
		Short: "Write a real site as the same tables",
		Long: `Write a real site into DIR as the same tables, for sweeps with

  site_tables = "DIR"

SOURCE is one of

- the log of a crawl: ` + crawl.Accepts + `;
- a git repository with the sources of a site: commit times are when pages change;
- a directory with tables that newssite wrote: they are checked, and written again
  as they are.

--from is when the simulation starts, and --to --days later: a site that changes
seldom can be seen faster.`,
		Example: `  newssite import crawl.jsonl.gz out/site
  newssite import repository out/site --below content/en --from 2024-01-01 --to 2026-01-01`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			source, dir := args[0], args[1]
			if window.Days < 1 || window.Days > 365 {
				return fmt.Errorf("--days is %d, want a number from 1 to 365", window.Days)
			}
			if !(window.Downloads >= 0.001 && window.Downloads <= 1e6) || lists < 0 {
				return fmt.Errorf("--downloads is %v and --lists %d, want numbers from 0.001 to 1e6 and from 0 on", window.Downloads, lists)
			}
			site, said, err := read(source, below, lists, window)
			if err != nil {
				return fmt.Errorf("%w%w", errData, err)
			}
			fmt.Fprintln(cmd.OutOrStdout(), said)
			return archive.Write(dir, site)
		},
	}
	cmd.Flags().StringVar(&window.From, "from", "", "the start, for example 2024-01-01 (default: the first time)")
	cmd.Flags().StringVar(&window.To, "to", "", "the end (default: that of the last time)")
	cmd.Flags().IntVar(&window.Days, "days", 18, "simulated days from the start to the end")
	cmd.Flags().Float64Var(&window.Downloads, "downloads", 1.2, "downloads of each URL that there is time for in a day; 1.2 in the papers: 605,000 of 62,000 URLs in 8 days")
	cmd.Flags().StringVar(&below, "below", "", "directory of a repository that is the root of the site")
	cmd.Flags().IntVar(&lists, "lists", 0, "newest pages of each directory of a repository to which its index links, as templates of sites do")
	return cmd
}

// read makes a site of any of the sources, and says for people what was made.
func read(source, below string, lists int, window crawl.Window) (site *newssite.Site, said string, err error) {
	info, err := os.Stat(source)
	if err != nil {
		return nil, "", err
	}
	if _, err := os.Stat(filepath.Join(source, "urls.parquet")); err == nil {
		site, _, err := archive.Read(source, nil)
		return site, "the same tables again", err
	}
	var log *crawl.Log
	if info.IsDir() {
		log, err = crawl.History(source, below, lists)
	} else {
		log, err = crawl.Read(source)
	}
	if err != nil {
		return nil, "", err
	}
	return log.Site(window)
}
