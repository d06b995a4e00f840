"""Configure all tests: what is replaced in them, their order, the number of examples.

Markers in a test module say when its tests run (pyproject.toml lists them, the Makefile chooses).
Given a file or a folder, pytest runs all of its tests.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from django.core import mail
from django.core.management import call_command
from hypothesis import settings
from playwright.sync_api import Browser, Page
from pytest_django import DjangoDbBlocker, Settings

from games import tasks
from tests.support import letters, phase_writes
from tests.support.browser import CHROMIUM, MISSING, SHELL, OpenPage, browser, new_page
from tests.support.examples import SECOND, WHOLE, examples

#: Fixtures that use the database. (`django_db_blocker` is not among them: pytest-django requests
# it for every test.)
ASKS = {"db", "transactional_db", "django_db_setup", "live_server", "client", "admin_client"}

settings.register_profile("asked", max_examples=examples(settings().max_examples, daily=60))
settings.load_profile("asked")


@pytest.fixture
def letters_with_pictures(settings: Settings) -> None:
    """Show the board in letters, as the service does; tests/settings.py turns it off."""
    settings.MAIL_PICTURES = True


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Start Chromium for the tests of one file; meanwhile asyncio can run nothing else."""
    yield from _started(SHELL)


@pytest.fixture(scope="module")
def whole_chromium() -> Iterator[Browser]:
    """Start the whole Chromium, for what its headless shell does in another way."""
    yield from _started(CHROMIUM)


def _started(program: str | None) -> Iterator[Browser]:
    if program is None:
        pytest.skip(f"NOT CHECKED: {MISSING}")
    with browser(program) as started:
        yield started


@pytest.fixture
def open_page(chromium: Browser, live_server: Any) -> Iterator[OpenPage]:
    """Return a function that opens pages of the service.

    The pages are closed before the database is emptied, so that none of them queries it afterwards.
    """
    with ExitStack() as stack:

        def at(path: str, width: int = 1440, **how: Any) -> Page:
            page = stack.enter_context(new_page(chromium, live_server.url, width, **how))
            page.goto(path)
            return page

        yield at


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return the number of cores; on SQLite one more, because some tests wait.

    On PostgreSQL the server keeps the cores busy.
    """
    return (os.cpu_count() or 1) + (not SECOND)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if SECOND:
        chosen = [item for item in items if _uses_the_database(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
        items[:] = chosen
    # Otherwise the other cores would wait for a long test at the end.
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()


def _uses_the_database(item: pytest.Item) -> bool:
    fixtures: Iterable[str] = getattr(item, "fixturenames", ())
    return item.get_closest_marker("django_db") is not None or not ASKS.isdisjoint(fixtures)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """Note all migrations as done: the tables are made from the models (tests/settings.py).

    tests/operations/test_tables.py compares them with those that the migrations make.
    """
    with django_db_blocker.unblock():
        call_command("migrate", fake=True, verbosity=0)


@pytest.fixture(autouse=True)
def letters_are_put_away(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mark letters as sent without writing them, unless the test is marked `letters`.

    Most tests look at pages, records or rows, and writing letters would take a third of their time.
    A soak writes them all.
    """
    if WHOLE or request.node.get_closest_marker("letters"):
        return
    monkeypatch.setitem(tasks.JOBS, "letters", letters.PUT_AWAY)
    monkeypatch.setattr(mail, "outbox", letters.UnreadOutbox())


@pytest.fixture(scope="session", autouse=True)
def only_the_lifecycle_moves_phases() -> Iterator[None]:
    """Fail a test in which a module other than `games.turns.lifecycle` writes a phase's status."""
    with phase_writes.watched():
        yield


@pytest.fixture(autouse=True)
def bots_play_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give bots the same secret in every game, so that a test sees the same moves each time."""
    monkeypatch.setattr("games.desk.seats.draw_bots_secret", lambda: "1971" * 16)
