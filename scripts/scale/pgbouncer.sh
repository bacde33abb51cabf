#!/bin/bash
# PgBouncer with transaction pooling before a private PostgreSQL, two processes of the
# program behind it, customers who fight for seats, and the audit. See docs/scale.md.
#
#   scripts/scale/pgbouncer.sh     (SCALE_SECONDS, SCALE_CUSTOMERS, KEEP=1 for the logs)
. "$(dirname "$0")/common.sh"
need postgresql "${bin:-missing}/postgres" pgbouncer pgbouncer
for dir in /usr/lib/postgresql/*/bin; do [ ! -x "$dir/initdb" ] || bin=$dir; done

# A PostgreSQL that has room for 30 connections.
direct_port=$(port)
next=$direct_port
pool_port=$(port)
$as "$bin/initdb" -D "$work/pg" -U postgres -A trust -E UTF8 --locale=C >"$work/log/initdb.log"
background postgres "$bin/postgres" -D "$work/pg" -c listen_addresses=127.0.0.1 -c port="$direct_port" -c unix_socket_directories="$work/run" -c max_connections=30
until_true 30 "$bin/pg_isready" -q -h 127.0.0.1 -p "$direct_port"
sql() { "$bin/psql" -X -q -At -v ON_ERROR_STOP=1 "postgres://postgres@127.0.0.1:$direct_port/${base:-holdfast}" -c "$1"; }
base=postgres sql "CREATE ROLE holdfast LOGIN"
base=postgres sql "CREATE DATABASE holdfast OWNER holdfast"
direct="postgres://holdfast@127.0.0.1:$direct_port/holdfast?sslmode=disable"
pooled="postgres://holdfast@127.0.0.1:$pool_port/holdfast?sslmode=disable"

# 12 server connections for everything that comes through it.
cat >"$work/pgbouncer.ini" <<EOF
[databases]
holdfast = host=127.0.0.1 port=$direct_port dbname=holdfast
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $pool_port
unix_socket_dir =
auth_type = trust
auth_file = $work/users.txt
pool_mode = transaction
default_pool_size = 12
max_client_conn = 500
admin_users = holdfast
EOF
echo '"holdfast" ""' >"$work/users.txt"
background pgbouncer /usr/sbin/pgbouncer "$work/pgbouncer.ini"
until_true 10 "$bin/pg_isready" -q -h 127.0.0.1 -p "$pool_port"
/usr/sbin/pgbouncer --version | head -1

go build -o "$work/holdfast" .
DATABASE_URL=$direct "$work/holdfast" migrate >"$work/log/migrate.log" 2>&1
refused() { # what the program says when something is missing
	DATABASE_URL=$pooled DATABASE_DIRECT_URL=${1:-} PORT=$(port) BASE_URL=http://127.0.0.1:1 APP_SECRET=ssssssssssssssssssssssssssssssssssssssss SETUP_TOKEN=x \
		timeout 20 "$work/holdfast" serve 2>&1 >/dev/null | grep '^holdfast: ' -A9 || die "it was to refuse"
}
echo "-- without DATABASE_DIRECT_URL"
refused ""
echo "-- with it, but without the settings of the role"
refused "$direct"
echo "-- the same with ignore_startup_parameters, as many advise"
sed -i '/^pool_mode/a ignore_startup_parameters = lock_timeout,statement_timeout,idle_in_transaction_session_timeout,jit' "$work/pgbouncer.ini"
kill -HUP "$pid_pgbouncer"
until_true 5 bash -c "'$bin/psql' -X -At 'postgres://holdfast@127.0.0.1:$pool_port/pgbouncer' -c 'SHOW CONFIG' | grep -q lock_timeout"
refused ""
sed -i '/^ignore_startup/d' "$work/pgbouncer.ini"
kill -HUP "$pid_pgbouncer"

# What the program says to do; and the pooler connects anew.
sql "ALTER ROLE holdfast IN DATABASE holdfast SET lock_timeout = 3000;
     ALTER ROLE holdfast IN DATABASE holdfast SET statement_timeout = 10000;
     ALTER ROLE holdfast IN DATABASE holdfast SET idle_in_transaction_session_timeout = 15000;
     ALTER ROLE holdfast IN DATABASE holdfast SET jit = off;"
"$bin/psql" -X -q "postgres://holdfast@127.0.0.1:$pool_port/pgbouncer" -c RECONNECT

echo "-- customers, two processes with 20 connections each, 12 to the server"
(
	while sleep 1; do base=postgres sql "SELECT count(*) FROM pg_stat_activity WHERE datname = 'holdfast' AND backend_type = 'client backend'"; done
) >"$work/log/connections" 2>/dev/null &
pids="$! $pids"
SCALE_DATABASE_URL=$pooled SCALE_DIRECT_URL=$direct SCALE_SECONDS=${SCALE_SECONDS:-20} SCALE_CUSTOMERS=${SCALE_CUSTOMERS:-40} SCALE_POOL=20 customers
echo "most connections at the server: $(sort -n "$work/log/connections" | tail -1)"
"$bin/psql" -X "postgres://holdfast@127.0.0.1:$pool_port/pgbouncer" -c 'SHOW STATS_TOTALS' | head -20
