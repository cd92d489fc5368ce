package text

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"sweep/internal/testutil"
)

// 50,000 texts of some 200 words are divided, learned and classified in a
// gigabyte, and with at most a fifth more work than ten times 5,000 take. What
// takes time is to go over the texts again and again, and that allocates a
// number for each. The time itself also tells how much of the texts the
// processor's cache holds: 13 to 21 times that of 5,000 here. It is bounded by 40
// times, as work that grows with the square would take 100 times.
func TestFiftyThousandTexts(t *testing.T) {
	testutil.NeedsThorough(t, "takes a minute")
	few := themed(rand.New(rand.NewPCG(3, 3)), 5_000, 60, 30_000, 200)
	many := themed(rand.New(rand.NewPCG(3, 3)), 50_000, 60, 30_000, 200)
	_, some, short := classified(few)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	class, all, long := classified(many)
	runtime.ReadMemStats(&after)
	memory := int64(after.HeapSys) - int64(before.HeapInuse)
	t.Logf("%d MB of %d MB that were allocated, by a tenth of the texts %d", memory>>20, all>>20, some>>20)
	if all > 12*some || memory > 1<<30 {
		t.Errorf("50,000 texts took %d MB and allocated %d MB, 5,000 texts %d MB",
			memory>>20, all>>20, some>>20)
	}
	if long > 40*short {
		t.Errorf("50,000 texts took %v of the processor, 5,000 texts %v", long, short)
	}
	count := make([]int, 50)
	for _, x := range class {
		count[x]++
	}
	if slices.Min(count) == 0 {
		t.Errorf("texts of the clusters: %v", count)
	}
}

// classified divides texts, learns the classes and classifies them; allocated is
// the number of bytes that this allocates, freed or not, took the time of the
// processor.
func classified(texts [][]int32) (class []int32, allocated uint64, took time.Duration) {
	start := testutil.ProcessorTime()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	class = Cluster(texts, 50)
	k := Train(texts, class, 50)
	for _, text := range texts {
		k.State(text, 50)
	}
	runtime.ReadMemStats(&after)
	return class, after.TotalAlloc - before.TotalAlloc, testutil.ProcessorTime() - start
}
