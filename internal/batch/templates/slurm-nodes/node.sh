#!/bin/bash
# Computes on one of {{.Nodes}} nodes a fixed part of the sweep {{.Name}}: of {{.Shards}} shards every
# {{.Nodes}}th. Then, in a second pass, what other nodes have left or not yet begun, as
# they are slow or dead. A shard at which another process works is passed over;
# runs that failed in the first pass are not repeated.
set -uo pipefail
late=
trap 'late=1' USR1 # the time is up; the program is told too

run=(run {{.Name}}.toml -o .. --quiet{{if .Workers}} --workers {{.Workers}}{{end}})
for pass in own all; do
	[ "$pass" = own ] || run+=(--retry-failed=false)
	for ((i = 0; i < {{.Shards}}; i++)); do
		shard=$(((i + SLURM_PROCID) % {{.Shards}}))
		[ "$pass" = all ] || [ "$((i % {{.Nodes}}))" = 0 ] || continue
		for ((try = 0; try <= {{.Retries}}; try++)); do
			code=0
			./sweep "${run[@]}" --shard "$shard/{{.Shards}}"{{if .Grows}} --memory-step "$try"{{end}} || code=$?
			[ -z "$late" ] || exit 75
			[ "$code" = 137 ] || break # killed
		done
	done
done
