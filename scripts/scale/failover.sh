#!/usr/bin/env bash
# Kills the PostgreSQL primary while customers buy, and judges what is left.
#
#   scripts/scale/failover.sh
#
# Patroni keeps three PostgreSQL servers, one of them a synchronous standby, with etcd
# as the place where the leader is agreed on; HAProxy shows one address, the leader's.
# All of it runs on loopback in a folder of its own and is gone afterwards. docs/scale.md
# says what the outcome means.
#
#   FAILOVER_VIA=hosts   no HAProxy: all servers in DATABASE_URL, the program looks for
#                        the one that takes writes
#   FAILOVER_KEEP=1      leaves the folder with all logs
#   SCALE_SECONDS=60     how long customers buy; the kill is half-way
#   SCALE_CUSTOMERS=6    how many
#   SCALE_EVENTS=240     so many that they are not sold out before the kill
#
# Needs Debian or Ubuntu with PostgreSQL, and Go; installs patroni, etcd and haproxy.
set -euo pipefail
cd "$(dirname "$0")/../.."
via=${FAILOVER_VIA:-haproxy}
nodes="1 2 3"
started=() # process ids of ours, in the order of their start

say() { echo "failover: $*" >&2; }
die() { say "$*"; exit 1; }

# install adds what is missing without letting Debian start its services.
install() {
	local missing=() sudo=() policy=/usr/sbin/policy-rc.d ours=
	command -v patroni >/dev/null || missing+=(patroni python3-etcd python3-psycopg2)
	command -v etcd >/dev/null || missing+=(etcd-server)
	command -v haproxy >/dev/null || missing+=(haproxy)
	command -v curl >/dev/null || missing+=(curl)
	ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || missing+=(postgresql)
	[ ${#missing[@]} -eq 0 ] && return
	if [ "$(id -u)" -ne 0 ]; then
		sudo -n true 2>/dev/null || die "run it as root once, or first: apt-get install ${missing[*]}"
		sudo=(sudo -n)
	fi
	if [ ! -e $policy ]; then
		ours=1
		printf '#!/bin/sh\nexit 101\n' | "${sudo[@]}" tee $policy >/dev/null
		"${sudo[@]}" chmod 755 $policy
	fi
	"${sudo[@]}" apt-get update -q >/dev/null && "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -yq "${missing[@]}" >/dev/null || missing=()
	[ -z "$ours" ] || "${sudo[@]}" rm -f $policy
	[ ${#missing[@]} -gt 0 ] || die "the packages could not be installed"
}

# as runs a program as somebody whom PostgreSQL accepts; the process id stays the same.
as() {
	if [ "$(id -u)" -eq 0 ]; then
		exec setpriv --reuid=postgres --regid=postgres --init-groups env HOME="$dir" "$@"
	fi
	exec "$@"
}

# run NAME COMMAND... starts a process of ours.
run() {
	local name=$1
	shift
	(as "$@") >>"$dir/$name.log" 2>&1 &
	started+=($!)
	echo $! >"$dir/$name.pid"
}

is() { [ "$(curl -s -m 2 -o /dev/null -w '%{http_code}' "http://127.0.0.1:${rest[$2]}/$1")" = 200 ]; } # is ROLE NODE
one() { for n in $nodes; do is "$1" "$n" && echo "$n" && return; done; return 1; }              # one ROLE: the first node that is
until_true() { # until_true WHAT COMMAND...
	local what=$1 end=$((SECONDS + 90))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || die "$what: not within 90 s"
		sleep 0.5
	done
}

# tidy ends what this script started, by process id, the last first, then any postmaster
# whose Patroni was killed.
tidy() {
	local code=$? i n
	trap - EXIT INT TERM
	for ((i = ${#started[@]} - 1; i >= 0; i--)); do
		kill "${started[i]}" 2>/dev/null || true
		wait "${started[i]}" 2>/dev/null || true
	done
	for n in $nodes; do
		i=$(head -1 "$dir/$n/data/postmaster.pid" 2>/dev/null) || continue
		grep -q "$dir" "/proc/$i/cmdline" 2>/dev/null && kill -QUIT "$i" || true
	done
	[ "$code" -eq 0 ] || tail -n 15 "$dir"/*.log >&2
	if [ -n "${FAILOVER_KEEP:-}" ]; then say "logs are in $dir"; else rm -rf "$dir"; fi
	exit "$code"
}

node() { # node N: the configuration of a server
	cat <<-YAML
		scope: holdfast
		name: node$1
		restapi: {listen: "127.0.0.1:${rest[$1]}", connect_address: "127.0.0.1:${rest[$1]}"}
		etcd3: {host: "127.0.0.1:$etcd"}
		bootstrap:
		  dcs:
		    ttl: 20
		    loop_wait: 5
		    retry_timeout: 5
		    synchronous_mode: true
		    synchronous_mode_strict: true
		    postgresql: {use_pg_rewind: true, parameters: {max_connections: 100}}
		  initdb: [data-checksums, {encoding: UTF8}, {locale: C.UTF-8}]
		postgresql:
		  listen: 127.0.0.1:${pg[$1]}
		  connect_address: 127.0.0.1:${pg[$1]}
		  data_dir: $dir/$1/data
		  bin_dir: $bin
		  pgpass: $dir/$1/pgpass
		  authentication: {superuser: {username: postgres, password: loopback}, replication: {username: replicator, password: loopback}}
		  parameters: {unix_socket_directories: $dir/$1, wal_retrieve_retry_interval: 1s}
		  pg_hba: ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]
	YAML
}

proxy() { # the leader's address, whichever server that is
	cat <<-CFG
		defaults
		  mode tcp
		  timeout connect 2s
		  timeout client 24h
		  timeout server 24h
		listen primary
		  bind 127.0.0.1:$front
		  option httpchk GET /primary
		  http-check expect status 200
		  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
	CFG
	for n in $nodes; do echo "  server node$n 127.0.0.1:${pg[$n]} check port ${rest[$n]}"; done
}

install
bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
dir=$(mktemp -d)
trap tidy EXIT
trap 'exit 130' INT TERM
mapfile -t port < <(python3 -c 'import socket
s = [socket.create_server(("127.0.0.1", 0)) for _ in range(9)]
print(*(x.getsockname()[1] for x in s), sep="\n")')
etcd=${port[0]} peer=${port[1]} front=${port[2]}
pg=(0 "${port[@]:3:3}") rest=(0 "${port[@]:6:3}")

mkdir "$dir/etcd" "$dir/1" "$dir/2" "$dir/3"
for n in $nodes; do node "$n" >"$dir/$n.yml"; done
proxy >"$dir/haproxy.cfg"
[ "$(id -u)" -ne 0 ] || chown -R postgres "$dir"

run etcd etcd --data-dir "$dir/etcd/data" --listen-client-urls "http://127.0.0.1:$etcd" --advertise-client-urls "http://127.0.0.1:$etcd" \
	--listen-peer-urls "http://127.0.0.1:$peer" --initial-advertise-peer-urls "http://127.0.0.1:$peer" --initial-cluster "default=http://127.0.0.1:$peer"
until_true "etcd" curl -sf "http://127.0.0.1:$etcd/health"
for n in $nodes; do run "$n" patroni "$dir/$n.yml"; done
until_true "a leader" one primary
until_true "a synchronous standby" one synchronous
until_true "an asynchronous standby" one asynchronous
old=$(one primary)
"$bin/createdb" -h 127.0.0.1 -p "${pg[$old]}" -U postgres holdfast

case $via in
haproxy)
	run haproxy haproxy -db -f "$dir/haproxy.cfg"
	url="postgres://postgres@127.0.0.1:$front/holdfast?sslmode=disable"
	until_true "HAProxy" "$bin/psql" -qAtc 'SELECT 1' "$url"
	;;
hosts) url="postgres://postgres@127.0.0.1:${pg[1]},127.0.0.1:${pg[2]},127.0.0.1:${pg[3]}/holdfast?sslmode=disable&target_session_attrs=read-write" ;;
*) die "FAILOVER_VIA is haproxy or hosts" ;;
esac

say "node$old leads, node$(one synchronous) is its synchronous standby; customers buy through $via for ${SCALE_SECONDS:=60} s, the kill is half-way"
code=0
SCALE_DATABASE_URL=$url SCALE_SECONDS=$SCALE_SECONDS SCALE_EVENTS=${SCALE_EVENTS:-$((4 * SCALE_SECONDS))} SCALE_CUT="kill -9 \$(cat '$dir/$old.pid') \$(head -1 '$dir/$old/data/postmaster.pid')" \
	go test ./internal/scale -run TestScale -count=1 -v -timeout 10m 2>&1 | tee "$dir/test.log" || code=$?

new=$(one primary) || die "nobody leads"
[ "$new" != "$old" ] || die "node$old still leads: it was not killed"
run "$old" patroni "$dir/$old.yml"
until_true "node$old as a standby of node$new" is replica "$old"
say "node$new leads now, node$old is back as a standby"
say "$(sed -n 's/^ *longest time without a hold *//p' "$dir/test.log") without a claim that succeeded, $(sed -n 's/^ *which began */from /p' "$dir/test.log")"
[ "$code" -eq 0 ] && say "passed: every promise was kept" || say "FAILED"
exit "$code"
