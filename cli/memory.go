package cli

import (
	"math"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// limitMemory tells the Go runtime how much memory the program may use;
// 0 means: as much as machineMemory says, unless the environment has set
// GOMEMLIMIT. Package experiments takes the room for its worlds from that.
//
// The runtime keeps to it as far as it can, by collecting garbage more
// often. A tenth is left for what the runtime does not count, such as the
// program itself and the files in memory.
func limitMemory(limit int64) {
	if limit == 0 {
		if debug.SetMemoryLimit(-1) != math.MaxInt64 { // asks
			return
		}
		limit = machineMemory(memlimit.FromCgroup, memlimit.FromSystem)
	}
	if limit > 0 {
		debug.SetMemoryLimit(limit - limit/10)
	}
}

// machineMemory returns the limit of the control group (v1 or v2) that the
// program is in, or else, as others live there too, half of the machine's
// memory; 0 if neither can be learned.
func machineMemory(cgroup, system memlimit.Provider) int64 {
	all, err := system()
	if err != nil || all > math.MaxInt64 {
		all = 0
	}
	if limit, err := cgroup(); err == nil && limit <= math.MaxInt64 && (all == 0 || limit < all) {
		return int64(limit)
	}
	return int64(all / 2)
}
