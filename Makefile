# Only Python 3.11 or newer and the package index are needed; nothing is installed system-wide.
.PHONY: setup upgrade play test test-databases test-processes soak guest quick test-rules check lock audit bench faults clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8000

# Where deploy/systemd runs the service, commands act on its data as its user.
INSTALLED = $(filter /srv/gamesmaster,$(CURDIR))
AS_USER ?= $(if $(INSTALLED),sudo -u gamesmaster)
MANAGE = $(AS_USER) $(BIN)/python manage.py

# pip's lines are counted in one.
SHELL := bash
.SHELLFLAGS := -o pipefail -c
PIP_INSTALL = $(BIN)/python -m pip install --progress-bar off --disable-pip-version-check --require-hashes --requirement
COUNTED = awk '/^(Collecting|Processing)/ {printf "\r  %d packages", ++n; fflush()} END {if (n) print ""}'

# The stamps make a second `make` cheap, and install again after a lock has changed. The service runs with `installed`; tests need `tools`.
$(VENV)/installed: requirements.lock requirements-build.lock
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; this is %s. Try: make PYTHON=python3.11" % sys.version.split()[0])'
	@echo "Installing the packages of $< into $(VENV): a minute or two, once"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP_INSTALL) requirements-build.lock | $(COUNTED)
	@$(PIP_INSTALL) $< --no-build-isolation --use-pep517 | $(COUNTED)
	@touch $@

$(VENV)/tools: requirements-dev.lock $(VENV)/installed
	@echo "Installing what tests and checks need besides: a minute, once"
	@$(PIP_INSTALL) $< | $(COUNTED)
	@touch $@

# The service may not write beside the code, so it could never keep what Python compiles.
setup: $(VENV)/installed
	@$(BIN)/python -m compileall -q gamesmaster games orders
	@echo "Making the database"
	@$(MANAGE) migrate --verbosity 0
	@$(MANAGE) collectstatic --verbosity 0 --no-input

# Back up, fetch the newer code, install its packages, migrate; show the next deadlines before and after. Stop the service before, and
# start it after (docs/operations.md, “Upgrading”). PULL=: leaves the code as it is.
PULL ?= git pull --ff-only
BACKUPS ?= $(if $(INSTALLED),/var/lib/gamesmaster/backups,var/backups)

upgrade:
	$(MANAGE) deadlines
	$(AS_USER) mkdir -p -m 700 $(BACKUPS)
	$(MANAGE) backup $(BACKUPS)
	$(PULL)
	$(MAKE) --no-print-directory setup
	$(MANAGE) deadlines

play: $(VENV)/installed
	@$(BIN)/python manage.py play --port $(PORT)

# Prints how long a target took, also when it fails.
TIMED = began=$$(date +%s); trap 'took=$$(($$(date +%s) - began)); echo "make $@ took $$((took / 60)) min $$((took % 60)) s"' EXIT;

# All tests on SQLite (some 20 minutes on two slow cores, all in all), then those that depend on the database (marked both_databases) on a real
# PostgreSQL that the tests start themselves, both on all cores. Tests that start processes run beside them: they watch the clock and mostly
# wait, so they come first when both want a core. Tests over hundreds of similar cases use a fixed sample (tests/support/examples.py), long
# ones that repeat what others check are left out (marked soak), and so are the guest's if it has not changed: “make soak” runs all of them.
test: $(VENV)/tools
	@$(TIMED) $(MAKE) --no-print-directory -j 2 GUEST="$(if $(SOAK),all,$(GUEST))" test-processes test-databases

# PostgreSQL tests run after failures on SQLite too: a soak of hours should tell all.
test-databases: $(VENV)/tools
	nice -n 5 $(PYTEST) "not processes $(DAILY)"; sqlite=$$?; \
	TESTS_DATABASE=postgresql nice -n 5 $(PYTEST) "$(if $(SOAK),,both_databases and )not processes and not browser $(DAILY)" $(if $(SOAK),,$(call marked,both_databases)) && exit $$sqlite

# Shows its output in one piece when it has ended.
test-processes: $(VENV)/tools
	@mkdir -p var
	@$(BIN)/python -m pytest -n 2 --dist worksteal -m "processes $(DAILY)" $(call marked,processes) > var/test-processes.txt 2>&1; ended=$$?; cat var/test-processes.txt; exit $$ended

PYTEST = $(BIN)/python -m pytest -n auto --dist worksteal -m
DAILY = $(if $(SOAK),,and not soak $(if $(GUEST),,and not guest))
GUEST = $(shell $(BIN)/python -m tests.support.guest)
# The files that have a marker: to import the others would take half a minute.
marked = $(shell grep -rl "pytest.mark.$(1)" tests --include="test_*.py")

# Python loads the tests in a third of the time if it may keep compiled files.
test test-databases test-processes soak guest quick: export PYTHONDONTWRITEBYTECODE :=

# Runs everything on both databases, without samples: ten thousand spoilt messages, every page of every walk, every campaign to its end.
# Takes an hour or more; run it before a release.
soak: export SOAK := 1
soak: test

# Notes that the guest's tests pass on both databases: “make test” leaves them out until one of its files changes (tests/support/guest.py).
guest: $(VENV)/tools
	$(PYTEST) guest && TESTS_DATABASE=postgresql $(PYTEST) guest && $(BIN)/python -m tests.support.guest passed

# Takes under a minute: the rules by their cases, orders by page and by mail, locks, rulings, secrets. Run it before each commit.
quick: $(VENV)/tools
	@$(TIMED) $(PYTEST) quick $(call marked,quick)

test-rules: $(VENV)/tools
	$(BIN)/python -m pytest tests/rules

# Run before each commit, besides the tests.
check: $(VENV)/tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy .
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python -m tests.support.wording

# Write both locks from pyproject.toml, the second with the versions of the first. Asks the package index.
lock:
	@test -x $(VENV)-lock/bin/uv || { $(PYTHON) -m venv $(VENV)-lock && $(VENV)-lock/bin/python -m pip install --quiet --disable-pip-version-check uv; }
	$(LOCK) --group build --output-file requirements-build.lock
	$(LOCK) pyproject.toml --output-file requirements.lock
	$(LOCK) --group dev --constraints requirements.lock pyproject.toml --output-file requirements-dev.lock

LOCK = $(VENV)-lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header

# Ask the public advisory database whether a locked package is vulnerable. Fails without internet access, so that success means that it has
# asked. Uses its own environment, because the service does not need these packages.
audit:
	@test -x $(VENV)-audit/bin/pip-audit || { $(PYTHON) -m venv $(VENV)-audit && $(VENV)-audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit; }
	$(VENV)-audit/bin/pip-audit --requirement requirements-dev.lock --require-hashes --disable-pip --strict --progress-spinner off --timeout 15

# Figures go to var/bench. The package “diplomacy”, for comparison with the rules, has its own environment.
bench: $(VENV)/tools
	@test -x $(VENV)-bench/bin/python || { $(PYTHON) -m venv $(VENV)-bench && $(VENV)-bench/bin/python -m pip install --quiet --disable-pip-version-check diplomacy; } || echo "diplomacy cannot be installed: the rules are measured alone" >&2
	$(BIN)/python -m tests.bench

# Break everything on purpose at full size, and count what is lost or doubled: docs/faults.md. Takes some hours; or FAULTS="redis mail".
faults: $(VENV)/tools
	$(BIN)/python -m tests.drills.faults_table $(FAULTS)

# Leaves var: there a club has its database, its key and its backups.
clean:
	rm -rf $(VENV) $(VENV)-audit $(VENV)-bench $(VENV)-lock .mypy_cache .ruff_cache .pytest_cache .hypothesis
