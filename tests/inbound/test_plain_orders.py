"""A campaign by mail in which nobody writes a canonical line (contract 3a): every set of orders is
read as it was meant, and a stranger can repeat the reading."""

from __future__ import annotations

import re
from typing import Any

import pytest

from games import positions
from games.rules.origins_ww1.reading import Attack as AttackOfWW1
from games.rules.origins_ww2.reading import (
    Attack,
    Control,
    Place,
    Share,
    StandingUnderstanding,
    Understanding,
)
from games.rules.verification import verify
from orders.models import Submission
from tests.records.played import short_card, whole_record
from tests.support import origins_ww1
from tests.support.campaign import Campaign

from .post import send

pytestmark = pytest.mark.django_db
CANONICAL = re.compile(
    r"(?:PLACE|FROM HOME) \d+ [A-Z]|ATTACK [^:]+: |ATTACK \S+ IN |(?:UNDERSTANDING|CONTROL) [A-Z]"
    r"|SHARE .* WITH |STANDING UNDERSTANDING ALL$|PASS$|ALLY [A-Z]"
)


def attack_in_words(order: Attack) -> str:
    said = f"attack {' and '.join(order.targets)} in {order.area}"
    if order.stocks:
        said += f" ({' or '.join(order.stocks)})"
    if order.otherwise:
        said += f", otherwise {' and '.join(order.otherwise)}"
    return said + (f", at least {order.minimum}:1" if order.minimum else "")


def words(order: Any) -> str:
    """An order as somebody may say it who has read no manual."""
    match order:
        case Place(pf=pf, area=area, from_home=True):
            return f"move {pf} from home to {area}"
        case Attack():
            return attack_in_words(order)
        case AttackOfWW1(target=target, area=area, stocks=stocks):
            stock = f", stock {', '.join(stocks)}" if stocks else ""
            return f"{area}: attack {target}{stock}"
        case Understanding(area=area):
            return f"place an Understanding in {area}"
        case Control(area=area):
            return f"take control of {area}"
        case Share(area=area, partner=partner):
            return f"share control of {area} with {partner}"
        case StandingUnderstanding():
            return "a standing Understanding everywhere"
    canonical = str(order.words())
    if canonical == "PASS":
        return "I pass, thank you"
    if canonical.startswith("ALLY "):
        return f"make an alliance with {canonical[5:]}"
    _, number, area = canonical.split(" ", 2)
    return f"{number} PFs to {area}"


def write(campaign: Campaign, nation: str) -> tuple[list[str], str]:
    """What a program would order, in canonical words and in those of a letter: half of the letters
    have a numbered list, half have all on one line."""
    rules, state = campaign.game.rules, positions.state_of(campaign.phase)
    text = rules.bot.orders(state, nation, f"plain {campaign.phase.number}")
    orders = rules.read(text, nation, state).orders
    said = [words(order) for order in orders]
    if campaign.phase.number % 2:
        letter = "\n".join(f"{number}) {line}" for number, line in enumerate(said, 1))
    else:
        letter = "; ".join(said)
    return [order.words() for order in orders], f"Dear Ada,\n\n{letter}\n\nBest regards\n"


def play(campaign: Campaign) -> int:
    """The whole campaign by letters. Gives how many were read."""
    letters = 0
    while not campaign.game.is_over:
        acting = campaign.game.rules.acting(positions.state_of(campaign.phase))
        for nation in acting:
            meant, letter = write(campaign, nation)
            if not meant:
                continue
            send(campaign, campaign.players[nation], letter)
            sent = Submission.objects.filter(game=campaign.game).latest("number")
            assert [said for _, said in sent.understood] == meant, sent.text
            assert not any(CANONICAL.match(line) for line in sent.text.splitlines()), sent.text
            letters += 1
        campaign.pass_deadline()
        campaign.game.refresh_from_db()
    return letters


def test_whole_campaign_by_mail_without_a_canonical_line() -> None:
    campaign = Campaign.begin()
    assert play(campaign) > 40
    assert [str(one) for one in verify.check(whole_record(campaign))] == []


def test_campaign_of_the_first_war_by_mail_without_a_canonical_line(monkeypatch: Any) -> None:
    short_card(monkeypatch)
    campaign = origins_ww1.Campaign.begin()
    assert play(campaign) > 10
    assert [str(one) for one in verify.check(whole_record(campaign))] == []


def test_record_that_says_canonical_is_not_read_plainly() -> None:
    """What is verified is the reading of the time: the language belongs to the record."""
    campaign = Campaign.begin()
    send(campaign, campaign.players["Germany"], "5 PFs to Poland")
    campaign.pass_deadline()
    tree = whole_record(campaign)
    assert tree["options"]["orders.language"] == "plain"
    assert not list(verify.check(tree))
    tree["options"]["orders.language"] = "canonical"
    assert list(verify.check(tree))
