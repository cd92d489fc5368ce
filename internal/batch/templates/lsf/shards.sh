#!/bin/bash
# Written by the manual of IBM Spectrum LSF, and never run.
#
# Element i of {{.Shards}} computes shard i - 1 of the sweep {{.Name}}. "bash submit.sh" submits
# all of them and the merge after them.
#
#BSUB -J {{.Name}}[1-{{.Shards}}]
{{- range lines .Options}}
#BSUB {{.}}
{{- end}}
{{- if .Workers}}
#BSUB -n {{.Workers}} -R span[hosts=1]
{{- end}}
{{- if .Memory}}
#BSUB -R rusage[mem={{mib .}}MB]
{{- end}}
{{- if .GPUs}}
#BSUB -gpu num={{.GPUs}}
{{- end}}
{{- if .Time}}
#BSUB -W {{minutes .}}
{{- end}}
#BSUB -o log/%J_%I.log
#BSUB -r
set -uo pipefail

for ((try = 0; try <= {{.Retries}}; try++)); do
	code=0
	./sweep run {{.Name}}.toml -o .. --shard auto/{{.Shards}}{{if .Workers}} --workers {{.Workers}}{{end}}{{if .Time}} --time-limit {{.Time}}{{end}}{{if .Grows}} --memory-step "$try"{{end}} || code=$?
	[ "$code" = 137 ] || break # killed
done
exit "$code"
