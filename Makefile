# What is missing on the machine is installed first (.ci/packages), everything else stays below .build.

SHELL := /bin/bash
PYTHON ?= python3
ARGS ?=
RUNS ?= 10000000
SCALE ?= 1
FLEET_ROUNDS ?= 20

VENV := .build/end-to-end
ABUSE := .build/abuse
CLIENT := .build/python
LOGS := $(CURDIR)/.build/logs
# Shows the output and keeps it, so that .ci/run can repeat the closing lines; the exit code is the command's.
KEEP = 2>&1 | tee $(LOGS)/$@.txt; exit $${PIPESTATUS[0]}
# Without a person at the keyboard a hanging test is ended; macOS has no `timeout`.
BOUND := $(if $(shell test -t 0 || command -v timeout),timeout --kill-after=10 1800)
# What fails only beside others is told, and stops nothing.
TWICE := $(BOUND) $(CURDIR)/.ci/twice
# All live tests at once would starve each other.
AT_A_TIME := --experimental-maximum-parallelization-width 8
# Most of what they do is to wait, for a browser, a client or a clock.
PROCESSES ?= 8
# `make test` tests a release that allows @testable: that takes half of the processor time of a debug build.
TESTED := -c release -Xswiftc -enable-testing --scratch-path .build/tests
TESTED_COMMAND := $(CURDIR)/.build/tests/release/mock-apns
SOURCES := Sources Tests Clients Package.swift

# Homebrew's OpenSSL is not linked into the default path of pkg-config.
ifeq ($(shell uname -s),Darwin)
export PKG_CONFIG_PATH := $(shell brew --prefix openssl@3 2>/dev/null)/lib/pkgconfig:$(PKG_CONFIG_PATH)
endif

.DEFAULT_GOAL := help
.PHONY: help run build release page test one tools unit end-to-end python wheel lint format sanitize asan tsan fuzz abuse faults mutants suite screenshots docs bench bench-lint dist container-test clean packages python-packages test-packages browser-packages page-packages logs
.NOTPARALLEL:

help: ## Lists these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: release ## Builds a release and starts the server; options in ARGS="--port 2197 --log -"
	@exec .build/release/mock-apns serve $(ARGS)

# With BUILT=1 nothing is built; .ci/parts says so once it has built what the tests need.
build: packages ## Builds what the tests need
	@$(if $(BUILT),:,swift build $(TESTED) --build-tests)

release: packages
	@swift build -c release --product mock-apns

page: page-packages ## Builds what is served as the page, after its sources have changed
	@.ci/page

# A part that fails does not keep the others from running. What is slow runs together, since each waits for much of its time.
test: ## Lints, tests the command from outside, tests the Python client, runs all tests in Swift; tells the time of each
	@.ci/parts tools build lint end-to-end+unit+python

one: ## Runs one test on a debug build: T=EndToEnd/commands/test_exec.py::NAME, or T=SUITE in Swift
	@.ci/one

# What the tests run, before they run together: only one can install.
tools: test-packages browser-packages $(VENV)/made $(CLIENT)/made

unit: build logs ## Runs all unit and live tests
	@$(BOUND) swift test $(TESTED) --skip-build --parallel $(AT_A_TIME) $(KEEP)

end-to-end: tools build logs ## Tests the command from outside: foreign clients, commands, fleets, admin API, page, documentation
	@cd Tests && { export MOCK_APNS="$${MOCK_APNS:-$(TESTED_COMMAND)}" PYTHONDONTWRITEBYTECODE=1; \
	    failed=0; \
	    $(TWICE) $(CURDIR)/$(VENV)/bin/pytest -m "not alone" -n $(PROCESSES) --dist worksteal || failed=1; \
	    $(TWICE) $(CURDIR)/$(VENV)/bin/pytest -m alone || failed=1; \
	    exit $$failed; } $(KEEP)

python: tools build logs ## Tests the Python client: the fixture, its types, the wheel
	@cd Clients/python && { export MOCK_APNS_EXECUTABLE="$${MOCK_APNS:-$(TESTED_COMMAND)}" PYTHONDONTWRITEBYTECODE=1; \
	    $(BOUND) $(CURDIR)/$(CLIENT)/bin/pytest -n $(PROCESSES) --dist worksteal; } $(KEEP)

wheel: python-packages release $(CLIENT)/made ## Builds a release and the Python wheel with it, for this machine, below .build/dist
	@$(CLIENT)/bin/python Clients/python/build.py --executable .build/release/mock-apns --output .build/dist

# PEP 668: Debian's Python takes no packages but in an environment of their own.
$(VENV)/made: Tests/requirements.txt
	@echo "Installing pytest and the clients from PyPI into $(VENV)"
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

$(CLIENT)/made: Clients/python/tests/requirements.txt Clients/python/pyproject.toml
	@echo "Installing pytest, mypy, hatchling and httpx from PyPI into $(CLIENT)"
	@rm -rf $(CLIENT)
	@$(PYTHON) -m venv $(CLIENT)
	@$(CLIENT)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@$(CLIENT)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable Clients/python
	@touch $@

$(ABUSE)/made: Tests/Abuse/requirements.txt Tests/requirements.txt
	@echo "Installing schemathesis and the other clients from PyPI into $(ABUSE)"
	@rm -rf $(ABUSE)
	@$(PYTHON) -m venv $(ABUSE)
	@$(ABUSE)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

lint: ## Checks the format of all Swift sources, that no function takes too many parameters, and that each lock is Guarded
	@swift format lint --strict --parallel --recursive $(SOURCES)
	@$(PYTHON) .ci/parameters
	@! grep -rnw Mutex Sources Tests --include='*.swift' --exclude-dir=Mutants --exclude-dir=.build \
	    --exclude=Guarded.swift --exclude=SignatureContexts.swift \
	    || { echo 'ThreadSanitizer cannot see when a Mutex is taken under contention: use Guarded.'; exit 1; }

format: ## Formats all Swift sources
	@swift format format --in-place --parallel --recursive $(SOURCES)

sanitize: ## Runs tests under AddressSanitizer and ThreadSanitizer
	@.ci/parts asan tsan

asan: packages logs
	@echo "AddressSanitizer over the tests of what uses C, and of the probe"
	@export MOCK_APNS_TARGETS=MockAPNSTransportTests,MockAPNSPatternsTests,MockAPNSProbeTests; \
	    MOCK_APNS_SANITIZER=address ASAN_OPTIONS=detect_leaks=0 $(BOUND) swift test --parallel $(AT_A_TIME) --sanitize=address \
	    --scratch-path .build/asan $(KEEP)

tsan: packages logs
	@echo "ThreadSanitizer over the tests of the server, its admin API, its commands and the fleet"
	@export MOCK_APNS_TARGETS=mock-apns,MockAPNSTests,MockAPNSAdminTests,MockAPNSCommandTests,MockAPNSFleetTests; \
	    MOCK_APNS_SANITIZER=thread TSAN_OPTIONS="halt_on_error=1 suppressions=$(CURDIR)/.ci/tsan-suppressions" \
	    $(BOUND) swift test --parallel $(AT_A_TIME) --sanitize=thread --scratch-path .build/tsan $(KEEP)

fuzz: packages ## Looks for inputs that a reader cannot stand, RUNS=10000000 for each target; targets in ARGS
	@Tests/Fuzz/fuzz.sh --runs $(RUNS) $(ARGS)

abuse: test-packages release $(ABUSE)/made ## Attacks a release in every way, for minutes; SCALE=0.1 is short, attacks in ARGS (Linux)
	@cd Tests/Abuse && export MOCK_APNS="$${MOCK_APNS:-$(CURDIR)/.build/release/mock-apns}" PYTHONDONTWRITEBYTECODE=1 && \
	    $(CURDIR)/$(ABUSE)/bin/python abuse.py --scale $(SCALE) $(ARGS)

faults: test-packages release $(VENV)/made ## Breaks fleets in every way, FLEET_ROUNDS=20 for each
	@cd Tests && export MOCK_APNS="$${MOCK_APNS:-$(CURDIR)/.build/release/mock-apns}" PYTHONDONTWRITEBYTECODE=1 && \
	    FLEET_ROUNDS=$(FLEET_ROUNDS) $(CURDIR)/$(VENV)/bin/pytest -n 2 --durations 0 EndToEnd/fleet/test_fleet_faults.py

# The tool has a build folder of its own; what it builds goes below .build/mutants.
mutants: packages ## Changes decisions, one at a time, and runs the tests of their modules; ARGS="--only Mailbox"
	@swift run --package-path Tests/Mutants --scratch-path .build/mutants-tool mutants $(ARGS)

suite: test-packages release $(VENV)/made ## Plays all stories with all drivers, and writes the tables of the article Suite; drivers in ARGS
	@cd Tests && export MOCK_APNS="$${MOCK_APNS:-$(CURDIR)/.build/release/mock-apns}" && \
	    PYTHONPATH=PythonSupport PYTHONDONTWRITEBYTECODE=1 $(CURDIR)/$(VENV)/bin/python Documentation/suite_table.py $(ARGS)

screenshots: browser-packages release $(VENV)/made ## Makes the pictures of the page for the README and the documentation (Debian)
	@command -v pngquant >/dev/null || echo "Without pngquant the pictures are larger."
	@cd Tests && export MOCK_APNS="$${MOCK_APNS:-$(CURDIR)/.build/release/mock-apns}" && \
	    PYTHONPATH=PythonSupport PYTHONDONTWRITEBYTECODE=1 $(CURDIR)/$(VENV)/bin/python EndToEnd/page/screenshots.py $(CURDIR)/Sources/MockAPNS/MockAPNS.docc/Resources

docs: build ## Makes the library's documentation as a web site, below .build/docs
	@.ci/docs .build/docs

bench: test-packages ## Measures speed against nghttpd in nine rounds, and size; options of ratio.sh in ARGS="--rounds 3"
	@.ci/static .build/static
	@export MOCK_APNS=$(CURDIR)/.build/static/mock-apns && Tests/Benchmarks/ratio.sh $(ARGS) && Tests/Benchmarks/size.sh

bench-lint: test-packages release $(VENV)/made ## Measures what lint costs, for minutes; options of lint.py in ARGS="--records 100000" (Linux)
	@$(VENV)/bin/python Tests/Benchmarks/lint.py --check $(ARGS)
	@Tests/Benchmarks/ratio.sh --cases lint --rounds 5 --check

dist: python-packages $(CLIENT)/made ## Makes what people install, below .build/dist: archive, Debian package, wheel, list of contents (Linux)
	@.ci/dist

container-test: ## Builds the container image and pushes through it (Linux, root, buildah)
	@Tests/Container/check.sh $(ARGS)

clean: ## Removes everything that was built
	@rm -rf .build

packages:
	@.ci/packages build

python-packages:
	@.ci/packages build python

test-packages:
	@.ci/packages build test

browser-packages:
	@.ci/packages browser

page-packages:
	@.ci/packages page

logs:
	@mkdir -p $(LOGS)
