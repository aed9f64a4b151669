#!/bin/bash
# Joins the six nodes to a Cluster of three masters with a replica each. An existing Cluster is left unchanged.
set -euo pipefail
whole() { redis-cli -h redis-1 cluster info | grep -q cluster_state:ok; }
if whole; then exit 0; fi
nodes=()
# Nodes meet by address: CLUSTER MEET takes no names.
for number in 1 2 3 4 5 6; do nodes+=("$(getent hosts "redis-$number" | cut -d ' ' -f 1):6379"); done
redis-cli --cluster create "${nodes[@]}" --cluster-replicas 1 --cluster-yes
for _ in $(seq 60); do
  if whole; then exit 0; fi
  sleep 1
done
exit 1
