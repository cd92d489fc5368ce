# What the tests of engines have in common: they source this, after setting
# engine, dir and out. dir has what .ci/engines/all made: the program sweep,
# table2.toml, and alone, which one process computed. out is for the engine.
# shellcheck shell=bash disable=SC2154

fail() {
	tail -n 20 "$out/$engine"/log/* >&2
	printf '%s: %s\n' "$engine" "$*" >&2
	exit 1
}

# await waits until a command succeeds, at most a quarter of an hour.
await() {
	local what=$1 end=$((SECONDS + 900))
	shift
	until "$@"; do
		((SECONDS < end)) || fail "waited for $what in vain"
		sleep 0.1
	done
}

# committed SHARD reports whether a shard has kept some of its runs.
committed() { grep -q '"status":"' "$out"/shards/"$1"-of-*/runs.jsonl 2>/dev/null; }

# process SHARD prints the process at work on a shard.
process() { sed -n 's/.*"pid": *\([0-9]*\).*/\1/p' "$out"/shards/"$1"-of-*/manifest.json; }

# send SHARD SIGNAL sends a signal to the process of a shard that has kept some
# runs: KILL, as a machine does that has no memory left.
send() {
	await "the first runs of shard $1" committed "$1"
	kill -s "$2" "$(process "$1")" || fail "shard $1 was too quick"
}

digest() { "$dir/sweep" status "$1" --format json | sed -n 's/^  "digest": "\(.*\)",$/\1/p'; }

# compare ends the test unless the results are those of one process.
compare() {
	local file
	for file in runs series summary; do
		cmp "$dir/alone/$file.parquet" "$out/$file.parquet" || fail "$file.parquet differs"
	done
	[ "$(digest "$dir/alone")" = "$(digest "$out")" ] || fail "the digests differ"
	echo "$engine: the results are those of one process, $(digest "$out")"
}

# as USER COMMAND… runs a command as a user of a Debian of its own.
# shellcheck disable=SC2016 # the inner shell expands it
as() { su -s /bin/bash "$1" -c '"$0" "$@"' -- "${@:2}"; }
