#!/bin/bash
# Submits the sweep {{.Name}}: its {{.Shards}} shard{{if ne .Shards 1}}s{{end}} as an array, and the merge,
# which waits until all of them have ended, well or not.
#
#   bash submit.sh
#   bash submit.sh NUMBERS
#
# The numbers are those of the shards, as --array of sbatch takes them: for
# example 0-{{last .}}%4 is all of them, four at once.
{{if .Notes}}#
{{end}}{{range .Notes}}# {{.}}
{{end}}set -euo pipefail
cd "$(dirname "$0")"

tasks=${1:-0-{{last .}}}
tried=${2:-0} # how often they were killed before

array=$(sbatch --parsable --array="$tasks" array.sh{{if .Grows}} "$tried"{{end}})
array=${array%%;*} # the name of the cluster may follow
if ! merge=$(sbatch --parsable --dependency="afterany:$array" merge.sh "$tried"); then
	scancel "$array"
	echo "the merge was refused, so the array $array was cancelled" >&2
	exit 1
fi
echo "submitted: shards $tasks as job $array, their merge as job ${merge%%;*}"
