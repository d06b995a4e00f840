"""Rulings in Origins of World War I: alliances, results, piles and options (issue 8; 5.3)."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from games import positions
from games.base import clock
from games.desk import forecast
from games.evidence import export
from games.models import Game, Phase, Ruling
from games.records import archive
from games.rules import RulesError, ruling_kinds
from games.rules import rulings as pure
from games.rules.registry import ruleset
from games.rules.verification import verify
from games.turns import rulings
from tests.support.campaign import person
from tests.support.letters import letter_text
from tests.support.origins_ww1 import GAME, NATIONS, Campaign
from tests.support.stored import stored

pytestmark = pytest.mark.django_db
Json = dict[str, Any]
PLACEMENT, ATTACKS = 1, 2


def _attacked() -> Campaign:
    """Play turn 1: Britain and France become allies, Russia attacks in Serbia."""
    campaign = Campaign.begin()
    for nation in NATIONS:
        campaign.order(
            nation,
            "PLACE 5 Serbia"
            + {"Britain": "\nALLY France", "France": "\nALLY Britain"}.get(nation, ""),
        )
    campaign.pass_deadline()
    campaign.order("Russia", "ATTACK Germany IN Serbia STOCK GE")
    campaign.pass_deadline()
    return campaign


@pytest.fixture
def campaign() -> Campaign:
    return stored("turn 1 of the first world war's origins", _attacked)


def rule(campaign: Campaign, number: int, kind: str, what: Json) -> Ruling:
    campaign.now += timedelta(seconds=1)
    made = rulings.rule(
        phase(campaign, number), kind, what, "So it was agreed.", campaign.ada, campaign.now
    )
    campaign.game.refresh_from_db()
    return made


def phase(campaign: Campaign, number: int) -> Phase:
    row = campaign.game.phases.get(number=number)
    row.game = campaign.game
    return row


def alliances(campaign: Campaign) -> tuple[tuple[str, str], ...]:
    return tuple(campaign.game.load(positions.position(campaign.game)).alliances)


def holds(campaign: Campaign) -> None:
    for private in (True, False):
        tree = json.loads(export.text(export.record(campaign.game, private=private)))
        assert [str(difference) for difference in verify.check(tree)] == []
    archive.restore(
        json.loads(export.text(export.record(campaign.game, private=True))), campaign.ada
    )


def test_alliance_ruling_allies_two_nations_until_revoked(
    campaign: Campaign,
) -> None:
    what = {"nations": ["Germany", "Russia"], "allied": True}
    preview = rulings.preview(phase(campaign, ATTACKS), "alliance", what)
    assert preview.new is not None
    assert (preview.fault, preview.new.words) == ("", "Germany and Russia are allies.")
    assert not preview.changes_nothing
    assert alliances(campaign) == (("Britain", "France"),), "a preview writes nothing"
    made = rule(campaign, ATTACKS, "alliance", what)
    assert alliances(campaign) == (("Britain", "France"), ("Germany", "Russia"))
    assert campaign.resolution(phase(campaign, ATTACKS)).version == 2
    letter = letter_text(campaign.letters("ruled", "antal")[-1])
    assert "Germany and Russia are allies." in letter
    holds(campaign)
    campaign.now += timedelta(seconds=1)
    rulings.revoke(made, "It was not.", campaign.ada, campaign.now)
    assert alliances(campaign) == (("Britain", "France"),)
    holds(campaign)


def test_ruling_ends_an_alliance(campaign: Campaign) -> None:
    what = {"nations": ["Britain", "France"], "allied": False}
    made = rule(campaign, PLACEMENT, "alliance", what)
    assert made.words == "Britain and France are no longer allies."
    assert alliances(campaign) == ()
    assert campaign.resolution(phase(campaign, ATTACKS)).version == 2, (
        "the later phase is judged anew on what the first now leaves"
    )
    holds(campaign)


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        (
            {"nations": ["Britain", "Russia"], "allied": True},
            "Britain is already allied with France.",
        ),
        ({"nations": ["Germany", "Russia"], "allied": False}, "Germany and Russia are not allied."),
        ({"nations": ["Germany", "Germany"], "allied": True}, "an alliance joins two"),
        ({"nations": ["Germany", "Narnia"], "allied": True}, "no nation “Narnia”"),
        ({"nations": ["Germany", "Russia"], "allied": "so"}, "must be true"),
        ({"nations": ["Germany", "Russia"]}, "lacks “allied”"),
    ],
)
def test_impossible_alliance_ruling_is_refused_with_the_reason(
    campaign: Campaign, what: Json, sentence: str
) -> None:
    assert sentence in rulings.preview(phase(campaign, ATTACKS), "alliance", what).fault


def test_rulings_use_the_results_piles_and_options_of_this_game(campaign: Campaign) -> None:
    """Results AE, DE and EX, piles of PFs alone, and the options of this game."""
    (attack,) = [
        event
        for event in campaign.resolution(phase(campaign, ATTACKS)).events
        if event["kind"] == "attack"
    ]
    result = "DE" if attack["result"] != "DE" else "AE"
    made = rule(campaign, ATTACKS, "result", {"nation": "Russia", "line": 1, "result": result})
    assert made.words.startswith("The attack of Russia in line 1 of its orders ")
    loser = "Germany" if result == "DE" else "Russia"
    assert loser not in campaign.board()["Serbia"]
    rule(campaign, ATTACKS, "position", {"cells": {"Africa": {"France": {"pf": 12}}}})
    assert str(campaign.board()["Africa"]["France"]) == "12T"
    rule(campaign, ATTACKS, "points", {"nation": "Germany", "points": 2})
    rule(campaign, ATTACKS, "option", {"option": "rng.d6", "value": "full_mod"})
    holds(campaign)
    for kind, what, sentence in (
        ("result", {"nation": "Russia", "line": 1, "result": "A"}, "choose from AE, EX, DE, void"),
        (
            "counter",
            {"nation": "Russia", "area": "Serbia", "counter": "control", "given": True},
            "is not a ruling",
        ),
        (
            "position",
            {"cells": {"Africa": {"France": {"pf": 1, "control": True}}}},
            "cannot be what France has in Africa",
        ),
        (
            "option",
            {"option": "wwi.phasing", "value": "sequential"},
            "not an option you can set for one phase",
        ),
        (
            "option",
            {"option": "ow2.u_loss", "value": "u_first"},
            "not an option you can set for one phase",
        ),
    ):
        assert sentence in rulings.preview(phase(campaign, ATTACKS), kind, what).fault, kind


def test_origins_of_world_war_ii_has_no_alliance_rulings() -> None:
    sister = ruleset("origins-ww2")
    with pytest.raises(RulesError, match="“alliance” is not a ruling"):
        ruling_kinds.check("alliance", {}, ruling_kinds.RuledPhase(sister, None, {}, {}, []))
    assert "rng.d6" not in pure.option_ids(sister)
    assert "rng.d6" in pure.option_ids(ruleset(GAME))
    assert not [option for option in pure.option_ids(ruleset(GAME)) if option.startswith("ow2")]


def test_desk_offers_and_makes_the_rulings_of_the_game(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    client = Client()
    client.force_login(person("ada"), backend="django.contrib.auth.backends.ModelBackend")
    at = f"/games/{campaign.game.pk}/desk/rulings/phases/{ATTACKS}/"
    kinds = [kind for kind, _, _ in client.get(at).context["kinds"]]
    assert kinds == [
        "orders",
        "digit",
        "result",
        "alliance",
        "position",
        "points",
        "option",
        "again",
        "rollback",
    ]
    assert "rng.d6=two_digit" in client.get(f"{at}option/").content.decode()
    placement = f"/games/{campaign.game.pk}/desk/rulings/phases/{PLACEMENT}/option/"
    assert "rng.d6" not in client.get(placement).content.decode(), "it throws no die"
    typed = {"first": "Russia", "second": "Germany", "allied": "yes", "step": "preview"}
    shown = client.post(f"{at}alliance/", typed)
    assert "Germany and Russia are allies." in shown.content.decode()
    assert "changes nothing" not in shown.content.decode(), "though the board shows no alliances"
    typed |= {"step": "rule", "token": shown.context["token"], "reason": "So it was agreed."}
    assert client.post(f"{at}alliance/", typed).status_code == 302
    assert Game.objects.get(pk=campaign.game.pk).rulings.get().what == {
        "nations": ["Germany", "Russia"],
        "allied": True,
    }
    twice = client.post(
        f"{at}alliance/",
        {"first": "Russia", "second": "Russia", "allied": "yes", "step": "preview"},
    )
    assert "Russia is chosen twice" in twice.content.decode()


def test_forecast_counts_the_faces_of_a_die(campaign: Campaign) -> None:
    """Only digits 1 to 6 decide, with equal chances; the odds are those of the printed table."""
    campaign.order("Russia", "PLACE 5 Serbia")
    campaign.pass_deadline()
    campaign.order("Russia", "ATTACK Britain IN Serbia STOCK GE")
    prospects = forecast.prospects_of(campaign.phase)
    (attack,) = prospects.attacks
    assert prospects.die
    assert [outcome.digit for outcome in attack.outcomes] == [1, 2, 3, 4, 5, 6]
    assert attack.void == ""
    assert attack.comes_to_a_throw == 1.0
