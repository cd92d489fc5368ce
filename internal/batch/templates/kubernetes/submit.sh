#!/bin/bash
# Hands the sweep {{.Name}} to Kubernetes. While it runs,
#
#   kubectl exec job/{{object .}}-merge -- {{.Program}} status /results/{{.Name}}
#
# says how far it is. To compute what is missing, delete the two jobs and
# hand them over again: it goes on from where it was.
{{if .Notes}}#
{{end}}{{range .Notes}}# {{.}}
{{end}}set -euo pipefail
cd "$(dirname "$0")"

kubectl apply -f sweep.yaml{{range .Options}} {{quote .}}{{end}}
