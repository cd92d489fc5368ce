#!/bin/bash
# The task of this number computes the shard of this number of the sweep
# {{.Name}}, which has {{.Shards}} shard{{if ne .Shards 1}}s{{end}}. "bash submit.sh" submits all tasks and
# the merge after them; "sbatch --array=NUMBERS array.sh" these tasks alone.
#
#SBATCH --job-name={{.Name}}
{{- range lines .Options}}
#SBATCH {{.}}
{{- end}}
#SBATCH --array=0-{{last .}}
{{- if .Workers}}
#SBATCH --cpus-per-task={{.Workers}}
{{- end}}
{{- if .Memory}}
#SBATCH --mem={{mib .}}M
{{- end}}
{{- if .GPUs}}
#SBATCH --gres=gpu:{{.GPUs}}
{{- end}}
{{- if .Time}}
#SBATCH --time={{minutes .}}
{{- end}}
#SBATCH --output=log/%A_%a.log
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@{{warning .}}
set -euo pipefail

# The number of shards stands here: SLURM_ARRAY_TASK_COUNT counts what was
# submitted last.
run=(run {{.Name}}.toml -o .. --shard auto/{{.Shards}})
if [ -n "${SLURM_CPUS_PER_TASK:-}" ]; then # set if processors were asked for
	run+=(--workers "$SLURM_CPUS_PER_TASK")
fi
{{- if .Grows}}
# A shard that was killed is submitted again with how often it was: its runs
# begin with more memory, and fewer at once.
run+=(--memory-step "${1:-0}")
{{- end}}
# A shard that runs out of time goes back into the queue and goes on from
# where it was. A time limit too short for any progress must not do so for
# ever.
if [ "${SLURM_RESTART_COUNT:-0}" -lt 100 ]; then
	run+=(--requeue-with "scontrol requeue ${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}")
fi

# No shell stays between Slurm and the program: signals reach it, each once.
exec ./sweep "${run[@]}"
