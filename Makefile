# The commands of contract.md 1. Only Python 3.11 or newer and the package index are needed; nothing is installed system-wide.
.PHONY: setup play test test-postgresql test-rules check bench clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8000

# The stamp makes a second `make` cheap and a changed lock install anew.
$(VENV)/installed: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; this is %s. Try: make PYTHON=python3.11" % sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	touch $@

setup: $(VENV)/installed
	$(BIN)/python manage.py migrate --verbosity 0

play: $(VENV)/installed
	@$(BIN)/python manage.py play --port $(PORT)

# All tests on SQLite, then those that touch the database on a real PostgreSQL that the tests start themselves. On all cores, but for
# those that start processes of their own: they watch the clock, and are given a quiet machine.
test: $(VENV)/installed
	$(BIN)/python -m pytest -n auto -m "not processes"
	$(BIN)/python -m pytest -m processes
	TESTS_DATABASE=postgresql $(BIN)/python -m pytest -n auto tests --ignore tests/rules -m "not processes"

test-rules: $(VENV)/installed
	$(BIN)/python -m pytest tests/rules

# What a change must pass before it is committed, the tests apart.
check: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy .
	$(BIN)/python manage.py makemigrations --check --dry-run

bench: $(VENV)/installed
	$(BIN)/python -m tests.bench

clean:
	rm -rf $(VENV) var .mypy_cache .ruff_cache .pytest_cache .hypothesis
