#!/bin/bash
# A hot standby of the service `postgres`: copies it once, then follows it.
set -euo pipefail
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  PGPASSWORD=$POSTGRES_PASSWORD pg_basebackup -h postgres -U replicator -D "$PGDATA" -X stream -c fast -R
  chmod 700 "$PGDATA"
fi
exec postgres -D "$PGDATA" -c listen_addresses='*'
