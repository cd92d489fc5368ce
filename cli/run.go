package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"sweep/internal/command"
	"sweep/report"
	"sweep/results"
	"sweep/runner"
)

// run defines "sweep run".
func (p *Program) run(cmd *cobra.Command) {
	j := newJob(cmd)
	j.defineFlags()
	format := choiceFlag(cmd, "log-format", "report on stderr as `FORMAT`",
		logText, logLogfmt, logJSON)
	f := cmd.Flags()
	retry := f.Bool("retry-failed", true, "repeat runs that failed in an earlier command")
	requeueWith := f.String("requeue-with", "",
		"in a batch job: if the sweep can go on later (75), run `COMMAND` with sh")
	const stepUsage = "for the scripts: begin with value `N` of memory, from 0"
	f.Func("memory-step", stepUsage, atLeast(0, &j.memoryStep))
	_ = f.MarkHidden("memory-step") // it is defined
	load := p.specFlags(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		spec, err := load(args[0])
		if err != nil {
			return err
		}
		if err := j.checkReuse(); err != nil {
			return err
		}
		j.unready = ready(spec)
		if !j.quiet {
			sayEach(cmd.ErrOrStderr(), "warning", spec.Warnings)
		}
		j.KeepFailed = !*retry
		j.logFormat = *format
		if spec.Plan().Search != nil {
			err = p.runSearch(j, spec)
		} else {
			err = j.run(spec)
		}
		requeue(cmd, *requeueWith, err)
		if err != nil && j.logFormat != logText {
			return &failure{code: exitCode(err)} // the log has the message
		}
		return err
	}
}

// defineFlags defines the flags that set fields of the job.
func (j *job) defineFlags() {
	const (
		outUsage   = "write into `DIR` (default out/<name of the sweep>)"
		shardUsage = "execute only part `I/N` of the runs, 0 ≤ I < N; parts I,I/N; auto/N; auto"
		maxUsage   = "stop when `N or P%` of the runs to do have failed"
		retryUsage = "try a run that failed up to `N` times again, at once"
		eachUsage  = "fail runs that take longer than `D`, such as 90s or 2h"
		graceUsage = "give the runs under way `D` to end when interrupted (default %v)"
		limitUsage = "commit all within `D`; 0: no limit (default: Slurm's)"
		reuseUsage = "take runs that `DIR` holds, another sweep's directory; may be repeated"
		serveUsage = "show the sweep to browsers of this machine at `ADDRESS`, " +
			"such as 127.0.0.1:0, while it runs"
		logUsage     = "append the records of --log-format, or logfmt, to `FILE`"
		metricsUsage = "keep `FILE` for node_exporter's textfile collector"
	)
	f := j.cmd.Flags()
	outputFlag(j.cmd, &j.dir, outUsage)
	f.Func("shard", shardUsage, shardFlag(&j.indexes, &j.count))
	workersFlag(j.cmd, &j.Workers)
	f.Func("max-failures", maxUsage, share(&j.MaxFailures))
	f.Func("retries", retryUsage, atLeast(0, &j.Retries))
	f.Func("run-timeout", eachUsage, duration(&j.RunTimeout))
	f.Func("grace", fmt.Sprintf(graceUsage, j.Grace), duration(&j.Grace))
	f.Func("time-limit", limitUsage, duration(&j.timeLimit))
	f.StringArrayVar(&j.reuse, "reuse", nil, reuseUsage)
	f.Func("serve", serveUsage, func(address string) error {
		j.serve = address
		return report.Loopback(address)
	})
	f.BoolVar(&j.quiet, "quiet", false, "print no progress and no table")
	f.StringVar(&j.logFile, "log-file", "", logUsage)
	f.StringVar(&j.metricsFile, "metrics-file", "", metricsUsage)
}

// checkReuse refuses a --reuse that names no directory.
func (j *job) checkReuse() error {
	for _, dir := range j.reuse {
		if !isDirectory(dir) {
			return usage(helpHint(j.cmd), "--reuse: there is no directory %s", dir)
		}
	}
	return nil
}

// fill opens the directory, executes what is left to do there, and prints the
// results.
func (j *job) fill(ctx context.Context) (err error) {
	if len(j.reuse) > 0 { // find faults before anything is written
		if _, err := results.OpenReaderFor(j.spec, j.reuse...); err != nil {
			return err
		}
	}
	j.store, err = results.Open(j.dir, j.spec, j.shard)
	if results.HasOtherColumns(err) {
		j.store, err = j.openOther(err)
	}
	if err != nil {
		return err
	}
	defer closeInto(j.store, &err)
	if j.serve != "" {
		server, serveErr := report.Serve(j.serve, j.livePage)
		if serveErr != nil {
			return serveErr
		}
		defer closeInto(server, &err)
		j.addSink(func(runner.Event) { server.Tell(j.state) })
		j.url = server.URL
	}
	if err := j.store.Take(j.reuse, false); err != nil {
		return err
	}
	if err := j.carryOut(ctx); err != nil {
		return j.unfinished(err)
	}
	if err := j.printResults(); err != nil {
		return err
	}
	if j.store.Damage != nil {
		return errRecomputed
	}
	if j.store.Failed() > 0 {
		return failed(exitFailedRuns, "%s failed", runs(j.store.Failed()))
	}
	return nil
}

// printResults prints the table of a sweep. A shard has none.
func (j *job) printResults() error {
	if j.quiet || j.noTable {
		return nil
	}
	w := j.cmd.OutOrStdout()
	if j.shard == nil {
		return printTable(w, j.store.Reader)
	}
	_, err := fmt.Fprintf(w, "shard %s: %s in %s\n",
		j.shard, runs(j.store.Assigned()), j.store.Dir)
	return err
}

// livePage writes the page of what is there so far.
func (j *job) livePage(w io.Writer) error {
	reader, err := results.OpenReaderFor(j.spec, j.store.Dir)
	if err != nil {
		return err
	}
	sweep, err := report.Read(reader)
	if err != nil {
		return err
	}
	program := about(j.cmd.Root().Name())
	return report.HTML(w, program, true, []*report.Sweep{sweep}, nil)
}

// carryOut executes the runs to do, tells the sinks, and writes the final
// files. What keeps runs from being executed is found before the manifest says
// that the sweep has begun.
func (j *job) carryOut(ctx context.Context) error {
	e := countsOf(j.store)
	e.Kind = opened
	e.Left = e.Assigned - e.OK
	if j.KeepFailed {
		e.Left -= e.Failed
	}
	j.emit(e)
	if e.Left > 0 {
		if err := j.prepare(); err != nil {
			return err
		}
	}
	m, err := beginManifest(j.store, j.Workers, e.Left)
	if err != nil {
		return err
	}
	if m != nil {
		j.addSink(j.update(m))
	}
	err = j.execute(ctx)
	toExport := context.Background()
	if !j.Deadline.IsZero() {
		limited, end := context.WithDeadlineCause(ctx, j.Deadline, runner.ErrOutOfTime)
		defer end()
		toExport = limited
	}
	return exportAndFinish(toExport, j.store, m, true, err)
}

// prepare finds what keeps runs from being executed, and reads the input files.
func (j *job) prepare() error {
	if j.unready != nil {
		return j.unready
	}
	if err := j.spec.ReadInputs(); err != nil {
		return err
	}
	return j.refuseLinks()
}

// update returns a sink that keeps a manifest up to date.
func (j *job) update(m *results.Manifest) func(runner.Event) {
	return func(e runner.Event) {
		m.Executed = e.Executed
		if e.Kind == runner.Committed { // once a second, for "sweep status"
			_ = writeManifest(j.store, m, e) // no result depends on it
		}
	}
}

// execute executes the runs to do, and ends the programs that it has started.
func (j *job) execute(ctx context.Context) (err error) {
	// When nobody reads the output any more, the sweep goes on. SIGPIPE is not
	// ignored instead, as the programs that runs start would ignore it, too.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	j.Directory = filepath.Join(j.dir, runsDir)
	j.removeLeftovers()
	kept := j.dropStates()
	if kept != nil {
		j.addSink(kept.tell)
	}
	j.Observe = j.emit
	j.report, err = runner.Sweep(ctx, j.store, j.Options)
	if kept != nil && j.store.Commit() == nil {
		kept.drop()
	}
	if j.Shared == nil {
		j.endPrograms(err == nil)
	}
	return err
}

// endPrograms ends the programs that wait for runs, says what there is to say
// of them, and removes the directories of runs and states if they are empty.
func (j *job) endPrograms(succeeded bool) {
	command.EndWorkers()
	if command.Answered() > 0 && succeeded && !j.quiet && !j.noNotes {
		const proof = "one process answered many runs; to prove that none depends on another: " +
			"%s diff %s --rerun 5%%"
		say(j.cmd.ErrOrStderr(), proof, j.cmd.Root().Name(), j.dir)
	}
	j.sayReadAgain()
	j.sayUnnamed()
	j.sayMixups()
	_ = os.Remove(filepath.Join(j.dir, runsDir)) // if it is empty, as the next
	_ = os.Remove(filepath.Join(j.dir, statesDir))
}

// refuseLinks refuses to follow a link in the place of a directory in which
// runs work: what they leave would be removed where it points.
func (j *job) refuseLinks() error {
	for _, name := range []string{runsDir, statesDir} {
		path := filepath.Join(j.dir, name)
		info, err := os.Lstat(path)
		if err == nil && !info.IsDir() {
			return &results.DataError{
				Path:    path,
				Message: fmt.Sprintf("is not a directory (mode %s), and is not followed", info.Mode()),
				Hint:    "move it out of the directory",
			}
		}
	}
	return nil
}

// removeLeftovers removes what workers of a sweep that was killed have left, if
// nobody else executes runs there. They are listed first: who begins meanwhile
// uses other names.
func (j *job) removeLeftovers() {
	left := command.Leftovers(j.Directory)
	if left == nil {
		return
	}
	n, err := results.Writers(j.dir)
	if err != nil || n != 1 {
		return // a later sweep may remove them
	}
	for _, dir := range left {
		_ = os.RemoveAll(dir) // as above
	}
}

// sayUnnamed says what the program answers in addition to what the spec names.
func (j *job) sayUnnamed() {
	names := command.Unnamed()
	if len(names) == 0 || j.quiet || j.noNotes || j.logFormat != logText {
		return
	}
	for i := range names {
		names[i] = fmt.Sprintf("%.40q", names[i])
	}
	say(j.cmd.ErrOrStderr(), "note: the program also answers %s, which the spec does not name: "+
		"add what is to be kept to metrics or series", strings.Join(names, ", "))
}

// sayMixups says that a persistent program was out of step with sweep.
func (j *job) sayMixups() {
	n, first := command.Mixups()
	if n == 0 || j.quiet || j.logFormat != logText {
		return
	}
	say(j.cmd.ErrOrStderr(), "warning: %s had to be executed again in a new process, because "+
		"the program does not answer each run with one line: %s", runs(n), first)
}

// unfinished adds to the error of an incomplete sweep what is there. Other
// errors speak for themselves.
func (j *job) unfinished(err error) error {
	executed := j.report.OK + j.report.Failed
	if errors.Is(err, runner.ErrOutOfTime) && executed == 0 && j.store.Missing() > 0 {
		err = fmt.Errorf("%w before a single run had ended: %s", err, j.wayOut())
	}
	if errors.Is(err, results.ErrReplaced) {
		return j.replaced(err)
	}
	stopped := errors.Is(err, runner.ErrFailures) || errors.Is(err, runner.ErrHung)
	if exitCode(err) != exitInterrupted && !stopped {
		return err
	}
	return fmt.Errorf("%w: %s holds %d of %d runs, the same command goes on from there",
		err, j.store.Dir, j.store.OK(), j.store.Assigned())
}

// wayOut says what to do when not even one run has ended in time.
func (j *job) wayOut() string {
	if _, err := os.Stat(filepath.Join(j.dir, statesDir)); err == nil {
		return "those under way go on from their {state}"
	}
	return "a longer limit is needed"
}

// replaced adds to the error of a sweep whose log was taken away which runs are
// in the directory, and which were lost with the log.
func (j *job) replaced(err error) error {
	var there int64
	reader, readErr := results.OpenReaderFor(j.spec, j.store.Dir)
	if readErr == nil {
		there = reader.OK()
	}
	return fmt.Errorf("%w: %d of %d runs had been computed, %s holds %d of them; "+
		"the same command goes on from there",
		err, j.store.OK(), j.store.Assigned(), j.store.Dir, there)
}
