"""What all tests share: which of them run on a second database, in what order, and how many
examples those draw that are made up.

`make test` runs every test on SQLite. On PostgreSQL (`TESTS_DATABASE=postgresql`) it runs those
that a database has a part in, which is decided by what a test touches:

- Tests that ask no database, and those in a browser, run once.
- So do those of `ONCE`, each group for a reason of its own: nothing in them could come out
  otherwise on another database but by a statement, and their statements are made by other tests
  too. Before a release a soak runs them on both.
- Of a test with many cases the first and the last, for they differ in what is said and not in what
  is asked; but of those of `EVERY_CASE`, where each case has statements of its own.

`make soak` (`SOAK=1`) leaves nothing out on either. `EXAMPLES=20` draws twenty times as many
examples besides, for a long night. Whoever names a test by its file wants all of it run.
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

#: How things look, and what is read out of files and letters: the database gives what it was given.
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
    "tests/web/test_sheets.py",
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
#: Whole campaigns: many phases of what the tests of a phase do, and what is proved of their
# records.
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
    # the game at length beside it runs on both
    "tests/turns/test_ruling_properties.py::test_no_sequence_of_rulings",
)
#: Walks over every page and form. tests/web/test_ww1_pages.py opens every page of a game and of
# its desk on both, tests/admin the admin.
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
#: A table, a lock or a kind of row for each case.
EVERY_CASE = (
    "tests/admin/",
    "tests/turns/test_batch.py",
    "tests/orders/test_ledger.py",
    "tests/turns/test_ruling_races.py",
    "tests/support/test_stored.py",
    "tests/turns/test_turns.py",
)
#: What a test asks for that uses the database. (For `django_db_blocker` every test asks, by
# pytest-django itself.)
ASKS = {"db", "transactional_db", "django_db_setup", "live_server", "client", "admin_client"}
#: Longer than ten seconds: they begin first, so that no core waits at the end for one of them on
# another.
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

# Looked through for rubbish as often as Python does by itself, thousands of tests take a third
# longer to be collected.
gc.set_threshold(100_000, 50, 100)

settings.register_profile("asked", max_examples=examples(settings().max_examples, daily=60))
settings.load_profile("asked")


@pytest.fixture
def letters_with_pictures(settings: Settings) -> None:
    """The letters of this test show the board, as those of the service do (tests/settings.py)."""
    settings.MAIL_PICTURES = True


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Chromium, for the tests of one file: asyncio can run nothing else beside it."""
    if CHROMIUM is None:
        pytest.skip(f"NOT CHECKED: {MISSING}")
    with browser() as started:
        yield started


@pytest.fixture
def open_page(chromium: Browser, live_server: Any) -> Iterator[OpenPage]:
    """Open pages of the service. They are closed before the database is emptied, so that none
    asks it any more."""
    with ExitStack() as opened:

        def at(path: str, width: int = 1440, **how: Any) -> Page:
            page = opened.enter_context(new_page(chromium, live_server.url, width, **how))
            page.goto(path)
            return page

        yield at


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files of which nothing is run are not even read: to read all takes seconds, in each process
    of each part of `make test`."""
    if collection_path.suffix != ".py" or _named(config):
        return None
    if config.getoption("markexpr") == "processes":
        return "mark.processes" not in collection_path.read_text(encoding="utf-8") or None
    path = collection_path.relative_to(config.rootpath).as_posix()
    return path.startswith((*ONCE, "tests/rules/")) if SECOND and not WHOLE else None


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are cores on SQLite, for some tests wait; on PostgreSQL the server keeps
    the cores busy."""
    return (os.cpu_count() or 1) + (not SECOND)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if SECOND:
        again = [
            item
            for item in items
            if _uses_the_database(item) and item.get_closest_marker("browser") is None
        ]
        if not (WHOLE or _named(config)):
            again = _some_cases([item for item in again if not item.nodeid.startswith(ONCE)])
        kept = set(again)
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = again
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
    """Whether somebody has named tests by their file, and wants all of it run."""
    return any("::" in argument or argument.endswith(".py") for argument in config.args)


def _uses_the_database(item: pytest.Item) -> bool:
    asks: Iterable[str] = getattr(item, "fixturenames", ())
    return item.get_closest_marker("django_db") is not None or not ASKS.isdisjoint(asks)


def _some_cases(items: list[pytest.Item]) -> list[pytest.Item]:
    """Without the cases between the first and the last of each test."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = {
        one
        for test, those in cases.items()
        for one in (those if test.startswith(EVERY_CASE) else (those[0], those[-1]))
    }
    return [item for item in items if item in kept]


@pytest.fixture(scope="session", autouse=True)
def only_the_lifecycle_moves_phases() -> Iterator[None]:
    """In every test: no module but `games.turns.lifecycle` writes where a phase stands."""
    from tests.support import phase_writes  # names models, which are not there yet above

    with phase_writes.watched():
        yield
