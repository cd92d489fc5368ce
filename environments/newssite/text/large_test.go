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
// gigabyte, and in at most twice the time that ten times 5,000 take.
func TestFiftyThousandTexts(t *testing.T) {
	testutil.NeedsThorough(t, "takes a minute")
	few := themed(rand.New(rand.NewPCG(3, 3)), 5_000, 60, 30_000, 200)
	many := themed(rand.New(rand.NewPCG(3, 3)), 50_000, 60, 30_000, 200)
	_, some := classified(few)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	class, took := classified(many)
	runtime.ReadMemStats(&after)
	memory := int64(after.HeapSys) - int64(before.HeapInuse)
	t.Logf("%v and %v of the processor, %d MB", some.Round(time.Second), took.Round(time.Second), memory>>20)
	if took > 20*some || memory > 1<<30 {
		t.Errorf("50,000 texts took %v of the processor and %d MB, 5,000 took %v", took, memory>>20, some)
	}
	count := make([]int, 50)
	for _, x := range class {
		count[x]++
	}
	if slices.Min(count) == 0 {
		t.Errorf("texts of the clusters: %v", count)
	}
}

// classified divides texts, learns the classes and classifies them; took is the
// time of the processor.
func classified(texts [][]int32) (class []int32, took time.Duration) {
	start := testutil.ProcessorTime()
	class = Cluster(texts, 50)
	k := Train(texts, class, 50)
	for _, text := range texts {
		k.State(text, 50)
	}
	return class, testutil.ProcessorTime() - start
}
