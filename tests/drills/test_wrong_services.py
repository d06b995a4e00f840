"""Test that the count of the drills notices a service that does one thing wrong all the time."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from games.letters import delivery
from games.outbox import outgoing
from games.outbox.messages import game_letters
from tests.drills.breaking import counting
from tests.drills.breaking.small import SmallLeague

pytestmark = [pytest.mark.django_db, pytest.mark.letters]

UNWRITTEN = "letters never written"


def _nobody(*_: Any, **__: Any) -> list[Any]:
    return []


def _all_but_the_last(everybody: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    return lambda *given: everybody(*given)[:-1]


def _none_in_eleven(send: Callable[..., None]) -> Callable[..., None]:
    numbers = itertools.count(1)
    return lambda *given: None if next(numbers) % 11 == 0 else send(*given)


def _twice(send: Callable[..., None]) -> Callable[..., None]:
    def twice(*given: Any) -> None:
        send(*given)
        send(*given)

    return twice


#: An object, its function, what takes the place of the function, and the count that names it.
Fault = tuple[Any, str, Callable[[Any], Any], str]
SERVICES: dict[str, Fault] = {
    "no letter with the digest": (
        *(game_letters, "announce_lock", lambda _: _nobody),
        UNWRITTEN,
    ),
    "no receipt": (game_letters, "receipt", lambda _: _nobody, UNWRITTEN),
    "no reminder": (game_letters, "reminder", lambda _: _nobody, UNWRITTEN),
    "one reader left out": (outgoing.Outgoing, "everybody", _all_but_the_last, UNWRITTEN),
    "one letter in eleven marked as sent and never sent": (
        *(delivery.Server, "send", _none_in_eleven),
        "letters sent and never delivered",
    ),
    "each letter sent twice": (delivery.Server, "send", _twice, "letters twice without need"),
}


@pytest.mark.parametrize("name", SERVICES)
def test_service_that_does_wrong_is_noticed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few phases of a game, played with a service that does one thing wrong."""
    place, function, wrong, count = SERVICES[name]
    monkeypatch.setattr(place, function, wrong(getattr(place, function)))
    league = SmallLeague(tmp_path)
    league.play(most=6 if function == "announce_lock" else 2)  # until digits are drawn
    told = counting.count(league, league.sent).told()
    assert set(told) - {"examples"} == {count}
