#!/bin/bash
# Merges what the tasks computed of the sweep {{.Name}}. Shards that were killed,
# as by a machine that ran out of memory, are submitted again before, up to
# {{.Retries}} times; not those that somebody cancelled. It ends with 1 if runs are
# missing: then "bash repair.sh".
#
#SBATCH --job-name={{.Name}}-merge
{{- range lines .Options}}
#SBATCH {{.}}
{{- end}}
{{- if .Time}}
#SBATCH --time={{minutes .}}
{{- end}}
#SBATCH --output=log/merge_%j.log
#SBATCH --open-mode=append
#SBATCH --requeue
set -euo pipefail

tried=${1:-0}
killed=$(./sweep submit {{.Name}}.toml -o .. --shards {{.Shards}} --list killed)
if [ -n "$killed" ] && [ "$tried" -lt {{.Retries}} ] && bash submit.sh "$killed" "$((tried + 1))"; then
	exit
fi
exec ./sweep merge ..
