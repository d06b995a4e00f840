"""The gamesmaster rules who has an ally until the turn is over (Rules N3, 0.1; design 4)."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.utils.html import escape

from games import permissions
from games.evidence import export
from games.letters import rendering
from games.models import Phase, Ruling
from games.rules.verification import verify
from games.turns import rulings
from games.turns.ruling_plan import RulingError
from gamesmaster import clock
from orders import in_force, ledger
from tests.seats.test_fewer_players import FOUR, THREE, seats
from tests.support.campaign import PLAYERS, Campaign, person

pytestmark = pytest.mark.django_db
WHY = "The die fell off the table."


@pytest.fixture
def campaign(monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """Three play, and it is drawn who has the USA and France. In the first placement."""
    campaign = Campaign.begin(seats=seats(*THREE))
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    campaign.pass_deadline()
    assert campaign.phase.kind == "placement"
    return campaign


def others(campaign: Campaign) -> tuple[str, str]:
    """Who has the USA, and who is to have it."""
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
    """The record follows from itself, for the gamesmaster and for a stranger."""
    for private in (True, False):
        tree = json.loads(export.text(export.record(campaign.game, private=private)))
        assert [str(difference) for difference in verify.check(tree)] == []


def test_an_ally_is_handed_over_and_its_new_controller_orders_for_it(campaign: Campaign) -> None:
    """N3, N4: the open phase follows the ruling; earlier orders stand until replaced."""
    was, new = others(campaign)
    usa = campaign.seat("USA")
    ledger.receive(
        usa, "PLACE 1 Poland", channel="web", person=person(PLAYERS[was]), now=campaign.now
    )
    rule(campaign, 1, "USA", new)
    assert campaign.phase.controllers["USA"] == new
    assert usa in permissions.seats_ordered(person(PLAYERS[new]), campaign.game, campaign.phase)
    assert in_force.texts_in_force(campaign.phase)["USA"] == "PLACE 1 Poland"
    with pytest.raises(ledger.LedgerError, match="may not send orders for USA"):
        ledger.receive(
            usa, "PLACE 2 Poland", channel="web", person=person(PLAYERS[was]), now=campaign.now
        )
    ledger.receive(
        usa, "PLACE 2 Italy", channel="web", person=person(PLAYERS[new]), now=campaign.now
    )
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


def test_the_ruling_is_told_to_everybody_and_can_be_revoked(campaign: Campaign) -> None:
    was, new = others(campaign)
    made = rule(campaign, 1, "USA", new)
    said = f"{new} sends USA's orders until the turn ends."
    for name in ("ada", *(PLAYERS[nation] for nation in THREE)):
        assert said in rendering.render(campaign.letters("ruled", name)[-1]).text
    page = Client().get(f"/games/{campaign.game.pk}/rulings/").content.decode()
    assert escape(said) in page
    assert WHY in page
    rulings.revoke(made, "It lay there after all.", campaign.ada, campaign.now)
    assert campaign.phase.controllers["USA"] == was
    holds(campaign)


def test_the_form_offers_those_who_hold_a_nation_and_shows_the_effect_first(
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
    assert (
        "Controller of an ally"
        in client.get(f"/games/{campaign.game.pk}/desk/rulings/phases/1/").content.decode()
    )


@pytest.mark.parametrize(
    ("nation", "controller", "sentence"),
    [
        ("Germany", "Russia", "Germany sends its own orders"),
        ("USA", "France", "France has no player, so it cannot play USA"),
        ("USA", "Narnia", "no nation “Narnia”"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(
    campaign: Campaign, nation: str, controller: str, sentence: str
) -> None:
    with pytest.raises(RulingError, match=sentence):
        rule(campaign, 1, nation, controller)


def test_whoever_has_it_already_need_not_be_ruled(campaign: Campaign) -> None:
    was, _ = others(campaign)
    with pytest.raises(RulingError, match=f"{was} already plays USA"):
        rule(campaign, 1, "USA", was)


def test_before_a_draw_of_its_own_the_draw_is_what_is_ruled_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """N2, ow2.ally_draw = own_session: the attacks say nothing of who has the ally next."""
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


def test_where_everybody_plays_there_is_no_such_form() -> None:
    campaign = Campaign.begin()
    campaign.pass_deadline()
    client = Client()
    client.force_login(campaign.ada, backend="django.contrib.auth.backends.ModelBackend")
    assert (
        "Controller of an ally"
        not in client.get(f"/games/{campaign.game.pk}/desk/rulings/phases/1/").content.decode()
    )
