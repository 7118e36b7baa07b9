# Everything is the go command; these are the ways to call it.

GO ?= go

.PHONY: build run test check bench sweep fmt fmt-check vet lint readme update

build:                  ## the binary, bin/spinlab
	$(GO) build -o bin/spinlab ./cmd/spinlab

run:                    ## a PV ticket lock under 2x overcommit
	$(GO) run ./cmd/spinlab run ticket-pv-kvm

test:                   ## every test
	$(GO) test ./...

check: fmt-check vet lint build readme test   ## what CI runs

bench:                  ## benchmarks, with ratios to the host where it can
	$(GO) test -run '^$$' -bench . ./...

fmt:                    ## format all Go files
	gofmt -w .

fmt-check:
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "not formatted (make fmt):"; echo "$$files"; exit 1; fi

vet:
	$(GO) vet ./...

lint:
	$(GO) tool staticcheck ./...

readme:                 ## the README's examples give what it shows
	$(GO) test -count=1 -run TestReadme ./tests

sweep:                  ## every two-lock program and every size of docs/findings.md: half an hour, 5 GB
	$(GO) test -count=1 -tags sweep -run TestSweep -v -timeout 2h ./tests

update:                 ## rewrite the README's output and the golden files
	$(GO) test -count=1 -run 'TestReadme|TestZooTable|Golden' ./tests -update
