"""Play a class campaign: five teams of the printed sizes, by page and mail (Rules F1)."""

from __future__ import annotations

import itertools
import json

import pytest
from django.test import Client
from pytest_django import Settings

from games import desk, permissions, positions
from games.accounts import tokens
from games.base import clock
from games.evidence import export
from games.models import Letter, Phase
from games.positions import in_force
from games.rules.verification import verify
from orders.models import Handling, Submission
from tests.inbound.writing import send
from tests.records.played import short_card
from tests.support.campaign import PLAYERS, Campaign, person
from tests.support.examples import sample
from tests.support.walk import BACKEND

pytestmark = [pytest.mark.django_db, pytest.mark.letters]
#: The printed sizes of the teams (Rules F1).
SIZES = {"USA": 3, "Britain": 2, "France": 5, "Germany": 1, "Russia": 1}


class Class:
    """A class and its game; its pupils send by page and by mail in turn."""

    def __init__(self, rule: str) -> None:
        self.campaign = Campaign.open(
            options={"ow2.team": rule}, schedule={"every": "minutes", "minutes": 24 * 60}
        )
        self.pupils = {
            nation: [PLAYERS[nation], *(f"{PLAYERS[nation]}-{n}" for n in range(2, size + 1))]
            for nation, size in SIZES.items()
        }
        for nation, names in self.pupils.items():
            for name in names[1:]:
                who = person(name)
                offer = desk.invite(
                    self.campaign.seat(nation),
                    who.email,
                    self.campaign.ada,
                    self.campaign.now,
                    joins=True,
                )
                desk.accept(offer, who, self.campaign.now)
        self.ways = itertools.cycle(("page", "mail"))

    def sends(self, name: str, nation: str, text: str) -> None:
        campaign = self.campaign
        if next(self.ways) == "mail":
            to = tokens.reply_address(person(name), campaign.game, campaign.now)
            row = send(campaign, nation, text, sender=f"{name}@example.org", to=to)
            assert row.status == Handling.Status.DONE, (row.words, row.fault)
            return
        pupil = Client()
        pupil.force_login(person(name), backend=BACKEND)
        page = f"/games/{campaign.game.pk}/orders/{campaign.seat(nation).pk}/"
        assert (
            pupil.post(
                page, {"text": text, "do": "send-anyway", "phase": campaign.phase.number}
            ).status_code
            == 302
        )

    def moves(self, nation: str) -> str:
        """Return the orders of a bot for a nation, or PASS if it does not act."""
        phase, game = self.campaign.phase, self.campaign.game
        state = permissions.view(game, positions.position_before(phase), nation)
        return (
            game.rules.bot.orders(state, nation, f"{nation}/{phase.number}")
            if nation in game.rules.acting_nations(state)
            else "PASS"
        )


@pytest.mark.parametrize("rule", sample(["spokesman", "majority", "last_received"], 1))
def test_a_class_plays_a_whole_campaign(
    rule: str, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """Issue 7: a campaign with each team rule, whose record can be verified at its end."""
    short_card(monkeypatch, turns=2)
    settings.MAIL_IN = True
    played = Class(rule)
    campaign = played.campaign
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    desk.start(campaign.game, campaign.now)
    while campaign.game.status != "finished":
        expected = {}
        for nation, names in played.pupils.items():
            orders = played.moves(nation)
            expected[nation] = orders
            # In teams of 3 and more a member dissents; the spokesman and the member who sends last
            # agree with the others.
            for name in (names[-1], *names[:-1]) if len(names) > 1 else names:
                dissents = name == names[-1] and len(names) > 2
                played.sends(name, nation, "PASS\n" if dissents else f"{orders}\n")
        state = positions.state_of(campaign.phase)
        texts = in_force.texts_in_force(campaign.phase)
        for nation, orders in expected.items():
            understood_orders = [
                words for _, words in campaign.game.rules.read(orders, nation, state).understood
            ]
            assert [
                words
                for _, words in campaign.game.rules.read(texts[nation], nation, state).understood
            ] == understood_orders
        phase = campaign.pass_deadline()
        assert phase.status == Phase.Status.RESOLVED, phase.fault
        assert phase.missed == []
        assert {nation: len(members) for nation, members in phase.teams.items()} == {
            n: size for n, size in SIZES.items() if size > 1
        }
    tree = json.loads(export.text(export.record(campaign.game, private=False)))
    assert tree["complete"]
    assert [str(difference) for difference in verify.check(tree)] == []
    assert Submission.objects.filter(proposal=True).exists() == (rule == "spokesman")
    assert Submission.objects.exclude(channel__in=("web", "mail")).count() == 0
    assert {
        letter.person.name for letter in Letter.objects.filter(kind="over") if letter.person
    } >= {person(name).name for names in played.pupils.values() for name in names}
