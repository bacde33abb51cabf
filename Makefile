# The two that matter: `make run` shows the shop, `make test` proves it.

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK = v1.9.0

BENCH   ?= .
PROFILE ?= claim
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS  = -s -w -X main.version=$(VERSION)

.PHONY: run test torture rush check build assets generate fmt bench profile help

help: ## what there is
	@sed -n 's/^\([a-z]*\):.*## /\1	/p' Makefile

# The binary takes the shell's place, so that Ctrl-C and SIGTERM reach it; `go
# run` would swallow SIGTERM and leave it behind.
run: ## a demo at http://127.0.0.1:8080 (PORT=… for another port)
	@scripts/setup.sh run
	@go build -buildvcs=false -ldflags '-X main.version=$(VERSION)' -o bin/holdfast .
	@DEMO=1 exec bin/holdfast serve

test: ## every test, with the race detector and a browser
	@scripts/setup.sh test
	@CGO_ENABLED=1 go test -race -timeout 25m ./...

# A verdict table with the seed; the same seed throws the same dice again.
torture: ## kill −9 a hundred times while customers pay (TORTURE_MINUTES, _KILLS, _SEED)
	@scripts/setup.sh test
	@TORTURE_MINUTES=$${TORTURE_MINUTES:-4} go test -count=1 -v -timeout 60m -run 'TestTorture$$' ./internal/torture

# One process, three, and three of which one is killed; a verdict table for each.
rush: ## 500 browsers want 300 seats at once (RUSH_BROWSERS, _SEATS, _PROCESSES, _KILL=1, _SEED)
	@scripts/setup.sh test
	@RUSH_BROWSERS=$${RUSH_BROWSERS:-500} go test -count=1 -v -timeout 60m -run 'TestL1_' ./internal/rush

check: ## what a change must pass
	@scripts/setup.sh test
	@bad=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); test -z "$$bad" || { echo "gofmt (make fmt):"; echo "$$bad"; exit 1; }
	go tool templ generate -check
	go vet ./...
	go run $(STATICCHECK) ./...
	scripts/vulncheck.sh $(GOVULNCHECK)
	CGO_ENABLED=1 go test -race -timeout 25m ./...

build: assets ## a static binary in bin/holdfast
	CGO_ENABLED=0 go build -buildvcs=false -trimpath -tags timetzdata -ldflags '$(LDFLAGS)' -o bin/holdfast .

assets: ## the front-end files from npm into static/vendor
	@scripts/assets.sh

generate: ## Go code from the templates
	go tool templ generate

fmt: ## Go files and templates in their usual form
	gofmt -w $$(git ls-files -co --exclude-standard '*.go')
	go tool templ fmt views

# Ratios against PostgreSQL, net/http and Redis, taken in turns in one run, about ten
# minutes. The tables are left in bin/bench.md; BENCH_WRITE=1 puts them into
# docs/performance.md. BENCH=Pages for some of it.
bench: ## what the machine can do and what the shop does
	@scripts/setup.sh bench
	@scripts/bench.sh '$(BENCH)'

profile: ## where time and allocations of the busiest requests go (PROFILE="poll 204")
	@scripts/setup.sh test
	@mkdir -p bin
	go test -run '^$$' -bench 'HotPath/$(PROFILE)' -benchtime 3s -o bin/hotpath.test -cpuprofile bin/cpu.out .
	@go test -run '^$$' -bench 'HotPath/$(PROFILE)' -benchtime 1s -o bin/hotpath.test -memprofile bin/mem.out -memprofilerate 64 . >/dev/null
	@go tool pprof -top -nodecount 15 bin/hotpath.test bin/cpu.out 2>/dev/null
	@go tool pprof -top -nodecount 15 -sample_index alloc_objects bin/hotpath.test bin/mem.out 2>/dev/null

