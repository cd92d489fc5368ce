#!/bin/bash
# Merges what the tasks computed of the sweep {{.Name}}, and verifies that it
# is complete. It ends with 1 if runs are missing: then "bash repair.sh".
#
#SBATCH --job-name={{directive (print .Name "-merge")}}
{{- if .Time}}
#SBATCH --time={{.Time}}
{{- end}}
#SBATCH --output={{directive (logs .Logs "merge_%j.log")}}
#SBATCH --open-mode=append
#SBATCH --requeue
{{- range .Options}}
#SBATCH {{.}}
{{- end}}
set -euo pipefail

program={{quote .Program}}
output={{quote .Output}}

exec "$program" merge "$output"
