package experiments

import "testing"

func TestDeclarationsAreValid(t *testing.T) {
	for _, e := range Experiments(Options{}) {
		if err := e.Validate(); err != nil {
			t.Error(err)
		}
	}
}
