#!/bin/bash
# Written by the manual of IBM Spectrum LSF, and never run.
#
# Merges what was computed of the sweep table2. It ends with 1 if runs are
# missing: then "bash submit.sh" again.
#
#BSUB -J table2-merge
#BSUB -q long
#BSUB -o log/merge_%J.log
#BSUB -r
exec ./sweep merge ..
