package cli

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"
)

// The address space that the program needs beyond what the Go runtime has
// reserved when it begins, 1.2 GB. A program that is linked to the C library
// needs more, for the stacks and arenas of its threads.
const (
	minMemory       = 128 << 20
	minLinkedMemory = 640 << 20
)

// noLimit is what debug.SetMemoryLimit returns if no limit is set.
const noLimit = math.MaxInt64

// checkMemory refuses to run with so little address space left, in bytes, that
// the runtime would end the program sooner or later. It also makes the runtime
// keep to half of what is left, as the heap grows in steps of 64 MiB.
func checkMemory(left uint64) error {
	needed := uint64(minMemory)
	if left < minLinkedMemory && len(linkedTo()) > 0 {
		needed = minLinkedMemory
	}
	if left < needed {
		f := failed(exitIO,
			"the limit of the address space (ulimit -v, h_vmem) leaves %s, and %s are needed",
			humanize.IBytes(left), humanize.IBytes(needed))
		f.hint = "allow 3 GB: that is address space, not memory"
		return f
	}
	if left/2 < uint64(memoryLimit()) {
		debug.SetMemoryLimit(int64(left / 2))
	}
	return nil
}

// memoryLimit returns the limit that the runtime keeps to, in bytes.
func memoryLimit() int64 { return debug.SetMemoryLimit(-1) }

// limitMemory tells the Go runtime how much memory the program may use, unless
// GOMEMLIMIT or checkMemory does: the limit of its control group or, without
// one, half of the machine's memory, as others use the machine, too. Package
// experiments takes the room for its worlds from that.
//
// The runtime keeps to it as far as it can, by collecting garbage more often.
// A tenth is left for what the runtime does not count, such as the program
// itself and files in memory.
func limitMemory() {
	if memoryLimit() != noLimit {
		return
	}
	machine, _ := memlimit.FromSystem() // 0: unknown
	limit, err := memlimit.FromCgroup()
	if err != nil || machine > 0 && limit >= machine {
		limit = machine / 2
	}
	if limit > 0 {
		debug.SetMemoryLimit(int64(limit - limit/10))
	}
}

// linkedTo returns the shared libraries that this program has loaded, as far as
// the system tells (proc(5), maps). The Go command links to the C library where
// there is a C compiler.
func linkedTo() []string {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil // not of this kind of system
	}
	var libraries []string
	for line := range strings.Lines(string(maps)) {
		name := filepath.Base(strings.TrimSpace(line))
		if strings.HasPrefix(name, "lib") && strings.Contains(name, ".so") {
			libraries = append(libraries, name)
		}
	}
	slices.Sort(libraries)
	return slices.Compact(libraries)
}
