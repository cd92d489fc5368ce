#!/bin/bash
# Submits the sweep table2 as one job on 4 nodes. Submitted again, it goes on from where
# it was.
set -euo pipefail
cd "$(dirname "$0")"

job=$(sbatch --parsable nodes.sh)
echo "submitted: 4 nodes as job ${job%%;*}"
