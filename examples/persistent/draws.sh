# Counts draws below beta: a persistent program in POSIX shell.

value() { printf '%s\n' "$request" | sed "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/"; }

echo '{"sweep": 1}'
while read -r request; do
	below=$(awk -v state="$(value seed)" -v beta="$(value beta)" -v steps="$(value steps)" 'BEGIN {
		for (i = 0; i < steps; i++) {
			state = 16807 * state % 2147483647
			below += state < beta * 2147483647
		}
		print below + 0
	}')
	printf '{"run": "%s", "below": %d}\n' "$(value run)" "$below"
done
