//go:build unix

package text

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"sweep/internal/testutil"
)

// 50,000 texts of some 200 words are divided, learned and classified in less than
// a minute of the processor and a gigabyte.
func TestFiftyThousandTexts(t *testing.T) {
	testutil.NeedsThorough(t, "takes half a minute")
	texts := themed(rand.New(rand.NewPCG(3, 3)), 50_000, 60, 30_000, 200)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := processorTime()
	class := Cluster(texts, 50)
	k := Train(texts, class, 50)
	for _, text := range texts {
		k.State(text, 50)
	}
	took := processorTime() - start
	runtime.ReadMemStats(&after)
	memory := int64(after.HeapSys) - int64(before.HeapInuse)
	t.Logf("%v of the processor, %d MB", took.Round(time.Second), memory>>20)
	if took > time.Minute || memory > 1<<30 {
		t.Errorf("50,000 texts took %v of the processor and %d MB", took, memory>>20)
	}
	count := make([]int, 50)
	for _, x := range class {
		count[x]++
	}
	if slices.Min(count) == 0 {
		t.Errorf("texts of the clusters: %v", count)
	}
}

func processorTime() time.Duration {
	var u syscall.Rusage
	testutil.NoError(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano())
}
