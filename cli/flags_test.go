package cli

import (
	"strings"
	"testing"
)

func TestShare(t *testing.T) {
	for _, test := range []struct {
		text     string
		of, want int64
	}{
		{"7", 100, 7}, {"7", 3, 7}, {"1%", 100, 1}, {"1%", 101, 2}, {"0.1%", 3, 1}, {"100%", 12, 12}, {"50%", 0, 0},
	} {
		var of func(int64) int64
		if err := share(&of)(test.text); err != nil || of(test.of) != test.want {
			t.Errorf("%s of %d is %d, %v; want %d", test.text, test.of, of(test.of), err, test.want)
		}
	}
}

// What an error quotes of a file cannot command a terminal.
func TestErrorsAreHarmless(t *testing.T) {
	var stderr strings.Builder
	(&Program{Name: "sweep"}).printError(&stderr, &failure{message: "no \x1b[2J\nhint: x", hint: "\a"})
	if got, want := stderr.String(), "sweep: no \ufffd[2J hint: x\nhint: \ufffd\n"; got != want {
		t.Errorf("an error is printed as %q, want %q", got, want)
	}
}

// Without a limit of the address space nothing is refused; where little is
// left, one line says so.
func TestAddressSpace(t *testing.T) {
	if err := checkMemory(addressSpace()); err != nil {
		t.Error(err)
	}
	if err := checkMemory(100 << 20); exitCode(err) != exitIO || !strings.Contains(err.Error(), "leaves 100 MiB, and ") {
		t.Errorf("got %v", err)
	}
}
