package batch

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sweep/internal/testutil"
)

var update = flag.Bool("update", false, "rewrite the expected files in testdata")

// The files in testdata are what a user finds beside the results.
func TestFiles(t *testing.T) {
	spec := "# seeds and\n\n  experiment = \"foraging\"\n"
	for dir, job := range map[string]Job{
		"slurm": {Engine: "slurm", Name: "table2", Shards: 8, Workers: 4, Time: 36 * time.Hour,
			Options: []string{"--partition=long", "-A", "physics", "--comment", "it's # 1"},
			Notes:   []string{"proposed: nothing", "  from 12 runs"}},
		"slurm-bare":  {Engine: "slurm", Name: "beta", Shards: 1},
		"slurm-nodes": {Engine: "slurm", Name: "table2", Shards: 32, Nodes: 4},
		"htcondor":    {Engine: "htcondor", Name: "table2", Shards: 2, Workers: 4, Options: []string{"request_memory = 2GB"}},
		"kubernetes":  {Engine: "kubernetes", Name: "Table_2", Shards: 8, Workers: 2, Image: "registry.example.org/sweep:1", Program: "sweep", Spec: spec},
		"sge":         {Engine: "sge", Name: "table2", Shards: 8, Workers: 4, Time: time.Hour, Options: []string{"-l", "h_vmem=4G"}},
		"pbs":         {Engine: "pbs", Name: "table2", Shards: 8, Time: time.Hour},
		"lsf":         {Engine: "lsf", Name: "table2", Shards: 8, Workers: 4, Options: []string{"-q", "long"}},
	} {
		job.Retries = 3
		for name, text := range testutil.Must(job.Files()) {
			golden := filepath.Join("testdata", dir, name)
			if *update {
				testutil.NoError(os.MkdirAll(filepath.Dir(golden), 0o777))
				testutil.NoError(os.WriteFile(golden, []byte(text), 0o666))
			}
			if want := testutil.Must(os.ReadFile(golden)); text != string(want) {
				t.Errorf("%s is\n%s\nwant (go test -update rewrites it)\n%s", golden, text, want)
			}
		}
	}
}

func TestOptions(t *testing.T) {
	for _, test := range []struct{ engine, words, want string }{
		{"slurm", "--array=0-3", "array.sh sets --array itself"},
		{"slurm", "--dependency=x|--output|x", "array.sh sets --output itself"},
		{"slurm", "--comment=two\nlines", "has a line break"},
		{"sge", "-t|1-3", "shards.sh sets -t itself"},
		{"htcondor", "max_retries = 1", "sets max_retries itself"},
		{"slurm", "--mem=4G|--exclusive", ""},
		{"sge", "-l|h_vmem=4G|-pe|mpi|4", ""},
	} {
		job := Job{Engine: test.engine, Name: "a", Shards: 2, Time: time.Hour, Options: strings.Split(test.words, "|")}
		_, err := job.Files()
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %q: error %v, want %q", test.engine, test.words, err, test.want)
		}
	}
}

func TestObject(t *testing.T) {
	for name, want := range map[string]string{"table2": "table2", "My_Sweep.v2-": "my-sweep-v2", strings.Repeat("a", 39) + "_b": strings.Repeat("a", 39)} {
		if got := (&Job{Name: name}).Object(); got != want {
			t.Errorf("the object of %q is %q, want %q", name, got, want)
		}
	}
}
