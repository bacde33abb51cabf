#!/bin/sh
# Looks for known holes in what we use. The list of holes comes as a Go module,
# so that nothing but the module proxy is needed; govulncheck reads its plain
# folder of reports as it is.
#
#   scripts/vulncheck.sh VERSION-OF-GOVULNCHECK
set -eu
cd "$(dirname "$0")/.."

# What a release is built with counts: the toolchain that go.mod names.
export GOTOOLCHAIN=auto

# Outside of our module, so that go.sum stays as it is.
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
list=$(cd "$empty" && go mod download -json golang.org/x/vulndb@latest | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",$/\1/p')
if [ ! -d "$list/data/osv" ]; then
	echo "vulncheck: the list of holes could not be fetched" >&2
	exit 1
fi
go run "golang.org/x/vuln/cmd/govulncheck@$1" -db "file://$list/data/osv" ./...
