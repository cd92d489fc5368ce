package history

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// readHosts returns on how many hosts the pages of a crawl are, by the file
// at path, or 0 if there is none: runs do not need it. It must name one host
// for each page that has a history; those of other pages are not looked at.
func readHosts(r *recorder, path string) (int, error) {
	known := make([]bool, len(r.importance))
	hosts := map[string]bool{}
	_, err := eachLine(path, func(line []byte) error {
		fields := bytes.Split(line, []byte("\t"))
		if len(fields) != 3 {
			return fmt.Errorf("%d fields between tabs, want 3: URL, URL id, host id", len(fields))
		}
		url, host := fields[1], fields[2]
		node, ok := r.nodes[string(url)]
		switch {
		case !ok:
			return nil
		case known[node]:
			return fmt.Errorf("URL %s is there already", url)
		case len(host) == 0:
			return fmt.Errorf("the host's id of URL %s is empty", url)
		}
		known[node], hosts[string(host)] = true, true
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if node := slices.Index(known, false); node >= 0 {
		return 0, fmt.Errorf("%s: there is no host of URL %s, which %s has", path, r.url(node), historyFile)
	}
	return len(hosts), nil
}
