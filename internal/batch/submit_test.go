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

// What runs need is asked for in the words of each engine, unless the user's
// options do so.
func TestResources(t *testing.T) {
	for _, c := range []struct {
		engine, file, want string
		nodes              int
	}{
		{"slurm", "array.sh", "#SBATCH --cpus-per-task=4|#SBATCH --mem=3815M|#SBATCH --gres=gpu:2|#SBATCH --time=90|run+=(--memory-step \"${1:-0}\")", 0},
		{"slurm", "submit.sh", `array=$(sbatch --parsable --array="$tasks" array.sh "$tried")`, 0},
		{"slurm", "nodes.sh", "#SBATCH --mem=3815M|#SBATCH --gres=gpu:2| --workers 4 --memory-step \"$try\"", 2},
		{"slurm", "node.sh", `--shard "$shards/8" --memory-step "$try"`, 2},
		{"htcondor", "shard.sub", "request_cpus = 4|request_memory = 3815|request_gpus = 2", 0},
		{"kubernetes", "sweep.yaml", `requests: {cpu: "4", memory: 3815Mi}|limits: {cpu: "4", memory: 3815Mi, nvidia.com/gpu: 2}|activeDeadlineSeconds: 5400`, 0},
		{"sge", "shards.sh", "#$ -pe smp 4|#$ -l mem_free=3815M|#$ -l s_rt=5400|--workers \"$NSLOTS\" --memory-step \"${killed:-0}\"", 0},
		{"pbs", "shards.sh", "#PBS -l select=1:ncpus=4:mem=3815mb:ngpus=2|#PBS -l walltime=5400| --memory-step \"$try\"", 0},
		{"lsf", "shards.sh", "#BSUB -R rusage[mem=3815MB]|#BSUB -gpu num=2|#BSUB -W 90| --memory-step \"$try\"", 0},
	} {
		job := Job{Engine: c.engine, Name: "a", Shards: 8, Workers: 4, Nodes: c.nodes, Time: 90 * time.Minute,
			Memory: 4e9, GPUs: 2, Grows: true, Program: "sweep", Image: "x"}
		text := testutil.Must(job.Files())[c.file]
		for want := range strings.SplitSeq(c.want, "|") {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %s in\n%s", c.engine, want, text)
			}
		}
	}
	for _, c := range []struct{ engine, options, asks string }{
		{"slurm", "--mem-per-cpu=4G|-G|2|-t|3:00", "memory GPUs time"},
		{"slurm", "--comment=--x|-c4|--tasks=1", "processors"},
		{"slurm", "--partition=long", ""},
		{"htcondor", "request_memory=2GB|Request_GPUs = 1", "memory GPUs"},
		{"sge", "-l|h_vmem=4G,h_rt=100|-pe|mpi|4", "processors memory time"},
		{"pbs", "-l|select=2:ncpus=4", "processors memory GPUs"},
		{"lsf", "-R|rusage[mem=4]|-W|30", "memory time"},
		{"kubernetes", "-n|mine", ""},
	} {
		job := Job{Engine: c.engine, Options: strings.Split(c.options, "|")}
		var asks []string
		for _, resource := range []string{Processors, Memory, GPUs, Time} {
			if job.Asks(resource) {
				asks = append(asks, resource)
			}
		}
		if got := strings.Join(asks, " "); got != c.asks {
			t.Errorf("%s %s asks for %q, want %q", c.engine, c.options, got, c.asks)
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
