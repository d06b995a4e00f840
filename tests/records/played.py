"""A short game with all cases that a record must carry.

Attacks, a reserve stock, a moved deadline, and late, unreadable and replaced orders.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from games import desk
from games.evidence import export
from games.market.report import Report
from games.rules import cards
from games.rules.sessions import Session
from tests.support.campaign import Campaign

MINUTE = timedelta(minutes=1)
#: Differs from the default reserve list, so that tests can tell them apart.
RESERVES = [f"{letter}X" for letter in "ABCDEFGHIJKLMNOPQRSTU"]


def short_card(monkeypatch: Any, turns: int = 2) -> None:
    """Cut the historical scenario down to `turns` turns."""
    monkeypatch.setattr(cards, "load", _cut(cards.load, turns))


@cache
def _cut(whole: Callable[[str, str], dict[str, Any]], turns: int) -> Callable[..., dict[str, Any]]:
    """Return the same function each time: games of the same scenario are stored together."""

    def cut(game: str, name: str) -> dict[str, Any]:
        card = whole(game, name)
        if "allocation" not in card:  # a scenario of another ruleset
            return card
        return {
            **card,
            "turns": turns,
            "allocation": {nation: row[:turns] for nation, row in card["allocation"].items()},
        }

    return cut


def begin(**given: Any) -> Campaign:
    return Campaign.begin(reserves=RESERVES, **given)


def first_turn(campaign: Campaign) -> None:
    """Play turn 1: replaced, unreadable and late orders; attacks by a stock without report (ZZ)."""
    campaign.order("Germany", "PLACE 4 Poland", at=campaign.now)
    campaign.order("Germany", "PLACE 10 Poland # instead", at=campaign.now + MINUTE)
    campaign.order("Germany", "DANCE", at=campaign.now + 2 * MINUTE)
    campaign.order("France", "PLACE 6 Poland", at=campaign.now + 3 * MINUTE)
    campaign.order("Russia", "PLACE 7 Rumania\nFROM HOME 1 Poland", at=campaign.now + 4 * MINUTE)
    desk.extend(
        campaign.phase,
        campaign.phase.deadline + 10 * MINUTE,
        "Felix is at sea",
        campaign.ada,
        campaign.now + 5 * MINUTE,
    )
    campaign.order("Britain", "PLACE 3 Poland", at=campaign.phase.deadline + MINUTE)
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: France STOCK ZZTOP\nSTANDING UNDERSTANDING ALL")
    campaign.order("Russia", "ATTACK Rumania: Germany STOCK GE\nUNDERSTANDING Rumania")
    campaign.order("France", "ATTACK Poland: Germany STOCK F # in vain, and the secret reason")
    campaign.pass_deadline()


def rest(campaign: Campaign) -> None:
    """Play the last turn."""
    campaign.order("Germany", "PLACE 9 Rumania")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Rumania: Russia STOCK IBM/GE")
    campaign.pass_deadline()


def finished() -> Campaign:
    """Play a whole game of two turns. Call `short_card` first."""
    campaign = begin()
    first_turn(campaign)
    rest(campaign)
    assert campaign.game.status == "finished"
    return campaign


def whole_record(campaign: Campaign) -> dict[str, Any]:
    """Return the private record as read from a file."""
    tree: dict[str, Any] = json.loads(export.text(export.record(campaign.game, private=True)))
    return tree


# --- figures from a publisher ---

MORNINGS = {"every": "trading_morning", "sessions": 1, "time": "09:00"}
#: A publisher's facts about a large New York stock.
FACTS = {"code": "NYQ", "zone": "America/New_York", "instrument": "EQUITY", "median": 5_300_000}


class Publisher:
    """Stand in for Yahoo. `says[symbol]`: its answers in turn; the last one repeats."""

    name = "yahoo"
    at_once = 1

    def __init__(self, says: Mapping[str, list[int | str]]) -> None:
        self.says = {symbol: list(answers) for symbol, answers in says.items()}

    def read(self, symbol: str, session: Session, now: datetime) -> Report:
        answers = self.says.get(symbol, [5_412_300])
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, int):
            return Report("ok", answer, raw={"row": {"Volume": answer}}, facts=FACTS)
        return Report(answer, detail="Nothing.", raw={"row": None})


def published(monkeypatch: Any, says: Mapping[str, list[int | str]], **given: Any) -> Campaign:
    """Play a whole game on New York sales. Call `short_card` first."""
    source = Publisher(says)
    monkeypatch.setattr("games.market.sources.source_for", lambda game: source)
    options = {"rng.settle": "agreed_readings", **given.pop("options", {})}
    campaign = begin(market="yahoo", schedule=MORNINGS, options=options, **given)
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("France", "PLACE 6 Poland")
    pass_slowly(campaign)
    campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    pass_slowly(campaign)
    campaign.order("Germany", "PLACE 9 Rumania")
    pass_slowly(campaign)
    pass_slowly(campaign)
    assert campaign.game.status == "finished", campaign.phase.status
    return campaign


def pass_slowly(campaign: Campaign) -> None:
    """Advance until the open phase is resolved or held, through at most 50 readings."""
    number = campaign.phase.number
    for _ in range(50):
        phase = campaign.pass_deadline() if campaign.phase.number == number else campaign.phase
        if phase.number != number or phase.status in ("resolved", "held"):
            return
