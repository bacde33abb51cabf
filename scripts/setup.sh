#!/bin/sh
# Installs what `make run`, `make test` or `make bench` needs and this machine lacks.
#
#   scripts/setup.sh [run|test|bench]
#
# Does nothing, and asks no network, when nothing is missing. Works as root or
# with sudo on Debian and Ubuntu, with brew on a Mac; elsewhere it says in one
# line what to install. With DATABASE_URL set no PostgreSQL server is needed.
set -eu
cd "$(dirname "$0")/.."

purpose=${1:-run}
case $purpose in
run | test | bench) ;;
*) echo "usage: scripts/setup.sh [run|test|bench]" >&2 && exit 2 ;;
esac

say() { echo "setup: $*" >&2; }
die() {
	say "$*"
	exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# The same places as internal/privpg/find.go.
has_postgres() {
	if [ -n "${PRIVPG_BIN:-}" ]; then
		[ -x "$PRIVPG_BIN/initdb" ] && [ -x "$PRIVPG_BIN/postgres" ]
		return
	fi
	have initdb && have postgres && return
	for dir in /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /usr/libexec/postgresql* \
		/opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin \
		/Applications/Postgres.app/Contents/Versions/*/bin; do
		[ -x "$dir/initdb" ] && [ -x "$dir/postgres" ] && return
	done
	return 1
}

has_chromium() {
	[ -x "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" ] ||
		[ -x "/Applications/Chromium.app/Contents/MacOS/Chromium" ] ||
		have chromium || have chromium-browser || have google-chrome || have google-chrome-stable || have headless-shell
}

# The files from npm are fresh when node_modules is not older than the lock file.
has_npm_files() {
	[ -f node_modules/.package-lock.json ] && [ ! package-lock.json -nt node_modules/.package-lock.json ]
}

# needs is what is missing, by the names used below.
find_missing() {
	needs=
	has_npm_files || have npm || needs="$needs npm"
	[ -n "${DATABASE_URL:-}" ] || has_postgres || needs="$needs postgresql"
	[ "$purpose" = run ] || has_chromium || needs="$needs chromium"
	[ "$purpose" = run ] || have "${CC:-cc}" || have gcc || have clang || needs="$needs cc" # for -race
}

# Redis is only there to be compared with: without it the comparison is left out. The
# package would start a server of its own, which the benchmark has no use for.
try_redis() {
	have redis-server && return
	if ! have apt-get || { [ "$(id -u)" != 0 ] && ! have sudo; }; then
		say "redis-server is not installed: nothing is compared with Redis"
		return
	fi
	say "installing redis-server"
	policy=/usr/sbin/policy-rc.d
	[ -e $policy ] || { printf '#!/bin/sh\nexit 101\n' | as_root tee $policy >/dev/null && as_root chmod +x $policy && ours=1; }
	DEBIAN_FRONTEND=noninteractive as_root apt-get install -q -y --no-install-recommends redis-server >&2 ||
		say "redis-server cannot be had: nothing is compared with Redis"
	[ -z "${ours:-}" ] || as_root rm -f $policy
}

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

debian_install() {
	packages=
	for need in $needs; do
		case $need in
		npm) packages="$packages nodejs npm" ;;
		postgresql) packages="$packages postgresql" ;;
		chromium) packages="$packages chromium fonts-dejavu-core" ;;
		cc) packages="$packages gcc libc6-dev" ;;
		esac
	done
	[ "$(id -u)" = 0 ] || have sudo || die "as root, please: apt-get install$packages"
	say "installing$packages"
	# Our server is a private one: keep the package from starting another.
	conf=/etc/postgresql-common/createcluster.d/holdfast-setup.conf
	as_root mkdir -p "${conf%/*}"
	echo 'create_main_cluster = false' | as_root tee "$conf" >/dev/null
	trap 'as_root rm -f "$conf"' EXIT
	export DEBIAN_FRONTEND=noninteractive
	as_root apt-get update -q >&2
	# shellcheck disable=SC2086 # a list of words
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $packages >&2
}

mac_install() {
	for need in $needs; do
		case $need in
		npm) brew install node ;;
		postgresql) brew install postgresql@17 ;;
		chromium) brew install --cask google-chrome ;;
		cc) xcode-select --install ;;
		esac
	done >&2
}

install_missing() {
	if have apt-get; then
		debian_install
	elif [ "$(uname)" = Darwin ] && have brew; then
		mac_install
	else
		die "please install:$needs (or set DATABASE_URL to do without a PostgreSQL server), then try again"
	fi
	find_missing
	[ -z "$needs" ] || die "still missing after the installation:$needs; please install it by hand"
}

have go || die "please install Go 1.26 or newer"
find_missing
[ -z "$needs" ] || install_missing
[ "$purpose" != bench ] || try_redis
scripts/assets.sh
