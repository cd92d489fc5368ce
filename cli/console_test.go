package cli

import (
	"strings"
	"testing"
)

func TestShownLines(t *testing.T) {
	for lines, want := range map[int]int{1: 1, 40: 40, 41: 41, 42: 41, 5000: 41} {
		text := "first" + strings.Repeat("\nx", lines-1)
		text = text[:len(text)-1] + "z"
		shown := shownLines(text)
		if len(shown) != want || !strings.HasSuffix(shown[len(shown)-1], "z") {
			t.Errorf("of %d lines, %d are shown, want %d: %q", lines, len(shown), want, shown)
		}
		if want < lines && shown[firstLines] == "x" {
			t.Errorf("of %d lines, nothing says that some are left out", lines)
		}
	}
}
