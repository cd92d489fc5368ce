#!/bin/bash
# Task i of {{.Shards}} computes shard i - 1 of the sweep {{.Name}}. "bash submit.sh" submits
# all tasks and the merge after them.
#
#$ -S /bin/bash
#$ -N sweep-{{.Name}}
{{- range lines .Options}}
#$ {{.}}
{{- end}}
#$ -t 1-{{.Shards}}
#$ -cwd
#$ -j y
#$ -o log
#$ -r y
#$ -notify
{{- if .Workers}}
#$ -pe smp {{.Workers}}
{{- end}}
{{- if .Memory}}
#$ -l mem_free={{mib .}}M
{{- end}}
{{- if .Time}}
#$ -l s_rt={{seconds .}}
{{- end}}
set -uo pipefail
trap : USR1 USR2 XCPU # which reach the program too, and it ends in good order

{{if .Grows -}}
# A shard that was killed begins with more memory, and fewer runs at once.
killed=$(grep -cs 137 "log/$JOB_ID.$SGE_TASK_ID.tries")
{{end -}}
code=0
./sweep run {{.Name}}.toml -o .. --shard auto/{{.Shards}} --workers "$NSLOTS"{{if .Grows}} --memory-step "${killed:-0}"{{end}} || code=$?

# A shard that was killed (137), or ran out of time (75), goes back into the
# queue and goes on from where it was, but not for ever.
case $code in
137) most={{.Retries}} ;;
75) most=100 ;;
*) exit "$code" ;;
esac
tries=log/$JOB_ID.$SGE_TASK_ID.tries
echo "$code" >>"$tries"
if [ "$(grep -c "$code" "$tries")" -le "$most" ]; then
	exit 99 # SGE's code for that
fi
exit "$code"
