#!/bin/bash
# Computes on one of 4 nodes a fixed part of the sweep table2: of 32 shards every
# 4th. Then, in a second pass, what other nodes have left or not yet begun, as
# they are slow or dead. A shard at which another process works is passed over;
# runs that failed in the first pass are not repeated.
set -uo pipefail
late=
trap 'late=1' USR1 # the time is up; the program is told too

run=(run table2.toml -o .. --quiet)
for pass in own all; do
	[ "$pass" = own ] || run+=(--retry-failed=false)
	for ((i = 0; i < 32; i++)); do
		shard=$(((i + SLURM_PROCID) % 32))
		[ "$pass" = all ] || [ "$((i % 4))" = 0 ] || continue
		for ((try = 0; try <= 3; try++)); do
			code=0
			./sweep "${run[@]}" --shard "$shard/32" || code=$?
			[ -z "$late" ] || exit 75
			[ "$code" = 137 ] || break # killed
		done
	done
done
