"""Mark letters as sent without rendering them, in tests that do not read them.

Most tests look at pages, records or rows, and rendering and sending would take a third of their
time. tests/letters and tests/inbound test how letters are sent, and a soak sends all of them. A
file that names the outbox or a mail server has all its letters sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.db.models import F

from games.letters import sending
from games.models import Letter
from tests.support.examples import WHOLE

#: Tests whose letters are put away.
PLACES = (
    "tests/records/",
    "tests/desk/",
    "tests/market/",
    "tests/web/",
    "tests/refereed/",
    "tests/security/test_enumeration.py",
    "tests/turns/test_allies_",
    "tests/market/test_digit_properties.py",
    "tests/seats/test_fewer_players.py",
    "tests/turns/test_gamesmaster_places.py",
    "tests/orders/test_owed.py",
    "tests/turns/test_ruling_properties.py",
    "tests/turns/test_rulings.py",
    "tests/seats/test_teams.py",
    "tests/seats/test_pairs.py",
    "tests/turns/test_ww1_rulings.py",
)
#: Words of files that look at sent letters or show kept ones on a page.
READS = (
    "outbox",
    "office",
    "Sink",
    "EMAIL_",
    "with_pictures",
    "tests.support.walk",
    "letters_page",
    "mark.browser",
)
_sends: list[Any] = []


def begin(item: pytest.Item) -> None:
    """Put letters away from now on, if this test is one of those."""
    if not WHOLE and item.nodeid.startswith(PLACES) and not _reads(item.path):
        _sends.append(sending.send)
        sending.send = _put_away


def end() -> None:
    if _sends:
        sending.send = _sends.pop()


def put_away() -> bool:
    """Whether letters are put away at present."""
    return bool(_sends)


@cache
def _reads(file: Path) -> bool:
    text = file.name + file.read_text(encoding="utf-8")
    return any(word in text for word in READS)


def _put_away(ids: Sequence[int], token: str, now: datetime) -> int:
    """Mark the letters of a claim as sent."""
    held = Letter.objects.filter(pk__in=list(ids), claim=token, status=Letter.Status.SENDING)
    over = {
        "status": Letter.Status.SENT,
        "due_at": None,
        "claim": "",
        "claimed_until": None,
        "fault": "",
        "sent_at": now,
    }
    return held.update(attempts=F("attempts") + 1, **over)
