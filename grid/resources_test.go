package grid

import (
	"fmt"
	"testing"

	"sweep/internal/testutil"
)

// What runs need is read, and is no part of what they are.
func TestResources(t *testing.T) {
	without := testutil.Must(Parse("t.toml", []byte(head), experiments()))
	for text, want := range map[string]string{
		"cpus = 2\ntime = '1h30m'":   "{2 0 1h30m0s []}",
		"memory = '4G'\ngpus = 1":    "{0 1 0s [4000000000]}",
		"memory = ['4GiB', '1.5 T']": "{0 0 0s [4294967296 1500000000000]}",
		"":                           "{0 0 0s []}",
	} {
		s := testutil.Must(Parse("t.toml", []byte(head+"[resources]\n"+text), experiments()))
		if got := fmt.Sprint(s.Resources); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
		if s.Plan().ID(0) != without.Plan().ID(0) {
			t.Errorf("%s: another run", text)
		}
	}
}
