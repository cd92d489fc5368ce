package command

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// matches returns the metrics that have a pattern, by name, as found in what
// the program wrote to stdout.
func (p *program) matches(stdout []byte) (map[string]float64, error) {
	known := map[string]float64{}
	for _, name := range slices.Sorted(maps.Keys(p.patterns)) {
		pattern := p.patterns[name]
		found := lastMatch(pattern, stdout)
		if found == nil {
			return nil, fmt.Errorf("no line of stdout matches the pattern of %q: %s", name, pattern)
		}
		x, err := number(string(found))
		if len(found) == 0 {
			err = errNoNumber
		}
		if err != nil {
			const fault = "the pattern of %q found %.40q in stdout, %w: %s"
			return nil, fmt.Errorf(fault, name, found, err, pattern)
		}
		known[name] = x
	}
	return known, nil
}

// lastMatch returns what the group of a pattern matches in the last line that
// the pattern matches, and there at last; nil if there is no such line.
func lastMatch(pattern *regexp.Regexp, text []byte) []byte {
	for end := len(text); end >= 0; {
		begin := bytes.LastIndexByte(text[:end], '\n') + 1
		line := bytes.TrimSuffix(text[begin:end], []byte("\r"))
		all := pattern.FindAllSubmatch(line, -1)
		if all != nil {
			group := all[len(all)-1][1]
			return append([]byte{}, group...) // not nil if the group took no part
		}
		end = begin - 1
	}
	return nil
}
