"""A short game with all that a record must carry: attacks, a reserve stock, a moved deadline; late, unreadable and replaced orders."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

from games import archive, desk
from games.rules import cards
from tests.cast import Campaign

MINUTE = timedelta(minutes=1)
#: The reserve list of these games, so that a test can tell it from the default.
RESERVES = [f"{letter}X" for letter in "ABCDEFGHIJKLMNOPQRSTU"]


def short_card(monkeypatch: Any, turns: int = 2) -> None:
    """The historical card, cut down to so many turns: a whole game in as many phases as a test needs."""
    whole = cards.load

    def cut(game: str, name: str) -> dict[str, Any]:
        card = whole(game, name)
        if "allocation" not in card:  # of another kind of game, which is not played here
            return card
        return {**card, "turns": turns, "allocation": {nation: row[:turns] for nation, row in card["allocation"].items()}}

    monkeypatch.setattr(cards, "load", cut)


def begin(**given: Any) -> Campaign:
    return Campaign.begin(reserves=RESERVES, **given)


def first_turn(campaign: Campaign) -> None:
    """Placement with a replaced, an unreadable and a late set of orders; attacks with a stock that has no report (ZZ)."""
    campaign.order("Germany", "PLACE 4 Poland", at=campaign.now)
    campaign.order("Germany", "PLACE 10 Poland # instead", at=campaign.now + MINUTE)
    campaign.order("Germany", "DANCE", at=campaign.now + 2 * MINUTE)
    campaign.order("France", "PLACE 6 Poland", at=campaign.now + 3 * MINUTE)
    campaign.order("Russia", "PLACE 7 Rumania\nFROM HOME 1 Poland", at=campaign.now + 4 * MINUTE)
    desk.extend(campaign.phase, campaign.phase.deadline + 10 * MINUTE, "Felix is at sea", campaign.ada, campaign.now + 5 * MINUTE)
    campaign.order("Britain", "PLACE 3 Poland", at=campaign.phase.deadline + MINUTE)
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: France STOCK ZZTOP\nSTANDING UNDERSTANDING ALL")
    campaign.order("Russia", "ATTACK Rumania: Germany STOCK GE\nUNDERSTANDING Rumania")
    campaign.order("France", "ATTACK Poland: Germany STOCK F # in vain, and the secret reason")
    campaign.pass_deadline()


def rest(campaign: Campaign) -> None:
    """The last turn."""
    campaign.order("Germany", "PLACE 9 Rumania")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Rumania: Russia STOCK IBM/GE")
    campaign.pass_deadline()


def finished() -> Campaign:
    """A whole game of two turns; the card must have been cut with `short_card`."""
    campaign = begin()
    first_turn(campaign)
    rest(campaign)
    assert campaign.game.status == "finished"
    return campaign


def whole_record(campaign: Campaign) -> dict[str, Any]:
    """The record as it comes out of a file."""
    tree: dict[str, Any] = json.loads(archive.text(archive.record(campaign.game, private=True)))
    return tree
