"""Configure all tests: which run on the second database, their order, the number of examples.

`make test` runs every test on SQLite. On PostgreSQL (`TESTS_DATABASE=postgresql`) it runs only the
tests that depend on the database:

- Tests that do not use the database, and browser tests, run on SQLite only.
- So do the tests in `ONCE`. Only a SQL statement could make their results differ on another
  database, and other tests execute the same statements. Before a release a soak runs them on both.
- Of a test with many cases, the first and the last run: cases differ in their values, not in their
  statements. All cases of the tests in `EVERY_CASE` run, because each has its own statements.

`make soak` (`SOAK=1`) runs everything on both databases. `EXAMPLES=20` also draws 20 times as many
examples, for a run of a whole night. Naming a test file on the command line runs all of it.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, Page
from pytest_django import Settings

from tests.support import unsent
from tests.support.browser import CHROMIUM, MISSING, OpenPage, browser, new_page
from tests.support.examples import SECOND, WHOLE, examples

#: Output, and the parsing of files and letters: the database only returns what was stored.
HOW_THINGS_LOOK = (
    "tests/boards/",
    "tests/bench/",
    "tests/records/test_press_record.py",
    "tests/records/test_standalone.py",
    "tests/records/test_verify.py",
    "tests/records/test_verify_rulings.py",
    "tests/desk/test_paper.py",
    "tests/inbound/test_corpus.py",
    "tests/inbound/test_fuzz.py",
    "tests/inbound/test_quickly.py",
    "tests/market/test_tiingo.py",
    "tests/market/test_yahoo.py",
    "tests/web/test_board_picture.py",
    "tests/web/test_classroom_pages.py",
    "tests/web/test_feed.py",
    "tests/web/test_first_visit.py",
    "tests/web/test_game_page.py",
    "tests/web/test_game_page_quickly.py",
    "tests/web/test_nation_page.py",
    "tests/web/test_pointing.py",
    "tests/web/test_previews.py",
    "tests/web/test_proof_page.py",
    "tests/web/test_scenarios.py",
    "tests/web/test_story.py",
    "tests/web/test_summary.py",
    "tests/letters/test_calendar.py",
    "tests/letters/test_letters.py",
    "tests/letters/test_pictures.py",
    "tests/letters/test_setting.py",
    "tests/letters/test_snapshots.py",
    "tests/refereed/test_drawn.py",
    "tests/refereed/test_letters.py",
)
#: Whole campaigns, and the verification of their records: they repeat over many phases what the
# tests of a single phase do.
WHOLE_CAMPAIGNS = (
    "tests/records/test_whole_games.py",
    "tests/desk/test_telephone_campaign.py",
    "tests/market/test_rolls.py",
    "tests/market/test_shapes.py",
    "tests/refereed/test_four_players.py",
    "tests/refereed/test_six_players.py",
    "tests/turns/test_allies_ruled.py",
    "tests/turns/test_allies_turned.py",
    "tests/campaigns/test_class_campaign.py",
    "tests/seats/test_fewer_players.py",
    "tests/turns/test_gamesmaster_places.py",
    "tests/market/test_market_faults.py",
    "tests/campaigns/test_ww1_campaign.py",
    "tests/seats/test_pairs.py",
    # The long game in the same file runs on both.
    "tests/turns/test_ruling_properties.py::test_no_sequence_of_rulings",
)
#: Walks over every page and form. On both databases, tests/web/test_ww1_pages.py opens every page
# of a game and of its desk, and tests/admin opens the admin.
WALKS = (
    "tests/webhooks/test_secrets_around.py",
    "tests/refereed/test_secrets.py",
    "tests/security/test_every_address.py",
    "tests/security/test_headers.py",
    "tests/security/test_injection.py",
    "tests/permissions/test_secrets_alliances.py",
    "tests/permissions/test_secrets_blind.py",
    "tests/permissions/test_secrets_face_down.py",
    "tests/permissions/test_secrets_teams.py",
    "tests/permissions/test_secrets.py",
)
ONCE = HOW_THINGS_LOOK + WHOLE_CAMPAIGNS + WALKS
#: Each case has its own table, lock or kind of row.
EVERY_CASE = (
    "tests/admin/",
    "tests/orders/test_ledger.py",
    "tests/turns/test_ruling_races.py",
    "tests/support/test_stored.py",
    "tests/turns/test_turns.py",
)
#: Fixtures that use the database. (`django_db_blocker` is not among them: pytest-django requests
# it for every test.)
ASKS = {"db", "transactional_db", "django_db_setup", "live_server", "client", "admin_client"}
#: Tests that take more than 10 seconds. They start first; otherwise the other cores would wait for
# one of them at the end.
LONG = (
    "tests/permissions/test_secrets",
    "tests/web/test_axe.py",
    "tests/refereed/test_secrets.py",
    "tests/refereed/test_four_players.py",
    "tests/refereed/test_six_players.py",
    "tests/campaigns/test_ww1_campaign.py",
    "tests/desk/test_telephone_campaign.py",
    "tests/turns/test_ruling_properties.py",
)

# With Python's default thresholds for garbage collection, pytest takes a third longer to collect
# thousands of tests.
gc.set_threshold(100_000, 50, 100)

settings.register_profile("asked", max_examples=examples(settings().max_examples, daily=60))
settings.load_profile("asked")


@pytest.fixture
def letters_with_pictures(settings: Settings) -> None:
    """Show the board in letters, as the service does; tests/settings.py turns it off."""
    settings.MAIL_PICTURES = True


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Start Chromium for the tests of one file; meanwhile asyncio can run nothing else."""
    if CHROMIUM is None:
        pytest.skip(f"NOT CHECKED: {MISSING}")
    with browser() as started:
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


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip files without tests to run.

    Importing all files takes seconds in each process of each part of `make test`.
    """
    if collection_path.suffix != ".py" or _named(config):
        return None
    if config.getoption("markexpr") == "processes":
        return "mark.processes" not in collection_path.read_text(encoding="utf-8") or None
    path = collection_path.relative_to(config.rootpath).as_posix()
    return path.startswith((*ONCE, "tests/rules/")) if SECOND and not WHOLE else None


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return the number of cores; on SQLite one more, because some tests wait.

    On PostgreSQL the server keeps the cores busy.
    """
    return (os.cpu_count() or 1) + (not SECOND)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if SECOND:
        chosen = [
            item
            for item in items
            if _uses_the_database(item) and item.get_closest_marker("browser") is None
        ]
        if not (WHOLE or _named(config)):
            chosen = _some_cases([item for item in chosen if not item.nodeid.startswith(ONCE)])
        selected = set(chosen)
        config.hook.pytest_deselected(items=[item for item in items if item not in selected])
        items[:] = chosen
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    unsent.begin(item)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    unsent.end()


def _named(config: pytest.Config) -> bool:
    """Return whether the command line names a test file, all of whose tests then run."""
    return any("::" in argument or argument.endswith(".py") for argument in config.args)


def _uses_the_database(item: pytest.Item) -> bool:
    fixtures: Iterable[str] = getattr(item, "fixturenames", ())
    return item.get_closest_marker("django_db") is not None or not ASKS.isdisjoint(fixtures)


def _some_cases(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the first and the last case of each test; every case for `EVERY_CASE`."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    selected = {
        case
        for test, same_test in cases.items()
        for case in (same_test if test.startswith(EVERY_CASE) else (same_test[0], same_test[-1]))
    }
    return [item for item in items if item in selected]


@pytest.fixture(scope="session", autouse=True)
def only_the_lifecycle_moves_phases() -> Iterator[None]:
    """Fail a test in which a module other than `games.turns.lifecycle` writes a phase's status."""
    from tests.support import phase_writes  # it imports models, which are not ready earlier

    with phase_writes.watched():
        yield


@pytest.fixture(autouse=True)
def bots_play_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give bots the same secret in every game, so that a test sees the same moves each time."""
    monkeypatch.setattr("games.desk.seats.draw_bots_secret", lambda: "1971" * 16)
