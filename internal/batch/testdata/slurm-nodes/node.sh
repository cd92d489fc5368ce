#!/bin/bash
# Computes on one of 4 nodes a fixed part of the sweep table2: of 32 shards every
# 4th. Then, in a second pass, what other nodes have left or not yet begun, as
# they are slow or dead. One process executes all shards of a pass, and passes over
# those at which another process works. Runs that failed in the first pass are not
# repeated.
set -uo pipefail
late=
trap 'late=1' USR1 # the time is up; the program is told too

own=() all=()
for ((i = 0; i < 32; i++)); do
	shard=$(((i + SLURM_PROCID) % 32))
	all+=("$shard")
	[ "$((i % 4))" != 0 ] || own+=("$shard")
done

run=(run table2.toml -o .. --quiet)
IFS=, # between the shards of a list
for shards in "${own[*]}" "${all[*]}"; do
	for ((try = 0; try <= 3; try++)); do
		code=0
		./sweep "${run[@]}" --shard "$shards/32" || code=$?
		[ -z "$late" ] || exit 75
		[ "$code" = 137 ] || break # killed
	done
	run+=(--retry-failed=false)
done
