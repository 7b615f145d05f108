# SPDX-License-Identifier: GPL-3.0-or-later
#
# The commands of the project. `make run` and `make test` are all that a newcomer needs: each first installs the
# packages that are missing (packages.txt), then builds. The real build is CMake's (CMakePresets.json); nothing is
# decided here that it would have to know. All paths are relative, so a clone may lie anywhere.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 60

.PHONY: run test test-long build bench lint format sanitize fuzz clean help packages test-packages

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):[^#]*## (.*)$$/  make \1\t\2/' | expand -t 18

packages:
	@scripts/install-packages.sh

test-packages:
	@scripts/install-packages.sh packages.txt packages-tests.txt

run: build ## check Peterson's algorithm under three memory models, show a counterexample, find the fences
	@scripts/run-example.sh

test: test-packages ## build everything and run every test
	@scripts/build.sh release $(JOBS)
	@ctest --preset release -j$(JOBS)

test-long: test-packages ## what make test leaves out because it takes long; run it before each release
	@scripts/build.sh release $(JOBS) fenceline
	@ctest --preset release -C long -L long -j$(JOBS)

build: packages ## build the program: build/fenceline
	@scripts/build.sh release $(JOBS) fenceline

bench: packages ## run the benchmarks
	@scripts/build.sh release $(JOBS)
	@scripts/bench.sh

lint: build ## check the format and the usual mistakes of all C++ files
	@scripts/lint.sh $(JOBS)

format: packages ## bring all C++ files into the project's format
	@scripts/cpp-files.sh | xargs -0 clang-format -i

sanitize: test-packages ## run every test with AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/build.sh sanitize $(JOBS)
	@ctest --preset sanitize -j$(JOBS)

fuzz: packages ## feed random inputs to each fuzz target for FUZZ_SECONDS (60) seconds
	@scripts/fuzz.sh $(FUZZ_SECONDS) $(JOBS)

clean: ## remove everything that was built
	rm -rf build build-debug build-sanitize build-threads build-fuzz
