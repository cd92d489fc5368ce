package cli

import (
	"debug/elf"
	"fmt"
	"math"
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"
)

// leastMemory is what the program needs of the address space, of which the Go
// runtime has reserved its 1.2 GB when the program begins; linkedMemory is the
// same of a program that is linked to the C library, which reserves stacks and
// arenas for its threads.
const leastMemory, linkedMemory = 128 << 20, 352 << 20

// checkMemory refuses a limit under which the runtime would end the program
// sooner or later, and keeps it from using more than a limit allows: the heap
// grows in steps of 64 MiB.
func checkMemory(left uint64) error {
	needed := uint64(leastMemory)
	if self, err := os.Executable(); err == nil && left < linkedMemory && len(linkedTo(self)) > 0 {
		needed = linkedMemory
	}
	if left < needed {
		return &failure{code: exitIO,
			message: fmt.Sprintf("the limit of the address space (ulimit -v, h_vmem) leaves %s, and %s are needed", humanize.IBytes(left), humanize.IBytes(needed)),
			hint:    "allow 2 GB: that is address space, not memory"}
	}
	if limit := debug.SetMemoryLimit(-1); left/2 < uint64(limit) { // -1 asks
		debug.SetMemoryLimit(int64(left / 2))
	}
	return nil
}

// limitMemory tells the Go runtime how much memory the program may use, unless
// GOMEMLIMIT or checkMemory does: as much as the control group that it is in, or
// else, as others live there too, half of the machine's memory. Package
// experiments takes the room for its worlds from that.
//
// The runtime keeps to it as far as it can, by collecting garbage more
// often. A tenth is left for what the runtime does not count, such as the
// program itself and the files in memory.
func limitMemory() {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 { // asks
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

// linkedTo returns the libraries that a program loads where it runs. The Go
// command links to the C library where there is a C compiler.
func linkedTo(program string) []string {
	f, err := elf.Open(program)
	if err != nil {
		return nil // not of this kind of system
	}
	defer f.Close()
	libraries, _ := f.ImportedLibraries() // an error: there are none
	return libraries
}
