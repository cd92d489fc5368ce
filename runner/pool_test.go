package runner_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"sweep/runner"
)

// count yields 0, 1, … n-1.
func count(n int64) func() (int64, bool) {
	i := int64(-1)
	return func() (int64, bool) {
		i++
		return i, i < n
	}
}

func identity(_ context.Context, i int64) int64 { return i }

// The context ends with the last run, before a worker could learn that it was
// the last, when one has learned it, or never: the work is complete. What has
// said no is not asked again.
func TestCancelAfterTheLastStartLosesNothing(t *testing.T) {
	for _, last := range []int64{4, 5, 9} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		next, sunk := count(5), 0
		err := runner.ForEach(ctx, t.Context(), runner.Size{Workers: 3, Ahead: 4},
			func() (int64, bool) {
				i, ok := next()
				if i == last {
					cancel()
				}
				if i > 5 {
					t.Errorf("number %d: asked again after the end", last)
				}
				return i, ok
			},
			identity,
			func(int64) error { sunk++; return nil })
		if err != nil || sunk != 5 {
			t.Errorf("number %d: %d outcomes and error %v, want 5 and none", last, sunk, err)
		}
	}
}

func TestPanicsOfTheCallersFunctions(t *testing.T) {
	do, sink := identity, func(int64) error { return nil }
	calls := 0
	broken := func() (int64, bool) {
		if calls++; calls == 4 { // for others it would go on for ever
			panic("next broke")
		}
		return int64(calls), true
	}
	for _, c := range []struct {
		workers int
		next    func() (int64, bool)
		do      func(context.Context, int64) int64
		sink    func(int64) error
		want    []string // parts of what is recovered
	}{
		{2, broken, do, sink, []string{"next broke"}},
		{2, count(1e9), func(_ context.Context, i int64) int64 { panic(fmt.Sprint("run broke ", i)) }, sink,
			[]string{"run broke", "TestPanicsOfTheCallersFunctions"}}, // with its stack
		{2, count(100), do, func(int64) error { panic("sink broke") }, []string{"sink broke"}},
		{0, count(1), do, sink, []string{"workers is below 1"}},
	} {
		synctest.Test(t, func(t *testing.T) { // in which no goroutine may be left
			defer func() {
				got := fmt.Sprint(recover())
				for _, want := range c.want {
					if !strings.Contains(got, want) {
						t.Errorf("recovered %s, want %s", got, want)
					}
				}
			}()
			_ = runner.ForEach(t.Context(), t.Context(), runner.Size{Workers: c.workers, Ahead: 4}, c.next, c.do, c.sink)
		})
	}
}

// BenchmarkOverhead measures what the pool adds to a run.
func BenchmarkOverhead(b *testing.B) {
	for _, workers := range []int{1, 2, 4, 16} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			sunk := 0
			err := runner.ForEach(b.Context(), b.Context(), runner.Size{Workers: workers, Ahead: 256}, count(int64(b.N)), identity,
				func(int64) error { sunk++; return nil })
			if err != nil || sunk != b.N {
				b.Fatal(sunk, err)
			}
		})
	}
}
