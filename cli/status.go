package cli

import (
	"time"

	"github.com/spf13/cobra"

	"sweep/experiment"
	"sweep/results"
)

// newStatus returns "sweep status".
func newStatus(experiments []*experiment.Experiment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status DIR",
		Short: "Say how a sweep is getting on, while it runs or after",
		Long: `Say of the sweep in DIR, from any terminal: how many runs are done, have failed
and remain; whether a process is at work there, how fast, and until when; and
what has come out so far, as means with 95 % confidence limits. Nothing in DIR
is changed, and a sweep that runs is not disturbed.

That a process is at work is known from the sign of life that it gives every
second. Seen from a machine with another clock, that may be misjudged.`,
		Example: `  sweep status out/table2
  sweep status out/table2 --format json    for a program`,
		Args:              arguments(1, 1),
		ValidArgsFunction: completeDirs,
	}
	format := choiceFlag(cmd, "format", "how to print", "text", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := statusOf(args[0], experiments, time.Now())
		if err != nil {
			return err
		}
		if format.value == "json" {
			return s.writeJSON(cmd.OutOrStdout())
		}
		return s.writeText(cmd.OutOrStdout())
	}
	return cmd
}

// A status is how a sweep is getting on. Its JSON is part of the interface:
// programs depend on it.
type status struct {
	Dir        string `json:"dir"`
	Spec       string `json:"spec"`
	Experiment string `json:"experiment"`

	// As the files in the directory say.
	Runs    int64 `json:"runs"` // in the plan, or that its stopping rule asks for so far
	Done    int64 `json:"done"` // finished, and well
	OK      int64 `json:"ok"`   // the same
	Failed  int64 `json:"failed"`
	Missing int64 `json:"missing"`

	// As the processes at work say, together.
	State     state    `json:"state"`
	PerSecond *float64 `json:"runs_per_s"` // null if nothing is at work, or has ended yet
	Left      *float64 `json:"left_s"`     // until the last run ends; null if unknown

	Parts []part `json:"parts"` // one for each directory that a process works or worked in

	set *results.Summary // what came out so far; nil before the first run
}

// A state tells whether a process is at work.
type state string

// The states.
const (
	running  state = "running"
	complete state = "complete"
	stopped  state = "stopped" // in good order, with runs left to do
	lost     state = "lost"    // without a word: killed, or cut off from the directory
)

// silence is how long a process may give no sign of life before it counts
// as lost. A sign a second is due, and a slow file system may delay it.
const silence = 15 * time.Second

// A part is what the manifest of one directory says.
type part struct {
	Shard     string     `json:"shard"` // "i/n"; empty for the whole sweep
	State     state      `json:"state"`
	Host      string     `json:"host"`
	PID       int        `json:"pid"`
	Workers   int        `json:"workers"`
	Start     time.Time  `json:"start"`
	Updated   time.Time  `json:"updated"`    // the last sign of life
	End       *time.Time `json:"end"`        // null while it runs, or if it was lost
	Runs      int64      `json:"runs"`       // that this part is to hold
	OK        int64      `json:"ok"`         // as of the last sign of life
	Failed    int64      `json:"failed"`     // likewise
	Missing   int64      `json:"missing"`    // likewise
	Executed  int64      `json:"executed"`   // by this process
	PerSecond *float64   `json:"runs_per_s"` // mean since the start; null if unknown
	Left      *float64   `json:"left_s"`     // null if unknown
}

// statusOf reads a directory.
func statusOf(dir string, experiments []*experiment.Experiment, now time.Time) (*status, error) {
	view, err := results.OpenReader(dir, experiments)
	if err != nil {
		return nil, err
	}
	s := &status{
		Dir: dir, Spec: view.Name, Experiment: view.Plan.Experiment().Name,
		Runs: view.Assigned(), Done: view.OK(), OK: view.OK(), Failed: view.Failed(), Missing: view.Missing(),
		State: lost, Parts: []part{},
	}
	if s.OK+s.Failed > 0 {
		if s.set, err = results.LoadSummary(dir, experiments); err != nil {
			return nil, err
		}
	}
	manifests, err := results.Manifests(dir)
	if err != nil {
		return nil, err
	}
	for _, m := range manifests {
		s.Parts = append(s.Parts, partOf(m, now))
	}
	s.sumUp()
	return s, nil
}

// partOf judges a manifest at the time now.
func partOf(m *results.Manifest, now time.Time) part {
	p := part{
		Shard: m.Shard, State: running, Host: m.Hostname, PID: m.PID, Workers: m.Workers, Start: m.Start, Updated: m.Updated,
		Runs: m.Runs, OK: m.OK, Failed: m.Failed, Missing: m.Missing, Executed: m.Executed,
	}
	switch {
	case m.Complete:
		p.State = complete
	case !m.End.IsZero():
		p.State = stopped
	case now.Sub(m.Updated) > silence:
		p.State = lost
	}
	if !m.End.IsZero() {
		p.End = &m.End
	}
	if elapsed := m.Updated.Sub(m.Start).Seconds(); elapsed > 0 && m.Executed > 0 {
		rate := float64(m.Executed) / elapsed
		p.PerSecond = &rate
		if p.State == running {
			left := float64(m.Missing) / rate
			p.Left = &left
		}
	}
	return p
}

// sumUp takes the sweep's state, rate and time left from those of its
// parts: it runs if one of them does, at their rates together, and ends with
// the last.
func (s *status) sumUp() {
	if s.Missing == 0 && len(s.Parts) > 0 {
		s.State = complete
	}
	rate, left, known, runs := 0.0, 0.0, true, int64(0)
	for _, p := range s.Parts {
		runs += p.Runs
		switch {
		case p.State == running:
			s.State = running
			if p.PerSecond != nil {
				rate += *p.PerSecond
			}
			if p.Left == nil {
				known = false
			} else {
				left = max(left, *p.Left)
			}
		case p.State == stopped && s.State == lost:
			s.State = stopped
		}
		known = known && (p.State == running || p.Missing == 0)
	}
	if s.State != running {
		return
	}
	if rate > 0 {
		s.PerSecond = &rate
	}
	if known && runs >= s.Runs { // else there are shards that nobody has begun
		s.Left = &left
	}
}
