#!/bin/bash
# One job computes the sweep table2 on 4 nodes: on each of them one process
# computes a fixed part of the runs, on all processors; then one process computes
# what others left that were slow or killed, and merges.
#
#SBATCH --job-name=table2
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --output=log/%j.log
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --no-kill
#SBATCH --signal=USR1@120
set -uo pipefail

# So many seconds after the first process has ended, those that have not are
# killed. What they kept is not computed again.
patience=1800

run=(--no-kill --cpu-bind=none ./sweep run table2.toml -o ..)

code=0
srun --kill-on-bad-exit=0 --wait="$patience" "${run[@]}" --shard auto/4 || code=$?
for ((try = 0; try <= 3 && code != 75; try++)); do # 75: out of time
	code=0
	srun --nodes=1 --ntasks=1 "${run[@]}" || code=$?
	[ "$code" = 137 ] || break # killed
done
# Out of time, the job goes back into the queue and goes on from where it was.
# A time limit too short for any progress must not do so for ever.
if [ "$code" = 75 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 100 ]; then
	scontrol requeue "$SLURM_JOB_ID"
fi
exit "$code"
