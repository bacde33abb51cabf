#!/bin/bash
# A streaming replica for lists: customers of two processes and the audit, and then who
# reads where, and what a visitor sees, when one of the two is away or late. See
# docs/scale.md.
#
#   scripts/scale/replica.sh     (SCALE_SECONDS, SCALE_CUSTOMERS, KEEP=1 for the logs)
. "$(dirname "$0")/common.sh"
need postgresql "${bin:-missing}/postgres" curl curl
for dir in /usr/lib/postgresql/*/bin; do [ ! -x "$dir/initdb" ] || bin=$dir; done

bad=0
check() { # WORDS COMMAND …
	local words=$1 began=$SECONDS
	shift
	if "$@"; then echo "ok    $words ($((SECONDS - began)) s)"; else echo "FAIL  $words" && bad=1; fi
}
soon() { # COMMAND …: true within 15 seconds
	local tries=75
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.2
	done
}

primary_port=$(port)
next=$primary_port
copy_port=$(port)
next=$copy_port
shop_port=$(port)
shop=http://127.0.0.1:$shop_port
sql() { "$bin/psql" -X -q -At -v ON_ERROR_STOP=1 "postgres://postgres@127.0.0.1:$1/$2" -c "$3"; }
server() { # NAME PORT OPTION …
	background "$1" "$bin/postgres" -D "$work/$1" -c listen_addresses=127.0.0.1 -c port="$2" -c unix_socket_directories="$work/run" "${@:3}"
	until_true 30 "$bin/psql" -X -q "postgres://postgres@127.0.0.1:$2/postgres" -c "SELECT 1"
}
primary() { server primary "$primary_port"; }
copy() { server copy "$copy_port" -c log_statement=all; } # it writes down what it is asked
stop() { kill -INT "$1" && { wait "$1" || true; }; }

$as "$bin/initdb" -D "$work/primary" -U postgres -A trust -E UTF8 --locale=C >"$work/log/initdb.log"
primary
sql "$primary_port" postgres "CREATE ROLE holdfast LOGIN"
sql "$primary_port" postgres "CREATE DATABASE holdfast OWNER holdfast"
$as "$bin/pg_basebackup" -h 127.0.0.1 -p "$primary_port" -U postgres -D "$work/copy" -R -X stream -c fast
copy
streams() { [ "$(sql "$primary_port" postgres "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")" = 1 ]; }
check "the replica streams" soon streams

DATABASE_URL="postgres://holdfast@127.0.0.1:$primary_port/holdfast?sslmode=disable"
replica="postgres://holdfast@127.0.0.1:$copy_port/holdfast?sslmode=disable"
sells() { SCALE_DATABASE_URL=$DATABASE_URL SCALE_REPLICA_URL=$replica SCALE_SECONDS=${SCALE_SECONDS:-15} SCALE_CUSTOMERS=${SCALE_CUSTOMERS:-20} customers; }
check "customers: every promise is kept" sells

# The same database anew, with a programme.
sql "$primary_port" postgres "DROP DATABASE holdfast WITH (FORCE)"
sql "$primary_port" postgres "CREATE DATABASE holdfast OWNER holdfast"
go build -o "$work/holdfast" .
export DATABASE_URL DATABASE_REPLICA_URL=$replica
"$work/holdfast" migrate >"$work/log/migrate.log" 2>&1
"$work/holdfast" demo load >"$work/log/demo.log" 2>&1
PORT=$shop_port BASE_URL=$shop APP_SECRET=ssssssssssssssssssssssssssssssssssssssss SETUP_TOKEN=x "$work/holdfast" serve >"$work/log/serve.log" 2>&1 &
pids="$! $pids"

status() { curl -s -o "$work/page" -w '%{http_code}' --max-time 20 -b "$work/cookies" -c "$work/cookies" "$@" || true; }
lists() { [ "$(status "$shop/")" = 200 ]; }
reads() { grep -cE '(FROM|JOIN) events' "$work/log/copy.log" || true; }
asked() { # whether the list, read once more, was read on the replica
	local before
	before=$(reads)
	lists && [ "$(reads)" -gt "$before" ]
}
spared() {
	local before
	before=$(reads)
	lists && [ "$(reads)" = "$before" ]
}
hold() { # WANTED: the answer to a choice of a seat
	local got
	got=$(status -H "Origin: $shop" -H "Sec-Fetch-Site: same-origin" -d "seat=$seat" "$shop/events/$event/holds")
	echo "      a choice of a seat is answered $got"
	[ "$got" = "$1" ]
}
until_true 20 lists
check "the list is read on the replica" soon asked
seats() { # one more seat that nobody has
	IFS='|' read -r event seat <<<"$(sql "$primary_port" holdfast "SELECT e.id, min(s.seat_no) FROM events e JOIN event_seats s ON s.event_id = e.id AND s.state = 'available' WHERE e.kind = 'screening' AND e.status = 'published' AND e.starts_at > now() + interval '1 day' GROUP BY e.id ORDER BY e.id LIMIT 1")"
}
held() { rm -f "$work/cookies" && seats && hold 303; } # by another visitor each time
check "a seat is held" held
seats

stop "$pid_primary"
check "primary stopped: the list is there, from the replica" soon asked
sleep 6 # longer than a list may be behind a primary that answers
check "primary stopped 6 s ago: still there" asked
check "primary stopped: nothing is sold, with words" hold 503
primary
check "primary back: it streams again" soon streams
check "primary back: the list is read on the replica" soon asked
check "primary back: a seat is held" soon held

sql "$copy_port" postgres "SELECT pg_wal_replay_pause()" >/dev/null
sql "$primary_port" holdfast "UPDATE films SET title = title || ' (changed meanwhile)'"
changed() { lists && grep -q 'changed meanwhile' "$work/page"; }
check "replay paused: the list shows a change, from the primary" soon changed
check "replay paused: the replica is not asked" spared
check "replay paused: a seat is held" held
sql "$copy_port" postgres "SELECT pg_wal_replay_resume()" >/dev/null
check "replay goes on: the list is read on the replica" soon asked

stop "$pid_copy"
check "replica stopped: the list is there, from the primary" lists
check "replica stopped: a seat is held" held
copy
check "replica back: the list is read there" soon asked
exit $bad
