# What the tests of engines have in common: they source this, after setting
# engine, dir and out. dir has what .ci/engines made: the program sweep,
# table2.toml, and alone, which one process computed. out is for the engine.
# shellcheck shell=bash disable=SC2154

fail() {
	printf '%s: %s\n' "$engine" "$*" >&2
	tail -n 20 "$out/$engine"/log/* >&2
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
committed() { grep -q '"status":"' "$out"/shards/*"$1"-of-*/runs.jsonl 2>/dev/null; }

# kill_shard SHARD kills the process of a shard that has kept some runs, as a
# machine does that has no memory left.
kill_shard() {
	local log process
	await "the first runs of shard $1" committed "$1"
	log=$(echo "$out"/shards/*"$1"-of-*/manifest.json)
	process=$(sed -n 's/.*"pid": *\([0-9]*\).*/\1/p' "$log")
	kill -KILL "$process" || fail "shard $1 was too quick to be killed"
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
