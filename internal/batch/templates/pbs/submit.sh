#!/bin/bash
# Written by the manual of PBS Professional, and never run.
#
# Submits the sweep {{.Name}}: its {{.Shards}} shard{{if ne .Shards 1}}s{{end}} as an array, and the merge, which
# waits until all of them have ended, well or not. Submitted again, it goes on
# from where it was.
{{if .Notes}}#
{{end}}{{range .Notes}}# {{.}}
{{end}}set -euo pipefail
cd "$(dirname "$0")"

array=$(qsub shards.sh)
merge=$(qsub -W depend=afterany:"$array" merge.sh)
echo "submitted: {{.Shards}} shard{{if ne .Shards 1}}s{{end}} as job $array, their merge as job $merge"
