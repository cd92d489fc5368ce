// Package cli is the command line: it runs parameter sweeps over the
// experiments of a program, and tabulates, draws, compares and checks what
// comes out. A program of one's own is
//
//	func main() { cli.Main(walk()) } // walk declares an *experiment.Experiment
//
// and "--help" teaches the rest by example.
//
// Commands parse flags and print; the work is done in the packages that they
// call. Their help texts are in the directory help.
package cli

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
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
	"sweep/internal/lists"
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
	p.Name = cmp.Or(p.Name, filepath.Base(os.Args[0]))
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
		if _, err = find(root, args); err == nil {
			err = root.Execute()
		}
	}
	if err != nil {
		p.printError(stderr, err)
	}
	return exitCode(err)
}

// find returns the command that arguments name. Those that a shell asks for
// completions by (cobra's) name others.
func find(root *cobra.Command, args []string) (*cobra.Command, error) {
	cmd, rest, _ := root.Find(args) // its error is of a word that is left over
	left := slices.IndexFunc(rest, func(word string) bool { return !strings.HasPrefix(word, "-") })
	if left < 0 || !cmd.HasSubCommands() || strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return cmd, nil
	}
	return nil, unknown("command", rest[left], lists.Map(cmd.Commands(), (*cobra.Command).Name))
}

// withName returns a text that calls the program sweep with its own name instead,
// where it is quoted, or begins a line, as a command.
func (p *Program) withName(text string) string {
	return sweepCommand.ReplaceAllString(text, "${1}"+p.Name+" ")
}

var sweepCommand = regexp.MustCompile(`(?m)("|^ *)sweep `)

// papersExamples are those that name sweeps of the papers.
var papersExamples = regexp.MustCompile(`(?m)^{{papers}}.*\n?`)

//go:embed help
var help embed.FS

// command returns a command with the texts of help/NAME.txt: how it is used, a
// line about it, what it does, and examples.
func (p *Program) command(name string) *cobra.Command {
	text, _ := help.ReadFile("help/" + name + ".txt") // it is embedded
	lines := strings.SplitN(string(text), "\n", 3)
	long, examples, _ := strings.Cut(strings.TrimSpace(lines[2]), "\n\nExamples:\n")
	long = strings.ReplaceAll(long, "{{sweeps}}", p.sweepList())
	if len(p.sweeps()) == 0 { // the examples are not to be of others
		examples = papersExamples.ReplaceAllString(examples, "")
		own := strings.NewReplacer("table2", "myspec", "foraging", p.Experiments[0].Name)
		examples = own.Replace(examples)
	}
	examples = strings.TrimSuffix(strings.ReplaceAll(examples, "{{papers}}", ""), "\n")
	long, examples = p.withName(long), p.withName(examples)
	return &cobra.Command{Use: lines[0], Short: lines[1], Long: long, Example: examples}
}

// Command returns the command tree, for manuals and documents; Main executes
// it. One of the experiments is any program.
func (p Program) Command() *cobra.Command {
	if !slices.Contains(p.experimentNames(), command.Name) {
		p.Experiments = append(slices.Clone(p.Experiments), command.Experiment())
	}
	p.Sweeps = cmp.Or[fs.FS](p.Sweeps, embed.FS{})
	root := p.command("sweep")
	root.Use, root.RunE = p.Name, func(cmd *cobra.Command, _ []string) error {
		cmd.SetOut(cmd.ErrOrStderr()) // help that was not asked for is no result
		if err := cmd.Help(); err != nil {
			return err
		}
		return usage("", "a command is missing")
	}
	root.DisableFlagsInUseLine = true // there are none
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(flagError)
	directories := cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	experiments := cobra.FixedCompletions(p.experimentNames(), cobra.ShellCompDirectiveNoFileComp)
	templates := cobra.FixedCompletions(append(p.sweeps(), p.experimentNames()...), cobra.ShellCompDirectiveNoFileComp)
	for _, c := range []struct {
		group, name string
		least, most int // arguments
		complete    cobra.CompletionFunc
		define      func(cmd *cobra.Command)
	}{
		{"Run:", "run", 1, 1, p.completeSpec, p.run},
		{"Run:", "plan", 1, 1, p.completeSpec, p.plan},
		{"Run:", "init", 1, 1, templates, p.init},
		{"Run:", "params", 0, math.MaxInt, experiments, p.params},
		{"Inspect:", "status", 1, 1, directories, p.status},
		{"Inspect:", "diff", 1, 2, directories, p.diff},
		{"Analyse:", "table", 1, 1, directories, p.table},
		{"Analyse:", "plot", 1, 1, directories, p.plot},
		{"Analyse:", "report", 0, math.MaxInt, directories, p.report},
		{"Analyse:", "compare", 1, 1, directories, p.compare},
		{"Analyse:", "sensitivity", 1, 1, directories, p.sensitivity},
		{"Analyse:", "check", 0, 1, p.completeSpec, p.check},
		{"Analyse:", "collect", 1, math.MaxInt, directories, p.collect},
		{"Use several machines:", "submit", 1, 1, p.completeSpec, p.submit},
		{"Use several machines:", "merge", 1, math.MaxInt, directories, p.merge},
		{"Other:", "schema", 0, 0, cobra.NoFileCompletions, p.schema},
	} {
		if !root.ContainsGroup(c.group) {
			root.AddGroup(&cobra.Group{ID: c.group, Title: c.group})
		}
		cmd := p.command(c.name)
		cmd.GroupID, cmd.Args, cmd.ValidArgsFunction = c.group, arguments(c.least, c.most), c.complete
		c.define(cmd)
		p.completeFlags(cmd)
		root.AddCommand(cmd)
	}
	root.Version = p.about()
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetHelpCommandGroupID("Other:")
	root.SetCompletionCommandGroupID("Other:")
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	help, _, _ := root.Find([]string{"help"})
	help.RunE = func(_ *cobra.Command, args []string) error { // cobra takes an unknown topic for a success
		about, err := find(root, args)
		if err == nil {
			err = about.Help()
		}
		return err
	}
	root.SetUsageTemplate(root.UsageTemplate() + `{{if not .HasSubCommands}}
"` + p.Name + ` --help" lists the exit codes.
{{end}}`)
	return root
}

// release is the version of a released program, which its build sets
// (-ldflags "-X sweep/cli.release=1.0.0").
var release string

// version returns that of the program, or of its module: between releases, it
// names the revision of the source, and says if that was changed since.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && release == "" {
		return info.Main.Version
	}
	return cmp.Or(release, "(unknown)")
}

// about returns what "--version" prints.
func (p *Program) about() string {
	return fmt.Sprintf("%s %s, %s, %s/%s", p.Name, version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
