#!/usr/bin/env bash
# Runs once, when the Postgres container makes its data folder: the same roles and grants as on
# the embedded server, from the same two files (mounted at /memoryhub).
set -euo pipefail
cd "${MEMORYHUB_SQL:-/memoryhub}"

psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv owner_password HUB_OWNER_PASSWORD
\getenv app_password HUB_APP_PASSWORD
\getenv database POSTGRES_DB
SELECT set_config('memoryhub.owner_password', :'owner_password', false) IS NOT NULL,
       set_config('memoryhub.app_password', :'app_password', false) IS NOT NULL \g /dev/null
\i roles.sql
ALTER DATABASE :"database" OWNER TO hub_owner;
\connect :"database"
\i database.sql
SQL
