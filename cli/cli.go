// Package cli is the command line: it runs parameter sweeps over the
// experiments of a program, and tabulates, draws, compares and checks what
// comes out. A program of one's own is
//
//	func main() { cli.Main(walk()) } // walk declares an *experiment.Experiment
//
// and "--help" teaches the rest by example.
//
// The package holds one file per command, named after it, and what commands
// share. Commands parse flags and print; the work is done in the packages that
// they call.
package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sweep/experiment"
	"sweep/experiments/command"
)

// A Program is a command line over experiments.
type Program struct {
	// Name is what people type; empty: the base name of the executable.
	Name string

	// Experiments are what specs may sweep over, beside "command", which is
	// any program.
	Experiments []*experiment.Experiment

	// Sweeps, if not nil, holds specs that come with the program: NAME.toml is
	// run by NAME. Claims that no sweep tests may be listed in
	// claims/untested.toml.
	Sweeps fs.FS
}

// Main runs a program with only these experiments and exits: 0 if all went
// well; "--help" lists the other codes.
func Main(experiments ...*experiment.Experiment) {
	Program{Experiments: experiments}.Main()
}

// Main runs the program's command line and exits.
func (p Program) Main() {
	if p.Name == "" {
		p.Name = filepath.Base(os.Args[0])
	}
	os.Exit(p.execute(os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs the command line and returns the exit code. Results go to
// stdout; all that is said about them, progress and errors, to stderr.
func (p *Program) execute(args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		if v := recover(); v != nil {
			fmt.Fprintf(stderr, "%s: internal fault: %v\n\n%s", p.Name, v, debug.Stack())
			code = exitInternal
		}
	}()
	err := checkMemory(addressSpace())
	for _, e := range p.Experiments { // wrong declarations would surface later as strange columns
		err = errors.Join(err, e.Validate())
	}
	if err == nil {
		root := p.Command()
		root.SetArgs(append([]string{}, args...)) // nil would mean the process's own
		root.SetOut(stdout)
		root.SetErr(stderr)
		err = root.Execute()
	}
	if err != nil {
		p.printError(stderr, err)
	}
	return exitCode(err)
}

// own returns a text, which calls the program sweep, with its own name
// before commands.
func (p *Program) own(text string) string {
	return sweepCommand.ReplaceAllString(text, p.Name+" $1")
}

var sweepCommand = regexp.MustCompile(`\bsweep (--|run|plan|params|status|table|plot|report|check|compare|diff|merge|submit|slurm|init|schema|sensitivity|help|completion|collect)`)

// Command returns the command tree, for manuals and documents; Main executes
// it. One of the experiments is any program.
func (p Program) Command() *cobra.Command {
	prog := &p
	if !slices.Contains(p.experimentNames(), command.Name) {
		p.Experiments = append(slices.Clone(p.Experiments), command.Experiment())
	}
	root := &cobra.Command{
		Use:   prog.Name,
		Short: "Run parameter sweeps of simulations and tabulate what comes out",
		Long: `Sweep runs every combination of parameters that a spec asks for, each with
several seeds, on all processors, and keeps one row per run in Parquet files.

` + exitCodes,
		Example: `  sweep run table2                  run what is missing into out/table2
  sweep table out/table2            print its table again
  sweep plot out/table2             draw its figures
  sweep plan mine.toml              say what a spec would run
  sweep params foraging             list what a spec may vary
  sweep run mine.toml -o results    run a spec of your own`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			cmd.SetOut(cmd.ErrOrStderr()) // help that was not asked for is no result
			if err := cmd.Help(); err != nil {
				return err
			}
			return usage("", "a command is missing")
		},
		Args:                  cobra.ArbitraryArgs, // judged by RunE
		DisableFlagsInUseLine: true,                // there are none
		SilenceErrors:         true,
		SilenceUsage:          true,
	}
	root.SetFlagErrorFunc(flagError)
	for _, group := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Run:", []*cobra.Command{newRun(prog), newPlan(prog), newInit(prog), newParams(prog)}},
		{"Inspect:", []*cobra.Command{newStatus(prog), newDiff(prog)}},
		{"Analyse:", []*cobra.Command{newTable(prog), newPlot(prog), newReport(prog), newCompare(prog), newSensitivity(prog), newCheck(prog), newCollect(prog)}},
		{"Use several machines:", []*cobra.Command{newSubmit(prog), newMerge(prog)}},
		{"Other:", []*cobra.Command{newSchema(prog)}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, cmd := range group.commands {
			cmd.GroupID = group.title
			root.AddCommand(cmd)
		}
	}
	root.Version = prog.about()
	root.SetVersionTemplate("{{.Version}}\n")
	for _, cmd := range append(root.Commands(), root) {
		prog.completeFlags(cmd)
		if prog.Sweeps == nil && len(prog.Experiments) > 0 { // the examples are not to be of others
			cmd.Example = strings.NewReplacer("table2", "mine", "foraging", prog.Experiments[0].Name).Replace(cmd.Example)
		}
		cmd.Long, cmd.Example = prog.own(cmd.Long), prog.own(cmd.Example)
	}
	root.SetHelpCommandGroupID("Other:")
	root.SetCompletionCommandGroupID("Other:")
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, name := range []string{"help", "completion"} { // cobra takes an unknown topic or shell for a success
		cmd, _, _ := root.Find([]string{name})
		cmd.Args, cmd.RunE = cobra.ArbitraryArgs, func(cmd *cobra.Command, args []string) error {
			parent := map[string]*cobra.Command{"help": root, "completion": cmd}[name]
			about, rest, err := parent.Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(about, rest[0])
			}
			return about.Help()
		}
	}
	root.SetUsageTemplate(root.UsageTemplate() + `{{if not .HasSubCommands}}
"` + prog.Name + ` --help" lists the exit codes.
{{end}}`)
	return root
}

// release is the version of a released program, which its build sets
// (-ldflags "-X sweep/cli.release=1.0.0").
var release string

// thisBuild returns the version of the program, or of its module, and the
// revision of the source; empty if unknown. A source that was changed since has
// a version that says so.
func thisBuild() (version, revision string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return cmp.Or(release, "(unknown)"), ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			revision = s.Value
		}
	}
	return cmp.Or(release, info.Main.Version), revision
}

// about returns what "--version" prints.
func (p *Program) about() string {
	version, revision := thisBuild()
	if revision != "" {
		version += " (" + revision + ")"
	}
	return fmt.Sprintf("%s %s, %s, %s/%s", p.Name, version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
