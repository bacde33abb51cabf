#!/bin/sh
# Runs the benchmarks and makes tables of what they say, in bin/bench.md.
#
#   scripts/bench.sh [pattern]
#
# With BENCH_WRITE=1 the tables replace those of docs/performance.md.
set -eu
cd "$(dirname "$0")/.."

pattern=${1:-.}
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT

BENCH_ROWS=$rows go test -run '^$' -bench "$pattern" -benchtime 1x -timeout 30m ./internal/bench

# One request after the other through the handlers alone; averages of a second each.
go test -run '^$' -bench HotPath -benchtime 1s . | awk '/^BenchmarkHotPath/ {
	gsub("BenchmarkHotPath/|-[0-9]+$", "", $1); gsub("_", " ", $1)
	printf "| %s | %.1f µs | %d B | %d |\n", $1, $3 / 1000, $5, $7 }' >>"$rows"

processor() {
	sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -1
}
postgres() {
	pg=$(command -v postgres || ls -d /usr/lib/postgresql/*/bin/postgres 2>/dev/null | tail -1)
	[ -n "$pg" ] && "$pg" --version | sed 's/.*PostgreSQL) \([0-9.]*\).*/PostgreSQL \1/'
}
redis() {
	command -v redis-server >/dev/null && redis-server --version | sed 's/.*v=\([0-9.]*\).*/, Redis \1/'
}

mkdir -p bin
{
	echo "$(getconf _NPROCESSORS_ONLN) × $(processor), $(uname -s) $(uname -r | cut -d- -f1), $(postgres)$(redis || true), $(go env GOVERSION); $(date -u +%Y-%m-%d), $(git describe --tags --always --dirty 2>/dev/null || echo unknown). Load of the machine when it ended: $(cut -d' ' -f1 /proc/loadavg 2>/dev/null || echo '?')."
	echo
	echo "| what | side | a second | of the first side | answer in ms: p50 / p99 / longest | processor µs for each: server + generator |"
	echo "|---|---|--:|--:|--:|--:|"
	awk -F' [|] ' 'NF >= 5' "$rows"
	echo
	echo "| what | figure |"
	echo "|---|---|"
	awk -F' [|] ' 'NF == 2' "$rows"
	echo
	echo "| handlers alone | time | memory | allocations |"
	echo "|---|--:|--:|--:|"
	awk -F' [|] ' 'NF == 4' "$rows"
} >bin/bench.md
cat bin/bench.md

[ -n "${BENCH_WRITE:-}" ] || exit 0
awk 'FNR == NR { tables = tables $0 "\n"; next }
	/^<!-- tables of scripts\/bench.sh -->$/ { print; print ""; printf "%s", tables; print ""; inside = 1; next }
	/^<!-- end of the tables -->$/ { inside = 0 }
	!inside' bin/bench.md docs/performance.md >"$rows"
cat "$rows" >docs/performance.md
