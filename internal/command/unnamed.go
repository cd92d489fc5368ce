package command

import (
	"maps"
	"slices"
	"sync"
)

// maxUnnamed bounds how many names of answers are remembered.
const maxUnnamed = 20

// unnamed are the names in answers of this process's runs that their specs do
// not name.
var unnamed struct {
	sync.Mutex
	names map[string]bool
}

// addUnnamed remembers names that a spec does not name. An empty one, such as
// that of a table's index, is none.
func addUnnamed(names []string) {
	if len(names) == 0 {
		return
	}
	unnamed.Lock()
	defer unnamed.Unlock()
	if unnamed.names == nil {
		unnamed.names = map[string]bool{}
	}
	for _, name := range names {
		if name != "" && len(unnamed.names) < maxUnnamed {
			unnamed.names[name] = true
		}
	}
}

// Unnamed returns, sorted, the names in answers of this process's runs that
// their specs do not name, or some of them if they are many.
func Unnamed() []string {
	unnamed.Lock()
	defer unnamed.Unlock()
	return slices.Sorted(maps.Keys(unnamed.names))
}
