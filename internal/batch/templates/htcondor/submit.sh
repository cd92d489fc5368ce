#!/bin/bash
# Submits the sweep {{.Name}} to HTCondor's DAGMan. Submitted again, it goes on
# from where it was.
{{if .Notes}}#
{{end}}{{range .Notes}}# {{.}}
{{end}}set -euo pipefail
cd "$(dirname "$0")"

condor_submit_dag -f sweep.dag
