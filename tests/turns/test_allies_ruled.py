"""Rulings that give an ally to another controller until the turn ends (Rules N3, 0.1; design 4)."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.utils.html import escape

from games import permissions
from games.base import clock
from games.evidence import export
from games.letters import rendering
from games.models import Phase, Ruling
from games.positions import in_force
from games.rules.verification import verify
from games.turns import rulings
from games.turns.ruling_plan import RulingError
from orders.intake import ledger
from tests.seats.test_fewer_players import FOUR, THREE, seats
from tests.support.campaign import PLAYERS, Campaign, person

pytestmark = pytest.mark.django_db
WHY = "The die fell off the table."


@pytest.fixture
def campaign(monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """Begin a game with three players, in its first placement; draws gave USA and France away."""
    campaign = Campaign.begin(seats=seats(*THREE))
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    campaign.pass_deadline()
    assert campaign.phase.kind == "placement"
    return campaign


def others(campaign: Campaign) -> tuple[str, str]:
    """Return the controller of the USA, and the nation that will get it."""
    by = campaign.phase.controllers["USA"]
    return by, next(nation for nation in THREE if nation != by)


def rule(campaign: Campaign, number: int, nation: str, controller: str) -> Ruling:
    campaign.now += timedelta(seconds=1)
    what = {"nation": nation, "controller": controller}
    made = rulings.rule(
        campaign.game.phases.get(number=number), "controller", what, WHY, campaign.ada, campaign.now
    )
    campaign.game.refresh_from_db()
    return made


def holds(campaign: Campaign) -> None:
    """Assert that the record verifies, with and without its private parts."""
    for private in (True, False):
        tree = json.loads(export.text(export.record(campaign.game, private=private)))
        assert [str(difference) for difference in verify.check(tree)] == []


def test_controller_ruling_lets_the_new_controller_order(campaign: Campaign) -> None:
    """N3, N4: the open phase follows the ruling; earlier orders stand until replaced."""
    was, new = others(campaign)
    usa = campaign.seat("USA")
    ledger.receive(usa, "PLACE 1 Poland", ledger.Arrival("web", person(PLAYERS[was]), campaign.now))
    rule(campaign, 1, "USA", new)
    assert campaign.phase.controllers["USA"] == new
    assert usa in permissions.orderable_seats(person(PLAYERS[new]), campaign.game, campaign.phase)
    assert in_force.texts_in_force(campaign.phase)["USA"] == "PLACE 1 Poland"
    with pytest.raises(ledger.LedgerError, match="may not send orders for USA"):
        ledger.receive(
            usa, "PLACE 2 Poland", ledger.Arrival("web", person(PLAYERS[was]), campaign.now)
        )
    ledger.receive(usa, "PLACE 2 Italy", ledger.Arrival("web", person(PLAYERS[new]), campaign.now))
    holds(campaign)
    campaign.pass_deadline()
    assert campaign.board()["Italy"]["USA"].pf == 2
    assert campaign.phase.controllers["USA"] == new, "until the turn is over"
    campaign.pass_deadline()
    events = campaign.resolution().events
    drawn = next(
        event for event in events if event["kind"] == "ally_drawn" and event["nation"] == "USA"
    )
    assert campaign.phase.controllers["USA"] == drawn["controller"], "then the die decides again"
    holds(campaign)


def test_controller_ruling_is_announced_to_all_and_can_be_revoked(campaign: Campaign) -> None:
    was, new = others(campaign)
    made = rule(campaign, 1, "USA", new)
    words = f"{new} sends USA's orders until the turn ends."
    for name in ("ada", *(PLAYERS[nation] for nation in THREE)):
        assert words in rendering.render(campaign.letters("ruled", name)[-1]).text
    page = Client().get(f"/games/{campaign.game.pk}/rulings/").content.decode()
    assert escape(words) in page
    assert WHY in page
    rulings.revoke(made, "It lay there after all.", campaign.ada, campaign.now)
    assert campaign.phase.controllers["USA"] == was
    holds(campaign)


def test_controller_form_offers_played_nations_and_previews_the_effect(
    campaign: Campaign,
) -> None:
    _, new = others(campaign)
    client = Client()
    client.force_login(campaign.ada, backend="django.contrib.auth.backends.ModelBackend")
    address = f"/games/{campaign.game.pk}/desk/rulings/phases/1/controller/"
    page = client.get(address).content.decode()
    assert '<option value="USA">' in page
    assert '<option value="Germany">' in page
    preview = client.post(
        address, {"nation": "USA", "controller": new, "reason": WHY, "step": "preview"}
    ).content.decode()
    assert f"{new} sends USA&#x27;s orders until the turn ends." in preview
    assert not Ruling.objects.exists()
    kinds = client.get(f"/games/{campaign.game.pk}/desk/rulings/phases/1/").content.decode()
    assert "Controller of an ally" in kinds
    assert "Amend a nation’s orders" not in kinds, "a draw has no orders"


@pytest.mark.parametrize(
    ("nation", "controller", "sentence"),
    [
        ("Germany", "Russia", "Germany has a player and sends its own orders"),
        ("USA", "France", "France has no player, so it cannot play USA"),
        ("USA", "Narnia", "no nation “Narnia”"),
    ],
)
def test_impossible_controller_ruling_is_refused_with_the_reason(
    campaign: Campaign, nation: str, controller: str, sentence: str
) -> None:
    with pytest.raises(RulingError, match=sentence):
        rule(campaign, 1, nation, controller)


def test_ruling_the_present_controller_again_is_refused(campaign: Campaign) -> None:
    was, _ = others(campaign)
    with pytest.raises(RulingError, match=f"{was} already plays USA"):
        rule(campaign, 1, "USA", was)


def test_ruling_before_a_draw_phase_applies_to_the_draw(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """N2, ow2.ally_draw = own_session: attacks do not decide the next controller."""
    campaign = Campaign.begin(seats=seats(*FOUR), options={"ow2.ally_draw": "own_session"})
    for _ in range(3):
        campaign.pass_deadline()
    attacks = Phase.objects.filter(game=campaign.game, kind="attacks").get()
    with pytest.raises(RulingError, match="has not been made"):
        rule(campaign, attacks.number, "USA", "Germany")
    campaign.pass_deadline()
    new = next(nation for nation in FOUR if nation != campaign.phase.controllers["USA"])
    rule(campaign, attacks.number + 1, "USA", new)
    assert campaign.phase.controllers == {"USA": new}
    holds(campaign)


def test_controller_form_is_missing_when_all_nations_are_played() -> None:
    campaign = Campaign.begin()
    campaign.pass_deadline()
    client = Client()
    client.force_login(campaign.ada, backend="django.contrib.auth.backends.ModelBackend")
    assert (
        "Controller of an ally"
        not in client.get(f"/games/{campaign.game.pk}/desk/rulings/phases/1/").content.decode()
    )
