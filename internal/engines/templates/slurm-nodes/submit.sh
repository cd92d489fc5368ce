#!/bin/bash
# Submits the sweep {{.Name}} as one job on {{.Shards}} node{{if ne .Shards 1}}s{{end}}. Submitted again, it goes on
# from where it was.
set -euo pipefail
cd "$(dirname "$0")"

job=$(sbatch --parsable nodes.sh)
echo "submitted: {{.Shards}} node{{if ne .Shards 1}}s{{end}} as job ${job%%;*}"
