"""A short game with all cases that a record must carry.

Attacks, a reserve stock, a moved deadline, and late, unreadable and replaced orders.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any

import pytest
from django.db import transaction

from games import desk
from games.desk import session_changes
from games.evidence import export
from games.market.report import Report
from games.models import Game, MarketClosure, ProposalAnswer, Reading
from games.press import conversations, deals
from games.rules import cards, time_credit
from games.rules.sessions import Session
from games.turns import deadlines, rulings
from tests.support import teams
from tests.support.campaign import Campaign, person

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
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


@contextmanager
def rolled_back(blocker: Any) -> Iterator[pytest.MonkeyPatch]:
    """Let a fixture of several tests play a game of the short card, and roll it back."""
    with blocker.unblock(), pytest.MonkeyPatch.context() as monkeypatch, transaction.atomic():
        short_card(monkeypatch)
        yield monkeypatch
        transaction.set_rollback(True)


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


def turned() -> Campaign:
    """Play phases that are rolled back and restored, and then roll back some of them again."""
    campaign = begin()
    campaign.pass_deadline()
    for number, kind, what in ((1, "rollback", {}), (1, "revoke", {"ruling": 1})):
        _rule(campaign, number, kind, what)
    campaign.pass_deadline()
    _rule(campaign, 2, "rollback", {})
    return campaign


def _rule(campaign: Campaign, number: int, kind: str, what: dict[str, Any]) -> None:
    campaign.now += MINUTE
    phase = campaign.game.phases.get(number=number)
    rulings.rule(phase, kind, what, "A slip.", campaign.ada, campaign.now)
    campaign.game.refresh_from_db()


def whole_record(campaign: Campaign) -> dict[str, Any]:
    """Return the private record as read from a file."""
    return whole_record_of(campaign.game)


def whole_record_of(game: Game) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(export.text(export.record(game, private=True)))
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


# --- the parts that these games do not have ---

#: A Sunday before two mornings in New York, the second of which was closed.
SUNDAY = datetime(2026, 11, 15, 17, tzinfo=UTC)
CLOSED, AFTER = date(2026, 11, 17), date(2026, 11, 18)
LEADING = ("AAPL", "AMZN", "GOOGL", "MSFT", "NVDA")


def abandoned(monkeypatch: Any) -> Campaign:
    """Play a turn of teams, with an outage, a closed day, a ruling, letters and deals; abandon the
    game."""
    source = Publisher({"GE": ["no_bar", 5_412_300]})
    monkeypatch.setattr("games.market.sources.source_for", lambda game: source)
    options = {"rng.settle": "agreed_readings"}
    public: dict[str, Any] = {"press": {"released": True, "deals": "released"}, "options": options}
    campaign = teams.begin(
        "spokesman", SUNDAY, reserves=RESERVES, market="yahoo", schedule=MORNINGS, **public
    )
    _negotiate(campaign)
    _give_time_back(campaign)
    teams.order(campaign, "gustav", "Germany", "PLACE 10 Poland")
    teams.order(campaign, "felix", "France", "PLACE 6 Poland")
    campaign.wait_until(campaign.phase.deadline)
    teams.order(campaign, "gustav", "Germany", "ATTACK Poland: France STOCK GE")
    campaign.wait_until(campaign.phase.deadline)
    phase = campaign.phase
    _close_the_exchange(campaign)
    pass_slowly(campaign)
    what = {"nation": "Germany", "points": 4}
    rulings.rule(phase, "points", what, "The newspaper.", campaign.ada, campaign.now)
    campaign.game.refresh_from_db()
    desk.abandon(campaign.game, "Three of us moved away.", campaign.ada, campaign.now)
    return campaign


def _negotiate(campaign: Campaign) -> None:
    game, germany, france = campaign.game, campaign.seat("Germany"), campaign.seat("France")
    gustav, felix = person("gustav"), person("felix")
    how: Any = {"channel": "web", "now": campaign.now}
    first = conversations.send(game, germany, gustav, ["France"], "Shall we?", **how)
    conversations.send(game, france, felix, ["Germany"], "Gladly.", answers=first, **how)
    made = deals.propose(game, germany, gustav, france, "PEACE Austria", **how)
    deals.propose(game, france, felix, germany, "PEACE Italy", counters=made, **how)
    made = deals.propose(game, germany, gustav, france, "PEACE Rumania", **how)
    deals.answer(made, france, ProposalAnswer.Kind.ACCEPTED, felix, **how)


def _give_time_back(campaign: Campaign) -> None:
    """Let an outage take the deadline of the open phase."""
    phase = campaign.phase
    since, campaign.now = phase.deadline - 5 * MINUTE, phase.deadline + 9 * MINUTE
    outage = since, campaign.now
    new = time_credit.new_deadline(phase.opened_at, phase.deadline, *outage)
    change = deadlines.move(phase, new, "An upgrade.", None, campaign.now, outage=outage)
    deadlines.note_move(change, campaign.now)


def _close_the_exchange(campaign: Campaign) -> None:
    """Confirm on the morning after the next session that the exchange was closed."""
    campaign.now = datetime(2026, 11, 19, 11, tzinfo=UTC)
    seen: Any = {"source": "yahoo", "exchange": "XNYS", "read_at": campaign.now, "raw": {"row": 1}}
    closure = MarketClosure.objects.create(
        day=CLOSED,
        reason="A power failure",
        entered_by=campaign.ada,
        entered_at=campaign.now - 30 * HOUR,
        needs_evidence=True,
        confirmed_at=campaign.now,
    )
    for symbol in LEADING:
        missing = Reading(symbol=symbol, session=str(CLOSED), kind="no_bar", **seen)
        sold = Reading(symbol=symbol, session=str(AFTER), kind="ok", volume=900_000, **seen)
        for reading in (missing, sold):
            reading.facts, reading.detail = FACTS, "As printed."
            reading.save()
            closure.readings.add(reading)
    session_changes.fix_again(closure, closure.reason, campaign.ada, campaign.now)
