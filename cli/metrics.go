package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2/maybe"

	"sweep/runner"
)

// addMetrics adds the sink that keeps a file as node_exporter's textfile
// collector reads it: whole at any time, and without time stamps. The last
// success is when a command last ended with 0, in Unix seconds; until then it
// is that of the file, or 0.
func (j *job) addMetrics() error {
	path := j.metricsFile
	if err := refuseResult("--metrics-file", path); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return err
	}
	if isSpecial(path) {
		return usage("", "--metrics-file is %q, which is no file", path)
	}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var lastSuccess int64
	fmt.Sscan(string(old[bytes.LastIndexByte(old, ' ')+1:]), &lastSuccess)
	labels := fmt.Sprintf("{sweep=%q}", j.spec.Name)
	if len(j.indexes) > 0 {
		labels = fmt.Sprintf("{sweep=%q,shard=%q}", j.spec.Name, j.shardText())
	}
	file := &besideFile{flag: "--metrics-file"}
	j.beside = append(j.beside, file)
	j.addSink(func(e runner.Event) {
		switch e.Kind {
		case opened, runner.Committed:
		case over:
			if j.end == nil {
				lastSuccess = time.Now().Unix()
			}
			if j.store == nil {
				return
			}
		default:
			return
		}
		text := gauge("runs", labels, e.Assigned) +
			gauge("runs_done", labels, e.OK) +
			gauge("runs_failed", labels, e.Failed) +
			gauge("last_success_timestamp_seconds", labels, lastSuccess) // last, to be read again
		file.err = maybe.WriteFile(path, []byte(text), 0o644) // no result depends on it
	})
	return nil
}

// gauge writes a metric.
func gauge(name, labels string, value int64) string {
	return fmt.Sprintf("# TYPE sweep_%[1]s gauge\nsweep_%[1]s%[2]s %[3]d\n", name, labels, value)
}
