#!/bin/bash
# Written by the manual of PBS Professional, and never run.
#
# Task i of 8 computes shard i of the sweep table2. "bash submit.sh" submits all
# tasks and the merge after them.
#
#PBS -N sweep-table2
#PBS -J 0-7
#PBS -l select=1:ncpus=1
#PBS -l walltime=3600
#PBS -j oe
#PBS -o log/
#PBS -r y
set -uo pipefail
cd "$PBS_O_WORKDIR" || exit

for ((try = 0; try <= 3; try++)); do
	code=0
	./sweep run table2.toml -o .. --shard auto/8 --time-limit 1h0m0s || code=$?
	[ "$code" = 137 ] || break # killed
done
exit "$code"
