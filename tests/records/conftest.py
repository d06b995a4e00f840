from __future__ import annotations

from typing import Any

import pytest

from tests.records import played


@pytest.fixture(scope="session")
def whole(django_db_setup: None, django_db_blocker: Any) -> dict[str, Any]:
    """Return the record of a short game, played once. Do not change it: `copy.deepcopy` it."""
    with played.rolled_back(django_db_blocker):
        return played.whole_record(played.finished())


@pytest.fixture(scope="session")
def abandoned(django_db_setup: None, django_db_blocker: Any) -> dict[str, Any]:
    """Return the record of a short game with what the others lack, from teams to its end."""
    with played.rolled_back(django_db_blocker) as monkeypatch:
        return played.whole_record(played.abandoned(monkeypatch))


@pytest.fixture(scope="session")
def published(django_db_setup: None, django_db_blocker: Any) -> dict[str, Any]:
    """Return the record of a short game on New York sales: no figure, then changed, then agreed."""
    with played.rolled_back(django_db_blocker) as monkeypatch:
        campaign = played.published(
            monkeypatch, {"GE": ["no_bar", 5_412_300, 5_412_400, 5_412_400]}
        )
        return played.whole_record(campaign)


@pytest.fixture(scope="session")
def turned(django_db_setup: None, django_db_blocker: Any) -> dict[str, Any]:
    """Return the record of a running game with phases undone, restored and undone again."""
    with played.rolled_back(django_db_blocker):
        return played.whole_record(played.turned())
