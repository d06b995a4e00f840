"""Database connections are reused from task to task: opening one costs as much as 50 letters
(W2)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from celery.fixups.django import DjangoWorkerFixup
from celery.signals import task_postrun, task_prerun
from django.conf import settings

from gamesmaster import celery

pytestmark = pytest.mark.both_databases


def test_celery_keeps_a_connection_for_many_tasks() -> None:
    """Without the setting each task closes all connections, regardless of CONN_MAX_AGE."""
    assert DjangoWorkerFixup(celery.app).db_reuse_max == settings.CELERY_DB_REUSE_MAX
    assert settings.CELERY_DB_REUSE_MAX >= 100


@pytest.mark.parametrize(("eager", "looks"), [(False, 2), (True, 0)])
def test_task_checks_its_connections_as_a_page_does(
    eager: bool, looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Old or broken ones are closed, but never by a task within `manage.py tick`."""
    looked: list[int] = []
    monkeypatch.setattr(celery, "close_old_connections", lambda: looked.append(1))
    task: Any = SimpleNamespace(request=SimpleNamespace(is_eager=eager))
    for signal in (task_prerun, task_postrun):
        signal.send(sender="tick", task=task, task_id="1")
    assert len(looked) == looks
