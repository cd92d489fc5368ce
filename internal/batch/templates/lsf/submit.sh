#!/bin/bash
# Written by the manual of IBM Spectrum LSF, and never run.
#
# Submits the sweep {{.Name}}: its {{.Shards}} shard{{if ne .Shards 1}}s{{end}} as an array, and the merge, which
# waits until all of them have ended, well or not. Submitted again, it goes on
# from where it was.
{{if .Notes}}#
{{end}}{{range .Notes}}# {{.}}
{{end}}set -euo pipefail
cd "$(dirname "$0")"

said=$(bsub <shards.sh) # Job <77> is submitted to …
array=${said#*<}
array=${array%%>*}
bsub -w "ended($array)" <merge.sh
echo "submitted: {{.Shards}} shard{{if ne .Shards 1}}s{{end}} as job $array, and their merge"
