"""What all tests share: which of them run on a second database, and how many examples those draw that are made up.

`TESTS_DATABASE=postgresql` leaves out what a database has no part in (docs/decisions.md): tests that ask none, and those of `ONCE`.
`EXAMPLES=20` draws twenty times as many examples and plays as many more made-up games, for a long night.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import pytest
from hypothesis import settings

from tests.examples import examples

#: Tests that do use the database, and of nothing that another one could do otherwise: what they look at is how things look. Every page,
#: letter and sheet is opened on both by the walks of tests/test_secrets*.py, so that no statement is left to one database alone.
ONCE = (
    "tests/atlas/",
    "tests/bench/",
    "tests/pages/test_board_picture.py",
    "tests/pages/test_classroom_pages.py",
    "tests/pages/test_first_visit.py",
    "tests/pages/test_game_page_quickly.py",
    "tests/pages/test_pointing.py",
    "tests/pages/test_previews.py",
    "tests/pages/test_sheets.py",
    "tests/pages/test_story.py",
    "tests/pages/test_summary.py",
    "tests/post/test_pictures.py",
    "tests/post/test_setting.py",
    "tests/desk/test_paper.py",
    "tests/mail/test_corpus.py",
    "tests/mail/test_fuzz.py",
    "tests/mail/test_quickly.py",
    "tests/market/test_yahoo.py",
    "tests/market/test_tiingo.py",
    "tests/security/test_every_address.py",
)
#: What a test asks for that uses the database.
ASKS = {"db", "transactional_db", "django_db_setup", "django_db_blocker", "live_server", "client", "admin_client"}


settings.register_profile("asked", max_examples=examples(settings().max_examples))
settings.load_profile("asked")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.environ.get("TESTS_DATABASE") != "postgresql":
        return
    again = [item for item in items if _again(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(again)])
    items[:] = again


def _again(item: pytest.Item) -> bool:
    """Whether a test is run on the second database too. Whoever names a test by its file wants it run."""
    named = any("::" in argument or argument.endswith(".py") for argument in item.config.args)
    asks: Iterable[str] = getattr(item, "fixturenames", ())
    uses = item.get_closest_marker("django_db") is not None or not ASKS.isdisjoint(asks)
    return uses and (named or not item.nodeid.startswith(ONCE)) and item.get_closest_marker("browser") is None
