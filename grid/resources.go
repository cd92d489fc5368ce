package grid

import (
	"math"
	"time"

	"github.com/dustin/go-humanize"

	"sweep/internal/document"
)

// Resources are what each run needs of a machine, by the [resources] table of a
// spec. They say how many runs execute at once and what a batch system is asked
// for, and are no part of a run's identity. Zero is what the table does not
// say.
type Resources struct {
	CPUs int64
	GPUs int64
	Time time.Duration // that a run takes at most

	// Memory is what a run may need, in bytes: a run that ran out of one value
	// gets the next. The values ascend.
	Memory []int64
}

// resourceKeys are the keys of a [resources] table.
var resourceKeys = []string{"cpus", "memory", "gpus", "time"}

// resources reads the [resources] table.
func (r *reader) resources(n *document.Node) (needed Resources) {
	if n == nil {
		return needed
	}
	const form = "a table such as [resources] with the keys cpus, memory, gpus, time"
	keys := r.table(n, form, resourceKeys)
	if e := keys["cpus"]; e != nil {
		needed.CPUs = r.integer(e, 1)
	}
	if e := keys["gpus"]; e != nil {
		needed.GPUs = r.integer(e, 1)
	}
	if e := keys["memory"]; e != nil {
		needed.Memory = r.memories(e)
	}
	if e := keys["time"]; e != nil {
		const accepted = `a duration such as "90s" or "1h"`
		d, err := time.ParseDuration(r.text(e, accepted))
		r.want(err == nil && d > 0, e, accepted)
		needed.Time = d
	}
	return needed
}

// memories reads an amount of memory, or a list of larger and larger ones.
func (r *reader) memories(n *document.Node) (amounts []int64) {
	if n.Kind != document.Array {
		return []int64{r.amount(n)}
	}
	r.must(len(n.Elements) > 0, n, "memory is an empty list, want at least one amount")
	last := int64(0)
	for _, e := range n.Elements {
		amount := r.amount(e)
		r.must(amount > last, e, "memory goes from %s to %s, want larger and larger amounts",
			humanize.Bytes(uint64(last)), humanize.Bytes(uint64(amount)))
		amounts = append(amounts, amount)
		last = amount
	}
	return amounts
}

// amount reads an amount of memory.
func (r *reader) amount(n *document.Node) int64 {
	const accepted = `an amount such as "4G", or a list such as ["4G", "16G"]`
	amount, err := humanize.ParseBytes(r.text(n, accepted))
	r.want(err == nil && amount > 0 && amount <= math.MaxInt64, n, accepted)
	return int64(amount)
}
