#!/bin/bash
# Merges what the tasks computed of the sweep table2, and verifies that it
# is complete. It ends with 1 if runs are missing: then "bash repair.sh".
#
#SBATCH --job-name=table2-merge
#SBATCH --time=1-12:00:00
#SBATCH --output='/a b/it'\''s/#1/100%%/slurm/log/merge_%j.log'
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --partition=long
#SBATCH -A physics
#SBATCH --comment 'my # 1 job'
set -euo pipefail

program='/a b/it'\''s/#1/100%/slurm/sweep'
output='/a b/it'\''s/#1/100%'

exec "$program" merge "$output"
