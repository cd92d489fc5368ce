#!/bin/bash
# One job computes the sweep table2 on 4 nodes, with a process on each, which
# node.sh describes. Then one process merges, and computes what is still missing,
# as of a node that died.
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

step=(--no-kill --cpu-bind=none)
code=0
srun "${step[@]}" --kill-on-bad-exit=0 bash node.sh || code=$?
for ((try = 0; try <= 3 && code != 75; try++)); do # 75: out of time
	code=0
	srun "${step[@]}" --nodes=1 --ntasks=1 ./sweep run table2.toml -o .. --retry-failed=false || code=$?
	[ "$code" = 137 ] || break # killed
done
# Out of time, the job goes back into the queue and goes on from where it was.
# A time limit too short for any progress must not do so for ever.
if [ "$code" = 75 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 100 ]; then
	scontrol requeue "$SLURM_JOB_ID"
fi
exit "$code"
