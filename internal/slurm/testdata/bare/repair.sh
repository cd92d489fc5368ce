#!/bin/bash
# Submits those shards of the sweep beta again of which runs are missing,
# and the merge after them. Finished runs are not repeated. A shard that is in
# the queue already is submitted once more, which does no harm: the second
# task waits for the first and finds nothing to do.
set -euo pipefail

program=/home/ada/out/beta/slurm/sweep
spec=/home/ada/out/beta/slurm/beta.toml
output=/home/ada/out/beta
dir=/home/ada/out/beta/slurm

missing=$("$program" slurm "$spec" -o "$output" --shards 1 --missing)
if [ -z "$missing" ]; then
	echo "no runs are missing"
	exit
fi
exec bash "$dir/submit.sh" "$missing"
