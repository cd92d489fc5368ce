#!/bin/bash
# Submits those shards of the sweep {{.Name}} again of which runs are missing,
# and the merge after them. Finished runs are not repeated. A shard that is in
# the queue already is submitted once more, which does no harm: the second
# task waits for the first and finds nothing to do.
set -euo pipefail

program={{quote .Program}}
spec={{quote .Spec}}
output={{quote .Output}}
dir={{quote .Dir}}

missing=$("$program" slurm "$spec" -o "$output" --shards {{.Shards}} --missing)
if [ -z "$missing" ]; then
	echo "no runs are missing"
	exit
fi
exec bash "$dir/submit.sh" "$missing"
