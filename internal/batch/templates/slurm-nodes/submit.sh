#!/bin/bash
# Submits the sweep {{.Name}} as one job on {{.Nodes}} nodes. Submitted again, it goes on from where
# it was.
{{if .Notes}}#
{{end}}{{range .Notes}}# {{.}}
{{end}}set -euo pipefail
cd "$(dirname "$0")"

job=$(sbatch --parsable nodes.sh)
echo "submitted: {{.Nodes}} nodes as job ${job%%;*}"
