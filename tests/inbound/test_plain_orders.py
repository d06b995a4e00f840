"""A campaign by mail without a single canonical line (contract 3a).

Every set of orders is read as meant, and a stranger can repeat the reading.
"""

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
    text = f"attack {' and '.join(order.targets)} in {order.area}"
    if order.stocks:
        text += f" ({' or '.join(order.stocks)})"
    if order.otherwise:
        text += f", otherwise {' and '.join(order.otherwise)}"
    return text + (f", at least {order.minimum}:1" if order.minimum else "")


def words(order: Any) -> str:
    """Return an order as a person who has read no manual may write it."""
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
    """Return a bot's orders in canonical words, and a letter with them in plain words.

    Half of the letters have a numbered list, half have everything on one line.
    """
    rules, state = campaign.game.rules, positions.state_of(campaign.phase)
    text = rules.bot.orders(state, nation, f"plain {campaign.phase.number}")
    orders = rules.read(text, nation, state).orders
    lines = [words(order) for order in orders]
    if campaign.phase.number % 2:
        letter = "\n".join(f"{number}) {line}" for number, line in enumerate(lines, 1))
    else:
        letter = "; ".join(lines)
    return [order.words() for order in orders], f"Dear Ada,\n\n{letter}\n\nBest regards\n"


def play(campaign: Campaign) -> int:
    """Play the whole campaign by letters. Return how many were read."""
    letters = 0
    while not campaign.game.is_over:
        acting = campaign.game.rules.acting_nations(positions.state_of(campaign.phase))
        for nation in acting:
            meant, letter = write(campaign, nation)
            if not meant:
                continue
            send(campaign, campaign.players[nation], letter)
            submission = Submission.objects.filter(game=campaign.game).latest("number")
            assert [canonical for _, canonical in submission.understood] == meant, submission.text
            assert not any(CANONICAL.match(line) for line in submission.text.splitlines()), (
                submission.text
            )
            letters += 1
        campaign.pass_deadline()
        campaign.game.refresh_from_db()
    return letters


LETTERS = [
    "Hi Ada,\n\nhope you're well! Here are my orders for this turn:\n\n5 to Poland\n3 to Austria\n"
    "\nCheers,\nGerd\n",
    "Hey! 5 to Poland, 3 to Austria please. Thx",
    "Moin,\nhere's what I do: 5 PFs into Poland, 3 into Austria.\nbye, Gerd",
    "Turn 1 placement for Germany:\n5 in Poland\n3 in Austria\n\nGerd",
    "Turn 1\n5 to Poland\n3 to Austria\n\nSent from my iPhone",
    "Hello,\n\nI'd like to place 5 PFs in Poland and 3 in\nAustria this turn.\n\nRegards, Gerd",
    "Hi,\nplease put five in Poland and three in Austria.\n\nBest\nGerd\n\n"
    "On Mon, 16 Nov 2026 at 18:00, Gamesmaster wrote:\n> Turn 1 placement\n> PLACE 8 Italy\n",
    "My orders:\n5 PFs to Poland,\n3 PFs to\nAustria.\n\n--\nGerd\nTel. +49 30 123456\n",
    "Dear gamesmaster,\nGermany:\n- Poland: 5 PFs\n- Austria: 3 PFs\n\nThanks a lot and best"
    " wishes\nGerd",
]


@pytest.mark.parametrize("letter", LETTERS)
def test_letter_as_a_player_types_it_is_read(letter: str) -> None:
    """Issue 23, 6: greetings, signatures, quotations, wrapped lines, headings of the open phase."""
    campaign = Campaign.begin()
    send(campaign, campaign.players["Germany"], letter)
    submission = Submission.objects.get(game=campaign.game)
    assert [canonical for _, canonical in submission.understood] == [
        "PLACE 5 Poland",
        "PLACE 3 Austria",
    ]
    assert submission.counts


def test_heading_of_a_later_turn_is_refused_with_the_possible_phases() -> None:
    campaign = Campaign.begin()
    outcome = send(campaign, campaign.players["Germany"], "Turn 2\n5 to Poland")
    assert not Submission.objects.filter(game=campaign.game).exists()
    assert "Turn 2, placement; Turn 2, attacks" in str(outcome)


def test_whole_campaign_by_mail_without_a_canonical_line() -> None:
    campaign = Campaign.begin()
    assert play(campaign) > 40
    assert [str(difference) for difference in verify.check(whole_record(campaign))] == []


def test_ww1_campaign_by_mail_without_a_canonical_line(monkeypatch: Any) -> None:
    short_card(monkeypatch)
    campaign = origins_ww1.Campaign.begin()
    assert play(campaign) > 10
    assert [str(difference) for difference in verify.check(whole_record(campaign))] == []


def test_record_that_says_canonical_is_not_read_plainly() -> None:
    """Verification uses the language that the record names."""
    campaign = Campaign.begin()
    send(campaign, campaign.players["Germany"], "5 PFs to Poland")
    campaign.pass_deadline()
    tree = whole_record(campaign)
    assert tree["options"]["orders.language"] == "plain"
    assert not list(verify.check(tree))
    tree["options"]["orders.language"] = "canonical"
    assert list(verify.check(tree))
