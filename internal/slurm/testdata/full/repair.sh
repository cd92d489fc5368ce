#!/bin/bash
# Submits those shards of the sweep table2 again of which runs are missing,
# and the merge after them. Finished runs are not repeated. A shard that is in
# the queue already is submitted once more, which does no harm: the second
# task waits for the first and finds nothing to do.
set -euo pipefail

program='/a b/it'\''s/#1/100%/slurm/sweep'
spec='/a b/it'\''s/#1/100%/slurm/table2.toml'
output='/a b/it'\''s/#1/100%'
dir='/a b/it'\''s/#1/100%/slurm'

missing=$("$program" slurm "$spec" -o "$output" --shards 8 --missing)
if [ -z "$missing" ]; then
	echo "no runs are missing"
	exit
fi
exec bash "$dir/submit.sh" "$missing"
