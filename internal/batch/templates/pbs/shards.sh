#!/bin/bash
# Written by the manual of PBS Professional, and never run.
#
# Task i of {{.Shards}} computes shard i of the sweep {{.Name}}. "bash submit.sh" submits all
# tasks and the merge after them.
#
#PBS -N sweep-{{.Name}}
{{- range lines .Options}}
#PBS {{.}}
{{- end}}
{{- if gt .Shards 1}}
#PBS -J 0-{{last .}}
{{- end}}
#PBS -l select=1:ncpus={{if .Workers}}{{.Workers}}{{else}}1{{end}}{{if .Memory}}:mem={{mib .}}mb{{end}}{{if .GPUs}}:ngpus={{.GPUs}}{{end}}
{{- if .Time}}
#PBS -l walltime={{seconds .}}
{{- end}}
#PBS -j oe
#PBS -o log/
#PBS -r y
set -uo pipefail
cd "$PBS_O_WORKDIR" || exit

for ((try = 0; try <= {{.Retries}}; try++)); do
	code=0
	./sweep run {{.Name}}.toml -o .. --shard {{if gt .Shards 1}}auto/{{.Shards}}{{else}}0/1{{end}}{{if .Workers}} --workers {{.Workers}}{{end}}{{if .Time}} --time-limit {{.Time}}{{end}}{{if .Grows}} --memory-step "$try"{{end}} || code=$?
	[ "$code" = 137 ] || break # killed
done
exit "$code"
