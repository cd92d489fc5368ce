#!/bin/bash
# The task of this number computes the shard of this number of the sweep
# table2, which has 8 shards. "bash submit.sh" submits all tasks and
# the merge after them; "sbatch --array=NUMBERS array.sh" these tasks alone.
#
#SBATCH --job-name=table2
#SBATCH --partition=long
#SBATCH -A physics
#SBATCH --comment 'it'"'"'s # 1'
#SBATCH --array=0-7
#SBATCH --cpus-per-task=4
#SBATCH --time=2160
#SBATCH --output=log/%A_%a.log
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@120
set -euo pipefail

# The number of shards stands here: SLURM_ARRAY_TASK_COUNT counts what was
# submitted last.
run=(run table2.toml -o .. --shard auto/8)
if [ -n "${SLURM_CPUS_PER_TASK:-}" ]; then # set if processors were asked for
	run+=(--workers "$SLURM_CPUS_PER_TASK")
fi
# A shard that runs out of time goes back into the queue and goes on from
# where it was. A time limit too short for any progress must not do so for
# ever.
if [ "${SLURM_RESTART_COUNT:-0}" -lt 100 ]; then
	run+=(--requeue-with "scontrol requeue ${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}")
fi

# No shell stays between Slurm and the program: signals reach it, each once.
exec ./sweep "${run[@]}"
