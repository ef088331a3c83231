# SPDX-License-Identifier: Apache-2.0
# The front door. `make demo` and `make test` need nothing done by hand on a fresh Debian or Ubuntu machine.
.DEFAULT_GOAL := help
SHELL := /bin/bash
BUILD ?= build
JOBS ?= $(shell nproc)
NAME ?=
ROOM ?=
export OMPI_ALLOW_RUN_AS_ROOT := 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM := 1

.PHONY: help setup setup-demo setup-docs setup-tests setup-bench build demo docs test test-changed test-full test-time test-sanitize bench lint format release clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: ## install what building and running needs
	@scripts/setup.sh

setup-demo:
	@scripts/setup.sh --demo

setup-docs:
	@scripts/setup.sh --docs

setup-tests:
	@scripts/setup.sh --tests

setup-bench:
	@scripts/setup.sh --tests --bench

build: setup ## build what the polyloom command runs, into build/
	@scripts/build.sh $(BUILD) $(JOBS) polyloom_programs

demo: setup-demo ## PageRank of a real graph, natively and on 12 simulated FPGAs
	@scripts/build.sh $(BUILD) $(JOBS) polyloom_demo
	@POLYLOOM_BUILD=$(abspath $(BUILD)) .venv/bin/python scripts/demo.py

docs: setup-docs ## the manual, into build/site
	@NO_MKDOCS_2_WARNING=1 .venv/docs/bin/mkdocs build && echo "docs: $(abspath build/site/index.html)"

test: ## all tests that a change must pass; ROOM="fabric/run ...": those of some folders
	@scripts/test.sh $(BUILD) $(JOBS) $(foreach room,$(ROOM),--room $(room))

test-changed: ## those of the rooms that differ from main, and of the rooms that use them
	@scripts/test.sh $(BUILD) $(JOBS) --changed

test-full: ## also the long ones: big graphs, big boards, sanitizers
	@scripts/test.sh $(BUILD) $(JOBS) --full $(foreach room,$(ROOM),--room $(room))
	@[ -n "$(ROOM)" ] || $(MAKE) --no-print-directory test-sanitize

test-time: setup-tests ## how long make test takes, cold and warm, by stage and room (an hour)
	@.venv/bin/python scripts/test_time.py measure

test-sanitize: setup-tests ## C++ tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/build.sh $(BUILD)-sanitize $(JOBS) all -DPOLYLOOM_SANITIZE=ON
	@cd $(BUILD)-sanitize && ctest --output-on-failure -j $(JOBS)

bench: setup-bench ## make bench NAME=x [QUICK=1]: regenerate one table or figure
	@scripts/build.sh $(BUILD) $(JOBS) polyloom_bench
	@.venv/bin/python scripts/bench.py "$(NAME)"

lint: setup-tests ## format check, static checks, house rules
	@scripts/lint.sh

format: setup-tests ## format C++ and Python in place
	@scripts/lint.sh --fix

release: ## wheel, sources and manual of this version, into dist/
	@python3 scripts/release.py --check
	@scripts/setup.sh
	@$(MAKE) --no-print-directory docs
	@.venv/bin/python scripts/release.py

clean: ## remove build outputs (the Python environment stays)
	rm -rf $(BUILD) $(BUILD)-* runs dist
