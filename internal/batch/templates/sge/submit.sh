#!/bin/bash
# Submits the sweep {{.Name}} to Grid Engine: its {{.Shards}} shard{{if ne .Shards 1}}s{{end}} as an array, and the
# merge, which waits until all of them have ended, well or not. Submitted again,
# it goes on from where it was.
{{if .Notes}}#
{{end}}{{range .Notes}}# {{.}}
{{end}}set -euo pipefail
cd "$(dirname "$0")"

array=$(qsub -terse shards.sh)
array=${array%%.*} # the numbers of the tasks follow
if ! merge=$(qsub -terse -hold_jid "$array" merge.sh); then
	qdel "$array"
	echo "the merge was refused, so the array $array was deleted" >&2
	exit 1
fi
echo "submitted: {{.Shards}} shard{{if ne .Shards 1}}s{{end}} as job $array, their merge as job $merge"
