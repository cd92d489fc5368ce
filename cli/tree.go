package cli

import (
	"embed"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sweep/internal/command"
)

// Command returns the tree of commands, for manuals and documents; Main
// executes it. Its flags keep their values once it is executed, so each
// execution needs a new tree.
func (p Program) Command() *cobra.Command { return p.tree(true) }

// tree returns the tree of commands, whose flags a shell can complete or not.
// A tree with completions is never freed: cobra keeps them in a global map.
func (p Program) tree(complete bool) *cobra.Command {
	p.Experiments = append(slices.Clone(p.Experiments), command.Experiment())
	if p.Sweeps == nil {
		p.Sweeps = embed.FS{}
	}
	sweeps := p.sweeps()
	root := p.root(sweeps)
	p.addCommands(root, sweeps)
	if complete {
		for _, cmd := range root.Commands() {
			p.completeFlags(cmd)
		}
	}
	root.SetHelpCommandGroupID("Other:")
	root.SetCompletionCommandGroupID("Other:")
	root.InitDefaultHelpCmd()
	root.InitDefaultHelpFlag()
	root.InitDefaultCompletionCmd()
	help, _, _ := root.Find([]string{"help"})
	help.RunE = func(_ *cobra.Command, args []string) error { // cobra's accepts unknown topics
		topic, err := find(root, args)
		if err != nil {
			return err
		}
		return topic.Help()
	}
	return root
}

// root returns the program's own command, without those below it. sweeps are
// the names of those that come with the program.
func (p *Program) root(sweeps []string) *cobra.Command {
	root := p.command("sweep", sweeps)
	root.Use = p.Name
	showVersion := root.Flags().BoolP("version", "v", false, "version for "+p.Name)
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if *showVersion {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), about(p.Name))
			return err
		}
		cmd.SetOut(cmd.ErrOrStderr()) // help that nobody asked for is no result
		if err := cmd.Help(); err != nil {
			return err
		}
		return usage("", "a command is missing")
	}
	root.DisableFlagsInUseLine = true // there are none
	root.SilenceErrors = true
	root.SilenceUsage = true
	root.SetFlagErrorFunc(flagError)
	ofCobra := root.UsageFunc()
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		if err := ofCobra(cmd); err != nil || cmd.HasSubCommands() {
			return err
		}
		const text = "\n\"%s --help\" lists the exit codes.\n"
		_, err := fmt.Fprintf(cmd.OutOrStderr(), text, p.Name)
		return err
	})
	return root
}

// addCommands adds the commands to the program's own, in the order of its
// help text.
func (p *Program) addCommands(root *cobra.Command, sweeps []string) {
	names := cobra.ShellCompDirectiveNoFileComp
	specs := p.completeSpec
	dirs := cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	experiments := cobra.FixedCompletions(p.experimentNames(), names)
	templates := cobra.FixedCompletions(slices.Concat(sweeps, p.experimentNames()), names)
	const (
		run      = "Run:"
		inspect  = "Inspect:"
		analyse  = "Analyse:"
		machines = "Use several machines:"
		other    = "Other:"
		many     = math.MaxInt
	)
	for _, c := range []struct {
		group, name      string
		minArgs, maxArgs int
		complete         cobra.CompletionFunc
		define           func(cmd *cobra.Command)
	}{
		{run, "run", 1, 1, specs, p.run},
		{run, "plan", 1, 1, specs, p.plan},
		{run, "init", 1, 1, templates, p.init},
		{run, "params", 0, many, experiments, p.params},
		{inspect, "status", 1, 1, dirs, p.status},
		{inspect, "diff", 1, 2, dirs, p.diff},
		{analyse, "table", 1, 1, dirs, p.table},
		{analyse, "plot", 1, 1, dirs, p.plot},
		{analyse, "report", 0, many, dirs, p.report},
		{analyse, "compare", 1, 2, dirs, p.compare},
		{analyse, "sensitivity", 1, 1, dirs, p.sensitivity},
		{analyse, "check", 0, 1, specs, p.check},
		{analyse, "collect", 1, many, dirs, p.collect},
		{machines, "submit", 1, 1, specs, p.submit},
		{machines, "merge", 1, many, dirs, p.merge},
		{other, "crate", 1, 1, dirs, p.crate},
		{other, "schema", 0, 0, cobra.NoFileCompletions, p.schema},
	} {
		if !root.ContainsGroup(c.group) {
			root.AddGroup(&cobra.Group{ID: c.group, Title: c.group})
		}
		cmd := p.command(c.name, sweeps)
		cmd.GroupID = c.group
		cmd.Args = arguments(c.minArgs, c.maxArgs)
		cmd.ValidArgsFunction = c.complete
		c.define(cmd)
		root.AddCommand(cmd)
	}
}

// find returns the command that arguments name. When a shell asks for
// completions, what follows cobra's own command is no name.
func find(root *cobra.Command, args []string) (*cobra.Command, error) {
	cmd, rest, _ := root.Find(args) // its error is about a word that is left over
	if !cmd.HasSubCommands() || len(rest) == 0 || isCompletion(args) {
		return cmd, nil
	}
	for _, word := range rest {
		if strings.HasPrefix(word, "-") {
			continue
		}
		var known []string
		for _, c := range cmd.Commands() {
			known = append(known, c.Name())
		}
		return nil, unknown("command", word, known)
	}
	return cmd, nil
}

//go:embed help
var help embed.FS

// command returns a command with the texts of help/NAME.txt: how it is used,
// a line about it, what it does, and examples.
func (p *Program) command(name string, sweeps []string) *cobra.Command {
	text, _ := help.ReadFile("help/" + name + ".txt") // it is embedded
	lines := strings.SplitN(string(text), "\n", 3)
	long, examples, _ := strings.Cut(strings.TrimSpace(lines[2]), "\n\nExamples:\n")
	if strings.Contains(long, "{{sweeps}}") {
		long = strings.ReplaceAll(long, "{{sweeps}}", sweepList(sweeps))
	}
	if len(sweeps) == 0 { // examples must name what the program has
		examples = papersExamples.ReplaceAllString(examples, "")
		own := strings.NewReplacer("table2", "myspec", "foraging", p.Experiments[0].Name)
		examples = own.Replace(examples)
	}
	examples = strings.ReplaceAll(examples, "{{papers}}", "")
	return &cobra.Command{
		Use:     lines[0],
		Short:   lines[1],
		Long:    p.withName(long),
		Example: p.withName(strings.TrimSuffix(examples, "\n")),
	}
}

// papersExamples are the examples that name sweeps of the papers.
var papersExamples = regexp.MustCompile(`(?m)^{{papers}}.*\n?`)

// withName puts the program's name in place of "sweep" wherever a text quotes
// a command or begins a line with one.
func (p *Program) withName(text string) string {
	if p.Name == "sweep" {
		return text
	}
	return sweepCommand.ReplaceAllString(text, "${1}"+p.Name+" ")
}

var sweepCommand = regexp.MustCompile(`(?m)("|^ *)sweep `)
