#!/bin/bash
# Submits the sweep {{.Name}}: its {{.Shards}} shard{{if ne .Shards 1}}s{{end}} as an array, and the merge,
# which waits until all of them have ended, well or not.
#
#   bash submit.sh
#   bash submit.sh NUMBERS
#
# The numbers are those of the shards, as --array of sbatch takes them: for
# example 0-{{.Last}}%4 is all of them, four at once.
set -euo pipefail

dir={{quote .Dir}}
tasks=${1:-0-{{.Last}}}

array=$(sbatch --parsable --array="$tasks" "$dir/array.sh")
array=${array%%;*} # the name of the cluster may follow
if ! merge=$(sbatch --parsable --dependency="afterany:$array" "$dir/merge.sh"); then
	scancel "$array"
	echo "the merge was refused, so the array $array was cancelled" >&2
	exit 1
fi
echo "submitted: shards $tasks as job $array, their merge as job ${merge%%;*}"
