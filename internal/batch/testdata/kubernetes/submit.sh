#!/bin/bash
# Hands the sweep Table_2 to Kubernetes. While it runs,
#
#   kubectl exec job/table-2-merge -- sweep status /results/Table_2
#
# says how far it is. To compute what is missing, delete the two jobs and
# hand them over again: it goes on from where it was.
set -euo pipefail
cd "$(dirname "$0")"

kubectl apply -f sweep.yaml
