#!/bin/bash
# The task of this number computes the shard of this number of the sweep
# {{.Name}}, which has {{.Shards}} shard{{if ne .Shards 1}}s{{end}}.
#
# submit.sh submits all tasks and the merge after them, repair.sh those that
# have runs missing. "sbatch --array=NUMBERS array.sh" submits the tasks of
# these numbers alone.
#
#SBATCH --job-name={{directive .Name}}
#SBATCH --array=0-{{.Last}}
{{- if .CPUs}}
#SBATCH --cpus-per-task={{.CPUs}}
{{- end}}
{{- if .Time}}
#SBATCH --time={{.Time}}
{{- end}}
#SBATCH --output={{directive (logs .Logs "%A_%a.log")}}
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@{{.Warning}}
{{- range .Options}}
#SBATCH {{.}}
{{- end}}
set -euo pipefail

program={{quote .Program}}
spec={{quote .Spec}}
output={{quote .Output}}
shards={{.Shards}} # pinned: SLURM_ARRAY_TASK_COUNT counts what was submitted last

run=(run "$spec" -o "$output" --shard "auto/$shards")
if [ -n "${SLURM_CPUS_PER_TASK:-}" ]; then # set if processors were asked for
	run+=(--workers "$SLURM_CPUS_PER_TASK")
fi
# A shard that runs out of time goes back into the queue and goes on from
# where it was. A time limit too short for any progress must not do so for
# ever.
{{- /* A hundred time limits are enough for shards that were packed too large. */}}
if [ "${SLURM_RESTART_COUNT:-0}" -lt 100 ]; then
	run+=(--requeue-with "scontrol requeue ${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}")
fi

# No shell stays between Slurm and the program: signals reach it, each once.
exec "$program" "${run[@]}"
