#!/bin/bash
# One job computes the sweep {{.Name}} on {{.Shards}} node{{if ne .Shards 1}}s{{end}}: on each of them one process
# computes a fixed part of the runs, on {{if .Workers}}{{.Workers}}{{else}}all{{end}} processors; then one process computes
# what others left that were slow or killed, and merges.
#
#SBATCH --job-name={{.Name}}
{{- range lines .Options}}
#SBATCH {{.}}
{{- end}}
#SBATCH --nodes={{.Shards}}
#SBATCH --ntasks-per-node=1
{{- if .Workers}}
#SBATCH --cpus-per-task={{.Workers}}
{{- else}}
#SBATCH --exclusive
{{- end}}
{{- if .Time}}
#SBATCH --time={{.Minutes}}
{{- end}}
#SBATCH --output=log/%j.log
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --no-kill
#SBATCH --signal=USR1@{{.Warning}}
set -uo pipefail

# So many seconds after the first process has ended, those that have not are
# killed. What they kept is not computed again.
patience=1800

run=(--no-kill --cpu-bind=none{{if .Workers}} --cpus-per-task={{.Workers}}{{end}} ./sweep run {{.Name}}.toml -o ..{{if .Workers}} --workers {{.Workers}}{{end}})

code=0
srun --kill-on-bad-exit=0 --wait="$patience" "${run[@]}" --shard auto/{{.Shards}} || code=$?
for ((try = 0; try <= {{.Retries}} && code != 75; try++)); do # 75: out of time
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
