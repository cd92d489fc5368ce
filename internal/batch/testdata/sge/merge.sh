#!/bin/bash
# Merges what the tasks computed of the sweep table2. It ends with 1 if runs
# are missing: then "bash submit.sh" again.
#
#$ -S /bin/bash
#$ -N sweep-table2-merge
#$ -l h_vmem=4G
#$ -cwd
#$ -j y
#$ -o log
#$ -r y
exec ./sweep merge ..
