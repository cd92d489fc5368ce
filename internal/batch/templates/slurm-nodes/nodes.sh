#!/bin/bash
# One job computes the sweep {{.Name}} on {{.Nodes}} nodes, with a process on each, which
# node.sh describes. Then one process merges, and computes what is still missing,
# as of a node that died.
#
#SBATCH --job-name={{.Name}}
{{- range lines .Options}}
#SBATCH {{.}}
{{- end}}
#SBATCH --nodes={{.Nodes}}
#SBATCH --ntasks-per-node=1
{{- if .Workers}}
#SBATCH --cpus-per-task={{.Workers}}
{{- else}}
#SBATCH --exclusive
{{- end}}
{{- if .Memory}}
#SBATCH --mem={{if .Workers}}{{mib .}}M{{else}}0{{end}}
{{- end}}
{{- if .GPUs}}
#SBATCH --gres=gpu:{{.GPUs}}
{{- end}}
{{- if .Time}}
#SBATCH --time={{minutes .}}
{{- end}}
#SBATCH --output=log/%j.log
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --no-kill
#SBATCH --signal=USR1@{{warning .}}
set -uo pipefail

step=(--no-kill --cpu-bind=none{{if .Workers}} --cpus-per-task={{.Workers}}{{end}})
code=0
srun "${step[@]}" --kill-on-bad-exit=0 bash node.sh || code=$?
for ((try = 0; try <= {{.Retries}} && code != 75; try++)); do # 75: out of time
	code=0
	srun "${step[@]}" --nodes=1 --ntasks=1 ./sweep run {{.Name}}.toml -o .. --retry-failed=false{{if .Workers}} --workers {{.Workers}}{{end}}{{if .Grows}} --memory-step "$try"{{end}} || code=$?
	[ "$code" = 137 ] || break # killed
done
# Out of time, the job goes back into the queue and goes on from where it was.
# A time limit too short for any progress must not do so for ever.
if [ "$code" = 75 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 100 ]; then
	scontrol requeue "$SLURM_JOB_ID"
fi
exit "$code"
