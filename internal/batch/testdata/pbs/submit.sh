#!/bin/bash
# Written by the manual of PBS Professional, and never run.
#
# Submits the sweep table2: its 8 shards as an array, and the merge, which
# waits until all of them have ended, well or not. Submitted again, it goes on
# from where it was.
set -euo pipefail
cd "$(dirname "$0")"

array=$(qsub shards.sh)
merge=$(qsub -W depend=afterany:"$array" merge.sh)
echo "submitted: 8 shards as job $array, their merge as job $merge"
