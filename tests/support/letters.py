"""Letters as tests read them, and the sender of tests that read none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NoReturn

import pytest
from django.db.models import F

from games import tasks
from games.letters import rendering
from games.models import Letter


def letter_text(letter: Letter) -> str:
    """Return the text of a letter on one line."""
    return " ".join(rendering.render(letter).text.split())


def _put_away(ids: Sequence[int], token: str, now: datetime) -> None:
    """Mark the letters of a claim as sent, without writing or sending them."""
    Letter.objects.filter(pk__in=list(ids), claim=token, status=Letter.Status.SENDING).update(
        attempts=F("attempts") + 1,
        status=Letter.Status.SENT,
        due_at=None,
        claim="",
        claimed_until=None,
        fault="",
        sent_at=now,
    )


_SENT = tasks.JOBS["letters"]
assert isinstance(_SENT, tasks.Claimed)
#: The job of a tick in tests that are not marked `letters` (tests/conftest.py).
PUT_AWAY = replace(_SENT, do=_put_away)


class UnreadOutbox(list[Any]):
    """The outbox of tests that are not marked `letters`: reading it fails, because it is empty."""

    def _refuse(self, *_: object) -> NoReturn:
        pytest.fail("Letters are put away: mark this test or its module with pytest.mark.letters.")

    __iter__ = __len__ = __getitem__ = __contains__ = __eq__ = _refuse
    __hash__ = None
