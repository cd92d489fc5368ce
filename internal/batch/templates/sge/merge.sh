#!/bin/bash
# Merges what the tasks computed of the sweep {{.Name}}. It ends with 1 if runs
# are missing: then "bash submit.sh" again.
#
#$ -S /bin/bash
#$ -N sweep-{{.Name}}-merge
{{- range lines .Options}}
#$ {{.}}
{{- end}}
#$ -cwd
#$ -j y
#$ -o log
#$ -r y
exec ./sweep merge ..
