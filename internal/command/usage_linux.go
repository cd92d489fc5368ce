package command

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// peakOf returns how many bytes of memory a program that has ended had at
// most; 0 if that is not known. The system counts what the process that started
// it had as the program's own, so nothing is known of one that had less than
// this process. These counts are inaccurate (proc_pid_status(5), VmHWM), so
// nothing is known of one that had little more, either.
func peakOf(state *os.ProcessState) int64 {
	used, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	bytes := used.Maxrss << 10
	own := thisProcess().peak()
	if own == 0 || bytes <= own+own/8 {
		return 0
	}
	return bytes
}

// thisProcess is the one that this code runs in.
var thisProcess = sync.OnceValue(func() process { return openProcess(os.Getpid()) })

// A process is looked at through files of its own in /proc, which stay open, as
// opening one takes longer than reading it.
type process struct {
	pid    int
	status *os.File // nil if it cannot be opened
	reset  *os.File // as above
}

func openProcess(pid int) process {
	dir := fmt.Sprintf("/proc/%d/", pid)
	status, _ := os.Open(dir + "status")
	reset, _ := os.OpenFile(dir+"clear_refs", os.O_WRONLY, 0)
	return process{pid, status, reset}
}

func (p process) close() {
	p.status.Close() // nothing was written
	p.reset.Close()
}

// forgetPeak makes the present memory of the process its peak.
func (p process) forgetPeak() {
	_, _ = p.reset.WriteString("5") // fails if the kernel cannot: then the old peak stays
}

// peak returns how many bytes of memory the process has had at most; 0 if that
// is not known.
func (p process) peak() int64 {
	var buffer [4096]byte
	n, _ := p.status.ReadAt(buffer[:], 0)
	_, rest, _ := bytes.Cut(buffer[:n], []byte("VmHWM:"))
	number, _, _ := bytes.Cut(rest, []byte("kB"))
	kilobytes, _ := strconv.ParseInt(string(bytes.TrimSpace(number)), 10, 64)
	return kilobytes << 10
}

// cpuSeconds returns the processor time of all threads of the process; NaN if
// it has ended.
func (p process) cpuSeconds() float64 {
	const ofProcess = 2 // see clock_getcpuclockid(3) and the kernel's CPUCLOCK_SCHED
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^p.pid<<3|ofProcess), &t); err != nil {
		return math.NaN()
	}
	return time.Duration(t.Nano()).Seconds()
}
