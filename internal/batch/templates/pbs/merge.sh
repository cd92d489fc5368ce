#!/bin/bash
# Written by the manual of PBS Professional, and never run.
#
# Merges what the tasks computed of the sweep {{.Name}}. It ends with 1 if runs
# are missing: then "bash submit.sh" again.
#
#PBS -N sweep-{{.Name}}-merge
{{- range lines .Options}}
#PBS {{.}}
{{- end}}
#PBS -j oe
#PBS -o log/
#PBS -r y
cd "$PBS_O_WORKDIR" || exit
exec ./sweep merge ..
