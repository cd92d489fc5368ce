package cli

import (
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"sweep/runner"
)

// defaultGrace, with what the last commit takes, is below the 30 s that
// Slurm (KillWait) and Kubernetes (terminationGracePeriodSeconds) leave
// between SIGTERM and SIGKILL by default.
const defaultGrace = 20 * time.Second

// The formats of a log.
const (
	logText   = "text" // for people
	logLogfmt = "logfmt"
	logJSON   = "json"
)

// runFlags are the flags of "sweep run".
type runFlags struct {
	dir     string // empty: out/<name>
	shard   shardFlag
	reuse   []string // directories
	workers atLeastOne

	retryFailed bool
	failFast    bool
	maxFailures share
	retries     whole

	runTimeout, grace duration
	timeLimit         duration
	memory            size

	quiet   bool
	noTable bool // even if not quiet
	log     *choice

	given func(flag string) bool // whether the command line has the flag
}

// newRunFlags returns the flags as they are if none is given.
func newRunFlags() *runFlags {
	return &runFlags{
		retryFailed: true,
		grace:       duration(defaultGrace),
		log:         &choice{value: logText},
		given:       func(string) bool { return false },
	}
}

// define gives the command the flags.
func (r *runFlags) define(cmd *cobra.Command) {
	f := cmd.Flags()
	outputFlag(cmd, &r.dir, "write into `DIR` (default out/<name of the sweep>)")
	f.Var(&r.shard, "shard", "execute only part `I/N` of the runs, 0 ≤ I < N, or auto/N, or auto")
	f.StringArrayVar(&r.reuse, "reuse", nil, "take the runs that the spec has from the results in `DIR` (may be repeated)")
	workersFlag(cmd, &r.workers)
	f.BoolVar(&r.retryFailed, "retry-failed", r.retryFailed, "repeat runs that failed in an earlier command")
	f.BoolVar(&r.failFast, "fail-fast", false, "stop at the first failed run, as --max-failures 1")
	f.Var(&r.maxFailures, "max-failures", "stop when `N or P%` of the runs to do have failed")
	f.Var(&r.retries, "retries", "try a run that failed up to `N` times again, at once")
	f.Var(&r.runTimeout, "run-timeout", "let a run fail that takes longer than `D`, such as 90s or 2h")
	f.Var(&r.grace, "grace", "when interrupted, give the runs under way `D` to end")
	f.Var(&r.timeLimit, "time-limit", "have all committed after `D`; 0: no limit (default: Slurm's)")
	f.Var(&r.memory, "memory-limit", "use at most `SIZE`, such as 4GiB (default: the cgroup's, or half of the memory)")
	for _, described := range []string{"max-failures", "run-timeout", "time-limit"} {
		f.Lookup(described).DefValue = "" // a zero there means none
	}
	f.BoolVar(&r.quiet, "quiet", false, "print no progress and no table")
	r.log = choiceFlag(cmd, "log-format", "how to report on stderr", logText, logLogfmt, logJSON)
	r.given = f.Changed
}

// check finds flags that contradict each other.
func (r *runFlags) check() error {
	if r.failFast && r.given("max-failures") {
		return &usageError{message: "--fail-fast and --max-failures were both given, want one of them"}
	}
	return nil
}

// options returns what the flags ask of the runner.
func (r *runFlags) options() runner.Options {
	return runner.Options{
		Workers:     int(r.workers),
		KeepFailed:  !r.retryFailed,
		RunTimeout:  time.Duration(r.runTimeout),
		Retries:     int(r.retries),
		Grace:       time.Duration(r.grace),
		MaxFailures: r.failures,
	}
}

// failures returns how many failed runs end a sweep in which so many runs
// are to do; 0 if no number does.
func (r *runFlags) failures(todo int64) int64 {
	if r.failFast {
		return 1
	}
	return r.maxFailures.of(todo)
}

// slurmEnd is the environment variable by which Slurm (since 23.02) tells
// when it will end the job, in Unix seconds.
const slurmEnd = "SLURM_JOB_END_TIME"

// deadline returns the earlier of the time limit, from the beginning of the
// command on, and Slurm's; zero if there is none. A time limit of 0 means
// that there is none.
func (r *runFlags) deadline(began time.Time, getenv func(string) string) (time.Time, error) {
	var deadline time.Time
	if r.given("time-limit") {
		if r.timeLimit == 0 {
			return deadline, nil
		}
		deadline = began.Add(time.Duration(r.timeLimit))
	}
	if text := getenv(slurmEnd); text != "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return deadline, &usageError{
				message: slurmEnd + " is " + strconv.Quote(text) + ", want Unix seconds",
				hint:    `"--time-limit 0" ignores it`,
			}
		}
		if end := time.Unix(seconds, 0); deadline.IsZero() || end.Before(deadline) {
			deadline = end
		}
	}
	return deadline, nil
}
