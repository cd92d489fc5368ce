#!/bin/bash
# Merges what the tasks computed of the sweep beta, and verifies that it
# is complete. It ends with 1 if runs are missing: then "bash repair.sh".
#
#SBATCH --job-name=beta-merge
#SBATCH --output=/home/ada/out/beta/slurm/log/merge_%j.log
#SBATCH --open-mode=append
#SBATCH --requeue
set -euo pipefail

program=/home/ada/out/beta/slurm/sweep
output=/home/ada/out/beta

exec "$program" merge "$output"
