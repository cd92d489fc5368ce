package progress

import (
	"testing"
	"time"
)

func TestRecords(t *testing.T) {
	var got []State
	text := show(t, Options{Style: Records, Total: 4, Record: func(s State) { got = append(got, s) }}, func(m *Meter) {
		time.Sleep(31 * time.Second)
		for i := range 3 {
			m.Add(i == 1)
			time.Sleep(29 * time.Second)
		}
	})
	want := []State{
		{Total: 4, Left: -1},
		{Done: 1, Total: 4, PerSecond: 1.0 / 31, Left: 93 * time.Second},
		{Done: 2, Failed: 1, Total: 4, PerSecond: 2.0 / 60, Left: time.Minute},
		{Done: 3, Failed: 1, Total: 4, PerSecond: 3.0 / 89, Left: 89 * time.Second / 3},
	}
	if len(got) != len(want) || text != "" {
		t.Fatalf("states %+v and text %q, want %+v and none", got, text, want)
	}
	for i := range want {
		got[i].Left = got[i].Left.Round(time.Millisecond)
		want[i].Left = want[i].Left.Round(time.Millisecond)
		if got[i] != want[i] {
			t.Errorf("state %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}
