# Steps of a check, two at a time: .ci/run and .ci/quick source this, after
# making the directory work. What a step says is printed when it has ended.
# shellcheck shell=bash disable=SC2154

declare -A running=() # names of steps by their process ids
declare -A begun=()   # seconds, by the names of steps
failed=()
processor=0           # seconds of it that the steps before took

# step NAME MINUTES COMMAND… starts a step, which is ended after so many minutes.
step() {
	local name=$1 minutes=$2
	shift 2
	while ((${#running[@]} >= 2)); do await; done
	timeout --kill-after=1m "${minutes}m" "$@" >"$work/$name.log" 2>&1 </dev/null &
	running[$!]=$name
	begun[$name]=$SECONDS
}

# await waits until a step has ended, and prints what it said.
await() {
	local process code=0 name before=$processor
	wait -n -p process "${!running[@]}" || code=$?
	name=${running[$process]}
	unset "running[$process]"
	times >"$work/times" # the second line: of all that ended, as in 1m2.345s 0m0.678s
	processor=$(awk 'NR == 2 { split($0, t, /[ms ]+/); printf "%d", 60 * (t[1] + t[3]) + t[2] + t[4] }' "$work/times")
	printf '\n== %s: %d s, %d s of processor, ended after %d minutes\n' "$name" \
		$((SECONDS - begun[$name])) $((processor - before)) $((SECONDS / 60))
	cat "$work/$name.log"
	((code == 0)) && return
	failed+=("$name")
	case $code in
	124 | 137) echo "== $name FAILED: it took too long" ;;
	*) echo "== $name FAILED: it ended with $code" ;;
	esac
}

# after NAME waits until that step has ended, which another needs.
after() {
	while [[ " ${running[*]} " == *" $1 "* ]]; do await; done
}

# finish waits for all steps, and ends the check if one has failed.
finish() {
	while ((${#running[@]} > 0)); do await; done
	((${#failed[@]} == 0)) && return
	local name
	for name in "${failed[@]}"; do
		printf '\n== the last lines of %s\n' "$name"
		tail -n 15 "$work/$name.log"
	done
	printf '\n== failed: %s\n' "${failed[*]}"
	exit 1
}

# stop ends what is still running.
stop() {
	((${#running[@]} == 0)) || kill "${!running[@]}"
	wait
	rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
