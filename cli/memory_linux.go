package cli

import (
	"fmt"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// addressSpace returns how many bytes a limit of the address space (ulimit
// -v, Grid Engine's h_vmem) leaves; without a limit, no program reaches that.
func addressSpace() uint64 {
	var limit unix.Rlimit
	var pages uint64
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil || unix.Getrlimit(unix.RLIMIT_AS, &limit) != nil || limit.Cur == unix.RLIM_INFINITY {
		return math.MaxUint64
	}
	if _, err := fmt.Sscan(string(statm), &pages); err != nil {
		return math.MaxUint64
	}
	return limit.Cur - min(limit.Cur, pages*uint64(os.Getpagesize()))
}
