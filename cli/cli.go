// Package cli is the command line of a program that runs parameter sweeps. It
// runs specs over the program's experiments, and tabulates, draws, compares
// and checks the results. A program of your own needs one line:
//
//	func main() { cli.Main(walk()) }
//
// where walk returns an *experiment.Experiment. The example declares one and
// runs a spec; examples/walk is a whole program. "--help" then teaches its
// users by example.
//
// Commands parse flags and print; the packages that they call do the work:
// grid reads specs, runner and results carry them out and keep what comes of
// it, analysis, plots and report present it. In this package,
//
//   - cli.go executes a command line, and tree.go builds the commands from
//     the texts in the directory help;
//   - each command has a file of its name: run.go, plan.go, table.go, …;
//   - flags.go, values.go and complete.go define, parse and complete flags;
//   - spec.go finds specs, files.go opens and writes directories;
//   - search.go carries out the rounds of a search, each of which is a job;
//   - job.go is a sweep that is being carried out, shards.go several shards on
//     the same workers; console.go, meter.go, log.go, metrics.go and
//     manifest.go say how far it is; kept.go and states.go deal with the files
//     of a program's runs;
//   - claims.go runs what is missing for claims, and buy.go more seeds;
//   - resources.go fits runs to this machine; request.go and propose.go fit a
//     sweep to a batch system;
//   - errors.go maps errors to exit codes and hints;
//   - signals.go, requeue.go, memory.go, collector.go, processor.go and
//     system_unix.go with its like deal with the system.
package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"sweep/experiment"
	"sweep/internal/command"
)

// A Program is a command line over experiments. Its zero value has every
// command, and the one experiment "command", which runs any program.
type Program struct {
	// Name is what people type, in help and error texts. If it is empty, the
	// base name of the executable is taken.
	Name string

	// Experiments are what specs may sweep over, beside "command". Their names
	// must differ, also from that one's. A nil experiment is a fault of the
	// program.
	Experiments []*experiment.Experiment

	// Sweeps holds specs that come with the program: people run NAME.toml by
	// NAME. It may also hold claims/untested.toml, a list of claims that no
	// sweep tests. If it is nil, no spec comes with the program.
	Sweeps fs.FS
}

// Main runs the command line of a program with these experiments and exits,
// with 0 if all went well; "--help" lists the other codes. An experiment with
// a wrong declaration, or with the name of another, ends the program with an
// error message that says what is wrong.
func Main(experiments ...*experiment.Experiment) {
	Program{Experiments: experiments}.Main()
}

// Main runs the program's command line, os.Args, and exits as the function
// Main does. Results go to stdout, progress and errors to stderr.
func (p Program) Main() {
	if p.Name == "" {
		p.Name = filepath.Base(os.Args[0])
	}
	os.Exit(p.execute(os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs a command line and returns its exit code.
func (p *Program) execute(args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		if v := recover(); v != nil {
			fmt.Fprintf(stderr, "%s: internal fault: %v\n\n%s", p.Name, v, debug.Stack())
			code = exitInternal
		}
	}()
	err := p.try(args, stdout, stderr)
	if err != nil {
		p.printError(stderr, err)
	}
	return exitCode(err)
}

// try checks that the program can run at all, and runs a command line.
func (p *Program) try(args []string, stdout, stderr io.Writer) error {
	err := checkMemory(addressSpace())
	for _, e := range p.Experiments { // a wrong declaration would surface later as strange columns
		err = errors.Join(err, e.Validate())
	}
	err = errors.Join(err, p.checkNames())
	if err != nil {
		return err
	}
	root := p.tree(isCompletion(args))
	root.SetOut(stdout)
	root.SetErr(stderr)
	if _, err := find(root, args); err != nil {
		return err
	}
	root.SetArgs(append([]string{}, args...)) // nil would mean the process's own
	return root.Execute()
}

// checkNames returns an error if a spec could ask for two experiments by one
// name.
func (p *Program) checkNames() error {
	seen := map[string]bool{}
	for _, e := range p.Experiments {
		if e.Name == command.Name {
			return fmt.Errorf("experiment %q: every program has an experiment of this name: "+
				"want another", e.Name)
		}
		if seen[e.Name] {
			return fmt.Errorf("two experiments have the name %q: want another for one of them",
				e.Name)
		}
		seen[e.Name] = true
	}
	return nil
}

// release is the version of a released program, which its build sets
// (-ldflags "-X sweep/cli.release=1.0.0").
var release string

// version returns the release or, between releases, the version of the
// module: it names the revision of the source, and says if that was changed.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	return info.Main.Version
}

// about returns what "--version" prints of a program of that name.
func about(program string) string {
	system := runtime.GOOS + "/" + runtime.GOARCH
	return fmt.Sprintf("%s %s, %s, %s", program, version(), runtime.Version(), system)
}
