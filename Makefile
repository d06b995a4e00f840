# The commands of contract.md 1. Only Python 3.11 or newer and the package index are needed; nothing is installed system-wide.
.PHONY: setup upgrade play test test-databases test-processes soak quick test-rules check lock audit bench faults clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8000

# The stamp makes a second `make` cheap and a changed lock install anew.
$(VENV)/installed: requirements-dev.lock
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; this is %s. Try: make PYTHON=python3.11" % sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-dev.lock
	touch $@

setup: $(VENV)/installed
	$(BIN)/python manage.py migrate --verbosity 0

# Everything into a backup, the newer code, its packages and tables. Stop the service before, and start it after
# (docs/operations.md, “Upgrading”). PULL=: leaves the code as it is.
PULL ?= git pull --ff-only
BACKUPS ?= var/backups

upgrade:
	mkdir -p -m 700 $(BACKUPS)
	$(BIN)/python manage.py backup $(BACKUPS)
	$(PULL)
	$(MAKE) --no-print-directory setup

play: $(VENV)/installed
	@$(BIN)/python manage.py play --port $(PORT)

# A quarter of an hour on two cores: all tests on SQLite, then those that a database has a part in (tests/conftest.py) on a real PostgreSQL
# that the tests start themselves, both on all cores. Beside them run those that start processes of their own: they watch the clock and
# mostly wait, so they come first wherever both want a core. What repeats itself is a fixed sample here (tests/support/examples.py); “make soak”
# does all of it.
test: $(VENV)/installed
	@$(MAKE) --no-print-directory -j 2 test-processes test-databases

test-databases: $(VENV)/installed
	nice -n 5 $(BIN)/python -m pytest -n auto --dist worksteal -m "not processes"
	TESTS_DATABASE=postgresql nice -n 5 $(BIN)/python -m pytest -n auto --dist worksteal -m "not processes and not browser"

# What it says is shown when it has ended, in one piece.
test-processes: $(VENV)/installed
	@mkdir -p var
	@$(BIN)/python -m pytest -n 2 --dist worksteal -m processes > var/test-processes.txt 2>&1; ended=$$?; cat var/test-processes.txt; exit $$ended

# Python reads its tests in a third of the time where it may keep what it has made of them.
test test-databases test-processes soak quick: export PYTHONDONTWRITEBYTECODE :=

# The same with no sample and nothing left out on PostgreSQL: ten thousand spoilt messages, every page of every walk, every campaign to
# its end, on both databases. An hour or more; before a release.
soak: export SOAK := 1
soak: test

# Under a minute: the rules by their cases, orders by page and by mail, locks, rulings, what nobody may see. For before each commit.
quick: $(VENV)/installed
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not processes and not browser" $(QUICK)

QUICK := tests/rules/test_cases.py tests/test_architecture.py tests/orders/test_ledger.py tests/turns/test_turns.py tests/seats/test_teams.py tests/orders/test_owed.py \
	tests/turns/test_schedule.py tests/market/test_settle.py tests/inbound/test_commands.py tests/inbound/test_corpus.py tests/inbound/test_intake.py \
	tests/web/test_orders_page.py tests/web/test_home.py tests/letters/test_outbox.py tests/records/test_verify.py \
	tests/turns/test_rulings.py::test_a_ruling_is_made_told_proved_and_revoked tests/web/test_hidden_games.py \
	tests/security/test_enumeration.py tests/permissions/test_secrets.py::test_the_walk_would_have_found_a_leak

test-rules: $(VENV)/installed
	$(BIN)/python -m pytest tests/rules

# What a change must pass before it is committed, the tests apart.
check: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy .
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python -m tests.support.wording

# Both locks from pyproject.toml, the second with the versions of the first. Asks the package index.
lock:
	@test -x $(VENV)-lock/bin/uv || { $(PYTHON) -m venv $(VENV)-lock && $(VENV)-lock/bin/python -m pip install --quiet --disable-pip-version-check uv; }
	$(LOCK) pyproject.toml --output-file requirements.lock
	$(LOCK) --group dev --constraints requirements.lock pyproject.toml --output-file requirements-dev.lock

LOCK = $(VENV)-lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header

# Is anything in the lock known to be vulnerable? Asks the public advisory database, so it needs a way out; fails where there is none,
# and never says that all is well without having asked. In an environment of its own: the service needs none of it.
audit:
	@test -x $(VENV)-audit/bin/pip-audit || { $(PYTHON) -m venv $(VENV)-audit && $(VENV)-audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit; }
	$(VENV)-audit/bin/pip-audit --requirement requirements-dev.lock --require-hashes --disable-pip --strict --progress-spinner off --timeout 15

# Figures go to var/bench. Beside the rules stands the package “diplomacy”, in an environment of its own: the service needs none of it.
bench: $(VENV)/installed
	@test -x $(VENV)-bench/bin/python || { $(PYTHON) -m venv $(VENV)-bench && $(VENV)-bench/bin/python -m pip install --quiet --disable-pip-version-check diplomacy; } || echo "diplomacy cannot be installed: the rules are measured alone" >&2
	$(BIN)/python -m tests.bench

# Everything broken on purpose at full size, and the count of what was lost or doubled: docs/faults.md. Some hours; or FAULTS="redis mail".
faults: $(VENV)/installed
	$(BIN)/python -m tests.drills.faults_table $(FAULTS)

clean:
	rm -rf $(VENV) $(VENV)-audit $(VENV)-bench $(VENV)-lock var .mypy_cache .ruff_cache .pytest_cache .hypothesis
