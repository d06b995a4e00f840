from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction

from tests.records import played


@pytest.fixture(scope="session")
def whole(django_db_setup: None, django_db_blocker: Any) -> dict[str, Any]:
    """Return the record of a short game, played once. Do not change it: `copy.deepcopy` it."""
    with (
        django_db_blocker.unblock(),
        pytest.MonkeyPatch.context() as monkeypatch,
        transaction.atomic(),
    ):
        played.short_card(monkeypatch)
        tree = played.whole_record(played.finished())
        transaction.set_rollback(True)
    return tree


@pytest.fixture(scope="session")
def abandoned(django_db_setup: None, django_db_blocker: Any) -> dict[str, Any]:
    """Return the record of a short game with what the others lack, from teams to its end."""
    with (
        django_db_blocker.unblock(),
        pytest.MonkeyPatch.context() as monkeypatch,
        transaction.atomic(),
    ):
        played.short_card(monkeypatch)
        tree = played.whole_record(played.abandoned(monkeypatch))
        transaction.set_rollback(True)
    return tree


@pytest.fixture(scope="session")
def published(django_db_setup: None, django_db_blocker: Any) -> dict[str, Any]:
    """Return the record of a short game on New York sales: no figure, then changed, then agreed."""
    with (
        django_db_blocker.unblock(),
        pytest.MonkeyPatch.context() as monkeypatch,
        transaction.atomic(),
    ):
        played.short_card(monkeypatch)
        campaign = played.published(
            monkeypatch, {"GE": ["no_bar", 5_412_300, 5_412_400, 5_412_400]}
        )
        tree = played.whole_record(campaign)
        transaction.set_rollback(True)
    return tree
