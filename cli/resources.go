package cli

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"

	"sweep/grid"
	"sweep/internal/table"
	"sweep/runner"
)

// makeRoom makes as many runs execute at once as find the resources that a
// spec asks for on this machine: Workers of the options, at first a number of
// processors, becomes a number of runs. It returns what to say about that, or
// an empty text if nothing bounds the runs but the processors. It is an error
// if the machine has no room for a single run.
func makeRoom(needed grid.Resources, o *runner.Options) (said string, err error) {
	const elsewhere = "change [resources], or run it elsewhere: \"sweep submit\" asks for them"
	if cpus := int(needed.CPUs); cpus > 0 {
		given := o.Workers
		o.Workers = max(1, given/cpus)
		if cpus > given {
			said = fmt.Sprintf("warning: a run asks for %s, and there %s %d: one run at a time",
				table.Count(needed.CPUs, "processor"), isOrAre(given), given)
		}
	}
	if needed.Memory != nil {
		first := needed.Memory[0]
		have := availableMemory()
		if first > have {
			return "", usage(elsewhere, "a run asks for %s of memory, and there are %s",
				humanize.Bytes(uint64(first)), humanize.Bytes(uint64(have)))
		}
		o.Room.Memory = needed.Memory
		o.Room.Available = have
		if most := have / first; most < int64(o.Workers) {
			o.Workers = int(most)
			said = fmt.Sprintf("%s at once: each asks for %s of %s of memory", runs(most),
				humanize.Bytes(uint64(first)), humanize.Bytes(uint64(have)))
		}
	}
	if each := int(needed.GPUs); each > 0 {
		all := availableGPUs()
		most := len(all) / each
		if most == 0 {
			hint := "CUDA_VISIBLE_DEVICES names those that may be used; or " + elsewhere
			return "", usage(hint, "a run asks for %s, and there %s %s",
				table.Count(needed.GPUs, "GPU"), isOrAre(len(all)), number(len(all)))
		}
		if most < o.Workers {
			o.Workers = most
			said = fmt.Sprintf("%s at once: each asks for %s of %d", runs(int64(most)),
				table.Count(needed.GPUs, "GPU"), len(all))
		}
		for group := range slices.Chunk(all[:o.Workers*each], each) {
			o.Room.GPUs = append(o.Room.GPUs, strings.Join(group, ","))
		}
	}
	return said, nil
}

// needsText says what a run needs; it is empty if the spec does not.
func needsText(needed grid.Resources) string {
	var parts []string
	if needed.CPUs > 0 {
		parts = append(parts, table.Count(needed.CPUs, "processor"))
	}
	for i, amount := range needed.Memory {
		text := humanize.Bytes(uint64(amount)) + " of memory"
		if i > 0 {
			text = "or " + text + " at the next attempt"
		}
		parts = append(parts, text)
	}
	if needed.GPUs > 0 {
		parts = append(parts, table.Count(needed.GPUs, "GPU"))
	}
	if needed.Time > 0 {
		parts = append(parts, fmt.Sprintf("at most %v", needed.Time))
	}
	return strings.Join(parts, ", ")
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func number(n int) string {
	if n == 0 {
		return "none"
	}
	return strconv.Itoa(n)
}

// availableMemory returns the memory of the machine or, if that is less, of the
// control group of this process, in bytes.
func availableMemory() int64 {
	most := uint64(math.MaxInt64)
	for _, source := range []memlimit.Provider{memlimit.FromSystem, memlimit.FromCgroup} {
		bytes, err := source()
		if err == nil && bytes > 0 {
			most = min(most, bytes)
		}
	}
	return int64(most)
}

// availableGPUs returns the names of the GPUs that this process may use: those
// of CUDA_VISIBLE_DEVICES, as schedulers set it, or else all that NVIDIA's
// driver shows. As for CUDA, an entry below 0 ends the list, and so does the
// word that Slurm writes for none.
func availableGPUs() (names []string) {
	list, set := os.LookupEnv("CUDA_VISIBLE_DEVICES")
	if !set {
		devices, _ := filepath.Glob("/dev/nvidia[0-9]*") // the pattern is right
		for i := range devices {
			names = append(names, strconv.Itoa(i))
		}
		return names
	}
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if name == "" || name == "NoDevFiles" || strings.HasPrefix(name, "-") {
			break
		}
		names = append(names, name)
	}
	return names
}
