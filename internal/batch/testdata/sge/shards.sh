#!/bin/bash
# Task i of 8 computes shard i - 1 of the sweep table2. "bash submit.sh" submits
# all tasks and the merge after them.
#
#$ -S /bin/bash
#$ -N sweep-table2
#$ -l h_vmem=4G
#$ -t 1-8
#$ -cwd
#$ -j y
#$ -o log
#$ -r y
#$ -notify
#$ -pe smp 4
#$ -l s_rt=3600
set -uo pipefail
trap : USR1 USR2 XCPU # which reach the program too, and it ends in good order

code=0
./sweep run table2.toml -o .. --shard auto/8 --workers "$NSLOTS" || code=$?

# A shard that was killed (137), or ran out of time (75), goes back into the
# queue and goes on from where it was, but not for ever.
case $code in
137) most=3 ;;
75) most=100 ;;
*) exit "$code" ;;
esac
tries=log/$JOB_ID.$SGE_TASK_ID.tries
echo "$code" >>"$tries"
if [ "$(grep -c "$code" "$tries")" -le "$most" ]; then
	exit 99 # SGE's code for that
fi
exit "$code"
