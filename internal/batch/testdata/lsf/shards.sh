#!/bin/bash
# Written by the manual of IBM Spectrum LSF, and never run.
#
# Element i of 8 computes shard i - 1 of the sweep table2. "bash submit.sh" submits
# all of them and the merge after them.
#
#BSUB -J table2[1-8]
#BSUB -q long
#BSUB -n 4 -R span[hosts=1]
#BSUB -o log/%J_%I.log
#BSUB -r
set -uo pipefail

for ((try = 0; try <= 3; try++)); do
	code=0
	./sweep run table2.toml -o .. --shard auto/8 --workers 4 || code=$?
	[ "$code" = 137 ] || break # killed
done
exit "$code"
