package command

import (
	"math"
	"os/exec"
	"time"

	"sweep/experiment"
)

// usageOf returns what a program that has ended, and the programs that it
// waited for, have used.
func usageOf(cmd *exec.Cmd, started time.Time) experiment.Usage {
	state := cmd.ProcessState
	if state == nil {
		return experiment.Usage{} // it could not be started
	}
	return experiment.Usage{
		Started:    started,
		CPUSeconds: (state.UserTime() + state.SystemTime()).Seconds(),
		PeakMemory: peakOf(state),
	}
}

// A meter measures what a program that goes on uses for each of its runs. It
// does not see what the programs use that it starts.
type meter struct {
	process process
	begun   time.Time
	before  float64 // processor seconds
}

// begin begins to measure.
func (m *meter) begin() {
	m.process.forgetPeak()
	m.before = m.process.cpuSeconds()
	m.begun = time.Now()
}

// end returns what was used since begin.
func (m *meter) end() experiment.Usage {
	return experiment.Usage{
		Started:    m.begun,
		CPUSeconds: math.Max(m.process.cpuSeconds()-m.before, 0), // or NaN
		PeakMemory: m.process.peak(),
	}
}
