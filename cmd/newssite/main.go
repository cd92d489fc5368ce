// Command newssite writes a news site as Parquet tables: the recorded site of
// the foraging experiment, for other programs, or a real site, for the
// experiment (its parameter site_tables). "sweep run structure" measures the
// links of either.
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

// errData marks errors in data that was read. It has no text of its own.
var errData = errors.New("")

// exitCode returns the exit code for an error, as in sysexits.h: 65 for faulty
// data, 74 if a file cannot be read or written or git cannot be started, and 64
// for faults of the command line.
func exitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.As(err, new(*fs.PathError)),
		errors.As(err, new(*os.LinkError)),
		errors.As(err, new(*exec.Error)):
		return 74
	case errors.Is(err, errData):
		return 65
	}
	return 64
}

// newExport returns the command that writes the experiment's site. Its
// subcommand imports a real site.
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
	const set = "give a parameter of the world a value, `NAME=VALUE`; " +
		"\"sweep params foraging\" lists them; may be repeated"
	cmd.Flags().Func("set", set, func(text string) error {
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
	var sources crawl.Sources
	cmd := &cobra.Command{
		Use:   "import SOURCE DIR",
		Short: "Write a real site as the same tables",
		Long: `Write a real site into DIR as the same tables, for sweeps with

  site_tables = "DIR"

SOURCE is one of

- the log of a crawl: ` + crawl.Accepts + `;
- a git repository with the sources of a site: commit times are when pages change.
  Layouts and parts of pages, such as _includes, are no pages;
- a directory with tables that newssite wrote: they are checked and written again
  as they are.

The simulation starts at --from and reaches --to after --days, so that a site that
rarely changes can be replayed faster.

What is printed counts the links that are left out: those to other sites, to files
that are no pages, and those that are lost, with the five commonest of them.`,
		Example: `  newssite import crawl.jsonl.gz out/site
  newssite import repository out/site --below content/en --from 2024-01-01 --to 2026-01-01
  newssite import repository out/site --exclude drafts --exclude "*/old"`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if window.Days < 1 || window.Days > 365 {
				return fmt.Errorf("--days is %d, want a number from 1 to 365", window.Days)
			}
			if !(window.Downloads >= 0.001 && window.Downloads <= 1e6) {
				return fmt.Errorf("--downloads is %v, want a number from 0.001 to 1e6",
					window.Downloads)
			}
			if sources.Lists < 0 {
				return fmt.Errorf("--lists is %d, want a number from 0 on", sources.Lists)
			}
			for _, pattern := range sources.Exclude {
				if err := crawl.CheckPattern(pattern); err != nil {
					return fmt.Errorf("--exclude: %w", err)
				}
			}
			set := sources.Below != "" || sources.Exclude != nil || sources.Lists > 0
			info, err := os.Stat(args[0])
			if set && err == nil && !info.IsDir() {
				return fmt.Errorf("%s is no repository: --below, --exclude and --lists are for "+
					"repositories", args[0])
			}
			site, said, err := read(args[0], sources, window)
			if err != nil {
				return fmt.Errorf("%w%w", errData, err)
			}
			fmt.Fprintln(cmd.OutOrStdout(), said)
			return archive.Write(args[1], site)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&window.From, "from", "",
		"the start, for example 2024-01-01 (default: the first time)")
	flags.StringVar(&window.To, "to", "", "the end (default: that of the last time)")
	flags.IntVar(&window.Days, "days", 18, "simulated days from the start to the end")
	flags.Float64Var(&window.Downloads, "downloads", 1.2,
		"downloads of each URL that there is time for in a day; "+
			"1.2 in the papers: 605,000 of 62,000 URLs in 8 days")
	flags.StringVar(&sources.Below, "below", "",
		"directory of a repository that is the root of the site")
	flags.StringArrayVar(&sources.Exclude, "exclude", nil,
		"files and directories of a repository that are no pages, a `PATTERN` such as "+
			"drafts, */old or note-*.md; may be repeated")
	flags.IntVar(&sources.Lists, "lists", 0,
		"newest pages of each directory of a repository to which its index links, "+
			"as templates of sites do")
	return cmd
}

// read makes a site from a source, and describes it for people.
func read(
	source string, sources crawl.Sources, window crawl.Window,
) (site *newssite.Site, said string, err error) {
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
		log, err = crawl.History(source, sources)
	} else {
		log, err = crawl.Read(source)
	}
	if err != nil {
		return nil, "", err
	}
	return log.Site(window)
}
