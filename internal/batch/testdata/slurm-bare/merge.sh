#!/bin/bash
# Merges what the tasks computed of the sweep beta. Shards that were killed,
# as by a machine that ran out of memory, are submitted again before, up to
# 3 times; not those that somebody cancelled. It ends with 1 if runs are
# missing: then "bash repair.sh".
#
#SBATCH --job-name=beta-merge
#SBATCH --output=log/merge_%j.log
#SBATCH --open-mode=append
#SBATCH --requeue
set -euo pipefail

tried=${1:-0}
killed=$(./sweep submit beta.toml -o .. --shards 1 --list killed)
if [ -n "$killed" ] && [ "$tried" -lt 3 ] && bash submit.sh "$killed" "$((tried + 1))"; then
	exit
fi
exec ./sweep merge ..
