#!/bin/bash
# Computes on one of {{.Nodes}} nodes a fixed part of the sweep {{.Name}}: of {{.Shards}} shards every
# {{.Nodes}}th. Then, in a second pass, what other nodes have left or not yet begun, as
# they are slow or dead. One process executes all shards of a pass, and passes over
# those at which another process works. Runs that failed in the first pass are not
# repeated.
set -uo pipefail
late=
trap 'late=1' USR1 # the time is up; the program is told too

own=() all=()
for ((i = 0; i < {{.Shards}}; i++)); do
	shard=$(((i + SLURM_PROCID) % {{.Shards}}))
	all+=("$shard")
	[ "$((i % {{.Nodes}}))" != 0 ] || own+=("$shard")
done

run=(run {{.Name}}.toml -o .. --quiet{{if .Workers}} --workers {{.Workers}}{{end}})
IFS=, # between the shards of a list
for shards in "${own[*]}" "${all[*]}"; do
	for ((try = 0; try <= {{.Retries}}; try++)); do
		code=0
		./sweep "${run[@]}" --shard "$shards/{{.Shards}}"{{if .Grows}} --memory-step "$try"{{end}} || code=$?
		[ -z "$late" ] || exit 75
		[ "$code" = 137 ] || break # killed
	done
	run+=(--retry-failed=false)
done
