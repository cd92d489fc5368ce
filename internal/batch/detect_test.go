package batch_test

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"sweep/internal/batch"
)

type env map[string]string

func (e env) get(name string) string { return e[name] }

// setting returns a function that sets variables to values.
func setting(names ...string) func(values ...string) env {
	return func(values ...string) env {
		e := env{"SLURM_JOB_ID": "80", "SLURM_ARRAY_JOB_ID": "77", "JOB_ID": "77", "LSB_JOBID": "77"} // which say nothing
		for i, name := range names {
			e[name] = values[i]
		}
		return e
	}
}

// What is set in a task of "sbatch --array", of "qsub -t", in an element of
// "bsub -J name[…]", in a process of "srun" and of Open MPI's mpirun.
var (
	slurm = setting("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP", "SLURM_ARRAY_TASK_COUNT")
	sge   = setting("SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE")
	lsf   = setting("LSB_JOBINDEX", "LSB_JOBINDEX_END", "LSB_JOBINDEX_STEP")
	step  = setting("SLURM_PROCID", "SLURM_STEP_NUM_TASKS")
	ompi  = setting("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK")
)

func both(a, b env) env {
	a = maps.Clone(a)
	maps.Copy(a, b)
	return a
}

var number = regexp.MustCompile(`^\d+/\d+$`) // of a shard

func TestDetect(t *testing.T) {
	kubernetes := env{"JOB_COMPLETION_INDEX": "5"}
	for _, test := range []struct {
		what  string
		env   env
		count int64  // given; 0: auto
		want  string // the shard, or a part of the error's message
	}{
		{"slurm --array=0-7", slurm("3", "0", "7", "1", "8"), 0, "3/8"},
		{"slurm --array=3,17 of 20", slurm("17", "3", "17", "14", "2"), 20, "17/20"},
		{"kubernetes", kubernetes, 8, "5/8"},
		{"PBS Pro -J 0-7", env{"PBS_ARRAY_INDEX": "7", "PBS_ARRAY_ID": "1234[]"}, 8, "7/8"},
		{"torque -t 0-7", env{"PBS_ARRAYID": "0"}, 8, "0/8"},
		{"sge -t 1-8", sge("1", "1", "8", "1"), 0, "0/8"},
		{"lsf [1-8]", lsf("1", "8", "1"), 0, "0/8"},
		{"AWS Batch", env{"AWS_BATCH_JOB_ARRAY_INDEX": "0", "AWS_BATCH_JOB_ARRAY_SIZE": "10"}, 0, "0/10"},
		{"AWS Batch of old", env{"AWS_BATCH_JOB_ARRAY_INDEX": "9"}, 10, "9/10"},
		{"kubernetes beside an SGE job without array", both(kubernetes, sge("undefined", "undefined", "undefined", "undefined")), 8, "5/8"},
		{"kubernetes beside an LSF job without array", both(kubernetes, lsf("0", "0", "0")), 8, "5/8"},
		{"srun", step("3", "4"), 0, "3/4"},
		{"mpirun of Open MPI", ompi("0", "2", "0"), 0, "0/2"},
		{"mpirun by srun, a daemon on each of two nodes", both(ompi("7", "8", "7"), step("1", "2")), 0, "7/8"},
		{"PMI", env{"PMI_RANK": "2", "PMI_SIZE": "3"}, 0, "2/3"},
		{"srun --mpi=pmix", both(env{"PMIX_RANK": "2"}, step("2", "3")), 3, "2/3"},
		{"Flux by srun", both(env{"FLUX_TASK_RANK": "4", "FLUX_JOB_SIZE": "5"}, step("0", "2")), 0, "4/5"},
		{"an array prevails over srun of one process", both(slurm("3", "0", "7", "1", "8"), step("0", "1")), 0, "3/8"},
		{"an array's batch script", both(slurm("3", "0", "7", "1", "8"), env{"SLURM_PROCID": "0"}), 0, "3/8"},
		{"HyperQueue on a worker in an array", both(env{"HQ_TASK_ID": "6"}, slurm("3", "0", "7", "1", "8")), 7, "6/7"},
		{"AWS Batch on Kubernetes", both(kubernetes, env{"AWS_BATCH_JOB_ARRAY_INDEX": "5", "AWS_BATCH_JOB_ARRAY_SIZE": "8"}), 8, "5/8"},
		{"no scheduler", env{}, 8, "neither a job array nor a rank"},
		{"slurm --array=3-7", slurm("4", "3", "7", "1", "5"), 0, "must be given"},
		{"slurm --array=0-6:2", slurm("2", "0", "6", "2", "4"), 0, "must be given"},
		{"slurm --array=1-8", slurm("1", "1", "8", "1", "8"), 8, "submit it as --array=0-7"},
		{"kubernetes", kubernetes, 0, "not told"},
		{"PBS Pro -J 1-8", env{"PBS_ARRAY_INDEX": "8"}, 8, "submit it as -J 0-7"},
		{"sge -t 3", sge("3", "3", "3", "1"), 0, "must be given"},
		{"sge -t 1-8:2", sge("3", "1", "7", "2"), 0, "must be given"},
		{"sge, too few", sge("9", "9", "9", "1"), 8, "submit it as -t 1-8"},
		{"sge, no number", sge("0", "1", "8", "1"), 8, "task 0, but there are 8 shards"},
		{"lsf [2-8:2]", lsf("2", "8", "2"), 0, "must be given"},
		{"AWS Batch, too few", env{"AWS_BATCH_JOB_ARRAY_INDEX": "0", "AWS_BATCH_JOB_ARRAY_SIZE": "10"}, 8, "task 9, but there are 8 shards: submit it as an array of size 8"},
		{"a negative number", env{"JOB_COMPLETION_INDEX": "-1"}, 8, "JOB_COMPLETION_INDEX=-1"},
		{"a word as the last number", slurm("3", "0", "many", "1", "8"), 0, "SLURM_ARRAY_TASK_MAX=many"},
		{"srun within an array", both(slurm("3", "0", "7", "1", "8"), step("1", "4")), 0, "SLURM_PROCID=1 is one of 4 processes of a task of an array"},
		{"mpirun within an array", both(kubernetes, ompi("1", "4", "1")), 8, "OMPI_COMM_WORLD_RANK=1 is one of 4 processes"},
		{"a batch script without srun", env{"SLURM_PROCID": "0", "SLURM_NTASKS": "4"}, 4, "neither a job array nor a rank"},
		{"too few processes", step("1", "4"), 8, "there are 4 processes for 8 shards: start 8 of them, as by --ntasks=8"},
		{"PMIx alone", env{"PMIX_RANK": "1"}, 0, "not told"},
		{"HyperQueue from 1", env{"HQ_TASK_ID": "8"}, 8, "submit it as --array 0-7"},
		{"two that disagree", both(kubernetes, slurm("3", "0", "7", "1", "8")), 8,
			"SLURM_ARRAY_TASK_ID=3 says shard 3/8, but JOB_COMPLETION_INDEX=5 says 5/8"},
	} {
		shard, shards, err := batch.Detect(test.env.get, test.count)
		got, refused := fmt.Sprintf("%d/%d", shard, shards), !number.MatchString(test.want)
		if err != nil {
			got = err.Error()
		}
		if (err != nil) != refused || got != test.want && !(refused && strings.Contains(got, test.want)) {
			t.Errorf("%s: %s, want %s", test.what, got, test.want)
		}
	}
}
