# What the recipes share; read by them, not run. Everything lives in one folder of its own
# under /tmp, listens on the loopback alone and ends with the script, by its process id.
set -eu
cd "$(dirname "$0")/../.."

say() { echo "scale: $*" >&2; }
die() {
	say "$*"
	exit 1
}

# need PACKAGE PROGRAM …: installs Debian's packages whose program is missing.
need() {
	missing=
	while [ $# -gt 1 ]; do
		command -v "$2" >/dev/null 2>&1 || [ -x "/usr/sbin/$2" ] || missing="$missing $1"
		shift 2
	done
	[ -n "$missing" ] || return 0
	sudo=
	[ "$(id -u)" = 0 ] || sudo=sudo
	say "installing$missing"
	# A package's own service must not start: these recipes bring their own.
	printf '#!/bin/sh\nexit 101\n' >"$work/policy"
	[ -e /usr/sbin/policy-rc.d ] || { $sudo install -m 755 "$work/policy" /usr/sbin/policy-rc.d && policy=ours; }
	$sudo apt-get update -qq
	# shellcheck disable=SC2086
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
	[ "${policy:-}" != ours ] || $sudo rm -f /usr/sbin/policy-rc.d
}

work=$(mktemp -d /tmp/holdfast-scale-XXXXXX)
chmod 755 "$work"
pids=

# background NAME COMMAND …: runs it as the server's account, with its log in the folder.
background() {
	name=$1
	shift
	# shellcheck disable=SC2086
	$as "$@" >"$work/log/$name.log" 2>&1 &
	pids="$! $pids"
	eval "pid_$name=$!"
}

finish() {
	code=$?
	trap - EXIT
	for p in $pids; do kill "$p" 2>/dev/null || true; done
	for p in $pids; do wait "$p" 2>/dev/null || true; done
	if [ -n "${KEEP:-}" ] || [ "$code" != 0 ]; then say "logs are in $work/log"; else rm -rf "$work"; fi
	exit "$code"
}
trap finish EXIT
trap 'exit 1' INT TERM

# PostgreSQL and its kin refuse to run as root; Debian's package brings an account.
as=
if [ "$(id -u)" = 0 ]; then
	as="setpriv --reuid=postgres --regid=postgres --clear-groups env HOME=$work"
fi
mkdir "$work/log" "$work/run"
[ "$(id -u)" != 0 ] || chown postgres "$work" "$work/run"

bin=
for dir in /usr/lib/postgresql/*/bin; do [ ! -x "$dir/initdb" ] || bin=$dir; done

# port: one that nobody has now, from a range below that of outgoing connections.
next=$((21000 + $$ % 8000))
port() {
	while next=$((next + 1)) && (exec 3<>"/dev/tcp/127.0.0.1/$next") 2>/dev/null; do :; done
	echo "$next"
}

# until_true SECONDS COMMAND …: polls.
until_true() {
	left=$(($1 * 5))
	shift
	until "$@" >/dev/null 2>&1; do
		left=$((left - 1))
		[ $left -gt 0 ] || die "not in time: $*"
		sleep 0.2
	done
}

# customers: the program as two processes, and people who buy; SCALE_… say where and how.
customers() {
	SCALE_LOGS="$work/log" go test -count=1 -v -timeout 30m -run 'TestScale_EveryPromiseIsKept$' ./internal/scale 2>&1 | grep -v '^ *{' | tee "$work/log/customers.log"
	grep -q '^ok' "$work/log/customers.log"
}
